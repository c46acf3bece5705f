/**
 * The partitions that this broker holds, and what is done to them: append, read, long polls, offsets, deletion.
 * Takes and returns plain data; no caller holds a log.
 */
import type { Result } from '../base/result';
import type { ErrorCode } from '../codec/generated/errors';
import type { AppendRequest, PendingAppend } from './append-request';
import type { EpochEndOffset, FetchIsolation, FetchRequest, PartitionFetchResult } from './fetch-request';
import type { PartitionListener } from './partition-listener';

export interface OffsetLookup {
  readonly topic: string;
  readonly partition: number;
  /** Milliseconds, or -1 latest, -2 earliest, -3 of the largest timestamp, -4 earliest local (KIP-405). */
  readonly timestamp: number;
  readonly isolation: FetchIsolation;
  readonly currentLeaderEpoch: number;
}

export interface TimestampOffset {
  /** -1, with timestamp -1, when there is no such record. */
  readonly offset: number;
  /** -1 for latest and earliest. */
  readonly timestampMs: number;
  readonly leaderEpoch: number;
}

export interface PartitionOffsets {
  readonly logStartOffset: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logEndOffset: number;
  readonly leaderEpoch: number;
}

export interface ReplicaManager {
  append(request: AppendRequest): PendingAppend;
  fetch(request: FetchRequest): Promise<PartitionFetchResult[]>;
  offsetForTimestamp(lookup: OffsetLookup): Promise<Result<TimestampOffset, ErrorCode>>;
  /** OffsetForLeaderEpoch: the end of `leaderEpoch` or of the largest one before it; -1/-1 when unknown. */
  endOffsetForEpoch(lookup: {
    topic: string;
    partition: number;
    currentLeaderEpoch: number;
    leaderEpoch: number;
  }): Result<EpochEndOffset, ErrorCode>;
  /** Deletes before `offset` (-1: the high watermark); the new log start offset. */
  deleteRecords(lookup: { topic: string; partition: number; offset: number }): Promise<Result<number, ErrorCode>>;
  /** Offsets of a partition that this broker leads, for those that read it from start to end. */
  partitionOffsets(topic: string, partition: number): Result<PartitionOffsets, ErrorCode>;
  addListener(listener: PartitionListener): void;
}
