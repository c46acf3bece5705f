/**
 * The C library called in place: frames as clients write them, limits, memory, and that it answers as the other
 * implementation does whatever the bytes are. That all decoders agree on good frames is in compression-zstd.test.ts.
 */
import { inflate } from './compression';
import {
  compressZstd,
  decompressZstd,
  inflateZstd,
  loadWasmZstd,
  nodeZstd,
  portableZstd,
  type ZstdImplementation,
} from './compression-zstd';
import { libraryZstd, type ZstdLibrary } from './compression-zstd-library';
import { passingRoom } from './inflate-room';

const ZSTD = 4;
const LIMIT = 1e6;
const MEGABYTE = 1024 * 1024;
const text = Buffer.from(Array.from({ length: 700 }, (_, i) => `{"id":${(i * 7919) % 1013},"word":"order"}`).join());

function library(): ZstdLibrary {
  const found = libraryZstd();
  if (!found) throw new Error('no zstd library where the tests run');
  return found;
}

/** The same frame as clients write it, that stream into it: with a window of 2 MB and without the content's size. */
function asStreamed(frame: Buffer): Buffer {
  const descriptor = frame[4]!;
  if ((descriptor & 0x27) !== 0x20) throw new Error('another header than expected');
  const sizeBytes = [1, 2, 4, 8][descriptor >> 6]!;
  return Buffer.concat([frame.subarray(0, 4), Buffer.from([0x00, 0x58]), frame.subarray(5 + sizeBytes)]);
}

/** Numbers that are always the same. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function blocks(count: number, block: number[]): Buffer {
  const all = Array.from({ length: count }, (_, i) => [block[0]! | (i === count - 1 ? 1 : 0), ...block.slice(1)]);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]), Buffer.from(all.flat())]);
}

/** 128 KB of zeros from four bytes, and a compressed block of nothing. */
const RUN = [0x02, 0x00, 0x10, 0x00];
const EMPTY_BLOCK = [0x04, 0x00, 0x00];

describe('the zstd library', () => {
  const choice = [library()];

  it('is what the broker uses where it is there, in memory that is used again', () => {
    const packed = compressZstd(text);
    expect(packed.equals(library().compress(text, undefined))).toBe(true);
    const [one, other] = [packed, asStreamed(packed)].map((frame) => {
      const inflated = inflate(ZSTD, frame, { maxBytes: LIMIT, room: passingRoom });
      if (!inflated.ok) throw new Error(inflated.error);
      expect(inflated.value.equals(text)).toBe(true);
      return inflated.value;
    });
    expect([one!.buffer, one!.byteOffset]).toEqual([passingRoom(1).buffer, other!.byteOffset]);
  });

  it('gives memory of its own to those who keep it, of the size of the content', () => {
    const rooms: number[] = [];
    const room = (bytes: number): Buffer => {
      rooms.push(bytes);
      return Buffer.alloc(bytes);
    };
    const kept = inflateZstd(asStreamed(compressZstd(text)), { maxBytes: LIMIT, room }, choice);
    passingRoom(text.length).fill(0);
    expect(kept.ok && kept.value.equals(text)).toBe(true);
    expect(rooms).toEqual([text.length]);
  });

  it('joins frames, each of which used the same memory', () => {
    const frame = asStreamed(compressZstd(text));
    const other = compressZstd(Buffer.from('other'));
    const all = inflateZstd(Buffer.concat([frame, other]), { maxBytes: LIMIT, room: passingRoom }, choice);
    expect(all.ok && all.value.equals(Buffer.concat([text, Buffer.from('other')]))).toBe(true);
  });

  it('takes more memory as content comes out that no header told, and stops at the limit', () => {
    const most = 48 * 128 * 1024;
    const frame = blocks(48, RUN);
    const inflated = decompressZstd(frame, most, choice);
    expect(inflated.ok && inflated.value.equals(Buffer.alloc(most))).toBe(true);
    for (const limit of [most - 1, 2 * MEGABYTE, 1000, 0]) {
      expect(decompressZstd(frame, limit, choice)).toMatchObject({ ok: false, error: 'too-large' });
    }
    expect(decompressZstd(compressZstd(Buffer.alloc(0)), 0, choice)).toMatchObject({
      ok: true,
      value: Buffer.alloc(0),
    });
  });

  it('takes no memory for what blocks may hold, only for what they do', () => {
    const allocated = jest.spyOn(Buffer, 'allocUnsafe');
    // 300,000 blocks could be 39 GB.
    const empty = blocks(300_000, EMPTY_BLOCK);
    const startAt = blocks(1, EMPTY_BLOCK).length - EMPTY_BLOCK.length;
    const content = Buffer.from(Array.from({ length: 20 }, () => RUN).flat());
    const some = Buffer.concat([empty.subarray(0, startAt), content, empty.subarray(startAt)]);
    const largest = [empty, some].map((frame) => {
      allocated.mockClear();
      expect(decompressZstd(frame, 2 ** 30, choice)).toMatchObject({ error: 'corrupt' });
      return Math.max(0, ...allocated.mock.calls.map(([bytes]) => bytes));
    });
    allocated.mockRestore();
    expect(largest).toEqual([0, 8 * MEGABYTE]);
  });

  it('refuses content that is longer or shorter than the header says', () => {
    for (const claimed of [text.length - 1, text.length + 1]) {
      const frame = Buffer.from(compressZstd(text));
      frame.writeUInt16LE(claimed - 256, 5);
      expect(decompressZstd(frame, LIMIT, choice)).toMatchObject({ ok: false, error: 'corrupt' });
    }
  });

  it('refuses dictionaries, and takes the number that means none', () => {
    const content = Buffer.from([0x09, 0x00, 0x00, 0x61]);
    const withDictionary = (id: number): Buffer =>
      Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x21, id, 1]), content]);
    for (const one of [library(), portableZstd()]) {
      expect(decompressZstd(withDictionary(0), LIMIT, [one])).toMatchObject({ ok: true, value: Buffer.from('a') });
      expect(decompressZstd(withDictionary(7), LIMIT, [one])).toMatchObject({ ok: false, error: 'corrupt' });
    }
  });

  it('answers as the other implementation does to bytes that were changed or cut off', async () => {
    const node = nodeZstd();
    const other: ZstdImplementation = node ?? (await loadWasmZstd());
    // The library's fast loop for literals, which 32-bit WebAssembly lacks, lets bits be left over. Kafka's does too.
    const isLenient = node === undefined;
    const below = numbers(3);
    const packed = [-5, 1, 3, 19].map((level) => library().compress(text, level));
    const originals = [...packed, ...packed.map(asStreamed), blocks(3, RUN), compressZstd(Buffer.from('short'))];
    let refused = 0;
    for (let round = 0; round < 3000; round++) {
      const bytes = Buffer.from(originals[round % originals.length]!);
      for (let flips = below(4); flips >= 0; flips--) bytes[below(bytes.length)]! ^= 1 << below(8);
      const input = below(4) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes;
      const [ours, theirs] = [decompressZstd(input, LIMIT, choice), decompressZstd(input, LIMIT, [other])];
      if (!ours.ok) refused++;
      const isSame = ours.ok && theirs.ok ? ours.value.equals(theirs.value) : ours.ok === theirs.ok;
      if (!isSame && !(isLenient && ours.ok && !theirs.ok)) throw new Error(`round ${round}: ${input.toString('hex')}`);
      if (!ours.ok && !theirs.ok && theirs.error !== 'corrupt') expect(ours.error).toBe(theirs.error);
    }
    expect([refused > 1000, refused < 3000]).toEqual([true, true]);
    expect(decompressZstd(originals[0]!, LIMIT, choice).ok).toBe(true);
  });

  it('is replaced where it cannot be called', () => {
    jest.isolateModules(() => {
      jest.doMock('koffi', () => {
        throw new Error('no binary');
      });
      const { libraryZstd: none } =
        require('./compression-zstd-library') as typeof import('./compression-zstd-library');
      const zstd = require('./compression-zstd') as typeof import('./compression-zstd');
      expect(none()).toBeUndefined();
      const inflated = zstd.decompressZstd(compressZstd(text), LIMIT);
      expect(inflated.ok && inflated.value.equals(text)).toBe(true);
      expect(zstd.compressZstd(text).equals(compressZstd(text, 1))).toBe(false);
      jest.dontMock('koffi');
    });
  });
});
