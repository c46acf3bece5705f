/**
 * Whether the event loop turns: a timer that comes too late says for how long nothing could run. Owns that measure and
 * the warning line; `performance.eventLoopUtilization` has the share of time in which the loop was idle.
 */
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';

/** A hold is seen up to so much too short. */
const TICK_MS = 100;
/** At least so long between two warnings. */
const WARNING_INTERVAL_MS = 10_000;

export interface LoopWatchOptions {
  /** The real one: the loop of this process is meant. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Holds beyond this are warned of; 0: none. */
  readonly warnMs: () => number;
}

export class LoopWatch {
  readonly #o: LoopWatchOptions;
  #timer: Timer | undefined;
  #longestMs = 0;
  #lastWarningMs = Number.NEGATIVE_INFINITY;
  #unreported = 0;
  #utilization = performance.eventLoopUtilization();

  constructor(options: LoopWatchOptions) {
    this.#o = options;
    this.#arm();
  }

  /** The longest time, since this was last asked, for which the loop was held. */
  takeLongestHoldMs(): number {
    const longestMs = this.#longestMs;
    this.#longestMs = 0;
    return longestMs;
  }

  /** The share of the time since this was last asked in which the loop had nothing to do: 0 to 1. */
  takeIdleShare(): number {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#utilization);
    this.#utilization = now;
    return Number.isNaN(utilization) ? 1 : 1 - Math.min(1, Math.max(0, utilization));
  }

  close(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    const dueMs = this.#o.clock.monotonicMs() + TICK_MS;
    this.#timer = this.#o.clock.schedule(TICK_MS, () => {
      this.#onTick(this.#o.clock.monotonicMs() - dueMs);
      this.#arm();
    });
  }

  #onTick(heldMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, heldMs);
    const warnMs = this.#o.warnMs();
    if (warnMs <= 0 || heldMs <= warnMs) return;
    const nowMs = this.#o.clock.monotonicMs();
    if (nowMs - this.#lastWarningMs < WARNING_INTERVAL_MS) {
      this.#unreported++;
      return;
    }
    const others = this.#unreported > 0 ? { unreported: this.#unreported } : {};
    this.#o.logger.warn('the event loop was held: nothing was served meanwhile', {
      heldMs: Math.round(heldMs),
      setting: 'odradek.event.loop.delay.warn.ms',
      ...others,
    });
    this.#lastWarningMs = nowMs;
    this.#unreported = 0;
  }
}
