/** Bounded memory: the least used goes first, and what was not used for an hour. */
import { MeterTable } from './meter-table';

const HOUR_MS = 3_600_000;

function table(most: number): MeterTable<object> {
  return new MeterTable(() => ({}), most);
}

it('keeps the meters that are used and makes room for new ones', () => {
  const meters = table(3);
  const kept = meters.get('kept', 0);
  for (let i = 0; i < 1000; i++) {
    meters.get(`invented ${i}`, i);
    expect(meters.get('kept', i)).toBe(kept);
    expect(meters.size).toBeLessThanOrEqual(3);
  }
  const oldest = meters.get('invented 998', 1000);
  meters.get('new', 1001);
  expect(meters.get('invented 998', 1002)).toBe(oldest);
});

it('forgets what was not used for an hour', () => {
  const meters = table(100);
  const first = meters.get('a', 0);
  meters.get('b', 1000);
  expect(meters.get('a', HOUR_MS - 1)).toBe(first);
  meters.get('c', 1000 + HOUR_MS);
  expect(meters.size).toBe(2);
  expect(meters.get('a', HOUR_MS + 2000)).toBe(first);
});

it('bounds itself by default', () => {
  const meters = new MeterTable(() => ({}));
  for (let i = 0; i < 30_000; i++) meters.get(String(i), i);
  expect(meters.size).toBe(10_000);
});
