/**
 * Which leader epoch wrote which stretch of a log: the basis of fencing, divergence checks and truncation (KIP-101,
 * KIP-320). Pure; the partition log writes it down. Invariant: epochs and start offsets both rise from entry to
 * entry. (Kafka: LeaderEpochFileCache.)
 */

/** `leaderEpoch` and `endOffset` are -1 when the epoch is unknown. */
export interface EpochEndOffset {
  readonly leaderEpoch: number;
  readonly endOffset: number;
}

export interface EpochEntry {
  readonly epoch: number;
  /** First offset written under the epoch. */
  readonly startOffset: number;
}

/** Of the many logs that have none yet. */
const NONE: readonly EpochEntry[] = [];

const UNKNOWN: EpochEndOffset = { leaderEpoch: -1, endOffset: -1 };

export class LeaderEpochs {
  #entries: readonly EpochEntry[] = NONE;

  /** Never changed: a change makes new ones. */
  get entries(): readonly EpochEntry[] {
    return this.#entries;
  }

  /** The newest epoch, -1 for none. */
  get latest(): number {
    return this.#entries.at(-1)?.epoch ?? -1;
  }

  /** Takes over entries that were written down; those that break the order are left out. */
  load(entries: readonly EpochEntry[]): void {
    this.#entries = NONE;
    for (const { epoch, startOffset } of entries) this.assign(epoch, startOffset);
  }

  /**
   * Notes that `epoch` begins at `startOffset`. Entries that contradict it are dropped; an epoch known already stays.
   */
  assign(epoch: number, startOffset: number): void {
    const last = this.#entries.at(-1);
    if (epoch < 0 || (last && last.epoch === epoch && startOffset >= last.startOffset)) return;
    let kept = this.#entries.length;
    while (kept > 0) {
      const { epoch: lastEpoch, startOffset: lastStart } = this.#entries[kept - 1]!;
      if (lastEpoch < epoch && lastStart < startOffset) break;
      kept--;
    }
    // Not by push or spread, which make room for a dozen more that most logs never have.
    this.#entries = this.#entries.slice(0, kept).concat({ epoch, startOffset });
  }

  /** The epoch that wrote `offset`, -1 when unknown. */
  epochForOffset(offset: number): number {
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      if (this.#entries[i]!.startOffset <= offset) return this.#entries[i]!.epoch;
    }
    return -1;
  }

  /**
   * Where `requested`, or the largest known epoch below it, ends; both -1 when it is newer than all, or none is
   * known.
   */
  endOffsetFor(requested: number, logEndOffset: number): EpochEndOffset {
    if (requested < 0) return UNKNOWN;
    if (requested === this.latest) return { leaderEpoch: requested, endOffset: logEndOffset };
    const higher = this.#entries.findIndex(({ epoch }) => epoch > requested);
    if (higher < 0) return UNKNOWN;
    const floor = this.#entries[higher - 1];
    return { leaderEpoch: floor?.epoch ?? requested, endOffset: this.#entries[higher]!.startOffset };
  }

  /** Drops what begins at or after `endOffset`. */
  truncateFromEnd(endOffset: number): void {
    this.#entries = entriesBefore(this.#entries, endOffset);
  }

  /** Makes the log begin at `startOffset`: the epoch that holds it begins there. */
  truncateFromStart(startOffset: number): void {
    const later = this.#entries.filter((entry) => entry.startOffset > startOffset);
    const holding = this.#entries[this.#entries.length - later.length - 1];
    if (!holding || (later.length === this.#entries.length - 1 && holding.startOffset === startOffset)) return;
    this.#entries = [{ epoch: holding.epoch, startOffset }, ...later];
  }

  clear(): void {
    this.#entries = NONE;
  }
}

/** Those that begin before `endOffset`; the same ones where that is all of them. */
export function entriesBefore(entries: readonly EpochEntry[], endOffset: number): readonly EpochEntry[] {
  const last = entries.at(-1);
  return last && last.startOffset >= endOffset ? entries.filter((entry) => entry.startOffset < endOffset) : entries;
}
