/** What goes from a file to a socket by the system, and that no descriptor is left behind. */
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadNativeLibrary } from './native-library';
import { type FileStretch, sendFile } from './send-file';

const isThere = process.platform === 'linux' && typeof loadNativeLibrary() !== 'string';
const MEGABYTE = 1024 * 1024;

function descriptorOf(socket: Socket): number {
  return (socket as unknown as { _handle: { fd: number } })._handle.fd;
}

function sent(socket: number, stretch: FileStretch): Promise<number> {
  return new Promise((resolve, reject) => {
    if (!sendFile(socket, stretch, resolve)) reject(new Error('not started'));
  });
}

if (isThere) describe('sending from a file', sending);
else {
  it('cannot be done without Linux and koffi', () => {
    expect(sendFile(1, { file: 1, position: 0, count: 1 }, () => undefined)).toBe(false);
  });
}

function sending(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-send-file-'));
  const file = openSync(path.join(folder, 'file'), 'w+');
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) >> 4));
  let ours: Socket;
  let peer: Socket;
  const server = createServer((socket) => {
    ours = socket;
  });

  beforeAll(async () => {
    writeSync(file, content);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await Promise.all([once(server, 'connection'), once(peer, 'connect')]);
  });

  afterAll(async () => {
    peer.destroy();
    ours.destroy();
    closeSync(file);
    rmSync(folder, { recursive: true });
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('sends the stretch that was asked for, as far as there is one', async () => {
    const received: Buffer[] = [];
    peer.on('data', (data) => received.push(data));
    expect(await sent(descriptorOf(ours), { file, position: 1000, count: 50_000 })).toBe(50_000);
    expect(await sent(descriptorOf(ours), { file, position: 99_000, count: 50_000 })).toBe(1000);
    expect(await sent(descriptorOf(ours), { file, position: 100_000, count: 1 })).toBe(0);
    while (received.reduce((sum, { length }) => sum + length, 0) < 51_000) await once(peer, 'data');
    const expected = Buffer.concat([content.subarray(1000, 51_000), content.subarray(99_000)]);
    expect(Buffer.concat(received).equals(expected)).toBe(true);
    peer.removeAllListeners('data');
  });

  it('takes no more than the socket does, and tells when that is nothing', async () => {
    peer.pause();
    const large = openSync(path.join(folder, 'large'), 'w+');
    for (let part = 0; part < 64; part++) writeSync(large, Buffer.alloc(MEGABYTE));
    const first = await sent(descriptorOf(ours), { file: large, position: 0, count: 64 * MEGABYTE });
    expect(first).toBeLessThan(64 * MEGABYTE);
    for (;;) if ((await sent(descriptorOf(ours), { file: large, position: 0, count: MEGABYTE })) < 0) break;
    closeSync(large);
  });

  it('does not start on what is no descriptor, and leaves none behind', async () => {
    const before = readdirSync('/proc/self/fd').length;
    expect(sendFile(-1, { file, position: 0, count: 1 }, () => undefined)).toBe(false);
    const calls = Array.from({ length: 40 }, () => sent(descriptorOf(ours), { file, position: 0, count: 1 }));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
    await expect(sent(file, { file: -1, position: 0, count: 1 })).resolves.toBe(-1);
  });
}
