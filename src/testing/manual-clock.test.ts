/** Time that passes only when it is told to. */
import { ManualClock } from './manual-clock';

describe('ManualClock', () => {
  it('runs timers in due order as time passes, and not before', async () => {
    const clock = new ManualClock(1000);
    const seen: string[] = [];
    clock.schedule(20, () => seen.push(`b@${clock.nowMs()}`));
    clock.schedule(10, () => {
      seen.push(`a@${clock.nowMs()}`);
      clock.schedule(5, () => seen.push(`c@${clock.monotonicMs()}`));
    });
    clock.schedule(30, () => seen.push('cancelled')).cancel();
    await clock.advance(9);
    expect(seen).toEqual([]);
    await clock.advance(100);
    expect(seen).toEqual(['a@1010', 'c@15', 'b@1020']);
    expect(clock.nowMs()).toBe(1109);
    expect(clock.timerCount).toBe(0);
  });

  it('lets promises of one timer end before the next', async () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    clock.schedule(1, () => {
      void Promise.resolve().then(() => seen.push(1));
    });
    clock.schedule(2, () => seen.push(2));
    await clock.advance(2);
    expect(seen).toEqual([1, 2]);
  });

  it('moves the wall clock apart from the monotonic one', () => {
    const clock = new ManualClock(1000);
    clock.jumpWallClock(-500);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([500, 0]);
  });
});
