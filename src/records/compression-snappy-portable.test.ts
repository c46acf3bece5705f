/** The portable block codec against the native package, and against malformed blocks. */
import fc from 'fast-check';
import { nativeSnappy } from './compression-snappy';
import { snappyDecode, snappyEncode, snappyPreamble } from './compression-snappy-portable';

const native = nativeSnappy();
/** Bytes with enough repetition to make matches of all lengths and distances. */
const data = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 90 }), fc.integer({ min: 1, max: 40 })), { maxLength: 30 })
  .map((runs) => Buffer.concat(runs.flatMap(([bytes, times]) => Array.from({ length: times }, () => bytes))));

function inflate(block: Buffer): Buffer | undefined {
  const preamble = snappyPreamble(block);
  if (preamble === undefined || preamble.size > 1e6) return undefined;
  const out = Buffer.alloc(preamble.size);
  return snappyDecode(block, out) ? out : undefined;
}

describe('portable snappy', () => {
  it('reads what the native package writes, and the other way round', () => {
    expect(native).toBeDefined();
    fc.assert(
      fc.property(data, (bytes) => {
        const out = Buffer.alloc(bytes.length);
        expect(snappyDecode(native!.encode(bytes), out)).toBe(true);
        expect(out.equals(bytes)).toBe(true);
        out.fill(0);
        expect(native!.decodeTo(snappyEncode(bytes), out)).toBe(true);
        expect(out.equals(bytes)).toBe(true);
      }),
    );
  });

  it('packs several fragments, and long literals', () => {
    const random = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255));
    const both = Buffer.concat([random, Buffer.alloc(200_000, 7), random]);
    const block = snappyEncode(both);
    expect(block.length).toBeLessThan(both.length);
    expect(inflate(block)?.equals(both)).toBe(true);
  });

  it('never throws on malformed blocks, nor reads outside of them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        inflate(Buffer.from(bytes));
      }),
    );
    fc.assert(
      fc.property(data, fc.nat(), fc.nat(255), (bytes, at, value) => {
        const block = Buffer.from(snappyEncode(bytes));
        block[at % block.length] = value;
        inflate(block);
      }),
    );
  });

  it.each([
    ['a copy from before the start', [4, 0, 65, 1, 2]],
    ['a copy of offset 0', [8, 0, 65, 1, 0]],
    ['a literal longer than the block', [8, 28, 65]],
    ['more content than declared', [1, 4, 65, 66]],
    ['less content than declared', [3, 4, 65, 66]],
  ])('refuses %s', (_name, bytes) => {
    expect(inflate(Buffer.from(bytes))).toBeUndefined();
  });

  it('refuses a preamble that does not end or is too large', () => {
    expect(snappyPreamble(Buffer.alloc(0))).toBeUndefined();
    expect(snappyPreamble(Buffer.from([0x80]))).toBeUndefined();
    expect(snappyPreamble(Buffer.alloc(8, 0xff))).toBeUndefined();
    expect(snappyPreamble(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]))).toEqual({ size: 0xffffffff, next: 5 });
  });
});
