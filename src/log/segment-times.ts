/**
 * The largest timestamp up to each segment of a log, so that the first segment that reaches a time is found by halving,
 * whatever the order of the timestamps. Read when somebody first asks, in slices, since every older segment must be
 * asked once; from then on only what was rolled since is added. Owns these numbers; the active segment is asked itself.
 */
import type { Clock } from '../base/clock';
import { inSlices } from './in-slices';
import type { Segment } from './segment';

/** The log whose segments are asked; they may change meanwhile. */
export interface SegmentedLog {
  readonly segments: readonly Segment[];
  readonly active: Segment;
  readonly environment: { readonly clock: Clock };
}

export class SegmentTimes {
  /** What the numbers are of: another array where segments went or were replaced. */
  #segments: readonly Segment[] = [];
  #maxima: number[] = [];

  /** Whether nothing is missing. */
  isUpToDate({ segments }: SegmentedLog): boolean {
    return this.#segments === segments && this.#maxima.length >= segments.length - 1;
  }

  /** The oldest segment with a record not older than `timestampMs`; undefined for none. Only while up to date. */
  firstReaching({ segments, active }: SegmentedLog, timestampMs: number): Segment | undefined {
    let low = 0;
    let high = this.#maxima.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#maxima[middle]! >= timestampMs) high = middle;
      else low = middle + 1;
    }
    if (low < this.#maxima.length) return segments[low];
    return active.sizeInBytes > 0 && active.maxTimestampMs >= timestampMs ? active : undefined;
  }

  /** Reads what is missing. Throws on a disk error. */
  async bringUpToDate(state: SegmentedLog): Promise<void> {
    const { clock } = state.environment;
    while (!this.isUpToDate(state)) {
      const { segments } = state;
      if (this.#segments !== segments) this.#maxima = [];
      this.#segments = segments;
      const maxima = this.#maxima;
      await inSlices(clock, segments.slice(maxima.length, -1), (segment) => {
        // Meanwhile others may have done the same, or segments went, and their files with them.
        if (state.segments !== segments || this.#maxima !== maxima || segments[maxima.length] !== segment) return;
        const maxMs = segment.sizeInBytes > 0 ? segment.maxTimestampMs : -1;
        maxima.push(Math.max(maxMs, maxima.at(-1) ?? -1));
      });
    }
  }
}
