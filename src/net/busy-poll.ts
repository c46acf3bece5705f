/**
 * Stays awake for a moment where the next request is likely to come at once: a process that sleeps is woken only some
 * ten microseconds after its bytes have come, which is more than a small request takes. The loop then looks at its
 * sockets again and again instead of waiting for them. Owns when that is worth its CPU time, and its end.
 * It is tried where requests are small and come one soon after the other; whether it pays is seen by whether they come
 * within the window, and where they mostly do not, it rests. With nothing to do it ends with the first window.
 */
import type { Clock } from '../base/clock';

/** More than this in one turn are batches: there is work enough, and others need the CPU to make them. */
const BATCHED_BYTES = 16 * 1024;
/** While the loop sleeps, requests come later: being woken, and the answer before them, are part of the time. */
const SLEEPING_FACTOR = 3;
/** How much one turn counts among those before it. */
const WEIGHT = 1 / 16;
const WORTH_IT = 0.75;
/** How long it rests when it did not pay. */
const REST_MS = 1000;

export interface BusyPollOptions {
  /** How long it stays awake after bytes came in, at most; 0: not at all. */
  readonly windowMs: number;
  readonly clock: Pick<Clock, 'monotonicMs' | 'immediate' | 'endOfTurn'>;
}

export class BusyPoll {
  readonly #windowMs: number;
  readonly #clock: BusyPollOptions['clock'];
  /** What came in since the last turn began. */
  #bytes = 0;
  #isTurnNoted = false;
  #lastArrivalMs = Number.NEGATIVE_INFINITY;
  /** The share of recent turns whose bytes came soon enough, and were few enough. */
  #share = 0;
  #isAwake = false;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ windowMs, clock }: BusyPollOptions) {
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  /** Bytes came in on some connection. */
  onArrival(bytes: number, nowMs: number): void {
    if (this.#windowMs === 0) return;
    this.#bytes += bytes;
    if (this.#isTurnNoted) return;
    this.#isTurnNoted = true;
    this.#judge(nowMs - this.#lastArrivalMs);
    this.#clock.endOfTurn(this.#onTurnEnd);
  }

  #judge(sinceLastMs: number): void {
    const soonMs = this.#isAwake ? this.#windowMs : SLEEPING_FACTOR * this.#windowMs;
    this.#count(sinceLastMs <= soonMs);
  }

  #count(isGood: boolean): void {
    this.#share += WEIGHT * ((isGood ? 1 : 0) - this.#share);
  }

  readonly #onTurnEnd = (): void => {
    this.#isTurnNoted = false;
    const nowMs = this.#clock.monotonicMs();
    this.#lastArrivalMs = nowMs;
    if (this.#bytes > BATCHED_BYTES) this.#share = 0;
    this.#bytes = 0;
    if (this.#isAwake || this.#share < WORTH_IT || nowMs < this.#restsUntilMs) return;
    this.#isAwake = true;
    this.#clock.immediate(this.#look);
  };

  /** Once in each turn while it is awake. */
  readonly #look = (): void => {
    const nowMs = this.#clock.monotonicMs();
    if (this.#share >= WORTH_IT && nowMs - this.#lastArrivalMs <= this.#windowMs) {
      this.#clock.immediate(this.#look);
      return;
    }
    this.#isAwake = false;
    if (this.#share >= WORTH_IT) this.#count(false);
    if (this.#share < WORTH_IT) this.#restsUntilMs = nowMs + REST_MS;
  };
}
