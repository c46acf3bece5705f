/** Windows of time: what is remembered, for how long, and over which span. */
import { SampledRate } from './sampled-rate';

const WINDOWS = { count: 3, sizeMs: 1000 };

it('spreads what came at once over all windows but one', () => {
  const rate = new SampledRate(WINDOWS);
  rate.record(10, 5000);
  expect([rate.sum(5000), rate.spanMs(5000)]).toEqual([10, 2000]);
  expect(rate.spanMs(5400)).toBe(2400);
  // A window that is over counts as one of those that must be there.
  expect(rate.spanMs(6000)).toBe(2000);
  expect(rate.spanMs(7500)).toBe(2500);
});

it('adds up windows, and forgets each when nothing came in it for as long as all together', () => {
  const rate = new SampledRate(WINDOWS);
  for (const atMs of [0, 900, 1000, 2500]) rate.record(1, atMs);
  expect(rate.sum(2500)).toBe(4);
  expect(rate.sum(3899)).toBe(4);
  expect(rate.sum(3900)).toBe(2);
  expect(rate.sum(4000)).toBe(1);
  expect(rate.sum(5500)).toBe(0);
});

it('keeps one window more than it counts, and no more', () => {
  const rate = new SampledRate(WINDOWS);
  for (let atMs = 0; atMs < 20_000; atMs += 1000) rate.record(1, atMs);
  expect(rate.sum(19_000)).toBe(3);
  expect(rate.spanMs(19_000)).toBe(2000);
});

it('takes back', () => {
  const rate = new SampledRate(WINDOWS);
  rate.record(7, 0);
  rate.record(5, 10);
  rate.record(-5, 10);
  expect(rate.sum(10)).toBe(7);
});

it('is never spread over nothing', () => {
  const rate = new SampledRate({ count: 1, sizeMs: 1000 });
  rate.record(1, 0);
  expect(rate.spanMs(0)).toBe(1);
  expect(new SampledRate(WINDOWS).sum(0)).toBe(0);
});
