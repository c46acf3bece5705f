/**
 * What lies in the log directories, for DescribeLogDirs: sizes of partitions and of volumes. Source: Kafka's
 * `ReplicaManager.describeLogDirs`.
 */
import { dirname } from 'node:path';
import type { TopicPartition } from '../base/topic-partition';
import { type FileSystem, FileSystemError, type VolumeSpace } from './file-system';
import type { LogManager } from './log-manager';

export interface DescribedPartition extends TopicPartition {
  readonly sizeInBytes: number;
  /** Records that a copy on its way to take the log's place lacks; 0 for a log. */
  readonly offsetLag: number;
  readonly isFuture: boolean;
}

export interface LogDirDescription {
  readonly path: string;
  /** A log directory that its volume no longer answers for; nothing else is known then. */
  readonly hasFailed: boolean;
  readonly partitions: readonly DescribedPartition[];
  /** Undefined where unknown. */
  readonly space: VolumeSpace | undefined;
}

export interface DescribedVolumes {
  readonly fileSystem: FileSystem;
  readonly logManager: DescribedLogs;
  readonly failed?: readonly string[];
}

type DescribedLogs = Pick<LogManager, 'logs'> & {
  readonly futures: Pick<LogManager['futures'], 'describe'>;
};

/** Directories in their order; logs that are offline are left out. `failed` are those that were never opened. */
export function describeLogDirs(
  paths: readonly string[],
  { fileSystem, logManager, failed = [] }: DescribedVolumes,
): Promise<LogDirDescription[]> {
  const byDirectory = new Map<string, DescribedPartition[]>();
  const add = (logDir: string, partition: DescribedPartition): void => {
    const partitions = byDirectory.get(logDir) ?? [];
    byDirectory.set(logDir, partitions);
    partitions.push(partition);
  };
  for (const { isOffline, topicPartition, sizeInBytes, directory } of logManager.logs()) {
    if (!isOffline) add(dirname(directory), { ...topicPartition, sizeInBytes, offsetLag: 0, isFuture: false });
  }
  for (const { topic, partition, logDir, sizeInBytes, offsetLag } of logManager.futures.describe()) {
    add(logDir, { topic, partition, sizeInBytes, offsetLag, isFuture: true });
  }
  return Promise.all(
    paths.map(async (path): Promise<LogDirDescription> => {
      if (failed.includes(path)) return { path, hasFailed: true, partitions: [], space: undefined };
      try {
        const space = await fileSystem.volumeSpace(path);
        return { path, hasFailed: false, partitions: byDirectory.get(path) ?? [], space };
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error;
        return { path, hasFailed: true, partitions: [], space: undefined };
      }
    }),
  );
}
