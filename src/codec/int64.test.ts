/** 64-bit integers in all their forms, checked against BigInt. */
import fc from 'fast-check';
import Long from 'long';
import { MAX_INT64, MIN_INT64 } from './field-values';
import { isSafeInt64, longOf, saturatingInt64 } from './int64';
import { MalformedMessage } from './malformed';
import { Reader } from './reader';
import { Writer } from './writer';

function bytesOf(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function written(value: number | Long): Buffer {
  const writer = new Writer();
  writer.int64(value);
  return writer.finishBuffer();
}

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.maxSafeInteger().map(BigInt),
  fc.integer().map(BigInt),
  fc.constantFrom(
    0n,
    -1n,
    2n ** 53n,
    2n ** 53n - 1n,
    2n ** 53n - 2n,
    -(2n ** 53n),
    2n ** 32n,
    -(2n ** 32n),
    2n ** 63n - 1n,
  ),
);

it('reads numbers exactly within 2^53 and the nearest beyond', () => {
  fc.assert(
    fc.property(int64, (value) => {
      const expected = value > MAX_INT64 ? MAX_INT64 : value < MIN_INT64 ? MIN_INT64 : Number(value);
      expect(new Reader(bytesOf(value)).int64()).toBe(expected);
    }),
  );
});

it('refuses ids and epochs that a number cannot hold', () => {
  fc.assert(
    fc.property(int64, (value) => {
      const read = () => new Reader(bytesOf(value)).exactInt64();
      if (value < MAX_INT64 && value > MIN_INT64) expect(read()).toBe(Number(value));
      else expect(read).toThrow(MalformedMessage);
    }),
  );
});

it('writes numbers, with the ends of the range standing for those of Java', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const expected = value === MAX_INT64 ? 2n ** 63n - 1n : value === MIN_INT64 ? -(2n ** 63n) : BigInt(value);
      expect(written(value).equals(bytesOf(expected))).toBe(true);
    }),
  );
  expect(written(MAX_INT64).toString('hex')).toBe('7fffffffffffffff');
  expect(written(MIN_INT64).toString('hex')).toBe('8000000000000000');
  expect(() => written(2 ** 53)).toThrow('not an int64');
  expect(() => written(0.5)).toThrow('not an int64');
  expect(() => written(Number.NaN)).toThrow('not an int64');
});

it('makes Longs of halves', () => {
  expect(longOf(-1, 0xffffffff).equals(Long.NEG_ONE)).toBe(true);
  expect(longOf(1, 2).toString()).toBe('4294967298');
  expect(saturatingInt64(1, 2)).toBe(4294967298);
  expect(isSafeInt64(0x1fffff, 0xffffffff)).toBe(false);
  expect(isSafeInt64(0x1fffff, 0xfffffffe)).toBe(true);
});
