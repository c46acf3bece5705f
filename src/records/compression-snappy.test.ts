/** Framing: xerial and raw, limits, and either implementation behind it. */
import {
  compressSnappy,
  decompressSnappy,
  nativeSnappy,
  portableSnappy,
  type SnappyBlocks,
} from './compression-snappy';
import { snappyEncode } from './compression-snappy-portable';

const text = Buffer.from('a line of a log that repeats itself, '.repeat(4000));
const LIMIT = 1e6;

describe.each<[string, SnappyBlocks]>([
  ['native', nativeSnappy()!],
  ['portable', portableSnappy],
])('snappy, %s', (_name, implementation) => {
  it('writes xerial frames of 32 KB blocks and reads them back', () => {
    const packed = compressSnappy(text, implementation);
    expect(packed.subarray(0, 8)).toEqual(Buffer.from('\x82SNAPPY\0', 'latin1'));
    expect(packed.length).toBeLessThan(text.length / 4);
    expect(decompressSnappy(packed, LIMIT, implementation)).toEqual({ ok: true, value: text });
  });

  it('reads one raw block', () => {
    expect(decompressSnappy(snappyEncode(text), LIMIT, implementation)).toEqual({ ok: true, value: text });
  });

  it('reads xerial frames one behind the other', () => {
    const twice = Buffer.concat([compressSnappy(text, implementation), compressSnappy(text, implementation)]);
    expect(decompressSnappy(twice, LIMIT, implementation)).toEqual({ ok: true, value: Buffer.concat([text, text]) });
  });

  it('holds nothing at all', () => {
    expect(decompressSnappy(compressSnappy(Buffer.alloc(0), implementation), 0, implementation)).toEqual({
      ok: true,
      value: Buffer.alloc(0),
    });
  });

  it('stops at the limit', () => {
    const packed = compressSnappy(text, implementation);
    expect(decompressSnappy(packed, text.length, implementation).ok).toBe(true);
    expect(decompressSnappy(packed, text.length - 1, implementation)).toMatchObject({ ok: false, error: 'too-large' });
  });

  it.each([
    ['a block cut off', (packed: Buffer) => packed.subarray(0, packed.length - 1)],
    ['a length cut off', (packed: Buffer) => packed.subarray(0, 18)],
    [
      'a version of 0',
      (packed: Buffer) => Buffer.concat([packed.subarray(0, 8), Buffer.alloc(8), packed.subarray(16)]),
    ],
    ['damage inside a block', (packed: Buffer) => Buffer.concat([packed.subarray(0, 24), Buffer.alloc(30, 0xfe)])],
    ['a claim of 4 GB', () => Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 65])],
    ['nothing', () => Buffer.alloc(0)],
  ])('refuses %s', (_what, damage) => {
    const packed = compressSnappy(text, implementation);
    expect(decompressSnappy(damage(packed), LIMIT, implementation)).toMatchObject({ ok: false, error: 'corrupt' });
  });
});
