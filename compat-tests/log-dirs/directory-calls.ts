/** Requests about topics and log directories, each bounded in time: a broker that does not answer is a finding. */
import {
  newCreatableTopic,
  newCreatableTopicConfig,
  newCreateTopicsRequest,
} from '../../src/codec/generated/19-create-topics';
import { newDeleteTopicsRequest } from '../../src/codec/generated/20-delete-topics';
import {
  newAlterReplicaLogDir,
  newAlterReplicaLogDirsRequest,
  newAlterReplicaLogDirTopic,
} from '../../src/codec/generated/34-alter-replica-log-dirs';
import {
  type DescribeLogDirsResult,
  newDescribableLogDirTopic,
  newDescribeLogDirsRequest,
} from '../../src/codec/generated/35-describe-log-dirs';
import { newCreatePartitionsRequest, newCreatePartitionsTopic } from '../../src/codec/generated/37-create-partitions';
import {
  newAlterableConfig,
  newAlterConfigsResource,
  newIncrementalAlterConfigsRequest,
} from '../../src/codec/generated/44-incremental-alter-configs';
import { apis } from '../../src/codec/generated/apis';
import type { WireClient } from '../../src/testing/wire-client';

const ANSWER_TIMEOUT_MS = 30_000;
const BROKER_RESOURCE = 4;
const SET = 0;

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Rejects, naming what was asked, when there is no answer in time. */
export async function answered<T>(what: string, answer: Promise<T>, timeoutMs = ANSWER_TIMEOUT_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms: ${what}`)), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface TopicOptions {
  readonly partitions?: number;
  readonly configs?: Readonly<Record<string, string>>;
}

/** The error code. */
export async function createTopic(client: WireClient, name: string, o: TopicOptions = {}): Promise<number> {
  const configs = Object.entries(o.configs ?? {}).map(([key, value]) => newCreatableTopicConfig({ name: key, value }));
  const topic = newCreatableTopic({ name, numPartitions: o.partitions ?? 1, replicationFactor: 1, configs });
  const request = newCreateTopicsRequest({ topics: [topic], timeoutMs: ANSWER_TIMEOUT_MS });
  const call = client.call({ api: apis.CreateTopics, version: 5, request });
  return (await answered(`create ${name}`, call)).topics[0]!.errorCode;
}

/** The error code. */
export async function deleteTopic(client: WireClient, name: string): Promise<number> {
  const request = newDeleteTopicsRequest({ topicNames: [name], timeoutMs: ANSWER_TIMEOUT_MS });
  const call = client.call({ api: apis.DeleteTopics, version: 5, request });
  return (await answered(`delete ${name}`, call)).responses[0]!.errorCode;
}

/** The error code. */
export async function growTopic(client: WireClient, name: string, count: number): Promise<number> {
  const topics = [newCreatePartitionsTopic({ name, count, assignments: null })];
  const request = newCreatePartitionsRequest({ topics, timeoutMs: ANSWER_TIMEOUT_MS });
  const call = client.call({ api: apis.CreatePartitions, version: 2, request });
  return (await answered(`grow ${name}`, call)).results[0]!.errorCode;
}

export interface Placed {
  readonly topic: string;
  readonly partition?: number;
}

/** The error code. */
export async function moveTo(client: WireClient, path: string, { topic, partition = 0 }: Placed): Promise<number> {
  const topics = [newAlterReplicaLogDirTopic({ name: topic, partitions: [partition] })];
  const request = newAlterReplicaLogDirsRequest({ dirs: [newAlterReplicaLogDir({ path, topics })] });
  const call = client.call({ api: apis.AlterReplicaLogDirs, version: 2, request });
  const { results } = await answered(`move ${topic}-${partition} to ${path}`, call);
  return results[0]!.partitions[0]!.errorCode;
}

/** All directories, with the partitions of these topics; of all topics when there are none. */
export async function describeDirs(client: WireClient, ...topics: string[]): Promise<DescribeLogDirsResult[]> {
  const partitions = Array.from({ length: 10 }, (_, i) => i);
  const wanted = topics.map((topic) => newDescribableLogDirTopic({ topic, partitions }));
  const request = newDescribeLogDirsRequest({ topics: wanted.length > 0 ? wanted : null });
  const call = client.call({ api: apis.DescribeLogDirs, version: 4, request });
  return (await answered('describe log dirs', call)).results;
}

export interface Place {
  readonly path: string;
  readonly isFuture: boolean;
  readonly offsetLag: number;
}

/** Where a partition lies, and where it is on its way to. */
export async function placesOf(client: WireClient, { topic, partition = 0 }: Placed): Promise<Place[]> {
  const described = await describeDirs(client, topic);
  return described.flatMap(({ logDir, topics }) =>
    topics
      .flatMap(({ partitions }) => partitions)
      .filter(({ partitionIndex }) => partitionIndex === partition)
      .map(({ isFutureKey, offsetLag }) => ({ path: logDir, isFuture: isFutureKey, offsetLag })),
  );
}

/** What all moves together may copy in a second. */
export async function limitMoves(client: WireClient, bytesPerSecond: number): Promise<void> {
  const name = 'replica.alter.log.dirs.io.max.bytes.per.second';
  const configs = [newAlterableConfig({ name, configOperation: SET, value: String(bytesPerSecond) })];
  const resource = newAlterConfigsResource({ resourceType: BROKER_RESOURCE, resourceName: '1', configs });
  const request = newIncrementalAlterConfigsRequest({ resources: [resource] });
  const call = client.call({ api: apis.IncrementalAlterConfigs, version: 1, request });
  const { errorCode, errorMessage } = (await answered('limit moves', call)).responses[0]!;
  if (errorCode !== 0) throw new Error(`the speed of moves could not be set: ${errorCode} ${errorMessage}`);
}
