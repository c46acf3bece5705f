/**
 * Transactions as compaction comes by them, from the oldest batch on: whose records were aborted, and which markers
 * still have records to speak for. Owns no file: what stays of the transaction index goes to `keepAborted`.
 * Batches must come in order and without a gap, or a marker would seem to have no records.
 * (Kafka: CleanedTransactionMetadata.)
 */
import * as batchHeader from '../records/batch-header';
import { endTransactionMarkerOf } from '../records/control-record';
import type { AbortedTransactionEntry } from './producer-state';

interface OpenAbort {
  readonly entry: AbortedTransactionEntry;
  /** Whether a batch of it was met. */
  hasBatches: boolean;
}

export class CleanedTransactions {
  /** Not yet reached, by first offset. */
  #ahead: AbortedTransactionEntry[] = [];
  /** Aborted ones that the current offset lies in, by producer. */
  readonly #aborted = new Map<number, OpenAbort>();
  /** Producers of records whose marker is to come and commits them. */
  readonly #committed = new Set<number>();

  /** The aborted transactions of the next stretch; those known already do no harm. */
  expect(entries: readonly AbortedTransactionEntry[]): void {
    this.#ahead.push(...entries);
    this.#ahead.sort((a, b) => a.firstOffset - b.firstOffset);
  }

  /** Passes a batch of records; true when they were aborted. */
  onRecords(buffer: Buffer, at: number): boolean {
    this.#reach(batchHeader.lastOffset(buffer, at));
    if (!batchHeader.isTransactional(buffer, at)) return false;
    const producerId = batchHeader.producerId(buffer, at);
    const aborted = this.#aborted.get(producerId);
    if (!aborted) {
      this.#committed.add(producerId);
      return false;
    }
    aborted.hasBatches = true;
    return true;
  }

  /** Passes a control batch; true when nothing needs it any more. Of an abort that is needed the entry is kept too. */
  onControl(buffer: Buffer, at: number, keepAborted: (entry: AbortedTransactionEntry) => void): boolean {
    this.#reach(batchHeader.lastOffset(buffer, at));
    if (batchHeader.recordCount(buffer, at) === 0) return true;
    const marker = endTransactionMarkerOf(buffer, at);
    if (!marker) return false;
    const producerId = batchHeader.producerId(buffer, at);
    if (marker.isCommit) return !this.#committed.delete(producerId);
    const aborted = this.#aborted.get(producerId);
    this.#aborted.delete(producerId);
    if (!aborted?.hasBatches) return true;
    keepAborted(aborted.entry);
    return false;
  }

  #reach(offset: number): void {
    let reached = 0;
    for (const entry of this.#ahead) {
      if (entry.firstOffset > offset) break;
      reached++;
      if (!this.#aborted.has(entry.producerId)) this.#aborted.set(entry.producerId, { entry, hasBatches: false });
    }
    if (reached > 0) this.#ahead = this.#ahead.slice(reached);
  }
}
