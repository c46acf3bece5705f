/**
 * What the files of an embedded control store say, read without opening the store: for tools that look at a data
 * directory and change nothing. Owns the names of these files, too.
 */
import { join } from 'node:path';
import { silentLogger } from '../base/logger';
import { err, ok, type Result } from '../base/result';
import { bytesOf } from './byte-source';
import type { ClientQuota } from './client-quota';
import type { ControlStore } from './control-store';
import type { ControlTree } from './control-tree';
import { readJournal } from './journal-reader';
import type { ResourceConfigs, TopicImage } from './metadata-image';
import { loadQuotas } from './quota-nodes';
import { getIfPresent, loadConfigs, loadTopics } from './topic-loader';
import { CLUSTER_ID_PATH, decodeClusterId, decodeProducerIdBlock, PRODUCER_ID_BLOCK_PATH, TOPICS_PATH } from './znodes';

/**
 * What the names of the control store's files begin with, in the first data directory. They are no directory of their
 * own, since Kafka does not start on one that holds directories other than partitions'.
 */
const METADATA_FILES = 'odradek-metadata';

/** The store's files in a data directory, without their endings. */
export function metadataPath(directory: string): string {
  return join(directory, METADATA_FILES);
}

export interface MetadataFiles {
  /** Undefined when there is nothing at `path`. */
  stat(path: string): { readonly size: number } | undefined;
  readFile(path: string): Buffer;
}

export interface StoredMetadata {
  readonly topics: readonly TopicImage[];
  /** Those of them whose deletion was decided and not finished. */
  readonly deletions: readonly TopicImage[];
  readonly configs: readonly ResourceConfigs[];
  readonly quotas: readonly ClientQuota[];
  readonly clusterId: string | undefined;
  /** The first producer id that was never given out. */
  readonly nextProducerId: number;
  /** Bytes behind the last whole line of the journal that are not zeros: a line that was never acknowledged. */
  readonly tornBytes: number;
}

/** The tree as a store that is only read. */
function readOnly(tree: ControlTree): ControlStore {
  return {
    get: async (path) => tree.get(path),
    children: async (path) => tree.children(path),
    multi: async () => err('unavailable', 'the store is only read'),
    close: async () => undefined,
  };
}

function tornBytes(journal: Buffer, end: number): number {
  let last = journal.length;
  while (last > end && journal[last - 1] === 0) last--;
  return last - end;
}

/** `path` as in `metadataPath`. Undefined where there is no store; the error is for the operator. */
export async function readStoredMetadata(
  files: MetadataFiles,
  path: string,
): Promise<Result<StoredMetadata | undefined, string>> {
  const content = (ending: string): Buffer =>
    files.stat(path + ending) ? files.readFile(path + ending) : Buffer.alloc(0);
  if (!files.stat(`${path}.journal`) && !files.stat(`${path}.snapshot`)) return ok(undefined);
  const journal = content('.journal');
  const read = readJournal(path, bytesOf(content('.snapshot')), bytesOf(journal));
  if (!read.ok) return read;
  const { tree } = read.value;
  const store = readOnly(tree);
  // A start that was cut short may have left less than a cluster.
  const hasTopics = tree.get(TOPICS_PATH).ok;
  const { topics, deletions } = hasTopics ? await loadTopics(store) : { topics: [], deletions: [] };
  const clusterId = await getIfPresent(store, CLUSTER_ID_PATH);
  const block = await getIfPresent(store, PRODUCER_ID_BLOCK_PATH);
  return ok({
    topics,
    deletions,
    configs: await loadConfigs(store),
    quotas: await loadQuotas(store, silentLogger),
    clusterId: clusterId && decodeClusterId(clusterId.data),
    nextProducerId: block ? decodeProducerIdBlock(block.data).last + 1 : 0,
    tornBytes: tornBytes(journal, read.value.end),
  });
}
