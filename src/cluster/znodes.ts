/**
 * Kafka's znodes: their paths, their JSON, and the operations that make and remove a topic's nodes. Pure.
 * The layout is that of Kafka's ZooKeeper mode (its class `ZkData`), so that a real ensemble can hold the same nodes.
 */
import type { ControlOperation } from './control-store';
import type { BrokerRegistration, ConfigResource, ConfigScope, PartitionImage, TopicImage } from './metadata-image';

export const TOPICS_PATH = '/brokers/topics';
export const TOPIC_DELETIONS_PATH = '/admin/delete_topics';
const TOPIC_CONFIGS_PATH = '/config/topics';
/** Scopes of settings made at run time, besides topics. */
export const CONFIG_SCOPES: readonly ConfigScope[] = ['brokers', 'groups', 'client-metrics'];
/** What has client quotas; users have credentials there too. */
export const QUOTA_PATHS = { users: '/config/users', clients: '/config/clients', ips: '/config/ips' };
export const CLUSTER_ID_PATH = '/cluster/id';
export const CONTROLLER_PATH = '/controller';
export const CONTROLLER_EPOCH_PATH = '/controller_epoch';
export const PRODUCER_ID_BLOCK_PATH = '/latest_producer_id_block';

/** Nodes that every cluster has; parents first. */
export const PERSISTENT_PATHS: readonly string[] = [
  '/admin',
  TOPIC_DELETIONS_PATH,
  '/brokers',
  '/brokers/ids',
  TOPICS_PATH,
  '/cluster',
  '/config',
  TOPIC_CONFIGS_PATH,
  ...CONFIG_SCOPES.map((scope) => `/config/${scope}`),
  ...Object.values(QUOTA_PATHS),
];

/** Any version. */
const ANY = -1;
/** The node that stands for all of its scope. */
const DEFAULT_NODE = '<default>';

export function brokerPath(id: number): string {
  return `/brokers/ids/${id}`;
}

export function topicPath(topic: string): string {
  return `${TOPICS_PATH}/${topic}`;
}

export function topicConfigPath(topic: string): string {
  return `${TOPIC_CONFIGS_PATH}/${topic}`;
}

export function configScopePath(scope: ConfigScope): string {
  return `/config/${scope}`;
}

/** Any text can name a group: Kafka escapes names as a URL does (its class `Sanitizer`). */
export function configPath({ scope, name }: ConfigResource): string {
  return `${configScopePath(scope)}/${name === '' ? DEFAULT_NODE : encodeURIComponent(name)}`;
}

/** The name that stands behind a child of a scope's node. */
export function configuredName(node: string): string {
  return node === DEFAULT_NODE ? '' : decodeURIComponent(node);
}

export function topicDeletionPath(topic: string): string {
  return `${TOPIC_DELETIONS_PATH}/${topic}`;
}

function partitionPath(topic: string, partition: number): string {
  return `${topicPath(topic)}/partitions/${partition}`;
}

export function partitionStatePath(topic: string, partition: number): string {
  return `${partitionPath(topic, partition)}/state`;
}

/** Content of `/brokers/topics/T`; `assignments` by partition. */
export interface TopicNode {
  readonly id: string;
  readonly assignments: readonly (readonly number[])[];
}

export function encodeTopic(node: TopicNode): string {
  const partitions = Object.fromEntries(node.assignments.map((replicas, partition) => [partition, replicas]));
  const reassignment = { adding_replicas: {}, removing_replicas: {} };
  return JSON.stringify({ version: 3, topic_id: node.id, partitions, ...reassignment });
}

export function decodeTopic(data: string): TopicNode {
  const { topic_id: id, partitions } = JSON.parse(data) as { topic_id: string; partitions: Record<string, number[]> };
  const assignments: number[][] = [];
  for (const [partition, replicas] of Object.entries(partitions)) assignments[Number(partition)] = replicas;
  return { id, assignments };
}

/** Content of a partition's state node; its version is the partition epoch. */
export interface PartitionStateNode {
  readonly leader: number;
  readonly leaderEpoch: number;
  readonly isr: readonly number[];
}

export function encodePartitionState(state: PartitionStateNode, controllerEpoch: number): string {
  const { leader, leaderEpoch, isr } = state;
  return JSON.stringify({ controller_epoch: controllerEpoch, leader, version: 1, leader_epoch: leaderEpoch, isr });
}

export function decodePartitionState(data: string): PartitionStateNode {
  const state = JSON.parse(data) as { leader: number; leader_epoch: number; isr: number[] };
  return { leader: state.leader, leaderEpoch: state.leader_epoch, isr: state.isr };
}

export function encodeConfigs(configs: ReadonlyMap<string, string>): string {
  return JSON.stringify({ version: 1, config: Object.fromEntries(configs) });
}

export function decodeConfigs(data: string): ReadonlyMap<string, string> {
  return new Map(Object.entries((JSON.parse(data) as { config: Record<string, string> }).config));
}

export function encodeBroker(broker: BrokerRegistration, timestampMs: number): string {
  const first = broker.endpoints[0];
  return JSON.stringify({
    version: 5,
    listener_security_protocol_map: Object.fromEntries(broker.endpoints.map((e) => [e.listener, e.securityProtocol])),
    endpoints: broker.endpoints.map(
      (e) => `${e.listener}://${e.host.includes(':') ? `[${e.host}]` : e.host}:${e.port}`,
    ),
    rack: broker.rack ?? undefined,
    jmx_port: -1,
    host: first?.host ?? null,
    port: first?.port ?? -1,
    features: {},
    timestamp: String(timestampMs),
  });
}

export function encodeController(brokerId: number, timestampMs: number): string {
  return JSON.stringify({ version: 2, brokerid: brokerId, timestamp: String(timestampMs), kraftControllerEpoch: -1 });
}

export function encodeClusterId(id: string): string {
  return JSON.stringify({ version: '1', id });
}

export function decodeClusterId(data: string): string {
  return (JSON.parse(data) as { id: string }).id;
}

/** Producer ids from `first` to `last`, both included, belong to `brokerId`. */
export interface ProducerIdBlock {
  readonly brokerId: number;
  readonly first: number;
  readonly last: number;
}

export function encodeProducerIdBlock(block: ProducerIdBlock): string {
  const { brokerId, first, last } = block;
  return JSON.stringify({ version: 1, broker: brokerId, block_start: String(first), block_end: String(last) });
}

export function decodeProducerIdBlock(data: string): ProducerIdBlock {
  const block = JSON.parse(data) as { broker: number; block_start: string; block_end: string };
  return { brokerId: block.broker, first: Number(block.block_start), last: Number(block.block_end) };
}

/** The operation that makes `configs` all the settings of a topic that exists. */
export function setTopicConfigs(topic: string, configs: ReadonlyMap<string, string>): ControlOperation {
  return { kind: 'set', path: topicConfigPath(topic), data: encodeConfigs(configs), expectedVersion: ANY };
}

/** As `setTopicConfigs`, of another resource; without settings it has no node. Undefined: nothing to do. */
export function setConfigs(
  resource: ConfigResource,
  configs: ReadonlyMap<string, string>,
  { exists }: { readonly exists: boolean },
): ControlOperation | undefined {
  const path = configPath(resource);
  if (configs.size === 0) return exists ? { kind: 'delete', path, expectedVersion: ANY } : undefined;
  const data = encodeConfigs(configs);
  return exists ? { kind: 'set', path, data, expectedVersion: ANY } : { kind: 'create', path, data };
}

function createPartition(topic: string, partition: PartitionImage, controllerEpoch: number): ControlOperation[] {
  return [
    { kind: 'create', path: partitionPath(topic, partition.partition), data: '' },
    {
      kind: 'create',
      path: partitionStatePath(topic, partition.partition),
      data: encodePartitionState(partition, controllerEpoch),
    },
  ];
}

function topicData(topic: TopicImage): string {
  return encodeTopic({ id: topic.id, assignments: topic.partitions.map((partition) => partition.replicas) });
}

/** Operations that make the nodes of a new topic. */
export function createTopicNodes(topic: TopicImage, controllerEpoch: number): ControlOperation[] {
  return [
    { kind: 'create', path: topicConfigPath(topic.name), data: encodeConfigs(topic.configs) },
    { kind: 'create', path: topicPath(topic.name), data: topicData(topic) },
    { kind: 'create', path: `${topicPath(topic.name)}/partitions`, data: '' },
    ...topic.partitions.flatMap((partition) => createPartition(topic.name, partition, controllerEpoch)),
  ];
}

/** Operations that add the partitions of `topic` from number `first` on. */
export function addPartitionNodes(topic: TopicImage, first: number, controllerEpoch: number): ControlOperation[] {
  return [
    { kind: 'set', path: topicPath(topic.name), data: topicData(topic), expectedVersion: ANY },
    ...topic.partitions.slice(first).flatMap((partition) => createPartition(topic.name, partition, controllerEpoch)),
  ];
}

/** Operations that write the states of `partitions`, each of which has been one partition epoch lower. */
export function setPartitionStates(
  topic: string,
  partitions: readonly PartitionImage[],
  controllerEpoch: number,
): ControlOperation[] {
  return partitions.map((partition) => ({
    kind: 'set',
    path: partitionStatePath(topic, partition.partition),
    data: encodePartitionState(partition, controllerEpoch),
    expectedVersion: partition.partitionEpoch - 1,
  }));
}

/** Operations that remove the nodes of a topic and the mark that it is to be deleted; children first. */
export function deleteTopicNodes(topic: TopicImage): ControlOperation[] {
  const paths = topic.partitions.flatMap(({ partition }) => [
    partitionStatePath(topic.name, partition),
    partitionPath(topic.name, partition),
  ]);
  paths.push(`${topicPath(topic.name)}/partitions`, topicPath(topic.name));
  paths.push(topicConfigPath(topic.name), topicDeletionPath(topic.name));
  return paths.map((path) => ({ kind: 'delete', path, expectedVersion: ANY }));
}
