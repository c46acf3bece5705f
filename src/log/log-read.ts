/** What a read of a log takes and gives: plain data and chunks, shared by the log and those who read it. */
import type { Chunk } from '../base/chunk';

export interface ReadOptions {
  /** First offset wanted; the answer starts with the batch that holds it, or the next one. */
  readonly offset: number;
  readonly maxBytes: number;
  /** Exclusive bound: high watermark, last stable offset or log end. */
  readonly upTo: number;
  /** Give the first batch whole even if it is larger than `maxBytes`. */
  readonly minOneBatch: boolean;
  /** Bytes up to which a read is done at once; what is larger is read when it is sent. A small default. */
  readonly maxBufferedBytes?: number;
  /** Also list the aborted transactions that touch what is read (read_committed). */
  readonly withAbortedTransactions?: boolean;
}

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

export interface LogRead {
  /** Whole batches, null when there are none. A file region must be released exactly once. */
  readonly chunk: Chunk | null;
  readonly sizeInBytes: number;
  readonly abortedTransactions: readonly AbortedTransaction[];
}

export interface TimestampOffset {
  readonly offset: number;
  readonly timestampMs: number;
  /** -1 when unknown (records older than leader epochs). */
  readonly leaderEpoch: number;
}
