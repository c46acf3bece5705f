/** Requests of administrators as scenarios send them: one topic or resource unless told otherwise, every error told. */
import {
  type CreatableTopicResult,
  newCreatableTopic,
  newCreatableTopicConfig,
  newCreateTopicsRequest,
} from '../../src/codec/generated/19-create-topics';
import { type DeletableTopicResult, newDeleteTopicsRequest } from '../../src/codec/generated/20-delete-topics';
import {
  type DescribeConfigsResult,
  newDescribeConfigsRequest,
  newDescribeConfigsResource,
} from '../../src/codec/generated/32-describe-configs';
import {
  newAlterConfigsRequest,
  newAlterableConfig as newReplacedConfig,
  newAlterConfigsResource as newReplacedResource,
} from '../../src/codec/generated/33-alter-configs';
import {
  newCreatePartitionsAssignment,
  newCreatePartitionsRequest,
  newCreatePartitionsTopic,
} from '../../src/codec/generated/37-create-partitions';
import {
  newAlterableConfig,
  newAlterConfigsResource,
  newIncrementalAlterConfigsRequest,
} from '../../src/codec/generated/44-incremental-alter-configs';
import { apis } from '../../src/codec/generated/apis';
import type { WireClient } from '../../src/testing/wire-client';

const TIMEOUT_MS = 10_000;
export const TOPIC = 2;
export const BROKER = 4;
export const [SET, DELETE, APPEND, SUBTRACT] = [0, 1, 2, 3] as const;

export interface WantedTopic {
  readonly name: string;
  /** 1 when not given. */
  readonly partitions?: number;
  readonly replicationFactor?: number;
  readonly configs?: Readonly<Record<string, string | null>>;
}

export async function createTopics(
  client: WireClient,
  wanted: readonly WantedTopic[],
  o: { readonly version: number; readonly validateOnly?: boolean },
): Promise<CreatableTopicResult[]> {
  const topics = wanted.map(({ name, partitions = 1, replicationFactor = 1, configs = {} }) =>
    newCreatableTopic({
      name,
      numPartitions: partitions,
      replicationFactor,
      configs: Object.entries(configs).map(([key, value]) => newCreatableTopicConfig({ name: key, value })),
    }),
  );
  const request = newCreateTopicsRequest({ topics, timeoutMs: TIMEOUT_MS, validateOnly: o.validateOnly ?? false });
  return (await client.call({ api: apis.CreateTopics, version: o.version, request })).topics;
}

export async function deleteTopics(
  client: WireClient,
  names: string[],
  version: number,
): Promise<DeletableTopicResult[]> {
  const request = newDeleteTopicsRequest({ topicNames: names, timeoutMs: TIMEOUT_MS });
  return (await client.call({ api: apis.DeleteTopics, version, request })).responses;
}

export interface WantedPartitions {
  readonly name: string;
  readonly count: number;
  readonly assignments?: readonly number[][];
}

/** The error code of each topic. */
export async function createPartitions(
  client: WireClient,
  wanted: readonly WantedPartitions[],
  o: { readonly version: number; readonly validateOnly?: boolean },
): Promise<number[]> {
  const topics = wanted.map(({ name, count, assignments }) =>
    newCreatePartitionsTopic({
      name,
      count,
      assignments: assignments?.map((brokerIds) => newCreatePartitionsAssignment({ brokerIds })) ?? null,
    }),
  );
  const request = newCreatePartitionsRequest({ topics, timeoutMs: TIMEOUT_MS, validateOnly: o.validateOnly ?? false });
  const { results } = await client.call({ api: apis.CreatePartitions, version: o.version, request });
  return results.map(({ errorCode }) => errorCode);
}

export interface Described {
  readonly type: number;
  readonly name: string;
  readonly keys?: string[] | null;
  readonly version?: number;
  readonly documentation?: boolean;
}

export async function describeConfigs(client: WireClient, wanted: Described): Promise<DescribeConfigsResult> {
  const { type: resourceType, name: resourceName, keys: configurationKeys = null } = wanted;
  const request = newDescribeConfigsRequest({
    resources: [newDescribeConfigsResource({ resourceType, resourceName, configurationKeys })],
    includeDocumentation: wanted.documentation ?? false,
  });
  const version = wanted.version ?? 4;
  return (await client.call({ api: apis.DescribeConfigs, version, request })).results[0]!;
}

/** The value of a topic's setting, and where it comes from. */
export async function topicSetting(client: WireClient, name: string, key: string): Promise<[string | null, number]> {
  const { configs } = await describeConfigs(client, { type: TOPIC, name, keys: [key] });
  return [configs[0]!.value, configs[0]!.configSource];
}

export type Operation = readonly [key: string, operation: number, value?: string | null];

export interface Change {
  readonly type?: number;
  readonly name: string;
  readonly operations: readonly Operation[];
}

/** The error code of each change, by the name of its resource. */
export async function alterIncrementally(
  client: WireClient,
  changes: readonly Change[],
  o: { readonly version?: number; readonly validateOnly?: boolean } = {},
): Promise<[string, number][]> {
  const resources = changes.map(({ type: resourceType = TOPIC, name: resourceName, operations }) => {
    const configs = operations.map(([key, configOperation, value = null]) =>
      newAlterableConfig({ name: key, configOperation, value }),
    );
    return newAlterConfigsResource({ resourceType, resourceName, configs });
  });
  const request = newIncrementalAlterConfigsRequest({ resources, validateOnly: o.validateOnly ?? false });
  const { responses } = await client.call({ api: apis.IncrementalAlterConfigs, version: o.version ?? 1, request });
  return responses.map(({ resourceName, errorCode }) => [resourceName, errorCode]);
}

/** AlterConfigs of a topic: what is not named goes back to its default. */
export async function replaceConfigs(
  client: WireClient,
  name: string,
  o: { readonly configs: Readonly<Record<string, string>>; readonly version: number },
): Promise<number> {
  const configs = Object.entries(o.configs).map(([key, value]) => newReplacedConfig({ name: key, value }));
  const resources = [newReplacedResource({ resourceType: TOPIC, resourceName: name, configs })];
  const request = newAlterConfigsRequest({ resources });
  return (await client.call({ api: apis.AlterConfigs, version: o.version, request })).responses[0]!.errorCode;
}
