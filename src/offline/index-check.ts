/**
 * Compares the indexes of a segment with its batches while these are walked: entries and batches both rise, so that
 * one pass does it. Owns what an entry must say; what is done about it is the caller's business.
 */
import type { AbortedTransactionEntry } from '../log/producer-state';
import * as storedBatch from '../log/stored-batch';
import * as batchHeader from '../records/batch-header';
import { recordBytes, walkRecords } from '../records/batch-walk';
import type { OffsetIndexEntry, TimeIndexEntry } from './index-entries';

/** Of a batch, where it lies and what it says. */
export interface WalkedBatch {
  readonly buffer: Buffer;
  readonly position: number;
  readonly baseOffset: number;
  readonly lastOffset: number;
}

/** Tells of an entry, by its number in the file, what is wrong with it. */
export type EntryComplaint = (index: number, what: string) => void;

/** Entries one after the other, with a look at the next. */
class Entries<T> {
  readonly #entries: Iterator<T>;
  index = -1;
  current: T | undefined;

  constructor(entries: Iterable<T>) {
    this.#entries = entries[Symbol.iterator]();
    this.next();
  }

  next(): void {
    this.index++;
    const { done, value } = this.#entries.next();
    this.current = done ? undefined : value;
  }
}

export class OffsetIndexCheck {
  readonly #entries: Entries<OffsetIndexEntry>;
  readonly #complain: EntryComplaint;
  readonly #baseOffset: number;
  #zeros = 0;

  constructor(entries: Iterable<OffsetIndexEntry>, baseOffset: number, complain: EntryComplaint) {
    this.#entries = new Entries(entries);
    this.#baseOffset = baseOffset;
    this.#complain = complain;
  }

  batch({ position, lastOffset }: WalkedBatch): void {
    for (let entry = this.#entries.current; entry && entry.position <= position; entry = this.#entries.current) {
      if (this.#isZero(entry)) this.#zeros++;
      else if (entry.position < position)
        this.#complain(this.#entries.index, `it points to byte ${entry.position}, where no batch begins`);
      else if (entry.offset !== lastOffset)
        this.#complain(
          this.#entries.index,
          `it says offset ${entry.offset}, and the batch there ends at ${lastOffset}`,
        );
      this.#entries.next();
    }
  }

  /** After the last batch; gives the number of entries that are nothing but zeros. */
  end(): number {
    for (let entry = this.#entries.current; entry; entry = this.#entries.current) {
      if (this.#isZero(entry)) this.#zeros++;
      else this.#complain(this.#entries.index, `it points to byte ${entry.position}, behind the last batch`);
      this.#entries.next();
    }
    return this.#zeros;
  }

  /** Room that was taken ahead; no entry points to the first batch. */
  #isZero({ offset, position }: OffsetIndexEntry): boolean {
    return offset === this.#baseOffset && position === 0;
  }
}

export interface TimedLog {
  readonly baseOffset: number;
  /** Kafka's compaction lets an entry point to the last record that it left of a batch. */
  readonly mayHaveGaps: boolean;
}

export class TimeIndexCheck {
  readonly #entries: Entries<TimeIndexEntry>;
  readonly #complain: EntryComplaint;
  readonly #baseOffset: number;
  readonly #mayHaveGaps: boolean;
  /** The largest timestamp so far. */
  #largestMs = -1;
  /** That of the last entry that is none of zeros. */
  #indexedMs = -1;
  #zeros = 0;

  constructor(entries: Iterable<TimeIndexEntry>, { baseOffset, mayHaveGaps }: TimedLog, complain: EntryComplaint) {
    this.#entries = new Entries(entries);
    this.#baseOffset = baseOffset;
    this.#mayHaveGaps = mayHaveGaps;
    this.#complain = complain;
  }

  batch(batch: WalkedBatch): void {
    const { buffer, lastOffset } = batch;
    this.#largestMs = Math.max(this.#largestMs, storedBatch.maxTimestamp(buffer, 0));
    for (let entry = this.#entries.current; entry && entry.offset <= lastOffset; entry = this.#entries.current) {
      if (this.#isZero(entry)) this.#zeros++;
      else this.#compare(entry, batch);
      this.#entries.next();
    }
  }

  #compare({ timestampMs, offset }: TimeIndexEntry, batch: WalkedBatch): void {
    if (timestampMs <= this.#indexedMs)
      this.#complain(this.#entries.index, `its time ${timestampMs} is not beyond the one before, ${this.#indexedMs}`);
    else if (offset < batch.baseOffset) this.#complain(this.#entries.index, `no batch has its offset ${offset}`);
    else if (timestampMs !== this.#largestMs)
      this.#complain(
        this.#entries.index,
        `it says ${timestampMs} for the largest time up to offset ${offset}, which is ${this.#largestMs}`,
      );
    else if (!this.#isOfTime(batch, { timestampMs, offset }))
      this.#complain(this.#entries.index, `the record at its offset ${offset} has not its time, ${timestampMs}`);
    this.#indexedMs = timestampMs;
  }

  /** An entry names the last offset of the batch that brought its time, or, by some Kafkas, that of the record. */
  #isOfTime({ buffer, baseOffset, lastOffset }: WalkedBatch, { timestampMs, offset }: TimeIndexEntry): boolean {
    if (storedBatch.maxTimestamp(buffer, 0) !== timestampMs) return false;
    if (offset === lastOffset || this.#mayHaveGaps || !storedBatch.isV2(buffer, 0)) return true;
    if (batchHeader.timestampType(buffer) === 'LogAppendTime') return true;
    const bytes = recordBytes(buffer);
    // A batch that cannot be read is told of already.
    if (!bytes.ok) return true;
    const baseTimestamp = batchHeader.baseTimestamp(buffer);
    let isFound = false;
    const walked = walkRecords(bytes.value, batchHeader.recordCount(buffer), ({ offsetDelta, timestampDelta }) => {
      isFound ||= baseOffset + offsetDelta === offset && baseTimestamp + timestampDelta === timestampMs;
    });
    return isFound || !walked.ok;
  }

  /** After the last batch. `unknownMs`: the largest time of the segment where the index does not tell it. */
  end(): { readonly zeros: number; readonly unknownMs: number | undefined } {
    for (let entry = this.#entries.current; entry; entry = this.#entries.current) {
      if (this.#isZero(entry)) this.#zeros++;
      else this.#complain(this.#entries.index, `its offset ${entry.offset} is behind the last batch`);
      this.#entries.next();
    }
    return { zeros: this.#zeros, unknownMs: this.#largestMs > this.#indexedMs ? this.#largestMs : undefined };
  }

  #isZero({ timestampMs, offset }: TimeIndexEntry): boolean {
    return timestampMs === 0 && offset === this.#baseOffset && (this.#entries.index > 0 || this.#largestMs !== 0);
  }
}

/** The transaction index: what it lacks lets readers see aborted records, what it has too much hides records. */
export class TransactionIndexCheck {
  /** Entries of the file that no marker was found for yet. */
  readonly #open: AbortedTransactionEntry[];
  readonly #firstOffset: number;
  readonly #mayHaveGaps: boolean;
  readonly #complain: (what: string) => void;

  /** `log.firstOffset`: transactions that began before it are known from the index alone. */
  constructor(
    entries: readonly AbortedTransactionEntry[],
    log: { firstOffset: number; mayHaveGaps: boolean },
    complain: (what: string) => void,
  ) {
    this.#open = [...entries].sort((a, b) => a.lastOffset - b.lastOffset);
    this.#firstOffset = log.firstOffset;
    this.#mayHaveGaps = log.mayHaveGaps;
    this.#complain = complain;
  }

  batch({ lastOffset, baseOffset }: WalkedBatch, ended: readonly AbortedTransactionEntry[]): void {
    for (const transaction of ended) this.#ended(transaction);
    while (this.#open.length > 0 && this.#open[0]!.lastOffset <= lastOffset) {
      const entry = this.#open.shift()!;
      // In a gap that compaction left nothing tells whether the entry is right.
      if (entry.firstOffset < this.#firstOffset || entry.lastOffset < baseOffset) continue;
      this.#complain(
        `producer ${entry.producerId} aborted no transaction from offset ${entry.firstOffset} to ${entry.lastOffset}`,
      );
    }
  }

  /** An aborted transaction, as the log tells it, must be in the file. */
  #ended({ producerId, firstOffset, lastOffset, lastStableOffset }: AbortedTransactionEntry): void {
    const at = this.#open.findIndex((entry) => entry.producerId === producerId && entry.lastOffset === lastOffset);
    const entry = this.#open[at];
    // Compaction may have taken records and markers from which the log tells where the transaction began.
    if (!entry || !this.#mayBeginAt(entry.firstOffset, firstOffset)) {
      this.#complain(
        `it lacks the aborted transaction of producer ${producerId} from offset ${firstOffset} to ${lastOffset}`,
      );
      return;
    }
    this.#open.splice(at, 1);
    // Which transactions were open is only known where the log has all of them.
    if (this.#mayHaveGaps || this.#firstOffset > 0 || entry.lastStableOffset === lastStableOffset) return;
    this.#complain(
      `it says ${entry.lastStableOffset} for the last stable offset after offset ${lastOffset}, and it was ` +
        `${lastStableOffset}`,
    );
  }

  #mayBeginAt(stored: number, byLog: number): boolean {
    return stored === byLog || this.#mayHaveGaps || stored < this.#firstOffset;
  }

  end(): void {
    for (const { producerId, lastOffset } of this.#open)
      this.#complain(`a transaction of producer ${producerId} ends at offset ${lastOffset}, behind the last batch`);
  }
}
