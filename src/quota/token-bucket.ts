/**
 * The meter of topic changes (KIP-599): a bucket that fills at the limit's pace and holds what all windows together are
 * worth. It may be overdrawn once; then it must fill to zero first. Owns the arithmetic; knows no clock.
 * Source of the rules: Kafka's `TokenBucket` and `StrictControllerMutationQuota`.
 */
import { MAX_INT } from '../config/definition';
import type { QuotaWindows } from './sampled-rate';

const MS_PER_SECOND = 1000;

export class TokenBucket {
  readonly #windows: QuotaWindows;
  /** Undefined before the first use: full. */
  #tokens: number | undefined;
  #updatedAtMs = 0;

  constructor(windows: QuotaWindows) {
    this.#windows = windows;
  }

  take(tokens: number, limit: number, nowMs: number): void {
    this.#fill(limit, nowMs);
    this.#tokens! -= tokens;
  }

  /** How long it takes until there are as many as were taken; 0 where there is no debt. */
  pauseMs(limit: number, nowMs: number): number {
    this.#fill(limit, nowMs);
    return Math.min(MAX_INT, Math.max(0, Math.round((-this.#tokens! / limit) * MS_PER_SECOND)));
  }

  #fill(limit: number, nowMs: number): void {
    const { count, sizeMs } = this.#windows;
    const most = (limit * count * sizeMs) / MS_PER_SECOND;
    const filled = (limit * (nowMs - this.#updatedAtMs)) / MS_PER_SECOND;
    this.#tokens = this.#tokens === undefined ? most : Math.min(most, this.#tokens + filled);
    this.#updatedAtMs = nowMs;
  }
}
