/**
 * Data directories that cannot be used since the start: told to the operator, and the partitions that must lie in them
 * get no new, empty logs elsewhere. Others serve as if nothing were. (Kafka: LogManager.createLog, which makes nothing
 * but what is new while log directories are offline.)
 */
import type { Logger } from '../base/logger';
import { partitionKey } from '../base/topic-partition';
import type { DataDirectories } from '../log/data-directories';
import type { LogManager } from '../log/log-manager';

/** As the metadata have it, or as it was adopted. */
export type KnownTopic = { readonly name: string } & (
  | { readonly partitions: readonly unknown[] }
  | { readonly leaderEpochs: readonly unknown[] }
);

export interface FailedDirectoriesContext {
  /** All topics that there are. */
  readonly known: readonly KnownTopic[];
  readonly logManager: Pick<LogManager, 'get' | 'placement'>;
  readonly logger: Logger;
}

export function noteFailedDirectories(
  { failed }: Pick<DataDirectories, 'failed'>,
  { known, logManager, logger }: FailedDirectoriesContext,
): void {
  if (failed.length === 0) return;
  for (const { path, reason } of failed) {
    logger.error('A data directory cannot be used; its partitions are offline', { logDir: path, reason });
  }
  for (const topic of known) {
    const partitions = 'partitions' in topic ? topic.partitions : topic.leaderEpochs;
    for (const partition of partitions.keys()) {
      if (!logManager.get(topic.name, partition)) logManager.placement.lose(partitionKey(topic.name, partition));
    }
  }
}
