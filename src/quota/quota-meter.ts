/**
 * What one client has used of a quota, and for how long it must pause. Owns the arithmetic; knows no clock and no
 * setting: the limit, in units a second, comes with each call, so that a changed one counts at once.
 *
 * The pause is Kafka's (its `QuotaUtils`): what brings the rate over the remembered windows down to the limit. Windows
 * that are forgotten whole while a client pauses would let it have up to 1.7 times its limit where single requests
 * are worth more than half of the windows: a debt, paid off at the limit's pace, makes the pause long enough then.
 * Invariant: over a long time a client that keeps its pauses uses no more than the limit.
 */
import { MAX_INT } from '../config/definition';
import { type QuotaWindows, SampledRate } from './sampled-rate';

const MS_PER_SECOND = 1000;

export interface MeterOptions {
  /** Whether a debt outlives the windows; not where pauses are cut short, so that debts would only grow. */
  readonly keepsDebt: boolean;
}

export class QuotaMeter {
  readonly #windows: QuotaWindows;
  readonly #keepsDebt: boolean;
  readonly #rate: SampledRate;
  /** What may be used before there is a debt; below 0: the debt. Undefined before the first use. */
  #credit: number | undefined;
  #creditAtMs = 0;

  constructor(windows: QuotaWindows, { keepsDebt }: MeterOptions) {
    this.#windows = windows;
    this.#keepsDebt = keepsDebt;
    this.#rate = new SampledRate(windows);
  }

  /** Notes the use of `value`; gives the pause, in milliseconds. */
  use(value: number, limit: number, nowMs: number): number {
    this.#rate.record(value, nowMs);
    this.#credit = this.#creditNow(limit, nowMs) - value;
    this.#creditAtMs = nowMs;
    const debtMs = this.#keepsDebt ? (-this.#credit / limit) * MS_PER_SECOND : 0;
    return Math.min(MAX_INT, Math.round(Math.max(0, debtMs, this.#ratePauseMs(limit, nowMs))));
  }

  /** Takes back a use that was noted at the same moment. */
  takeBack(value: number, nowMs: number): void {
    this.#rate.record(-value, nowMs);
    if (this.#credit !== undefined) this.#credit += value;
  }

  #ratePauseMs(limit: number, nowMs: number): number {
    const spanMs = this.#rate.spanMs(nowMs);
    const rate = (this.#rate.sum(nowMs) / spanMs) * MS_PER_SECOND;
    return ((rate - limit) / limit) * spanMs;
  }

  #creditNow(limit: number, nowMs: number): number {
    const most = largestUse(limit, this.#windows);
    if (this.#credit === undefined) return most;
    return Math.min(most, this.#credit + (limit * (nowMs - this.#creditAtMs)) / MS_PER_SECOND);
  }
}

/** The most that can be used at once without a pause, by who has used nothing. */
export function largestUse(limit: number, { count, sizeMs }: QuotaWindows): number {
  return (limit * (count - 1) * sizeMs) / MS_PER_SECOND;
}
