/**
 * Files that a crash left behind in a partition's directory: those waiting for removal, those of a compaction that
 * did not finish, and those of one that did but had not yet put its result in place. (Kafka: LogLoader.)
 */
import { join } from 'node:path';
import type { FileSystem } from './file-system';
import {
  CLEANED_SUFFIX,
  DELETED_SUFFIX,
  LOG_SUFFIX,
  offsetOfFileName,
  SEGMENT_SUFFIXES,
  SWAP_SUFFIX,
} from './log-file-name';
import * as storedBatch from './stored-batch';

/** Cleans up; gives the names of the files that are there afterwards. */
export function clearLeftovers(fileSystem: FileSystem, directory: string): Set<string> {
  const names = new Set<string>();
  for (const { name, isDirectory } of fileSystem.list(directory)) if (!isDirectory) names.add(name);
  const remove = (name: string): void => {
    fileSystem.remove(join(directory, name));
    names.delete(name);
  };
  for (const name of [...names]) if (name.endsWith(DELETED_SUFFIX) || name.endsWith('.tmp')) remove(name);
  dropUnfinished(names, remove);
  const swapped = [...names].filter((name) => name.endsWith(SWAP_SUFFIX));
  if (swapped.length === 0) return names;
  const [from, to] = swappedRange(fileSystem, directory, swapped);
  for (const name of [...names]) {
    const offset = offsetOfSegmentFile(name);
    if (offset !== undefined && offset >= from && offset < to) remove(name);
  }
  for (const name of swapped) {
    const finished = name.slice(0, -SWAP_SUFFIX.length);
    fileSystem.rename(join(directory, name), join(directory, finished));
    names.delete(name);
    names.add(finished);
  }
  return names;
}

/** Removes `.cleaned` files, and the `.swap` files that were not all in place when there still were such. */
function dropUnfinished(names: ReadonlySet<string>, remove: (name: string) => void): void {
  let firstCleaned = Number.POSITIVE_INFINITY;
  for (const name of [...names]) {
    if (!name.endsWith(CLEANED_SUFFIX)) continue;
    firstCleaned = Math.min(firstCleaned, offsetOfSegmentFile(name.slice(0, -CLEANED_SUFFIX.length)) ?? firstCleaned);
    remove(name);
  }
  for (const name of [...names]) {
    if (!name.endsWith(SWAP_SUFFIX)) continue;
    const offset = offsetOfSegmentFile(name.slice(0, -SWAP_SUFFIX.length));
    if (offset === undefined || offset >= firstCleaned) remove(name);
  }
}

/** The offsets that the swapped segments cover: the originals in this range are replaced. */
function swappedRange(fileSystem: FileSystem, directory: string, swapped: readonly string[]): [number, number] {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (const name of swapped) {
    const baseOffset = offsetOfFileName(name.slice(0, -SWAP_SUFFIX.length), LOG_SUFFIX);
    if (baseOffset === undefined) continue;
    from = Math.min(from, baseOffset);
    // Also where nothing was left of the records.
    to = Math.max(to, baseOffset + 1);
    const handle = fileSystem.open(join(directory, name), 'read');
    try {
      storedBatch.walkBatches(handle, { from: 0, to: handle.size() }, (buffer, at) => {
        to = Math.max(to, storedBatch.lastOffset(buffer, at) + 1);
        return true;
      });
    } finally {
      handle.close();
    }
  }
  return [from, to];
}

function offsetOfSegmentFile(name: string): number | undefined {
  for (const suffix of SEGMENT_SUFFIXES) {
    const offset = offsetOfFileName(name, suffix);
    if (offset !== undefined) return offset;
  }
  return undefined;
}
