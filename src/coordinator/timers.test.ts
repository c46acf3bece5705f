/** Keys, extension, replacement and stopping of timers on a manual clock. */
import { ManualClock } from '../testing/manual-clock';
import { Timers } from './timers';

function timers() {
  const clock = new ManualClock();
  const fired: string[] = [];
  return { clock, fired, timers: new Timers<string>(clock, (op) => fired.push(op)) };
}

describe('Timers', () => {
  it('gives the operation back when the time has come', async () => {
    const t = timers();
    t.timers.start('a', 100, 'first');
    await t.clock.advance(99);
    expect(t.fired).toEqual([]);
    await t.clock.advance(1);
    expect(t.fired).toEqual(['first']);
    expect(t.timers.size).toBe(0);
  });

  it('is pushed back without a new timer of the clock', async () => {
    const t = timers();
    t.timers.start('a', 100, 'first');
    await t.clock.advance(50);
    t.timers.start('a', 100, 'second');
    expect(t.clock.timerCount).toBe(1);
    await t.clock.advance(99);
    expect(t.fired).toEqual([]);
    await t.clock.advance(1);
    expect(t.fired).toEqual(['second']);
  });

  it('can be brought forward', async () => {
    const t = timers();
    t.timers.start('a', 100, 'late');
    t.timers.start('a', 10, 'early');
    await t.clock.advance(10);
    expect(t.fired).toEqual(['early']);
    await t.clock.advance(1000);
    expect(t.fired).toEqual(['early']);
  });

  it('stops one or all', async () => {
    const t = timers();
    t.timers.start('a', 10, 'a');
    t.timers.start('b', 10, 'b');
    t.timers.start('c', 10, 'c');
    t.timers.stop('a');
    t.timers.stop('unknown');
    expect(t.timers.size).toBe(2);
    t.timers.stopAll();
    await t.clock.advance(1000);
    expect(t.fired).toEqual([]);
    expect(t.clock.timerCount).toBe(0);
  });

  it('does not care about jumps of the wall clock', async () => {
    const t = timers();
    t.timers.start('a', 100, 'a');
    t.clock.jumpWallClock(-1_000_000);
    await t.clock.advance(100);
    expect(t.fired).toEqual(['a']);
  });

  it('can start the same key again from its own expiry', async () => {
    const clock = new ManualClock();
    let fired = 0;
    const timers: Timers<string> = new Timers(clock, (op) => {
      fired++;
      timers.start('a', 10, op);
    });
    timers.start('a', 10, 'again');
    await clock.advance(35);
    expect(fired).toBe(3);
  });
});
