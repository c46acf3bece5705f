/** LZ4 frames, with either implementation of the blocks. */
import { compressLz4, decompressLz4, type Lz4Blocks, nativeLz4, portableLz4 } from './compression-lz4';
import { xxHash32 } from './compression-lz4-block';

const text = Buffer.from('a line of a log that repeats itself, '.repeat(4000));
const noise = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255));
const LIMIT = 1e6;

/** A frame with flags of one's own around stored blocks. */
function frame(flags: number, blocks: Buffer[], o: { descriptor?: number; tail?: Buffer; contentSize?: Buffer } = {}) {
  const header = Buffer.concat([
    Buffer.from([4, 0x22, 0x4d, 0x18, flags, o.descriptor ?? 0x40]),
    o.contentSize ?? Buffer.alloc(0),
  ]);
  const checksum = Buffer.from([(xxHash32(header, 4, header.length) >>> 8) & 255]);
  return Buffer.concat([header, checksum, ...blocks, Buffer.alloc(4), o.tail ?? Buffer.alloc(0)]);
}

function stored(content: Buffer, checksum?: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE((content.length | 0x80000000) >>> 0);
  if (checksum === undefined) return Buffer.concat([size, content]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(checksum);
  return Buffer.concat([size, content, sum]);
}

describe.each<[string, Lz4Blocks]>([
  ['native', nativeLz4()!],
  ['portable', portableLz4],
])('LZ4, %s', (_name, implementation) => {
  it.each([
    ['text', text],
    ['noise', noise],
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from('x')],
  ])('packs and unpacks %s', (_what, data) => {
    const packed = compressLz4(data, { implementation });
    expect(packed.length).toBeLessThan(data.length + 40);
    expect(decompressLz4(packed, LIMIT, { implementation })).toEqual({ ok: true, value: data });
  });

  it('writes independent blocks of 64 KB', () => {
    expect(compressLz4(text, { implementation }).subarray(0, 7)).toEqual(
      Buffer.from([4, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]),
    );
  });

  it('has another header checksum in message format 0, and there takes any', () => {
    const packed = compressLz4(text, { implementation, format0: true });
    expect(packed[6]).toBe(0x1a);
    expect(decompressLz4(packed, LIMIT, { implementation })).toMatchObject({ ok: false, error: 'corrupt' });
    expect(decompressLz4(packed, LIMIT, { implementation, format0: true })).toEqual({ ok: true, value: text });
    expect(decompressLz4(compressLz4(text), LIMIT, { implementation, format0: true }).ok).toBe(true);
  });

  it('stops at the limit', () => {
    const packed = compressLz4(text, { implementation });
    expect(decompressLz4(packed, text.length, { implementation }).ok).toBe(true);
    expect(decompressLz4(packed, text.length - 1, { implementation })).toMatchObject({ error: 'too-large' });
  });

  it('reads block checksums, content sizes and content checksums', () => {
    const part = Buffer.from('part');
    const sum = xxHash32(part, 0, part.length);
    const good = frame(0x60 | 0x10 | 0x08 | 0x04, [stored(part, sum), stored(part, sum)], {
      contentSize: Buffer.alloc(8),
      tail: Buffer.alloc(4),
    });
    expect(decompressLz4(good, LIMIT, { implementation })).toEqual({ ok: true, value: Buffer.from('partpart') });
    const bad = frame(0x70, [stored(part, sum ? 0 : 1)]);
    expect(decompressLz4(bad, LIMIT, { implementation })).toMatchObject({ error: 'corrupt' });
  });

  it.each([
    ['another magic', Buffer.concat([Buffer.from([5]), frame(0x60, []).subarray(1)])],
    ['dependent blocks', frame(0x40, [])],
    ['another version', frame(0xa0, [])],
    ['a dictionary', frame(0x61, [])],
    ['a block size of 16 KB', frame(0x60, [], { descriptor: 0x30 })],
    ['reserved bits', frame(0x60, [], { descriptor: 0x41 })],
    ['a block over the declared size', frame(0x60, [stored(noise)])],
    ['no end mark', frame(0x60, []).subarray(0, 9)],
    ['a block cut off', compressLz4(text).subarray(0, 60)],
    ['a content checksum cut off', frame(0x64, [])],
    [
      'garbage in a block',
      Buffer.concat([compressLz4(text).subarray(0, 7), Buffer.from([4, 0, 0, 0, 0x10, 65, 0, 0])]),
    ],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s', (_what, data) => {
    expect(decompressLz4(data, LIMIT, { implementation })).toMatchObject({ ok: false, error: 'corrupt' });
  });
});
