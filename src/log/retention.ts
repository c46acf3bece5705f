/**
 * Which segments at the old end of a log may go: too old, too many bytes, or wholly before the log start. Pure.
 * Invariant: nothing at or above the high watermark goes, and the newest segment only when it holds records.
 * (Kafka: UnifiedLog.deleteOldSegments.)
 */
import type { LogConfig } from '../config/log-config';

export interface RetentionSegment {
  readonly sizeInBytes: number;
  readonly baseOffset: number;
  /** The offset after its last. */
  readonly endOffset: number;
  /** Asked only of the oldest ones: it may have to be read. */
  largestTimestampMs(): number;
}

export interface RetentionContext {
  readonly config: LogConfig;
  readonly nowMs: number;
  readonly logStartOffset: number;
  readonly highWatermark: number;
  /** Leaves age and size out: only what readers cannot reach any more. */
  readonly onlyBelowLogStart?: boolean;
}

/** How many segments, counted from the oldest, may be deleted. */
export function deletableSegments(segments: readonly RetentionSegment[], context: RetentionContext): number {
  const { config, nowMs, logStartOffset, highWatermark } = context;
  const isFree = (segment: RetentionSegment, index: number): boolean =>
    segment.endOffset <= highWatermark && (segment.sizeInBytes > 0 || index < segments.length - 1);
  const count = (isBreached: (segment: RetentionSegment, index: number) => boolean): number => {
    const kept = segments.findIndex((segment, index) => !isFree(segment, index) || !isBreached(segment, index));
    return kept < 0 ? segments.length : kept;
  };
  const byStart = count(({ endOffset }, index) => index < segments.length - 1 && endOffset <= logStartOffset);
  if (!config.cleanupDelete || context.onlyBelowLogStart === true) return byStart;
  const byTime =
    config.retentionMs < 0 ? 0 : count((segment) => nowMs - segment.largestTimestampMs() > config.retentionMs);
  let excess = segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, -config.retentionBytes);
  const bySize =
    config.retentionBytes < 0
      ? 0
      : count(({ sizeInBytes }) => {
          excess -= sizeInBytes;
          return excess >= 0;
        });
  return Math.max(byStart, byTime, bySize);
}
