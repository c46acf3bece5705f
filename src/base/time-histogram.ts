/**
 * Durations as counts in buckets, for quantiles of the recent past. Costs an addition per value and a fixed array, no
 * object. Owns the buckets and their ageing; its caller has the clock.
 * Invariants: a quantile is off by less than 4 %; values of the last five minutes always count, older than ten never.
 */

/** Buckets between a duration and twice that. */
const STEPS = 16;
const STEP_BITS = 4;
/** Microseconds up to 2^31: some 36 minutes. */
const BUCKETS = (31 - STEP_BITS) * STEPS + STEPS;
const LONGEST_US = 2 ** 31 - 1;
const GENERATION_MS = 300_000;
const US_PER_MS = 1000;

export class TimeHistogram {
  #current = new Uint32Array(BUCKETS);
  #former: Uint32Array | undefined;
  #endsAtMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #sumMs = 0;

  /** Values ever recorded. */
  get count(): number {
    return this.#count;
  }

  /** Of all values ever recorded. */
  get sumMs(): number {
    return this.#sumMs;
  }

  /** `nowMs` is the monotonic clock's. */
  record(durationMs: number, nowMs: number): void {
    if (nowMs >= this.#endsAtMs) this.#age(nowMs);
    this.#count++;
    this.#sumMs += durationMs;
    const index = bucketOf(durationMs);
    this.#current[index] = this.#current[index]! + 1;
  }

  /** The duration that the share `q` (0 to 1) of recent values does not exceed, in milliseconds; 0 without any. */
  quantile(q: number, nowMs: number): number {
    if (nowMs >= this.#endsAtMs) this.#age(nowMs);
    const total = sum(this.#current) + (this.#former ? sum(this.#former) : 0);
    if (total === 0) return 0;
    const rank = Math.max(1, Math.ceil(q * total));
    let seen = 0;
    for (let index = 0; index < BUCKETS; index++) {
      seen += this.#current[index]! + (this.#former?.[index] ?? 0);
      if (seen >= rank) return middleUs(index) / US_PER_MS;
    }
    return LONGEST_US / US_PER_MS;
  }

  #age(nowMs: number): void {
    const isRecent = nowMs < this.#endsAtMs + GENERATION_MS;
    this.#former = isRecent ? this.#current : undefined;
    this.#current = new Uint32Array(BUCKETS);
    this.#endsAtMs = nowMs + GENERATION_MS;
  }
}

function sum(counts: Uint32Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}

function bucketOf(durationMs: number): number {
  const us = Math.min(Math.max(0, durationMs) * US_PER_MS, LONGEST_US) | 0;
  if (us < STEPS) return us;
  const magnitude = 31 - Math.clz32(us);
  return (magnitude - STEP_BITS + 1) * STEPS + ((us >> (magnitude - STEP_BITS)) & (STEPS - 1));
}

/** The middle of a bucket, in microseconds. */
function middleUs(index: number): number {
  if (index < STEPS) return index;
  const shift = (index >> STEP_BITS) - 1;
  const lowest = (STEPS + (index & (STEPS - 1))) * 2 ** shift;
  return lowest + (2 ** shift - 1) / 2;
}
