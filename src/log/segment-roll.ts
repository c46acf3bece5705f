/** When a batch goes to a new segment instead of the active one. Pure, but for a look at the first batch. */
import type { LogConfig } from '../config/log-config';
import type { AppendedBatch, Segment } from './segment';

/** What is about to be written before the batch, and the settings of the moment. */
export interface PendingWrite {
  readonly bytes: number;
  readonly batches: number;
  readonly config: LogConfig;
  readonly nowMs: number;
}

/** (Kafka: LogSegment.shouldRoll.) */
export function shouldRoll(segment: Segment, batch: AppendedBatch, pending: PendingWrite): boolean {
  const { offsetIndex, timeIndex, options } = segment;
  if (!offsetIndex.canHold(batch.lastOffset)) return true;
  const { config, nowMs, batches } = pending;
  const used = segment.sizeInBytes + pending.bytes;
  if (used === 0) return false;
  const firstMs = segment.firstTimestampMs();
  const waitedMs = firstMs >= 0 ? batch.maxTimestampMs - firstMs : nowMs - options.createdMs;
  return (
    used > config.segmentBytes - batch.sizeInBytes ||
    waitedMs > longestSegmentMs(config) - options.rollJitterMs ||
    offsetIndex.isFull(config.segmentIndexBytes, batches) ||
    timeIndex.isFull(config.segmentIndexBytes, batches)
  );
}

/** Age at which a segment is closed: what is to be compacted in time may not wait in the active one. */
function longestSegmentMs({ segmentMs, cleanupCompact, maxCompactionLagMs }: LogConfig): number {
  return cleanupCompact && maxCompactionLagMs > 0 ? Math.min(segmentMs, maxCompactionLagMs) : segmentMs;
}
