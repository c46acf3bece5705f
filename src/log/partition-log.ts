/**
 * The log of one partition: append, read, look up, truncate. Owns its segments, producer state, leader epochs and offsets.
 * Does not know leadership, replicas or who is asking: the caller bounds reads by `upTo` and moves the high watermark.
 * Invariants: logStartOffset <= lastStableOffset <= highWatermark <= logEndOffset; an offset is never visible before the
 * write that holds it returned in full.
 */
import type { Chunk } from '../base/chunk';
import type { Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import type { ErrorCode } from '../codec/generated/errors';
import type { LogConfig } from '../config/log-config';

/** Who appends: decides which checks apply and who sets offsets. (Kafka: AppendOrigin.) */
export type AppendOrigin = 'client' | 'coordinator' | 'replication';

export interface AppendOptions {
  readonly origin: AppendOrigin;
  /** Written into the batches; ignored for `replication`, whose batches carry theirs. */
  readonly leaderEpoch: number;
}

export interface AppendInfo {
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** The time given to the records, -1 where the topic keeps the producer's (CreateTime). */
  readonly logAppendTimeMs: number;
  readonly logStartOffset: number;
  /** The batch was there already (idempotent producer): the offsets are those of the first append. */
  readonly duplicate: boolean;
}

export interface RecordError {
  /** Index of the record within its batch. */
  readonly batchIndex: number;
  readonly message: string;
}

/** Why an append was refused; nothing of it was stored. */
export interface AppendFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly recordErrors: readonly RecordError[];
}

export interface ReadOptions {
  /** First offset wanted; the answer starts with the batch that holds it, or the next one. */
  readonly offset: number;
  readonly maxBytes: number;
  /** Exclusive bound: high watermark, last stable offset or log end. */
  readonly upTo: number;
  /** Give the first batch whole even if it is larger than `maxBytes`. */
  readonly minOneBatch: boolean;
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

/** `leaderEpoch` and `endOffset` are -1 when the epoch is unknown. */
export interface EpochEndOffset {
  readonly leaderEpoch: number;
  readonly endOffset: number;
}

export interface PartitionLog {
  readonly topicPartition: TopicPartition;
  /** ZERO_UUID for a log from a time before topic ids. */
  readonly topicId: string;
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  /** The newest leader epoch in the log, -1 for none. */
  readonly latestEpoch: number;
  readonly sizeInBytes: number;
  /** After a disk error: every operation answers KAFKA_STORAGE_ERROR until a restart recovers the log. */
  readonly isOffline: boolean;
  /** Moves the high watermark, within [logStartOffset, logEndOffset]. */
  setHighWatermark(offset: number): void;
  /**
   * `records` is one v2 batch, or a legacy v0/v1 message set (converted up); for `replication` any number of v2 batches
   * with their offsets. The buffer belongs to the log from now on and is patched in place.
   */
  append(records: Buffer, options: AppendOptions): Promise<Result<AppendInfo, AppendFailure>>;
  /** OFFSET_OUT_OF_RANGE outside [logStartOffset, logEndOffset]; an empty read at or beyond `upTo`. */
  read(options: ReadOptions): Result<LogRead, ErrorCode>;
  /** The first record, in offset order, whose timestamp is at least `timestampMs`; null for none. */
  offsetForTimestamp(timestampMs: number): Promise<Result<TimestampOffset | null, ErrorCode>>;
  /** The first record with the largest timestamp; null for an empty log. */
  offsetOfMaxTimestamp(): Promise<Result<TimestampOffset | null, ErrorCode>>;
  /** The leader epoch that holds `offset`, -1 when unknown. */
  epochForOffset(offset: number): number;
  /** The largest epoch <= `leaderEpoch` in the log and where it ends (KIP-320). */
  endOffsetForEpoch(leaderEpoch: number): EpochEndOffset;
  /** Notes that a leader epoch begins at the log end, before its first append. */
  assignEpoch(leaderEpoch: number): void;
  /** Moves the log start, at most to the high watermark; durable when it resolves. Gives the new start. */
  deleteRecordsBefore(offset: number): Promise<Result<number, ErrorCode>>;
  /** Drops everything from `offset` on. */
  truncateTo(offset: number): Promise<Result<void, ErrorCode>>;
  /** Resolves when everything appended before the call is durable. */
  flush(): Promise<Result<void, ErrorCode>>;
  updateConfig(config: LogConfig): void;
}
