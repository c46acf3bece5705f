/**
 * The small text files beside the segments, in Kafka's formats: offset checkpoints of a log directory, leader epochs
 * and topic id of a partition, the clean-shutdown mark. Owns parsing and printing; who writes them when is decided
 * elsewhere. A damaged file reads as undefined: all of them can be made anew from the log or the cluster's metadata.
 * (Kafka: CheckpointFile, OffsetCheckpointFile, LeaderEpochCheckpointFile, PartitionMetadataFile,
 * CleanShutdownFileHandler.)
 */
import { join } from 'node:path';
import { ZERO_UUID } from '../base/random';
import { parsePartitionKey, partitionKey, type TopicPartition } from '../base/topic-partition';
import { type FileSystem, FileSystemError } from './file-system';
import type { EpochEntry } from './leader-epochs';
import { CLUSTER_METADATA_DIRECTORY } from './log-file-name';
import type { OpenFiles } from './open-files';

export const RECOVERY_POINT_CHECKPOINT = 'recovery-point-offset-checkpoint';
export const LOG_START_OFFSET_CHECKPOINT = 'log-start-offset-checkpoint';
export const HIGH_WATERMARK_CHECKPOINT = 'replication-offset-checkpoint';
export const CLEANER_OFFSET_CHECKPOINT = 'cleaner-offset-checkpoint';
export const CLEAN_SHUTDOWN_FILE = '.kafka_cleanshutdown';
export const LEADER_EPOCH_CHECKPOINT = 'leader-epoch-checkpoint';
export const PARTITION_METADATA_FILE = 'partition.metadata';

const VERSION = 0;

/** The content of a file; undefined when it does not exist. */
export function readIfPresent(fileSystem: FileSystem, path: string): Buffer | undefined {
  try {
    return fileSystem.readFile(path);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** `version`, number of entries, one entry a line; undefined when it is anything else. */
function parseEntries(content: Buffer): string[][] | undefined {
  const lines = content.toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const [version, count, ...entries] = lines;
  if (version?.trim() !== String(VERSION) || Number(count) !== entries.length) return undefined;
  return entries.map((line) => line.trim().split(/\s+/));
}

function formatEntries(entries: readonly string[]): Buffer {
  return Buffer.from([VERSION, entries.length, ...entries].map((line) => `${line}\n`).join(''));
}

function parseWhole(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,19}$/.test(text) ? Number(text) : undefined;
}

/** Offsets by `partitionKey`; undefined when the file is damaged. */
export function parseOffsets(content: Buffer): Map<string, number> | undefined {
  const offsets = new Map<string, number>();
  for (const [topic, partitionText, offsetText, ...rest] of parseEntries(content) ?? [[]]) {
    const partition = parseWhole(partitionText);
    const offset = parseWhole(offsetText);
    if (topic === undefined || partition === undefined || offset === undefined || rest.length > 0) return undefined;
    offsets.set(partitionKey(topic, partition), offset);
  }
  return offsets;
}

export function formatOffsets(offsets: Iterable<readonly [TopicPartition, number]>): Buffer {
  return formatEntries(Array.from(offsets, ([{ topic, partition }, offset]) => `${topic} ${partition} ${offset}`));
}

export function parseEpochs(content: Buffer): EpochEntry[] | undefined {
  const epochs: EpochEntry[] = [];
  for (const [epochText, offsetText, ...rest] of parseEntries(content) ?? [[]]) {
    const epoch = parseWhole(epochText);
    const startOffset = parseWhole(offsetText);
    if (epoch === undefined || startOffset === undefined || rest.length > 0) return undefined;
    epochs.push({ epoch, startOffset });
  }
  return epochs;
}

export function formatEpochs(epochs: readonly EpochEntry[]): Buffer {
  return formatEntries(epochs.map(({ epoch, startOffset }) => `${epoch} ${startOffset}`));
}

/** The topic id, ZERO_UUID when the file is missing or damaged. */
export function readTopicId(fileSystem: FileSystem, partitionDirectory: string): string {
  const content = readIfPresent(fileSystem, join(partitionDirectory, PARTITION_METADATA_FILE));
  const match = /^version: *0\ntopic_id: *([A-Za-z0-9_-]{22})\n?$/.exec(content?.toString('utf8') ?? '');
  return match?.[1] ?? ZERO_UUID;
}

/**
 * Whole or not at all, also where the process ends meanwhile. Durable only with the first flush (log-flusher.ts),
 * before any record is: topics of ten thousand partitions are made, and until then the cluster's metadata know the id.
 */
export function writeTopicId(files: OpenFiles, partitionDirectory: string, topicId: string): void {
  const path = join(partitionDirectory, PARTITION_METADATA_FILE);
  files.fileSystem.writeFile(`${path}.tmp`, Buffer.from(`version: 0\ntopic_id: ${topicId}\n`));
  files.detach(path);
  files.fileSystem.rename(`${path}.tmp`, path);
}

/** Whether the last shutdown of this log directory was clean; the mark says no more to us than that it is there. */
export function hasCleanShutdownMark(fileSystem: FileSystem, logDirectory: string): boolean {
  return fileSystem.stat(join(logDirectory, CLEAN_SHUTDOWN_FILE)) !== undefined;
}

/** Kafka reads a broker epoch here; -1 says that it is unknown. */
export function writeCleanShutdownMark(fileSystem: FileSystem, logDirectory: string): Promise<void> {
  const content = Buffer.from(JSON.stringify({ version: VERSION, brokerEpoch: -1 }));
  return fileSystem.replaceFile(join(logDirectory, CLEAN_SHUTDOWN_FILE), content, { durable: true });
}

export async function removeCleanShutdownMark(fileSystem: FileSystem, logDirectory: string): Promise<void> {
  fileSystem.remove(join(logDirectory, CLEAN_SHUTDOWN_FILE));
  await fileSystem.syncDirectory(logDirectory);
}

/** An offset checkpoint of a log directory, by `partitionKey`; empty when it is missing or damaged. */
export function readOffsets(fileSystem: FileSystem, logDirectory: string, name: string): Map<string, number> {
  const content = readIfPresent(fileSystem, join(logDirectory, name));
  return (content && parseOffsets(content)) ?? new Map();
}

/** The partition that a directory name stands for; undefined for directories that are not ours to open. */
export function partitionOfDirectory(name: string): TopicPartition | undefined {
  if (name === CLUSTER_METADATA_DIRECTORY || /-(delete|future|stray)$/.test(name)) return undefined;
  return parsePartitionKey(name);
}
