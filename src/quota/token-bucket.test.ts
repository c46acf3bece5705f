/** The bucket of topic changes: full at first, overdrawn once, filled by time. */
import { TokenBucket } from './token-bucket';

const WINDOWS = { count: 11, sizeMs: 1000 };

it('holds what all windows are worth, and may be overdrawn', () => {
  const bucket = new TokenBucket(WINDOWS);
  expect(bucket.pauseMs(5, 7_000_000)).toBe(0);
  bucket.take(55, 5, 7_000_000);
  expect(bucket.pauseMs(5, 7_000_000)).toBe(0);
  bucket.take(60, 5, 7_000_000);
  expect(bucket.pauseMs(5, 7_000_000)).toBe(12_000);
  expect(bucket.pauseMs(5, 7_002_000)).toBe(10_000);
  expect(bucket.pauseMs(5, 7_012_000)).toBe(0);
});

it('fills to its brim and no further, also with another limit', () => {
  const bucket = new TokenBucket(WINDOWS);
  bucket.take(0, 5, 0);
  bucket.take(56, 5, 1e9);
  expect(bucket.pauseMs(5, 1e9)).toBe(200);
  expect(bucket.pauseMs(1, 1e9)).toBe(1000);
});
