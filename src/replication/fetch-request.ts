/** What the replica manager takes and gives for reads: plain data and chunks. */
import type { Chunk } from '../base/chunk';
import type { ErrorCode } from '../codec/generated/errors';
import type { EpochEndOffset } from '../log/leader-epochs';
import type { AbortedTransaction } from '../log/log-read';

/** Up to where a reader may see: followers, consumers, read_committed consumers. */
export type FetchIsolation = 'log-end' | 'high-watermark' | 'last-stable';

export interface FetchPartition {
  readonly topic: string;
  /** Must be the id of the topic served here unless ZERO_UUID (versions without topic ids). */
  readonly topicId: string;
  readonly partition: number;
  readonly fetchOffset: number;
  readonly maxBytes: number;
  /** -1: unknown to the client. */
  readonly currentLeaderEpoch: number;
  /** -1: none, no check for divergence. */
  readonly lastFetchedEpoch: number;
}

export interface FetchRequest {
  readonly maxWaitMs: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  /**
   * Fetch up to version 2: limits cut batches. The first batch of a partition is then read whole even if it is
   * larger than its `maxBytes`, and counted as `maxBytes`; the caller converts it down and cuts.
   */
  readonly hardMaxBytes: boolean;
  readonly isolation: FetchIsolation;
  readonly partitions: readonly FetchPartition[];
  /** Takes what is to be run when the connection closes: it ends the wait; the fetch then answers with no data. */
  readonly onCancel: (run: () => void) => void;
}

export interface PartitionFetchResult {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly errorCode: ErrorCode;
  /** -1 on error, as are the two below. */
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  /** Whole batches, or null for none; a file region must be released by whoever gets the result. */
  readonly records: Chunk | null;
  readonly sizeInBytes: number;
  /** Null unless the isolation is `last-stable`. */
  readonly abortedTransactions: readonly AbortedTransaction[] | null;
  /** Set when the reader's log and this one part at an earlier epoch; there are no records then. */
  readonly divergingEpoch: EpochEndOffset | null;
}
