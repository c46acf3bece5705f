/**
 * Making a log shorter: at its old end by retention, at its new end by truncation. Runs under the appender's queue.
 * Files of removed segments are renamed at once and removed later; readers that hold them are not disturbed.
 * (Kafka: UnifiedLog.deleteOldSegments, truncateTo; LocalLog.deleteSegmentFiles.)
 */
import { FileSystemError } from './file-system';
import { DELETED_SUFFIX } from './log-file-name';
import type { LogState } from './log-state';
import type { OpenFiles } from './open-files';
import { rebuildProducers } from './producer-rebuild';
import { deletableSegments } from './retention';
import { Segment } from './segment';
import { segmentOptions } from './segment-options';

/** Whether retention has something to delete; a look at the oldest segments alone. Throws on a disk error. */
export function hasDeletableSegments(state: LogState): boolean {
  return deletableCount(state, {}) > 0;
}

function deletableCount(state: LogState, o: { onlyBelowLogStart?: boolean }): number {
  const { config, segments, logStartOffset, highWatermark, environment } = state;
  return deletableSegments(
    segments.map((segment, index) => ({
      sizeInBytes: segment.sizeInBytes,
      baseOffset: segment.baseOffset,
      endOffset: state.endOffsetOf(index),
      largestTimestampMs: () => segment.largestTimestampMs(),
    })),
    { config, nowMs: environment.clock.nowMs(), logStartOffset, highWatermark, ...o },
  );
}

/** Deletes the segments that may go; gives their number. Throws on a disk error. */
export function deleteOldSegments(state: LogState, o: { onlyBelowLogStart?: boolean } = {}): number {
  const { segments, environment } = state;
  const count = deletableCount(state, o);
  if (count === 0) return 0;
  if (count === segments.length) state.roll();
  try {
    for (const segment of state.segments.slice(0, count)) removeSegment(state, segment);
  } finally {
    state.logStartOffset = Math.max(state.logStartOffset, state.segments[0]!.baseOffset);
    state.epochs.truncateFromStart(state.logStartOffset);
  }
  environment.logger.info('Deleted segments', {
    log: state.directory,
    segments: count,
    logStartOffset: state.logStartOffset,
  });
  return count;
}

/** Drops everything from `offset`, which is below the end, on. Throws on a disk error, in the middle of it. */
export function truncateLog(state: LogState, offset: number): void {
  const oldest = state.segments[0]!;
  try {
    truncateSegments(state, offset);
  } finally {
    // Where the disk let it end in the middle. The checkpoints ask logs that are offline, too.
    if (state.segments.length === 0) state.segments = [oldest];
  }
  state.truncations++;
  state.cleanOffset = Math.min(state.cleanOffset, offset);
  state.nextOffset = offset;
  state.logEndOffset = Math.min(state.logEndOffset, offset);
  state.logStartOffset = Math.min(state.logStartOffset, offset);
  state.highWatermark = Math.min(state.highWatermark, offset);
  state.recoveryPoint = Math.min(state.recoveryPoint, offset);
  state.epochs.truncateFromEnd(offset);
  state.snapshots.removeAbove(offset);
  const source = { files: state.environment.files, segments: state.segments, snapshots: state.snapshots };
  rebuildProducers(state.producers, source, { startOffset: state.logStartOffset, endOffset: offset });
  state.producers.onHighWatermark(state.highWatermark);
}

function truncateSegments(state: LogState, offset: number): void {
  const kept = state.segments.filter((segment) => segment.baseOffset < offset);
  // Newest first: a crash in between must not leave a hole.
  for (const segment of state.segments.slice(kept.length).reverse()) removeSegment(state, segment);
  if (kept.length > 0) kept.at(-1)!.truncateTo(offset);
  else state.segments = [Segment.create(segmentOptions(state.environment, state), offset)];
}

/** Renames the files away; the segment is gone with its `.log`, and what a failure leaves of it a start removes. */
function removeSegment(state: LogState, segment: Segment): void {
  const { files, removeLater } = state.environment;
  const renamed: string[] = [];
  try {
    for (const path of [...segment.paths(), state.snapshots.path(segment.baseOffset)]) {
      files.detach(path);
      if (renameIfPresent(files, path, path + DELETED_SUFFIX)) renamed.push(path + DELETED_SUFFIX);
      if (path === segment.logPath) state.segments = state.segments.filter((other) => other !== segment);
    }
    state.snapshots.forget(segment.baseOffset);
  } finally {
    removeLater(renamed, state.config.fileDeleteDelayMs);
  }
}

/** Renames a file that may not exist; false when it does not. */
export function renameIfPresent({ fileSystem }: OpenFiles, from: string, to: string): boolean {
  try {
    fileSystem.rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return false;
    throw error;
  }
}
