/** The portable block codec against the native package, and against malformed blocks; xxHash32 check values. */
import fc from 'fast-check';
import { nativeLz4 } from './compression-lz4';
import { lz4DecodeBlock, lz4EncodeBlock, lz4EncodedBound, xxHash32 } from './compression-lz4-block';

const native = nativeLz4();
const data = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: 20 })), { maxLength: 20 })
  .map((runs) => Buffer.concat(runs.flatMap(([bytes, times]) => Array.from({ length: times }, () => bytes))));

function encode(bytes: Buffer): Buffer {
  const out = Buffer.alloc(lz4EncodedBound(bytes.length));
  return out.subarray(0, lz4EncodeBlock(bytes, out));
}

function decode(block: Buffer, limit: number): Buffer | undefined {
  const out = Buffer.alloc(limit);
  const size = lz4DecodeBlock(block, out);
  return size < 0 ? undefined : out.subarray(0, size);
}

describe('portable LZ4 blocks', () => {
  it('are read by the native package, and read what it writes', () => {
    expect(native).toBeDefined();
    fc.assert(
      fc.property(data, (bytes) => {
        expect(native!.decode(encode(bytes), bytes.length)?.equals(bytes)).toBe(true);
        const out = Buffer.alloc(lz4EncodedBound(bytes.length));
        const packed = out.subarray(0, native!.encode(bytes, out));
        expect(decode(packed, bytes.length)?.equals(bytes)).toBe(true);
      }),
    );
  });

  it('never write outside, whatever the input', () => {
    fc.assert(
      fc.property(data, fc.nat(), fc.nat(255), (bytes, at, value) => {
        const block = Buffer.from(encode(bytes));
        block[at % block.length] = value;
        decode(block, bytes.length);
        decode(block.subarray(0, at % block.length), bytes.length);
      }),
    );
  });

  it.each([
    ['an empty block', []],
    ['literals cut off', [0x30, 65, 66]],
    ['a length cut off', [0xf0, 255]],
    ['an offset cut off', [0x10, 65, 1]],
    ['offset 0', [0x10, 65, 0, 0, 0]],
    ['an offset before the start', [0x10, 65, 2, 0, 0]],
    ['an end behind a match', [0x10, 65, 1, 0]],
  ])('refuse %s', (_name, bytes) => {
    expect(decode(Buffer.from(bytes), 100)).toBeUndefined();
  });

  it('stop at the limit', () => {
    const block = encode(Buffer.alloc(1000, 1));
    expect(decode(block, 1000)?.length).toBe(1000);
    expect(decode(block, 999)).toBeUndefined();
  });
});

describe('xxHash32', () => {
  it.each([
    ['', 0x02cc5d05],
    ['a', 0x550d7456],
    ['Nobody inspects the spammish repetition', 0xe2293b2f],
  ])('of %j', (text, hash) => {
    const bytes = Buffer.from(`--${text}--`);
    expect(xxHash32(bytes, 2, bytes.length - 2)).toBe(hash);
  });
});
