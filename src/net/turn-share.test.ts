/** The share of a turn is used up by all together, and whole again in the next. */
import { systemClock } from '../base/clock';
import { ManualClock, settle } from '../testing/manual-clock';
import { turnShareOf } from './turn-share';

const MEGABYTE = 1024 * 1024;

describe('share of a turn', () => {
  it('is one for all who live by a clock', () => {
    const clock = new ManualClock();
    expect(turnShareOf(clock)).toBe(turnShareOf(clock));
    expect(turnShareOf(clock)).not.toBe(turnShareOf(systemClock));
  });

  it('is whole again before those who found it used up have their turn', async () => {
    const clock = new ManualClock();
    const share = turnShareOf(clock);
    const seen: boolean[] = [];
    const use = (): void => {
      seen.push(share.isUsedUp);
      if (share.isUsedUp) clock.endOfTurn(use);
      else share.use(MEGABYTE);
    };
    for (let user = 0; user < 5; user++) clock.endOfTurn(use);
    await settle();
    expect(seen).toEqual([false, false, true, true, true, false, false, true, false]);
    expect(share.isUsedUp).toBe(false);
  });
});
