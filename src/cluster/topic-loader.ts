/** Reads topics and settings out of a control store, as a controller does when it takes over. */
import type { Result } from '../base/result';
import type { ControlNode, ControlStore, ControlStoreError } from './control-store';
import type { PartitionImage, ResourceConfigs, TopicImage } from './metadata-image';
import { isInternalTopic } from './topic-name';
import {
  CONFIG_SCOPES,
  configPath,
  configScopePath,
  configuredName,
  decodeConfigs,
  decodePartitionState,
  decodeTopic,
  partitionStatePath,
  TOPIC_DELETIONS_PATH,
  TOPICS_PATH,
  topicConfigPath,
  topicPath,
} from './znodes';

export interface LoadedTopics {
  readonly topics: readonly TopicImage[];
  /** Those of them whose deletion was decided and not finished. */
  readonly deletions: readonly TopicImage[];
}

/** The value, where its absence means that the store cannot be used. */
export function required<T>(result: Result<T, ControlStoreError>): T {
  if (!result.ok) throw new Error(`control store: ${result.error} ${result.message ?? ''}`);
  return result.value;
}

/** The node, or undefined where there is none. */
export async function getIfPresent(store: ControlStore, path: string): Promise<ControlNode | undefined> {
  const result = await store.get(path);
  return !result.ok && result.error === 'no-node' ? undefined : required(result);
}

async function loadPartition(
  store: ControlStore,
  topic: string,
  { partition, replicas }: { partition: number; replicas: readonly number[] },
): Promise<PartitionImage> {
  const node = required(await store.get(partitionStatePath(topic, partition)));
  return { partition, replicas, ...decodePartitionState(node.data), partitionEpoch: node.version };
}

async function loadTopic(store: ControlStore, name: string): Promise<TopicImage> {
  const { id, assignments } = decodeTopic(required(await store.get(topicPath(name))).data);
  const configs = decodeConfigs(required(await store.get(topicConfigPath(name))).data);
  return {
    name,
    id,
    isInternal: isInternalTopic(name),
    partitions: await Promise.all(
      assignments.map((replicas, partition) => loadPartition(store, name, { partition, replicas })),
    ),
    configs,
  };
}

/** Rejects when the store cannot be read. */
export async function loadTopics(store: ControlStore): Promise<LoadedTopics> {
  const names = required(await store.children(TOPICS_PATH));
  const deletions = new Set(required(await store.children(TOPIC_DELETIONS_PATH)));
  const topics = await Promise.all(names.sort().map((name) => loadTopic(store, name)));
  return { topics, deletions: topics.filter((topic) => deletions.has(topic.name)) };
}

/** All settings made at run time of anything but topics. */
export async function loadConfigs(store: ControlStore): Promise<ResourceConfigs[]> {
  const perScope = CONFIG_SCOPES.map(async (scope): Promise<ResourceConfigs[]> => {
    const nodes = await store.children(configScopePath(scope));
    if (!nodes.ok && nodes.error === 'no-node') return [];
    const loaded = required(nodes).map(async (node): Promise<ResourceConfigs> => {
      const resource = { scope, name: configuredName(node) };
      return { ...resource, configs: decodeConfigs(required(await store.get(configPath(resource))).data) };
    });
    return Promise.all(loaded);
  });
  return (await Promise.all(perScope)).flat();
}
