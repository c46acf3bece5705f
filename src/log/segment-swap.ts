/**
 * Puts compacted segments in the place of those they were made from, so that a crash at any point leaves the log whole:
 *
 *   1. `.cleaned` becomes `.swap`, the last segment first: from the first rename of the lowest one on, a start goes on
 *      with the swap; before it, a start drops it (leftover-files.ts);
 *   2. the replaced files become `.deleted`;
 *   3. `.swap` goes from the names.
 *
 * All of it in one turn of the loop, under the appender's queue: nobody sees a half of it. Readers that hold files of
 * the replaced segments go on reading them. (Kafka: LocalLog.replaceSegments.)
 */
import { assert } from '../base/assert';
import { CLEANED_SUFFIX, DELETED_SUFFIX, SEGMENT_SUFFIXES, SWAP_SUFFIX, segmentFilePath } from './log-file-name';
import type { LogState } from './log-state';
import { renameIfPresent } from './log-trimming';
import { Segment } from './segment';
import { segmentOptions } from './segment-options';

/**
 * `replaced` are neighbours in the log, none of them active. Gives the files that wait for their removal. Throws on a
 * disk error, after which only a recovery can tell what is on the disk.
 */
export function swapSegments(state: LogState, cleaned: readonly Segment[], replaced: readonly Segment[]): string[] {
  const { files } = state.environment;
  const first = state.segments.indexOf(replaced[0]!);
  assert(first >= 0 && first + replaced.length < state.segments.length, 'replaced segments are inactive');
  for (const segment of cleaned.toReversed()) {
    for (const path of segment.paths()) {
      files.detach(path);
      renameIfPresent(files, path, path.slice(0, -CLEANED_SUFFIX.length) + SWAP_SUFFIX);
    }
  }
  const deleted: string[] = [];
  const keptBases = new Set(cleaned.map(({ baseOffset }) => baseOffset));
  for (const segment of replaced) {
    const { baseOffset } = segment;
    const paths = segment.paths();
    if (!keptBases.has(baseOffset)) {
      paths.push(state.snapshots.path(baseOffset));
      state.snapshots.forget(baseOffset);
    }
    for (const path of paths) {
      files.detach(path);
      if (renameIfPresent(files, path, path + DELETED_SUFFIX)) deleted.push(path + DELETED_SUFFIX);
    }
  }
  const inPlace = cleaned.map(({ baseOffset }) => putInPlace(state, baseOffset));
  state.segments = state.segments.toSpliced(first, replaced.length, ...inPlace);
  return deleted;
}

/** Takes `.swap` from the names of a segment's files. */
function putInPlace(state: LogState, baseOffset: number): Segment {
  const { files } = state.environment;
  const sizes = SEGMENT_SUFFIXES.map((suffix) => {
    const path = segmentFilePath(state.directory, baseOffset, suffix);
    return renameIfPresent(files, path + SWAP_SUFFIX, path) ? files.fileSystem.stat(path)?.size : undefined;
  });
  const [log = 0, offsetIndex, timeIndex, transactionIndex] = sizes;
  const options = segmentOptions(state.environment, state);
  return new Segment(options, baseOffset, { log, offsetIndex, timeIndex, transactionIndex });
}
