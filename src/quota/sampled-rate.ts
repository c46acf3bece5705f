/**
 * How much was used in the last windows of time, and over what span that is a rate. The rules of Kafka's `Rate` over a
 * `SampledStat`, on which its quotas are defined: up to one window more than `count` is kept, windows begin with what
 * is recorded in them, and the span is never less than all windows but the current one.
 * Owns numbers only: knows no clock and no limit.
 */

export interface QuotaWindows {
  /** How many windows are remembered. */
  readonly count: number;
  readonly sizeMs: number;
}

interface Sample {
  startMs: number;
  lastMs: number;
  value: number;
}

export class SampledRate {
  readonly #windows: QuotaWindows;
  readonly #samples: Sample[] = [];
  #current = 0;

  constructor(windows: QuotaWindows) {
    this.#windows = windows;
  }

  /** Takes back what was recorded where `value` is negative. */
  record(value: number, nowMs: number): void {
    const sample = this.#sampleAt(nowMs);
    sample.value += value;
    sample.lastMs = nowMs;
  }

  /** The sum of what is remembered. */
  sum(nowMs: number): number {
    this.#forget(nowMs);
    let sum = 0;
    for (const { value } of this.#samples) sum += value;
    return sum;
  }

  /** The time, in milliseconds, over which `sum` is spread. */
  spanMs(nowMs: number): number {
    this.#forget(nowMs);
    const { count, sizeMs } = this.#windows;
    let oldestMs = nowMs;
    for (const { startMs } of this.#samples) oldestMs = Math.min(oldestMs, startMs);
    const elapsedMs = nowMs - oldestMs;
    const missing = Math.max(0, count - 1 - Math.floor(elapsedMs / sizeMs));
    return Math.max(1, elapsedMs + missing * sizeMs);
  }

  #sampleAt(nowMs: number): Sample {
    const sample = this.#samples[this.#current];
    if (sample !== undefined && nowMs - sample.startMs < this.#windows.sizeMs) return sample;
    if (sample !== undefined) this.#current = (this.#current + 1) % (this.#windows.count + 1);
    const next: Sample = { startMs: nowMs, lastMs: nowMs, value: 0 };
    this.#samples[this.#current] = next;
    return next;
  }

  #forget(nowMs: number): void {
    const { count, sizeMs } = this.#windows;
    for (const sample of this.#samples) {
      if (nowMs - sample.lastMs < count * sizeMs) continue;
      sample.startMs = nowMs;
      sample.lastMs = nowMs;
      sample.value = 0;
    }
  }
}
