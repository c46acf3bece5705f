/** Remembered texts: equal to what decoding gives, whatever fell on their place before. */
import fc from 'fast-check';
import { ZERO_UUID } from '../base/random';
import { readText, readUuid } from './text-cache';

it('reads any bytes as the engine does, time after time', () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 60 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 20 }), (parts) => {
      const frame = Buffer.concat(parts);
      for (let round = 0; round < 2; round++) {
        let at = 0;
        for (const part of parts) {
          expect(readText(frame, at, at + part.length)).toBe(part.toString('utf8'));
          at += part.length;
        }
      }
    }),
  );
});

it('keeps texts apart that share a place', () => {
  const texts = Array.from({ length: 12_000 }, (_, index) => `consumer-${index}`);
  for (let round = 0; round < 2; round++)
    for (const text of texts) expect(readText(Buffer.from(text), 0, text.length)).toBe(text);
});

it('gives the text itself again, not a copy of its frame', () => {
  const frame = Buffer.from('orders');
  const first = readText(frame, 0, 6);
  frame.fill(0);
  expect(first).toBe('orders');
});

it('reads ids, the zero one as the constant', () => {
  expect(readUuid(Buffer.alloc(20), 2)).toBe(ZERO_UUID);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const buffer = Buffer.concat([Buffer.from([1]), bytes]);
      for (let round = 0; round < 2; round++)
        expect(readUuid(buffer, 1)).toBe(Buffer.from(bytes).toString('base64url'));
    }),
  );
});

it('keeps ids apart that share a place', () => {
  const id = (last: number) => Buffer.from([1, 2, 3, 4, ...new Array<number>(8).fill(0), 0, last, 4, 0]);
  for (let round = 0; round < 2; round++)
    for (let last = 0; last < 256; last++) expect(readUuid(id(last), 0)).toBe(id(last).toString('base64url'));
});
