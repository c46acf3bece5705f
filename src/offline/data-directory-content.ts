/**
 * What lies directly in a data directory, sorted by what it is; unexpected entries become findings. Owns the names that
 * a data directory may hold.
 */
import { join } from 'node:path';
import { parsePartitionKey, type TopicPartition } from '../base/topic-partition';
import { metadataPath } from '../cluster/stored-metadata';
import {
  CLEAN_SHUTDOWN_FILE,
  CLEANER_OFFSET_CHECKPOINT,
  HIGH_WATERMARK_CHECKPOINT,
  hasCleanShutdownMark,
  LOG_START_OFFSET_CHECKPOINT,
  parseOffsets,
  partitionOfDirectory,
  RECOVERY_POINT_CHECKPOINT,
  readIfPresent,
} from '../log/checkpoint-file';
import type { FileSystem } from '../log/file-system';
import {
  CLUSTER_METADATA_DIRECTORY,
  DELETED_DIRECTORY_SUFFIX,
  directoryBefore,
  FUTURE_DIRECTORY_SUFFIX,
  LOG_SUFFIX,
  STRAY_DIRECTORY_SUFFIX,
} from '../log/log-file-name';
import type { Findings } from './finding';

export interface FoundPartition {
  readonly topicPartition: TopicPartition;
  readonly path: string;
  /** Of its segments. */
  readonly bytes: number;
}

export interface DataDirectoryContent {
  readonly path: string;
  readonly hadCleanShutdown: boolean;
  readonly partitions: readonly FoundPartition[];
  /** Copies of partitions on their way here. */
  readonly copies: readonly FoundPartition[];
  /** Directories that are not looked into. */
  readonly skipped: number;
  /** By the name of the checkpoint, then by `partitionKey`. */
  readonly offsets: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const CHECKPOINTS: Readonly<Record<string, string>> = {
  [RECOVERY_POINT_CHECKPOINT]: 'every log counts as unflushed from its start',
  [LOG_START_OFFSET_CHECKPOINT]: 'deleted records that are still in a segment come back',
  [HIGH_WATERMARK_CHECKPOINT]: 'high watermarks begin anew',
  [CLEANER_OFFSET_CHECKPOINT]: 'compaction begins at the log start',
};

const OFFLINE = 'the partition is offline until the next start';
const METADATA_PREFIX = metadataPath('').replace(/^.*\//, '');
const KNOWN_FILES = new Set([
  'meta.properties',
  'bootstrap.checkpoint',
  CLEAN_SHUTDOWN_FILE,
  '.lock',
  '.lock.socket',
  ...Object.keys(CHECKPOINTS),
]);

export function readDataDirectory(fileSystem: FileSystem, path: string, findings: Findings): DataDirectoryContent {
  const partitions: FoundPartition[] = [];
  const copies: FoundPartition[] = [];
  let skipped = 0;
  const note = (name: string, what: string, atStart: string): void =>
    findings.add({ severity: 'note', file: join(path, name), what, atStart });
  for (const { name, isDirectory } of fileSystem.list(path).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!isDirectory) {
      if (KNOWN_FILES.has(name) || name.startsWith(METADATA_PREFIX)) continue;
      if (name.endsWith('.tmp')) note(name, 'left by a write that did not finish', 'left alone');
      else if (partitionOfDirectory(name) && fileSystem.stat(join(path, name)) === undefined)
        findings.add({
          severity: 'problem',
          file: join(path, name),
          what: 'a link that leads nowhere',
          atStart: OFFLINE,
        });
      else note(name, 'no file that a data directory has', 'left alone');
      continue;
    }
    const found = (topicPartition: TopicPartition): FoundPartition => {
      return { topicPartition, path: join(path, name), bytes: segmentBytes(fileSystem, join(path, name)) };
    };
    const topicPartition = partitionOfDirectory(name);
    const arriving = parsePartitionKey(directoryBefore(name, FUTURE_DIRECTORY_SUFFIX) ?? '');
    if (topicPartition) partitions.push(found(topicPartition));
    else if (arriving) copies.push(found(arriving));
    else if (name !== CLUSTER_METADATA_DIRECTORY) {
      skipped++;
      note(name, ...directoryNote(name));
    }
  }
  const hadCleanShutdown = hasCleanShutdownMark(fileSystem, path);
  if (!hadCleanShutdown && partitions.length > 0)
    note('', 'the broker was not stopped cleanly, or is running', 'logs are scanned from their recovery points on');
  return { path, hadCleanShutdown, partitions, copies, skipped, offsets: readCheckpoints(fileSystem, path, findings) };
}

function directoryNote(name: string): [what: string, atStart: string] {
  if (name.endsWith(DELETED_DIRECTORY_SUFFIX))
    return ['not looked into: a partition whose removal did not come to its end', 'removed'];
  if (name.endsWith(STRAY_DIRECTORY_SUFFIX)) return ['not looked into: a partition that no topic knew', 'left alone'];
  return ['not looked into: no directory of a partition', 'left alone; Kafka would not start here'];
}

function segmentBytes(fileSystem: FileSystem, directory: string): number {
  let bytes = 0;
  for (const { name, isDirectory } of fileSystem.list(directory))
    if (!isDirectory && name.endsWith(LOG_SUFFIX)) bytes += fileSystem.stat(join(directory, name))?.size ?? 0;
  return bytes;
}

function readCheckpoints(
  fileSystem: FileSystem,
  path: string,
  findings: Findings,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const all = new Map<string, ReadonlyMap<string, number>>();
  for (const [name, atStart] of Object.entries(CHECKPOINTS)) {
    const file = join(path, name);
    const content = readIfPresent(fileSystem, file);
    const offsets = content && parseOffsets(content);
    // Kafka makes an empty file first.
    if (content && content.length > 0 && !offsets)
      findings.add({ severity: 'problem', file, what: 'cannot be read: damaged', atStart });
    for (const [key, offset] of offsets ?? []) {
      if (offset >= 0 && parsePartitionKey(key)) continue;
      findings.add({ severity: 'problem', file, what: `${key} has the offset ${offset}`, atStart: 'taken as it is' });
    }
    all.set(name, offsets ?? new Map());
  }
  return all;
}
