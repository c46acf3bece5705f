/** Pauses: Kafka's formula, debts, and the rate of clients that keep their pauses over a long time. */
import { MAX_INT } from '../config/definition';
import { QuotaMeter } from './quota-meter';

const WINDOWS = { count: 11, sizeMs: 1000 };
const LIMIT = 1000;

function meter(o = { keepsDebt: true }): QuotaMeter {
  return new QuotaMeter(WINDOWS, o);
}

it('lets a burst of ten seconds pass and pauses for what exceeds it', () => {
  const one = meter();
  expect(one.use(10_000, LIMIT, 0)).toBe(0);
  // (1300 - 1000) / 1000 * 10 s
  expect(one.use(3000, LIMIT, 0)).toBe(3000);
  expect(meter().use(13_000, LIMIT, 0)).toBe(3000);
});

it('takes back what was not used after all', () => {
  const one = meter();
  one.use(9000, LIMIT, 0);
  expect(one.use(5000, LIMIT, 0)).toBe(4000);
  one.takeBack(5000, 0);
  expect(one.use(1000, LIMIT, 0)).toBe(0);
});

it('goes by the limit of the moment', () => {
  const one = meter();
  one.use(10_000, LIMIT, 0);
  expect(one.use(1, 2 * LIMIT, 1)).toBe(0);
  expect(one.use(1, LIMIT / 2, 2)).toBeGreaterThan(9000);
});

it('never pauses for longer than the wire can tell', () => {
  expect(meter().use(1e30, 1, 0)).toBe(MAX_INT);
  expect(meter().use(1, Number.MIN_VALUE, 0)).toBe(MAX_INT);
  expect(meter().use(1, Number.MAX_VALUE, 0)).toBe(0);
});

/** The share of the limit that a client has which uses `seconds` worth of it at once and keeps its pauses. */
function shareOf(seconds: number, o = { keepsDebt: true }): number {
  const one = meter(o);
  let [nowMs, used] = [0, 0];
  while (nowMs < 1_200_000) {
    const value = seconds * LIMIT;
    used += value;
    nowMs += one.use(value, LIMIT, nowMs) + 1;
  }
  // The first burst is no part of the rate.
  return (used / LIMIT - 10) / (nowMs / 1000);
}

it.each([0.01, 0.1, 0.5, 1, 2, 5, 7, 9, 10, 10.5, 11, 12, 13, 15, 20, 100])(
  'holds the limit within five hundredths with requests of %s seconds',
  (seconds) => {
    expect(Math.abs(shareOf(seconds) - 1)).toBeLessThan(0.05);
  },
);

it('would not hold it without debts, where a pause outlives the windows', () => {
  expect(shareOf(11, { keepsDebt: false })).toBeGreaterThan(1.5);
});
