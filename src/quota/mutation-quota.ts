/**
 * What one request may still change of topics (KIP-599). A strict one refuses further changes while there is a debt; a
 * permissive one, for requests that do not know the error, lets all pass and makes the client pause.
 */
import type { Clock } from '../base/clock';
import type { TokenBucket } from './token-bucket';

export interface MutationQuotaOptions {
  readonly bucket: TokenBucket;
  /** Partitions a second. */
  readonly limit: number;
  readonly isStrict: boolean;
  readonly clock: Clock;
}

export class MutationQuota {
  readonly #o: MutationQuotaOptions;
  #pauseUntilMs = 0;

  constructor(options: MutationQuotaOptions) {
    this.#o = options;
  }

  /** Whether so many partitions may be made or deleted; if so, they are counted. */
  admits(partitions: number): boolean {
    const { bucket, limit, isStrict, clock } = this.#o;
    const nowMs = clock.monotonicMs();
    const debtMs = isStrict ? bucket.pauseMs(limit, nowMs) : 0;
    if (debtMs > 0) {
      this.#pauseUntilMs = nowMs + debtMs;
      return false;
    }
    bucket.take(partitions, limit, nowMs);
    if (!isStrict) this.#pauseUntilMs = nowMs + bucket.pauseMs(limit, nowMs);
    return true;
  }

  /** For how long the client must pause from now on. */
  get pauseMs(): number {
    return Math.max(0, Math.round(this.#pauseUntilMs - this.#o.clock.monotonicMs()));
  }
}
