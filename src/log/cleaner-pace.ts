/**
 * The manners of the compactor: it works in slices so short that a request which meets one hardly notices, lets the
 * loop go round in between, and where that shows that others have work, leaves them the next millisecond, four times
 * what a slice takes. It reads and writes no faster than it may. Owns these waits and ending them; knows nothing of
 * logs. (Kafka: a thread, and Throttler.)
 */
import type { Clock } from '../base/clock';

/** Work at one go. */
const SLICE_MS = 0.25;
/** Two turns of the loop that take longer than this have others' work in them: idle, they take some 0.01 ms. */
const QUIET_TURNS_MS = 0.05;
/** What others get when they have work. */
const YIELD_MS = 1;
/** A wait for the allowed speed is not worth it below this. */
const SHORTEST_WAIT_MS = 10;
/** Allowance that was not used lapses after this. */
const ALLOWANCE_MS = 1000;

export class CleanerPace {
  readonly #clock: Clock;
  readonly #maxBytesPerSecond: () => number;
  #sliceStartMs: number;
  #periodStartMs: number;
  #periodBytes = 0;
  #wake: (() => void) | undefined;

  /** `maxBytesPerSecond` is asked each time. */
  constructor(clock: Clock, maxBytesPerSecond: () => number) {
    this.#clock = clock;
    this.#maxBytesPerSecond = maxBytesPerSecond;
    this.#sliceStartMs = clock.monotonicMs();
    this.#periodStartMs = this.#sliceStartMs;
  }

  /** Whether it is time to `rest`. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#sliceStartMs >= SLICE_MS;
  }

  /** Lets the others on. */
  async rest(): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    // The second turn shows what the events of the first have set off.
    await new Promise<void>((resolve) => this.#clock.immediate(() => this.#clock.immediate(resolve)));
    if (this.#clock.monotonicMs() - startMs > QUIET_TURNS_MS) await this.#wait(YIELD_MS);
    this.#sliceStartMs = this.#clock.monotonicMs();
  }

  /** Counts bytes read or written and waits if that was too fast. */
  async spend(bytes: number): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    this.#periodBytes += bytes;
    const earnedMs = (this.#periodBytes / Math.max(1, this.#maxBytesPerSecond())) * 1000;
    const aheadMs = earnedMs - (nowMs - this.#periodStartMs);
    if (aheadMs >= SHORTEST_WAIT_MS) await this.#wait(aheadMs);
    if (aheadMs >= SHORTEST_WAIT_MS || -aheadMs > ALLOWANCE_MS) {
      this.#periodStartMs = this.#clock.monotonicMs();
      this.#periodBytes = 0;
    }
  }

  /** Ends a wait that is under way. */
  wake(): void {
    this.#wake?.();
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.schedule(delayMs, () => this.wake());
      this.#wake = () => {
        timer.cancel();
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
