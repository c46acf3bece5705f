/** Frames come out whole and in order, however the stream is cut, and bad lengths are refused without memory. */
import fc from 'fast-check';
import { SlabMemory } from '../base/slab-memory';
import { FrameReader } from './frame-reader';

function framed(...bodies: Buffer[]): Buffer {
  return Buffer.concat(
    bodies.flatMap((body) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length);
      return [length, body];
    }),
  );
}

function readAll(reader: FrameReader): Buffer[] {
  const frames: Buffer[] = [];
  for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
  return frames;
}

describe('frame reader', () => {
  it('returns the same frames for every way to cut the stream', () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(60), { maxLength: 30 }), (arrays, cuts) => {
        const wanted = arrays.map((array) => Buffer.from(array));
        const stream = framed(...wanted);
        const reader = new FrameReader(1000, new SlabMemory());
        const got: Buffer[] = [];
        let from = 0;
        for (const cut of [...cuts, stream.length]) {
          reader.push(stream.subarray(from, from + cut));
          from = Math.min(stream.length, from + cut);
          got.push(...readAll(reader));
        }
        expect(got).toEqual(wanted);
        expect(reader.bufferedBytes).toBe(0);
      }),
    );
  });

  it('leaves the chunk to the caller, who may fill it again', () => {
    const chunk = framed(Buffer.from('one'), Buffer.alloc(20_000, 'x'));
    const reader = new FrameReader(100_000, new SlabMemory());
    reader.push(chunk.subarray(0, 1000));
    chunk.fill('?', 0, 1000);
    reader.push(chunk.subarray(1000));
    chunk.fill('?');
    expect(readAll(reader).map(String)).toEqual(['one', 'x'.repeat(20_000)]);
  });

  it('takes memory by what came, whatever length was claimed', () => {
    const taken: number[] = [];
    class Watched extends SlabMemory {
      override take(bytes: number): Buffer {
        taken.push(bytes);
        return super.take(bytes);
      }
    }
    const reader = new FrameReader(100_000_000, new Watched());
    reader.push(Buffer.from([5, 0xf5, 0xe1, 0]));
    expect(taken).toEqual([]);
    reader.push(Buffer.from('x'));
    reader.push(Buffer.alloc(50_000));
    reader.push(Buffer.alloc(50_000));
    expect(taken).toEqual([4096, 100_002]);
  });

  it('gives memory that it outgrew, or that nobody will see the rest of, to the next frame', () => {
    const memory = new SlabMemory();
    const reader = new FrameReader(100_000, memory);
    const stream = framed(Buffer.alloc(60_000, 'x'));
    reader.push(stream.subarray(0, 12_004));
    reader.push(stream.subarray(12_004, 50_000));
    expect(memory.idleBytes).toBe(32_768);
    reader.drop();
    expect([memory.idleBytes, reader.bufferedBytes]).toEqual([32_768 + 65_536, 0]);
  });

  it('puts a large frame together that comes in single bytes', () => {
    const body = Buffer.alloc(70_000, 'x');
    body.write('end', 69_997);
    const stream = framed(body);
    const reader = new FrameReader(100_000, new SlabMemory());
    for (let at = 0; at < stream.length - 1; at++) reader.push(stream.subarray(at, at + 1));
    expect(reader.next()).toBeUndefined();
    expect(reader.missingBytes).toBe(1);
    reader.push(stream.subarray(-1));
    expect(reader.next()!.equals(body)).toBe(true);
  });

  it.each([-1, -1431655766, 1001, 0x47455420])('refuses the length %d at its fourth byte', (length) => {
    const prefix = Buffer.alloc(4);
    prefix.writeInt32BE(length);
    const reader = new FrameReader(1000, new SlabMemory());
    reader.push(prefix.subarray(0, 3));
    expect(reader.next()).toBeUndefined();
    expect(reader.invalidLength).toBeUndefined();
    reader.push(prefix.subarray(3));
    expect(reader.next()).toBeUndefined();
    expect(reader.invalidLength).toBe(length);
    expect(reader.bufferedBytes).toBe(0);
    reader.push(framed(Buffer.from('valid')));
    expect(reader.next()).toBeUndefined();
  });

  it('gives the frames that came before a bad length, and takes one of exactly the limit', () => {
    const reader = new FrameReader(5, new SlabMemory());
    reader.push(Buffer.concat([framed(Buffer.from('12345')), Buffer.from([0, 0, 0, 6])]));
    expect(readAll(reader).map(String)).toEqual(['12345']);
    expect(reader.invalidLength).toBe(6);
  });

  it('tells how much is missing', () => {
    const reader = new FrameReader(1000, new SlabMemory());
    expect(reader.missingBytes).toBe(0);
    reader.push(Buffer.from([0, 0, 0]));
    reader.next();
    expect([reader.missingBytes, reader.bufferedBytes]).toEqual([0, 3]);
    reader.push(Buffer.from([100, 1, 2]));
    reader.next();
    expect([reader.missingBytes, reader.bufferedBytes]).toEqual([98, 2]);
  });
});
