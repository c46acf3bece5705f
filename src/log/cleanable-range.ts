/**
 * How dirty a log is: from where on it was not compacted yet, how far it may be, and whether it is worth it. Pure; the
 * log's own segments come in, whole ones only go out. (Kafka: LogCleanerManager.cleanableOffsets, LogToClean.)
 */
import type { LogConfig } from '../config/log-config';

export interface RangeSegment {
  readonly baseOffset: number;
  readonly sizeInBytes: number;
  largestTimestampMs(): number;
  /** Of the first batch; not above zero for none. */
  firstTimestampMs(): number;
}

export interface RangeContext {
  /** At least one; the last is the active one. */
  readonly segments: readonly RangeSegment[];
  readonly config: LogConfig;
  readonly nowMs: number;
  readonly logStartOffset: number;
  readonly lastStableOffset: number;
  /** What lies below was compacted before; -1 for nothing. */
  readonly cleanOffset: number;
  /** When the first of the tombstones and markers that were kept may go; infinity for none. */
  readonly deleteHorizonMs: number;
}

export interface CleanableRange {
  readonly firstDirtyOffset: number;
  /** Base offset of the first segment that stays as it is. */
  readonly firstUncleanableOffset: number;
  /** Cleanable part of what was cleaned and what may be, 0 to 1. */
  readonly dirtyRatio: number;
  /** Whether the topic's settings ask for a compaction now. */
  readonly isWorthCleaning: boolean;
}

export function cleanableRange(context: RangeContext): CleanableRange {
  const { segments, config, nowMs, logStartOffset } = context;
  const firstDirtyOffset = Math.max(context.cleanOffset, logStartOffset);
  const firstDirty = floorIndex(segments, firstDirtyOffset);
  const active = segments.length - 1;
  let uncleanable = floorIndex(segments, context.lastStableOffset);
  if (config.minCompactionLagMs > 0) {
    const latestMs = nowMs - config.minCompactionLagMs;
    const young = segments.findIndex((segment, i) => i >= firstDirty && segment.largestTimestampMs() > latestMs);
    if (young >= 0) uncleanable = Math.min(uncleanable, young);
  }
  const end = Math.min(uncleanable, active);
  const cleanableBytes = bytesOf(segments.slice(firstDirty, end));
  const cleanBytes = bytesOf(segments.filter(({ baseOffset }) => baseOffset < firstDirtyOffset));
  const totalBytes = cleanBytes + cleanableBytes;
  const dirtyRatio = totalBytes === 0 ? 0 : cleanableBytes / totalBytes;
  const isOverdue = cleanableBytes > 0 && isOlderThanLag(segments.slice(firstDirty, active), context);
  const isHorizonOver = end > 0 && cleanBytes > 0 && context.deleteHorizonMs <= nowMs;
  return {
    firstDirtyOffset,
    firstUncleanableOffset: segments[end]!.baseOffset,
    dirtyRatio,
    isWorthCleaning: dirtyRatio > config.minCleanableDirtyRatio || isOverdue || isHorizonOver,
  };
}

/** Whether one of the segments begins with a record that should have been compacted by now. */
function isOlderThanLag(segments: readonly RangeSegment[], { config, nowMs }: RangeContext): boolean {
  const untilMs = nowMs - Math.max(0, config.maxCompactionLagMs);
  if (untilMs <= 0) return false;
  return segments.some((segment) => {
    const firstMs = segment.firstTimestampMs();
    return firstMs > 0 && firstMs < untilMs;
  });
}

/** The segment that holds `offset`, the first one for offsets below it. */
function floorIndex(segments: readonly RangeSegment[], offset: number): number {
  const above = segments.findIndex(({ baseOffset }) => baseOffset > offset);
  return Math.max(0, (above < 0 ? segments.length : above) - 1);
}

function bytesOf(segments: readonly RangeSegment[]): number {
  return segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0);
}
