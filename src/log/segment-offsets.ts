/**
 * Where segments begin, as the oldest way to ask for offsets has it: by the time at which a segment's file was last
 * written, the log end as if written now. (Kafka: Log.legacyFetchOffsetsBefore, up to 3.9.)
 */
import type { LogState } from './log-state';

/** Instead of a time. */
export const OF_ALL = -1;
export const OF_OLDEST = -2;

/** At most `maxCount` offsets, the newest first, of what was last written at `timestampMs` or before. */
export function offsetsBefore(state: LogState, timestampMs: number, maxCount: number): number[] {
  const { segments, active, logStartOffset, logEndOffset, environment } = state;
  const offsets = segments.map(({ baseOffset }) => Math.max(baseOffset, logStartOffset));
  if (active.sizeInBytes > 0) offsets.push(logEndOffset);
  let last = timestampMs === OF_OLDEST ? 0 : offsets.length - 1;
  if (timestampMs !== OF_ALL && timestampMs !== OF_OLDEST) {
    const { fileSystem } = environment.files;
    const writtenMs = (index: number): number => {
      const segment = segments[index];
      return segment ? (fileSystem.stat(segment.logPath)?.modifiedMs ?? 0) : environment.clock.nowMs();
    };
    while (last >= 0 && writtenMs(last) > timestampMs) last--;
  }
  const first = Math.max(0, last + 1 - Math.max(0, maxCount));
  return offsets.slice(first, last + 1).reverse();
}
