/** The real clock: timers of any length, cancellation, work deferred to the end of the turn. */
import { systemClock } from './clock';

afterEach(() => {
  jest.useRealTimers();
});

it('tells wall time and a time that never goes back', () => {
  expect(Math.abs(systemClock.nowMs() - Date.now())).toBeLessThan(100);
  const before = systemClock.monotonicMs();
  expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(before);
});

it('runs a timer once after its delay, and a cancelled one never', () => {
  jest.useFakeTimers();
  const ran: string[] = [];
  systemClock.schedule(100, () => ran.push('due'));
  systemClock.schedule(-5, () => ran.push('at once'));
  systemClock.schedule(100, () => ran.push('cancelled')).cancel();
  jest.advanceTimersByTime(99);
  expect(ran).toEqual(['at once']);
  jest.advanceTimersByTime(1000);
  expect(ran).toEqual(['at once', 'due']);
});

it('takes delays that setTimeout does not', () => {
  jest.useFakeTimers();
  let ran = 0;
  const monthMs = 30 * 24 * 3600 * 1000;
  systemClock.schedule(monthMs, () => ran++);
  const cancelled = systemClock.schedule(monthMs, () => ran++);
  jest.advanceTimersByTime(monthMs - 1000);
  expect(ran).toBe(0);
  cancelled.cancel();
  jest.advanceTimersByTime(2000);
  expect(ran).toBe(1);
});

it('defers to the end of the turn, in order', async () => {
  const ran: number[] = [];
  systemClock.immediate(() => ran.push(1));
  systemClock.immediate(() => ran.push(2));
  expect(ran).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ran).toEqual([1, 2]);
});
