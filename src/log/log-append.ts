/** What an append to a log takes and gives: plain data, shared by the log and those who write to it. */
import type { ErrorCode } from '../codec/generated/errors';

/** Who appends: decides which checks apply and who sets offsets. (Kafka: AppendOrigin.) */
export type AppendOrigin = 'client' | 'coordinator' | 'replication';

export interface AppendOptions {
  readonly origin: AppendOrigin;
  /** Written into the batches; ignored for `replication`, whose batches carry theirs. */
  readonly leaderEpoch: number;
  /**
   * Of a client's transactional batch: the coordinator has said that the transaction is open in this partition
   * (KIP-890). Without, a batch can only go on with a transaction that this log knows to be open.
   */
  readonly isVerified?: boolean;
  /**
   * The version of transactions (transaction.version) by which a marker was written or a batch verified, 0 when left
   * out. From 2 on each transaction has a producer epoch of its own, which its marker raises (KIP-890).
   */
  readonly transactionVersion?: number;
}

/** What of it decides how the producer of a batch is checked. */
export type ProducerChecks = Pick<AppendOptions, 'origin' | 'isVerified' | 'transactionVersion'>;

export interface AppendInfo {
  /** -1, as `lastOffset`, when there was nothing to append. */
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
