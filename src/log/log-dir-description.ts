/**
 * What lies in the log directories, for DescribeLogDirs: sizes of partitions and of volumes. Source: Kafka's
 * `ReplicaManager.describeLogDirs`.
 */
import { dirname } from 'node:path';
import { type FileSystem, FileSystemError, type VolumeSpace } from './file-system';
import type { PartitionLog } from './partition-log';

export interface LogDirDescription {
  readonly path: string;
  /** A log directory that its volume no longer answers for; nothing else is known then. */
  readonly hasFailed: boolean;
  readonly partitions: readonly { readonly topic: string; readonly partition: number; readonly sizeInBytes: number }[];
  /** Undefined where unknown. */
  readonly space: VolumeSpace | undefined;
}

/** Directories in their order; logs that are offline are left out. */
export function describeLogDirs(
  paths: readonly string[],
  { fileSystem, logs }: { readonly fileSystem: FileSystem; readonly logs: Iterable<PartitionLog> },
): Promise<LogDirDescription[]> {
  const byDirectory = new Map<string, LogDirDescription['partitions'][number][]>();
  for (const log of logs) {
    if (log.isOffline) continue;
    const partitions = byDirectory.get(dirname(log.directory)) ?? [];
    byDirectory.set(dirname(log.directory), partitions);
    partitions.push({ ...log.topicPartition, sizeInBytes: log.sizeInBytes });
  }
  return Promise.all(
    paths.map(async (path): Promise<LogDirDescription> => {
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
