/**
 * What is done to all logs again and again, and how often; in slices, so that requests go on however many logs there
 * are. Owns neither the timers nor the work itself.
 */
import type { Clock } from '../base/clock';
import type { BackgroundWork } from './background-work';
import { inSlices } from './in-slices';
import type { LogDirectory } from './log-directory';
import type { PartitionLog } from './partition-log';

export interface LogWorkIntervals {
  readonly clock: Clock;
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
  /** producer.id.expiration.check.interval.ms */
  readonly producerIdExpirationCheckIntervalMs: number;
  /** producer.id.expiration.ms, read anew each time (it is dynamic). */
  readonly producerIdExpirationMs: () => number;
}

export interface AllLogs {
  readonly logs: () => Iterable<PartitionLog>;
  readonly directories: readonly LogDirectory[];
}

export function scheduleLogWork(
  background: BackgroundWork,
  options: LogWorkIntervals,
  { logs, directories }: AllLogs,
): void {
  const { clock } = options;
  background.every('retention', options.retentionCheckIntervalMs, () =>
    inSlices(clock, logs(), (log) => log.deleteOldSegments()),
  );
  background.every('flush', options.flushSchedulerIntervalMs, () =>
    inSlices(clock, logs(), (log) => log.flushIfDue(clock.monotonicMs())),
  );
  background.every('recovery points', options.recoveryPointCheckpointIntervalMs, async () => {
    await inSlices(clock, logs(), (log) => log.writeBehind());
    for (const directory of directories) {
      await directory.writeRecoveryPoints();
      await directory.forgetFormer();
    }
  });
  background.every('log starts', options.logStartOffsetCheckpointIntervalMs, async () => {
    for (const directory of directories) await directory.writeLogStarts();
  });
  background.every('high watermarks', options.highWatermarkCheckpointIntervalMs, async () => {
    for (const directory of directories) await directory.writeHighWatermarks();
  });
  background.every('producer ids', options.producerIdExpirationCheckIntervalMs, () => {
    const expirationMs = options.producerIdExpirationMs();
    return inSlices(clock, logs(), (log) => log.forgetExpiredProducers(clock.nowMs(), expirationMs));
  });
}
