/** What of a file is in memory goes to a socket byte for byte, what is not ends no process, and no mapping is left. */
import { once } from 'node:events';
import { closeSync, fsyncSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { MOST_MAPPED_BYTES, unmapAll, unmapIdle, writeMapped } from './mapped-writes';
import { loadNativeLibrary } from './native-library';

const library = process.platform === 'linux' ? loadNativeLibrary() : 'no Linux';
const MEGABYTE = 1024 * 1024;
const WINDOW_BYTES = 16 * MEGABYTE;
/** Of <fcntl.h> of Linux. */
const POSIX_FADV_DONTNEED = 4;
const NOTHING = { before: [], after: [] };

function descriptorOf(socket: Socket): number {
  return (socket as unknown as { _handle: { fd: number } })._handle.fd;
}

if (typeof library === 'string') {
  it('cannot be done without Linux and koffi', () => {
    expect(writeMapped(1, { owner: {}, descriptor: 0 }, { position: 0, count: 1, around: NOTHING })).toBe(0);
  });
} else describe('writing from mapped files', writing);

function writing(): void {
  // Beside this file: temporary directories may lie in memory.
  const folder = mkdtempSync(path.join(__dirname, 'mapped-writes-'));
  /** No two stretches of it are alike, and none is of zeros. */
  const content = Buffer.alloc(WINDOW_BYTES + 3 * MEGABYTE);
  for (let at = 0; at < content.length; at += 4) content.writeUInt32LE((Math.imul(at, 2_654_435_761) | 1) >>> 0, at);
  const name = path.join(folder, 'whole');
  const owner = {};
  const received: Buffer[] = [];
  let descriptor = -1;
  let receivedBytes = 0;
  let ours: Socket;
  let peer: Socket;
  const server = createServer({ noDelay: true }, (socket) => {
    ours = socket;
  });

  beforeAll(async () => {
    descriptor = openSync(name, 'w+');
    writeSync(descriptor, content);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  beforeEach(async () => {
    received.length = 0;
    receivedBytes = 0;
    peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await Promise.all([once(server, 'connection'), once(peer, 'connect')]);
    peer.on('data', (data) => {
      received.push(data);
      receivedBytes += data.length;
    });
  });

  afterEach(async () => {
    peer.destroy();
    ours.destroy();
    await once(ours, 'close');
    unmapAll(owner);
  });

  afterAll(async () => {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  function write(stretch: { position: number; count: number; before?: Buffer[]; after?: Buffer[] }): number {
    const { position, count, before = [], after = [] } = stretch;
    return writeMapped(descriptorOf(ours), { owner, descriptor }, { position, count, around: { before, after } });
  }

  async function arrived(bytes: number): Promise<Buffer> {
    while (receivedBytes < bytes) await once(peer, 'data');
    return Buffer.concat(received);
  }

  function mappings(): number {
    return readFileSync('/proc/self/maps', 'utf8').split(name).length - 1;
  }

  /** A file of its own with the head of `content`, on the disk. */
  function withFile(bytes: number, use: (file: { owner: object; descriptor: number }) => void): void {
    const file = openSync(path.join(folder, 'own'), 'w+');
    writeSync(file, content, 0, bytes);
    fsyncSync(file);
    const opened = { owner: {}, descriptor: file };
    try {
      use(opened);
    } finally {
      unmapAll(opened.owner);
      closeSync(file);
    }
  }

  it('writes what is before, the stretch and what is after', async () => {
    const before = [Buffer.from('be'), Buffer.alloc(0), Buffer.from('fore')];
    const after = [Buffer.from('af'), Buffer.from('ter')];
    expect(write({ position: 1234, count: 10_000, before, after })).toBe(6 + 10_000 + 5);
    const expected = [Buffer.from('before'), content.subarray(1234, 11_234), Buffer.from('after')];
    expect((await arrived(10_011)).equals(Buffer.concat(expected))).toBe(true);
  });

  it.each([
    ['the first byte', 0, 1],
    ['a page', 4096, 4096],
    ['up to a page border', 4095, 4097],
    ['over a page border', 8191, 2],
    ['an odd stretch', 12_345, 54_321],
    ['the end of a window', WINDOW_BYTES - 5000, 5000],
    ['the last byte of a window', WINDOW_BYTES - 1, 1],
    ['the start of the next', WINDOW_BYTES, 5000],
    ['over the border', WINDOW_BYTES - 1, 2],
    ['the longest over the border', WINDOW_BYTES - 1, MOST_MAPPED_BYTES],
    ['the longest, odd', 4097, MOST_MAPPED_BYTES],
    ['the end of the file', content.length - 4097, 4097],
  ])('at any place: %s', async (_, position, count) => {
    const expected = Buffer.concat([Buffer.from('<'), content.subarray(position, position + count), Buffer.from('>')]);
    let gone = write({ position, count, before: [Buffer.from('<')], after: [Buffer.from('>')] });
    expect(gone).toBeGreaterThan(0);
    // The longest do not fit into the buffers of the sockets.
    while (gone <= count) {
      await arrived(gone);
      gone += write({ position: position + gone - 1, count: count - gone + 1, after: [Buffer.from('>')] });
    }
    expect((await arrived(gone)).equals(expected.subarray(0, gone))).toBe(true);
  });

  it('tells how many bytes a peer that does not read left room for', async () => {
    peer.pause();
    const offered: Buffer[] = [];
    let taken = 0;
    for (let round = 0; ; round++) {
      const [position, count] = [round * 1001, MOST_MAPPED_BYTES];
      const before = [Buffer.from(`before ${round}`)];
      const bytes = write({ position, count, before, after: [Buffer.from('after')] });
      if (bytes === 0) break;
      const all = Buffer.concat([before[0]!, content.subarray(position, position + count), Buffer.from('after')]);
      offered.push(all.subarray(0, bytes));
      taken += bytes;
    }
    expect(taken).toBeGreaterThan(0);
    peer.resume();
    expect((await arrived(taken)).equals(Buffer.concat(offered))).toBe(true);
    // Nothing else was on its way.
    expect(write({ position: 0, count: 1, before: [Buffer.from('next')] })).toBe(5);
    expect((await arrived(taken + 5)).subarray(taken)).toEqual(Buffer.from([...Buffer.from('next'), content[0]!]));
  });

  it('writes only what is in memory, and then nothing behind it', async () => {
    if (typeof library === 'string') throw new Error(library);
    const forget = library.func('int posix_fadvise(int fd, int64_t from, int64_t count, int advice)');
    const around = { before: [Buffer.from('before')], after: [Buffer.from('after')] };
    let expected = Buffer.alloc(0);
    withFile(MEGABYTE, (file) => {
      expect(forget(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)).toBe(0);
      expect(writeMapped(descriptorOf(ours), file, { position: 0, count: 20_000, around })).toBe(0);
      // Written over, and so there.
      writeSync(file.descriptor, content, 4096, 8192, 4096);
      const stretch = { position: 5000, count: 20_000, around };
      expect(writeMapped(descriptorOf(ours), file, stretch)).toBe(6 + 12_288 - 5000);
      expected = Buffer.concat([around.before[0]!, content.subarray(5000, 12_288)]);
    });
    expect((await arrived(expected.length)).equals(expected)).toBe(true);
    expect(write({ position: 0, count: 1 })).toBe(1);
    expect(await arrived(expected.length + 1)).toHaveLength(expected.length + 1);
  });

  const asRoot = process.geteuid?.() === 0 ? it : it.skip;

  asRoot('leaves a file alone of which the system does not tell this user what is in memory', () => {
    if (typeof library === 'string') throw new Error(library);
    const forget = library.func('int posix_fadvise(int fd, int64_t from, int64_t count, int advice)');
    withFile(MEGABYTE, (file) => {
      forget(file.descriptor, 0, 0, POSIX_FADV_DONTNEED);
      const stretch = { position: 0, count: 20_000, around: NOTHING };
      process.seteuid?.(65_534);
      try {
        // Neither its owner nor allowed to write it.
        expect(writeMapped(descriptorOf(ours), file, stretch)).toBe(0);
      } finally {
        process.seteuid?.(0);
      }
      writeSync(file.descriptor, content, 0, MEGABYTE, 0);
      expect(writeMapped(descriptorOf(ours), file, stretch)).toBe(20_000);
    });
    expect(mappings()).toBe(0);
  });

  it('writes what is left of a file that was cut', async () => {
    const around = { before: [], after: [Buffer.from('after')] };
    withFile(MEGABYTE, (file) => {
      const stretch = { position: 4000, count: 30_000, around };
      expect(writeMapped(descriptorOf(ours), file, stretch)).toBe(30_005);
      ftruncateSync(file.descriptor, 8192);
      expect(writeMapped(descriptorOf(ours), file, stretch)).toBe(8192 - 4000);
      ftruncateSync(file.descriptor, 0);
      expect(writeMapped(descriptorOf(ours), file, stretch)).toBe(0);
    });
    const all = [content.subarray(4000, 34_000), Buffer.from('after'), content.subarray(4000, 8192)];
    expect((await arrived(34_197)).equals(Buffer.concat(all))).toBe(true);
  });

  it('outlives a file that is cut and written while it is sent', async () => {
    const own = path.join(folder, 'own');
    const code = `
      const { parentPort, workerData: { own } } = require('node:worker_threads');
      const fs = require('node:fs');
      const content = fs.readFileSync(own);
      const file = fs.openSync(own, 'r+');
      let cuts = 0;
      const end = Date.now() + 400;
      while (Date.now() < end) {
        fs.ftruncateSync(file, [0, 4096, 100000][cuts++ % 3]);
        fs.writeSync(file, content, 0, content.length, 0);
      }
      fs.closeSync(file);
      parentPort.postMessage(cuts);`;
    const file = openSync(own, 'w+');
    writeSync(file, content, 0, MEGABYTE);
    const worker = new Worker(code, { eval: true, workerData: { own } });
    let cuts = 0;
    worker.on('message', (count: number) => {
      cuts = count;
    });
    const target = { owner, descriptor: file };
    const seen = new Set<number>();
    let wrong = 0;
    while (cuts === 0) {
      const position = seen.size * 17;
      const stretch = { position, count: MEGABYTE - position, around: NOTHING };
      const bytes = writeMapped(descriptorOf(ours), target, stretch);
      seen.add(bytes);
      const data = await arrived(bytes);
      // A hole that is being written again reads as zeros, as for anybody else.
      for (let at = 0; at < bytes; at++) if (data[at] !== content[position + at] && data[at] !== 0) wrong++;
      received.length = 0;
      receivedBytes = 0;
      await new Promise(setImmediate);
    }
    closeSync(file);
    expect(cuts).toBeGreaterThan(10);
    expect(seen.size).toBeGreaterThan(3);
    expect(wrong).toBe(0);
  });

  it('does nothing where the parts around are too long', () => {
    const [fits, tooLong] = [
      [Buffer.alloc(8000), Buffer.alloc(192)],
      [Buffer.alloc(8000), Buffer.alloc(193)],
    ];
    expect(write({ position: 0, count: 1, before: tooLong })).toBe(0);
    expect(write({ position: 0, count: 1, after: tooLong })).toBe(0);
    expect(mappings()).toBe(0);
    expect(write({ position: 0, count: 1, before: fits, after: fits })).toBe(16_385);
  });

  it('does nothing with descriptors that are closed or something else', () => {
    const stretch = { position: 0, count: 100, around: NOTHING };
    const readOnly = openSync(name, 'r');
    const directory = openSync(folder, 'r');
    const closed = openSync(name, 'r');
    closeSync(closed);
    for (const socket of [-1, closed, readOnly, directory]) {
      expect(writeMapped(socket, { owner, descriptor }, stretch)).toBe(0);
    }
    for (const file of [-1, closed, directory, descriptorOf(ours)]) {
      expect(writeMapped(descriptorOf(ours), { owner: {}, descriptor: file }, stretch)).toBe(0);
    }
    closeSync(readOnly);
    closeSync(directory);
  });

  it('writes a megabyte at most, and then nothing behind it', () => {
    const target = openSync(path.join(folder, 'target'), 'w');
    const stretch = { position: 4095, count: 3 * MEGABYTE, around: { before: [], after: [Buffer.from('after')] } };
    // A file takes all, as no socket does for certain.
    expect(writeMapped(target, { owner, descriptor }, stretch)).toBe(MEGABYTE);
    closeSync(target);
    expect(readFileSync(path.join(folder, 'target')).equals(content.subarray(4095, 4095 + MEGABYTE))).toBe(true);
  });

  it.each([2 ** 31 - 1, 2 ** 32 - 1, 5 * 2 ** 32 + 4095])('writes from far into a file: %d', async (position) => {
    const large = openSync(path.join(folder, 'own'), 'w+');
    const text = Buffer.from('far away');
    writeSync(large, text, 0, text.length, position);
    const far = { owner: {}, descriptor: large };
    expect(writeMapped(descriptorOf(ours), far, { position, count: text.length, around: NOTHING })).toBe(text.length);
    expect(await arrived(text.length)).toEqual(text);
    expect(writeMapped(descriptorOf(ours), far, { position: 2 ** 40, count: 1, around: NOTHING })).toBe(0);
    unmapAll(far.owner);
    closeSync(large);
  });

  it('does nothing at positions that no file has', () => {
    for (const position of [content.length + 4096, 2 ** 31 - 1, 2 ** 32 + 5]) {
      expect(write({ position, count: 1000 })).toBe(0);
    }
  });

  /** Whether something was written for a reader; to nobody where `count` is not in the file. */
  function touch(by: object, count = 1): boolean {
    return writeMapped(descriptorOf(ours), { owner: by, descriptor }, { position: 0, count, around: NOTHING }) > 0;
  }

  it('lets go of one at a time of those that are not used any more', () => {
    const owners = [{}, {}, {}];
    // Of the files of other tests.
    while (unmapIdle(0)) expect(mappings()).toBe(0);
    for (const by of owners) expect(touch(by)).toBe(true);
    for (let look = 0; look < 3; look++) {
      expect(unmapIdle(3)).toBe(true);
      touch(owners[1]!);
    }
    expect(mappings()).toBe(3);
    expect([unmapIdle(3), mappings()]).toEqual([true, 2]);
    touch(owners[1]!);
    expect([unmapIdle(3), mappings()]).toEqual([true, 1]);
    for (let look = 0; look < 2; look++) expect([unmapIdle(3), mappings()]).toEqual([true, 1]);
    expect([unmapIdle(3), mappings()]).toEqual([false, 0]);
    // And it begins anew.
    expect([touch(owners[1]!), mappings()]).toEqual([true, 1]);
    unmapAll(owners[1]!);
  });

  it('has sixteen mappings at most, of those used last, and none of an owner that let go', async () => {
    const owners = Array.from({ length: 20 }, () => ({}));
    expect(mappings()).toBe(0);
    for (const by of owners) {
      // A mapping that was much used lets others in.
      for (let use = 0; use < 10; use++) {
        expect(touch(by, MOST_MAPPED_BYTES)).toBe(true);
        do await once(peer, 'data');
        while (ours.writableLength > 0);
        await new Promise(setImmediate);
      }
      expect(touch(owners[0]!)).toBe(true);
    }
    expect(mappings()).toBe(16);
    for (const by of owners.slice(0, 18)) unmapAll(by);
    expect(mappings()).toBe(2);
    unmapAll(owners[19]!);
    unmapAll(owners[19]!);
    unmapAll(owners[18]!);
    expect(mappings()).toBe(0);
  });

  it('leaves mappings to those that have them when more readers come by in turn than there are', () => {
    const owners = Array.from({ length: 50 }, () => ({}));
    const served = (): object[] => owners.filter((by) => touch(by));
    for (let round = 0; round < 20; round++) served();
    const before = served();
    expect(before).toHaveLength(16);
    const [after, again] = [served(), served()];
    expect([after, again].every((some) => some.every((by) => before.includes(by)))).toBe(true);
    // Who reads no more makes room.
    const others = [{}, {}];
    for (let use = 0; use < 200; use++) for (const by of others) touch(by);
    expect(others.map((by) => touch(by))).toEqual([true, true]);
    for (const by of [...owners, ...others]) unmapAll(by);
    expect(mappings()).toBe(0);
  });

  it('maps further windows of a file', () => {
    for (const position of [0, WINDOW_BYTES]) expect(write({ position, count: 1 })).toBe(1);
    expect(mappings()).toBe(2);
    unmapAll(owner);
    expect(mappings()).toBe(0);
  });
}
