/** Quantiles by buckets against sorted values, and their ageing. */
import fc from 'fast-check';
import { TimeHistogram } from './time-histogram';

const MINUTE_MS = 60_000;

function filled(values: readonly number[], nowMs = 0): TimeHistogram {
  const histogram = new TimeHistogram();
  for (const value of values) histogram.record(value, nowMs);
  return histogram;
}

it('finds quantiles within four percent', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.02, max: 1_000_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, q) => {
        const sorted = [...values].sort((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]!;
        const found = filled(values).quantile(q, 0);
        // Whole microseconds besides.
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.04 + 0.001);
      },
    ),
  );
});

it('counts and sums everything, whatever its size', () => {
  const histogram = filled([0, -1, 1e12, 2]);
  expect([histogram.count, histogram.sumMs]).toEqual([4, 1e12 + 1]);
  expect(histogram.quantile(1, 0)).toBeGreaterThan(2_000_000);
  expect(histogram.quantile(0, 0)).toBe(0);
});

it('forgets what is older than ten minutes, and nothing that is younger than five', () => {
  const histogram = filled([100]);
  histogram.record(1, 4 * MINUTE_MS);
  expect(histogram.quantile(1, 9 * MINUTE_MS)).toBeCloseTo(100, -1);
  histogram.record(1, 9 * MINUTE_MS);
  expect(histogram.quantile(1, 9.9 * MINUTE_MS)).toBeCloseTo(100, -1);
  expect(histogram.quantile(1, 15 * MINUTE_MS)).toBeCloseTo(1, 1);
  expect(histogram.quantile(1, 40 * MINUTE_MS)).toBe(0);
  expect(histogram.count).toBe(3);
});

it('has nothing to say before the first value', () => {
  expect(new TimeHistogram().quantile(0.99, 0)).toBe(0);
});
