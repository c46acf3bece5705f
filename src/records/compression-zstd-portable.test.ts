/** Zstandard in plain JavaScript against the reference in WebAssembly: levels, kinds of data, damaged frames. */
import fc from 'fast-check';
import { decompressZstd, loadWasmZstd, portableZstd, type ZstdImplementation } from './compression-zstd';
import { inflateZstdFrame, TooLargeContent } from './compression-zstd-portable';

const LIMIT = 1 << 20;
const portable = portableZstd();
let wasm: ZstdImplementation;

beforeAll(async () => {
  wasm = await loadWasmZstd();
});

/** Pseudo-random numbers with the same sequence each time. */
function noise(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state % below;
  };
}

/** Data of several characters, of `size` bytes. */
function samples(size: number): [string, Buffer][] {
  const next = noise(size + 7);
  const words = ['alpha', 'beta', 'gamma', '{"id":', 'value', '"},', '主题', '0123456789'];
  const text = Array.from({ length: size / 4 }, () => words[next(words.length)]).join(' ');
  const skewed = Buffer.from(Array.from({ length: size }, () => Math.min(next(256), next(256), next(256), next(40))));
  const copies = Buffer.concat(Array.from({ length: 40 }, (_, i) => skewed.subarray(i * 7, i * 7 + size / 40)));
  return [
    ['text', Buffer.from(text).subarray(0, size)],
    ['noise', Buffer.from(Array.from({ length: size }, () => next(256)))],
    ['skewed', skewed],
    ['copies', copies],
    ['zeros', Buffer.alloc(size)],
    ['numbers', Buffer.from(Array.from({ length: size / 8 }, (_, i) => `${i * 37} `).join(''))],
  ];
}

describe('portable zstd', () => {
  it.each([0, 1, 5, 63, 300, 5000, 140_000])('reads what the reference wrote of %d bytes', (size) => {
    for (const [name, data] of samples(size))
      for (const level of [-20, 1, 3, 9, 19]) {
        if (size > 100_000 && level !== 3) continue;
        const packed = wasm.compress(data, level)!;
        const inflated = decompressZstd(packed, LIMIT, [portable]);
        expect([name, level, inflated.ok && inflated.value.equals(data)]).toEqual([name, level, true]);
      }
  });

  it('agrees with the reference about damaged frames', () => {
    const originals = samples(700).map(([, data], index) => wasm.compress(data, 1 + index)!);
    const damage = fc.record({ which: fc.nat(originals.length - 1), at: fc.nat(400), byte: fc.nat(255) });
    let agreed = 0;
    fc.assert(
      fc.property(damage, ({ which, at, byte }) => {
        const bytes = Buffer.from(originals[which]!);
        bytes[at % bytes.length] = byte;
        const theirs = decompressZstd(bytes, LIMIT, [wasm]);
        const ours = decompressZstd(bytes, LIMIT, [portable]);
        // The reference looks at more: a content checksum, unused table entries.
        if (theirs.ok) expect(ours.ok && ours.value.equals(theirs.value)).toBe(true);
        agreed += theirs.ok === ours.ok ? 1 : 0;
      }),
      { numRuns: 2000, seed: 5 },
    );
    expect(agreed).toBeGreaterThan(1900);
  });

  it('takes no memory and no time for what a header claims', () => {
    const claim = Buffer.from('28b52ffd008803000011000000010100010000', 'hex');
    claim[5] = 0x88;
    const before = process.memoryUsage().arrayBuffers;
    for (let round = 0; round < 200; round++) decompressZstd(claim, LIMIT, [portable]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });

  it('stops at the limit', () => {
    const packed = wasm.compress(Buffer.alloc(100_000, 1), 3)!;
    const frame = { start: 0, end: packed.length, smallestContent: 0, largestContent: 100_000 };
    expect(portable.decompress(packed, { maxBytes: 100_000, room: Buffer.allocUnsafe }, frame)).toHaveLength(100_000);
    expect(() => portable.decompress(packed, { maxBytes: 99_999, room: Buffer.allocUnsafe }, frame)).toThrow(
      TooLargeContent,
    );
    expect(() => inflateZstdFrame(Buffer.from([1, 0]), 0, 10)).toThrow('a block cut off');
  });
});
