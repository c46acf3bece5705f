/** The codecs behind their numbers and names. */
import { gzipSync } from 'node:zlib';
import {
  Codec,
  codecByName,
  compress,
  compressFormat0,
  decompress,
  decompressFormat0,
  isCodec,
  prepareCodec,
} from './compression';

const text = Buffer.from('a line of a log that repeats itself, '.repeat(1000));
const LIMIT = 1e6;
const all = [Codec.none, Codec.gzip, Codec.snappy, Codec.lz4, Codec.zstd];

describe('compression', () => {
  it.each(all)('codec %d is its own inverse', async (codec) => {
    await prepareCodec(codec);
    const packed = compress(codec, text);
    if (codec !== Codec.none) expect(packed.length).toBeLessThan(text.length / 5);
    expect(decompress(codec, packed, LIMIT)).toEqual({ ok: true, value: text });
    expect(decompressFormat0(codec, compressFormat0(codec, text), LIMIT)).toEqual({ ok: true, value: text });
  });

  it.each(all)('codec %d stops at the limit', (codec) => {
    const packed = compress(codec, text);
    expect(decompress(codec, packed, text.length).ok).toBe(true);
    expect(decompress(codec, packed, text.length - 1)).toMatchObject({ ok: false, error: 'too-large' });
    expect(decompress(codec, packed, 0)).toMatchObject({ ok: false, error: 'too-large' });
  });

  it.each([Codec.gzip, Codec.snappy, Codec.lz4, Codec.zstd])('codec %d refuses plain bytes', (codec) => {
    expect(decompress(codec, text, LIMIT)).toMatchObject({ ok: false, error: 'corrupt' });
  });

  it('has no meaning for other codec bits', () => {
    for (const bits of [5, 6, 7]) {
      expect(isCodec(bits)).toBe(false);
      expect(decompress(bits, text, LIMIT)).toMatchObject({ ok: false, error: 'unknown-codec' });
    }
  });

  it('stops a gzip bomb', () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000));
    expect(decompress(Codec.gzip, bomb, LIMIT)).toMatchObject({ ok: false, error: 'too-large' });
  });

  it('takes levels', () => {
    expect(compress(Codec.gzip, text, 9).length).toBeLessThanOrEqual(compress(Codec.gzip, text, 1).length);
  });

  it('has names', () => {
    expect(['none', 'gzip', 'snappy', 'lz4', 'zstd'].map(codecByName)).toEqual(all);
    expect(codecByName('producer')).toBeUndefined();
    expect(codecByName('toString')).toBeUndefined();
  });
});
