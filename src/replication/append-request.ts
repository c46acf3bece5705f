/** What the replica manager takes and gives for appends: plain data. */
import type { ErrorCode } from '../codec/generated/errors';
import type { AppendOrigin, RecordError } from '../log/log-append';

export interface AppendEntry {
  readonly topic: string;
  readonly partition: number;
  /** One v2 batch or a legacy message set; handed over: offsets are patched in place. */
  readonly records: Buffer;
}

export interface AppendRequest {
  /** 0 or 1: the leader alone; -1: all in-sync replicas, of which there must be `min.insync.replicas`. */
  readonly requiredAcks: number;
  readonly origin: AppendOrigin;
  readonly internalTopicsAllowed: boolean;
  readonly entries: readonly AppendEntry[];
}

export interface PartitionAppendResult {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: ErrorCode;
  readonly errorMessage: string | null;
  readonly recordErrors: readonly RecordError[];
  /** Offset of the first and the last record; -1 on error. For a duplicate, those of the first time. */
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** -1 unless the topic's timestamps are LogAppendTime. */
  readonly logAppendTimeMs: number;
  readonly logStartOffset: number;
}
