/** Portions of work, and what else gets its turn between them. */
import { systemClock } from './clock';
import { inPortions } from './in-portions';

describe('inPortions', () => {
  it('does all of it in order, and lets others run in between', async () => {
    const events: (number | string)[] = [];
    systemClock.immediate(() => events.push('other'));
    await inPortions([1, 2, 3, 4, 5], { size: 2, clock: systemClock }, async (item) => {
      events.push(item);
    });
    expect(events).toEqual([1, 2, 'other', 3, 4, 5]);
  });

  it('does what fits into one portion without waiting', async () => {
    let done = 0;
    let waits = 0;
    const clock = { immediate: () => void waits++ };
    await inPortions([1, 2], { size: 2, clock }, async () => {
      done++;
    });
    expect([done, waits]).toEqual([2, 0]);
  });
});
