/** Frames come out whole and in order, however the stream is cut, and bad lengths are refused without memory. */
import fc from 'fast-check';
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
        const reader = new FrameReader(1000);
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

  it('does not copy a frame that lies in one chunk', () => {
    const chunk = framed(Buffer.from('one'), Buffer.from('two'));
    const reader = new FrameReader(10);
    reader.push(chunk);
    const [one, two] = readAll(reader);
    expect([one!.buffer, two!.buffer]).toEqual([chunk.buffer, chunk.buffer]);
    chunk.write('TWO', 11);
    expect(two!.toString()).toBe('TWO');
  });

  it('keeps a large frame that comes in single bytes in few blocks', () => {
    const body = Buffer.alloc(70_000, 'x');
    body.write('end', 69_997);
    const stream = framed(body);
    const reader = new FrameReader(100_000);
    for (let at = 0; at < stream.length - 1; at++) reader.push(stream.subarray(at, at + 1));
    expect(reader.next()).toBeUndefined();
    expect(reader.missingBytes).toBe(1);
    reader.push(stream.subarray(-1));
    expect(reader.next()!.equals(body)).toBe(true);
  });

  it.each([-1, -1431655766, 1001, 0x47455420])('refuses the length %d at its fourth byte', (length) => {
    const prefix = Buffer.alloc(4);
    prefix.writeInt32BE(length);
    const reader = new FrameReader(1000);
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
    const reader = new FrameReader(5);
    reader.push(Buffer.concat([framed(Buffer.from('12345')), Buffer.from([0, 0, 0, 6])]));
    expect(readAll(reader).map(String)).toEqual(['12345']);
    expect(reader.invalidLength).toBe(6);
  });

  it('tells how much is missing', () => {
    const reader = new FrameReader(1000);
    expect(reader.missingBytes).toBe(0);
    reader.push(Buffer.from([0, 0, 0]));
    reader.next();
    expect([reader.missingBytes, reader.bufferedBytes]).toEqual([0, 3]);
    reader.push(Buffer.from([100, 1, 2]));
    reader.next();
    expect([reader.missingBytes, reader.bufferedBytes]).toEqual([98, 2]);
  });
});
