/** Fetches within and over the quota, and batches that are larger than it ever allows. */
import { MAX_INT } from '../config/definition';
import { FetchMeter } from './fetch-meter';

const WINDOWS = { count: 11, sizeMs: 1000 };
const LIMIT = 1000;
const FREE = { pauseMs: 0, withoutData: false };

let meter: FetchMeter;

beforeEach(() => {
  meter = new FetchMeter(WINDOWS);
});

const fetch = (bytes: number, nowMs: number) => meter.fetch(bytes, LIMIT, nowMs);

it('answers without data what exceeds the quota, does not count it, and lets it pass after its pause', () => {
  expect(fetch(8000, 5000)).toEqual(FREE);
  expect(meter.room(LIMIT, 5000)).toBe(2000);
  expect(fetch(4000, 5000)).toEqual({ pauseMs: 2000, withoutData: true });
  expect(fetch(4000, 6999)).toEqual({ pauseMs: 1, withoutData: true });
  expect(fetch(4000, 7000)).toEqual(FREE);
  expect(meter.room(LIMIT, 7000)).toBe(0);
  expect(meter.room(LIMIT, 1e9)).toBe(10_000);
});

it('refuses a batch larger than the bucket once, then lets it pass whenever the bucket is full', () => {
  expect(fetch(15_000, 0)).toEqual({ pauseMs: 5000, withoutData: true });
  expect(fetch(15_000, 5000)).toEqual({ pauseMs: 5000, withoutData: false });
  expect(fetch(15_000, 10_000)).toEqual({ pauseMs: 10_000, withoutData: true });
  expect(fetch(15_000, 20_000)).toEqual({ pauseMs: 5000, withoutData: false });
});

it('goes by the limit of the moment and never pauses for longer than the wire can tell', () => {
  expect(meter.fetch(10_000, LIMIT, 0)).toEqual(FREE);
  expect(meter.fetch(1, 1, 0)).toEqual({ pauseMs: 1000, withoutData: true });
  expect(meter.fetch(5000, 2 * LIMIT, 2500)).toEqual(FREE);
  expect(new FetchMeter(WINDOWS).fetch(1e30, 1, 0)).toMatchObject({ pauseMs: MAX_INT });
});
