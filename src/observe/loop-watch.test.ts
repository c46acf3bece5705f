/** A timer that comes late is a loop that was held. */
import type { Timer } from '../base/clock';
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import { LoopWatch } from './loop-watch';

/** Runs the one timer when told, however late. */
class LateClock extends ManualClock {
  passedMs = 0;
  #due: (() => void) | undefined;

  override monotonicMs(): number {
    return this.passedMs;
  }

  override schedule(_delayMs: number, run: () => void): Timer {
    this.#due = run;
    return {
      cancel: () => {
        this.#due = undefined;
      },
    };
  }

  get isArmed(): boolean {
    return this.#due !== undefined;
  }

  tickAfter(ms: number): void {
    this.passedMs += ms;
    this.#due?.();
  }
}

function watch(warnMs = 500) {
  const clock = new LateClock();
  const logger = new RecordingLogger();
  return { clock, logger, watch: new LoopWatch({ clock, logger, warnMs: () => warnMs }) };
}

it('tells the longest hold since it was last asked', () => {
  const { clock, watch: loop } = watch();
  clock.tickAfter(100);
  expect(loop.takeLongestHoldMs()).toBe(0);
  clock.tickAfter(430);
  clock.tickAfter(120);
  expect(loop.takeLongestHoldMs()).toBe(330);
  expect(loop.takeLongestHoldMs()).toBe(0);
  loop.close();
  expect(clock.isArmed).toBe(false);
});

it('warns of long holds, one line in ten seconds', () => {
  const { clock, logger } = watch();
  for (const lateMs of [600, 601, 2000, 900]) clock.tickAfter(lateMs);
  expect(logger.lines.map(({ fields }) => fields?.heldMs)).toEqual([501]);
  clock.tickAfter(9000);
  expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { heldMs: 8900, unreported: 2 } });
});

it('never warns where the setting is 0', () => {
  const { clock, logger } = watch(0);
  clock.tickAfter(60_000);
  expect(logger.lines).toEqual([]);
});

it('knows which share of the time the loop was idle', async () => {
  const { watch: loop } = watch();
  loop.takeIdleShare();
  const until = performance.now() + 40;
  while (performance.now() < until) Math.random();
  await new Promise((resolve) => setTimeout(resolve, 1));
  const share = loop.takeIdleShare();
  expect(share).toBeGreaterThanOrEqual(0);
  expect(share).toBeLessThan(0.9);
});
