/**
 * What one client has fetched of its quota. A fetch over the quota is answered without data and asks again after its
 * pause, so the pause must be as long as needed and no longer: the quota is a bucket that fills at the limit's pace and
 * holds what Kafka's windows let a client fetch at once. The pause after a burst is Kafka's own; later Kafka's windows,
 * which are forgotten one by one, let such clients have but half of their limit. Owns the arithmetic; knows no clock.
 * Invariant: over a long time a client that keeps its pauses gets its limit, also in batches of any size.
 */
import { MAX_INT } from '../config/definition';
import { largestUse } from './quota-meter';
import type { QuotaWindows } from './sampled-rate';

const MS_PER_SECOND = 1000;

/** What a fetch has to do. */
export interface FetchVerdict {
  readonly pauseMs: number;
  /** Whether it must be answered without data; then it did not count. */
  readonly withoutData: boolean;
}

const FREE: FetchVerdict = { pauseMs: 0, withoutData: false };

export class FetchMeter {
  readonly #windows: QuotaWindows;
  /** Undefined before the first use: full. */
  #credit: number | undefined;
  #creditAtMs = 0;
  /** A batch that is larger than the bucket was refused: it passes when the bucket is full again. */
  #hasRefusedLarge = false;

  constructor(windows: QuotaWindows) {
    this.#windows = windows;
  }

  /** How many bytes can be fetched without a pause. */
  room(limit: number, nowMs: number): number {
    const most = largestUse(limit, this.#windows);
    const filled = (limit * (nowMs - this.#creditAtMs)) / MS_PER_SECOND;
    return this.#credit === undefined ? most : Math.min(most, this.#credit + filled);
  }

  fetch(bytes: number, limit: number, nowMs: number): FetchVerdict {
    const most = largestUse(limit, this.#windows);
    const room = this.room(limit, nowMs);
    this.#creditAtMs = nowMs;
    this.#credit = room;
    const passes = bytes <= room || (bytes > most && room >= most && this.#hasRefusedLarge);
    if (passes) {
      this.#credit = room - bytes;
      return bytes <= room ? FREE : { pauseMs: pause(bytes - room, limit), withoutData: false };
    }
    this.#hasRefusedLarge = bytes > most;
    const missing = room < most ? Math.min(bytes, most) - room : bytes - room;
    return { pauseMs: pause(missing, limit), withoutData: true };
  }
}

function pause(bytes: number, limit: number): number {
  return Math.min(MAX_INT, Math.max(1, Math.ceil((bytes / limit) * MS_PER_SECOND)));
}
