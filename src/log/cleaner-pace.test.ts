/** Slices, waits and the allowed speed, by a clock in hand. */
import type { Timer } from '../base/clock';
import { ManualClock, settle } from '../testing/manual-clock';
import { CleanerPace } from './cleaner-pace';

/** A clock whose turns of the loop take as long as a test says. */
class SlowTurns extends ManualClock {
  turnMs = 0;
  readonly delays: number[] = [];
  #addedMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.#addedMs;
  }

  override immediate(run: () => void): void {
    this.#addedMs += this.turnMs;
    super.immediate(run);
  }

  override schedule(delayMs: number, run: () => void): Timer {
    this.delays.push(Math.round(delayMs));
    return super.schedule(delayMs, run);
  }
}

describe('CleanerPace', () => {
  let clock: SlowTurns;

  beforeEach(() => {
    clock = new SlowTurns();
  });

  const unlimited = (): CleanerPace => new CleanerPace(clock, () => Number.MAX_VALUE);

  it('is due for a rest after a quarter of a millisecond, which a quiet loop makes short', async () => {
    const pace = unlimited();
    expect(pace.isDue).toBe(false);
    clock.pass(0.24);
    expect(pace.isDue).toBe(false);
    clock.pass(0.01);
    expect(pace.isDue).toBe(true);
    clock.turnMs = 0.02;
    await pace.rest();
    expect([pace.isDue, clock.delays]).toEqual([false, []]);
  });

  it('leaves a busy loop a millisecond after each slice', async () => {
    const pace = unlimited();
    clock.turnMs = 0.03;
    for (const rests of [1, 2, 3]) {
      clock.pass(0.25);
      const resting = pace.rest();
      await settle();
      expect(clock.delays).toEqual(new Array(rests).fill(1));
      expect(pace.isDue).toBe(true);
      await clock.advance(1);
      await resting;
      expect(pace.isDue).toBe(false);
    }
  });

  it('is no faster than allowed, and lets what was not used lapse', async () => {
    let bytesPerSecond = 1000;
    const pace = new CleanerPace(clock, () => bytesPerSecond);
    const spend = async (bytes: number): Promise<void> => {
      const waits = clock.delays.length;
      const spending = pace.spend(bytes);
      await clock.advance(clock.delays[waits] ?? 0);
      await spending;
    };
    await spend(5);
    expect(clock.delays).toEqual([]);
    await spend(495);
    expect(clock.delays).toEqual([500]);
    await clock.advance(10_000);
    await spend(100);
    await spend(100);
    expect(clock.delays).toEqual([500, 100]);
    bytesPerSecond = 10_000;
    await spend(1000);
    expect(clock.delays).toEqual([500, 100, 100]);
  });

  it('is woken from a wait', async () => {
    const pace = new CleanerPace(clock, () => 1);
    const spending = pace.spend(1_000_000);
    await settle();
    pace.wake();
    await spending;
    pace.wake();
    expect(clock.timerCount).toBe(0);
  });
});
