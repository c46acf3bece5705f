/**
 * All logs of a broker: finds and recovers them at start, creates and deletes them, runs their background work
 * (retention, flush, checkpoints) and closes them. Does not know topics beyond directory names, nor leadership.
 * Invariant: at most one log per partition, over all log directories.
 */
import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Random } from '../base/random';
import type { Result } from '../base/result';
import type { ErrorCode } from '../codec/generated/errors';
import type { LogConfig } from '../config/log-config';
import type { FileSystem } from './file-system';
import type { PartitionLog } from './partition-log';

export interface LogManagerOptions {
  readonly fileSystem: FileSystem;
  /** Absolute paths, existing or not; partition directories lie directly in them. */
  readonly logDirs: readonly string[];
  /** The config of a topic's logs, at load and at creation; changes come by `PartitionLog.updateConfig`. */
  readonly topicConfig: (topic: string) => LogConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** log.retention.check.interval.ms */
  readonly retentionCheckIntervalMs: number;
  /** log.flush.scheduler.interval.ms */
  readonly flushSchedulerIntervalMs: number;
  /** log.flush.offset.checkpoint.interval.ms */
  readonly recoveryPointCheckpointIntervalMs: number;
  /** log.flush.start.offset.checkpoint.interval.ms */
  readonly logStartOffsetCheckpointIntervalMs: number;
  /** replica.high.watermark.checkpoint.interval.ms */
  readonly highWatermarkCheckpointIntervalMs: number;
  /** producer.id.expiration.ms, read anew each time (it is dynamic). */
  readonly producerIdExpirationMs: () => number;
  /** Upper bound of simultaneously open files of the log layer (handles lent to readers come on top). */
  readonly maxOpenFiles?: number;
}

export interface CloseOptions {
  /** Flush and write checkpoints, snapshots and the clean-shutdown mark; otherwise just let go of the files. */
  readonly clean: boolean;
  readonly onProgress?: (closed: number, total: number) => void;
}

/** `LogManager.open(options: LogManagerOptions): Promise<LogManager>` recovers every log found. */
export interface LogManager {
  get(topic: string, partition: number): PartitionLog | undefined;
  /** The log of the partition, made if missing. INCONSISTENT_TOPIC_ID when there is one of another id. */
  create(topic: string, partition: number, topicId: string): Promise<Result<PartitionLog, ErrorCode>>;
  /** Gone for `get` and durably renamed away when it resolves; the files go after file.delete.delay.ms. */
  delete(topic: string, partition: number): Promise<Result<void, ErrorCode>>;
  logs(): Iterable<PartitionLog>;
  close(options: CloseOptions): Promise<void>;
}
