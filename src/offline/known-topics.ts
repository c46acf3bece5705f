/**
 * The topics that a data directory's metadata know, wherever they are kept: in the journal of this broker, or, where it
 * never started, in KRaft's log. Reads only.
 */
import { join } from 'node:path';
import { err, ok, type Result } from '../base/result';
import { StartFailure } from '../base/start-failure';
import { metadataPath, readStoredMetadata, type StoredMetadata } from '../cluster/stored-metadata';
import type { FileSystem } from '../log/file-system';
import { readKraftMetadata } from '../log/kraft-metadata';
import { CLUSTER_METADATA_DIRECTORY } from '../log/log-file-name';

export interface KnownTopic {
  readonly id: string;
  readonly partitions: number;
  readonly configs: ReadonlyMap<string, string>;
}

export interface KnownTopics {
  /** Undefined where nothing tells which topics there are. */
  readonly topics: ReadonlyMap<string, KnownTopic> | undefined;
  /** Names of topics whose deletion was decided and not finished; they are not among the others. */
  readonly deleting: ReadonlySet<string>;
  /** Undefined where this broker never started. */
  readonly stored: StoredMetadata | undefined;
  /** For messages: the file or directory that tells. */
  readonly source: string;
}

export const NOTHING_KNOWN: KnownTopics = {
  topics: undefined,
  deleting: new Set(),
  stored: undefined,
  source: '',
};

function ofStore(stored: StoredMetadata, source: string): KnownTopics {
  const deleted = new Set(stored.deletions.map(({ id }) => id));
  const topics = new Map<string, KnownTopic>();
  for (const { name, id, partitions, configs } of stored.topics)
    if (!deleted.has(id)) topics.set(name, { id, configs, partitions: partitions.length });
  return { topics, deleting: new Set(stored.deletions.map(({ name }) => name)), stored, source };
}

function ofKraft(fileSystem: FileSystem, directory: string): KnownTopics {
  const topics = new Map<string, KnownTopic>();
  for (const { name, id, leaderEpochs, configs } of readKraftMetadata(fileSystem, directory).topics)
    topics.set(name, { id, configs, partitions: leaderEpochs.length });
  return { topics, deleting: new Set(), stored: undefined, source: directory };
}

/** The error is for the operator: what is there cannot be read. */
export async function readKnownTopics(
  fileSystem: FileSystem,
  directories: readonly string[],
): Promise<Result<KnownTopics, string>> {
  for (const directory of directories) {
    const path = metadataPath(directory);
    const stored = await readStoredMetadata(fileSystem, path);
    if (!stored.ok) return stored;
    if (stored.value) return ok(ofStore(stored.value, `${path}.journal`));
  }
  for (const directory of directories) {
    const path = join(directory, CLUSTER_METADATA_DIRECTORY);
    if (!fileSystem.stat(path)?.isDirectory) continue;
    try {
      return ok(ofKraft(fileSystem, path));
    } catch (error) {
      if (error instanceof StartFailure) return err(error.message);
      throw error;
    }
  }
  return ok(NOTHING_KNOWN);
}
