/**
 * What a crash left of partitions that moved to another log directory: a move under way is gone on with, one whose
 * exchange had begun is completed, and a partition that is there twice (another broker's doing) stops the start.
 * Runs before logs are opened; knows names and sizes, not contents. See future-logs.ts for the order of the renames,
 * which leaves these cases and no others.
 */
import { basename, join } from 'node:path';
import type { Logger } from '../base/logger';
import { StartFailure } from '../base/start-failure';
import { partitionKey } from '../base/topic-partition';
import { readTopicId } from './checkpoint-file';
import type { FileSystem } from './file-system';
import type { FoundDirectory, LogDirectory } from './log-directory';
import { DELETED_DIRECTORY_SUFFIX, directoryBefore, LOG_SUFFIX } from './log-file-name';

type Found = ReadonlyMap<LogDirectory, FoundDirectory>;

const PIECE_BYTES = 1024 * 1024;

/**
 * Puts copies in place whose log was out of the way already, and gives what there is then. A copy without a log that
 * is not known to be whole stays where it is: the disk of the log may come back.
 */
export async function completeExchanges(
  found: Found,
  { fileSystem, logger }: { readonly fileSystem: FileSystem; readonly logger: Logger },
): Promise<Found> {
  const placed = new Set<string>();
  for (const { partitions } of found.values()) {
    for (const { topicPartition } of partitions) placed.add(keyOf(topicPartition));
  }
  const removed = [...found.values()].flatMap(({ deleted }) => deleted);
  const after = new Map<LogDirectory, FoundDirectory>();
  for (const [directory, content] of found) {
    const partitions = [...content.partitions];
    const futures: FoundDirectory['futures'][number][] = [];
    for (const future of content.futures) {
      const { topicPartition, path } = future;
      const key = keyOf(topicPartition);
      const former = placed.has(key) ? undefined : removed.find((other) => isSameLog(fileSystem, key, [other, path]));
      if (placed.has(key)) futures.push(future);
      else if (former === undefined) logger.warn('A copy of a partition without its log is left alone', { path });
      else {
        const place = join(directory.path, key);
        fileSystem.rename(path, place);
        await fileSystem.syncDirectory(directory.path);
        logger.info('Completed the move of a partition to another log directory', { from: former, to: place });
        partitions.push({ topicPartition, path: place });
        placed.add(key);
      }
    }
    after.set(directory, { ...content, partitions, futures });
  }
  return after;
}

function keyOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return partitionKey(topic, partition);
}

/** Whether `former` was the log of the partition and has the same topic and the same batches as the copy. */
function isSameLog(fileSystem: FileSystem, key: string, [former, copy]: readonly [string, string]): boolean {
  if (directoryBefore(basename(former), DELETED_DIRECTORY_SUFFIX) !== key) return false;
  if (readTopicId(fileSystem, former) !== readTopicId(fileSystem, copy)) return false;
  const segments = (directory: string): string[] =>
    fileSystem
      .list(directory)
      .map(({ name }) => name)
      .filter((name) => name.endsWith(LOG_SUFFIX))
      .sort();
  const names = segments(former);
  if (names.join() !== segments(copy).join()) return false;
  return names.every((name) => isSameFile(fileSystem, [join(former, name), join(copy, name)]));
}

/** By the sizes; the former one may end in zeros, where the room that was taken ahead was not given back durably. */
function isSameFile(fileSystem: FileSystem, [former, copy]: readonly [string, string]): boolean {
  const handle = fileSystem.open(former, 'read');
  try {
    const bytes = handle.size();
    const copied = fileSystem.stat(copy)?.size ?? 0;
    const piece = Buffer.allocUnsafe(Math.max(0, Math.min(PIECE_BYTES, bytes - copied)));
    const zeros = Buffer.alloc(piece.length);
    for (let at = copied; at < bytes; at += piece.length) {
      const count = handle.read(piece, at);
      if (!piece.subarray(0, count).equals(zeros.subarray(0, count))) return false;
    }
    return bytes >= copied;
  } finally {
    handle.close();
  }
}

/** Two logs of one partition: nobody can tell which one counts. */
export function refuseDuplicates(found: Found): void {
  const paths = new Map<string, string>();
  for (const { topicPartition, path } of [...found.values()].flatMap(({ partitions, missing }) => [
    ...partitions,
    ...missing,
  ])) {
    const key = partitionKey(topicPartition.topic, topicPartition.partition);
    const other = paths.get(key);
    if (other !== undefined) {
      throw new StartFailure(`The partition ${key} is there twice: ${other} and ${path}. Move one of them away`);
    }
    paths.set(key, path);
  }
}
