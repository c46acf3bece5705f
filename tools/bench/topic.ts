/** Topics that scenarios need: made with their number of partitions, led when they are given, deleted afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { newMetadataRequest, newMetadataRequestTopic } from '../../src/codec/generated/03-metadata';
import { newCreatableTopic, newCreateTopicsRequest } from '../../src/codec/generated/19-create-topics';
import { newDeleteTopicsRequest } from '../../src/codec/generated/20-delete-topics';
import { apis } from '../../src/codec/generated/apis';
import { WireClient } from '../../src/testing/wire-client';

const TIMEOUT_MS = 60_000;
const LEADER_ATTEMPTS = 300;
const LEADER_PAUSE_MS = 50;

export interface TopicPlan {
  readonly name: string;
  readonly partitions: number;
}

async function withClient<T>(port: number, use: (client: WireClient) => Promise<T>): Promise<T> {
  const client = await WireClient.connect(port);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

/** Kafka answers a creation before all partitions are led; a load would wait for that within its measured time. */
async function untilLed(client: WireClient, { name, partitions }: TopicPlan): Promise<void> {
  for (let attempt = 0; attempt < LEADER_ATTEMPTS; attempt++) {
    const request = newMetadataRequest({ topics: [newMetadataRequestTopic({ name })], allowAutoTopicCreation: false });
    const answer = await client.call({ api: apis.Metadata, version: 5, request });
    const led = answer.topics[0]?.partitions.filter((partition) => partition.errorCode === 0) ?? [];
    if (led.length === partitions) return;
    await sleep(LEADER_PAUSE_MS);
  }
  throw new Error(`topic ${name}: not all of its ${partitions} partitions have a leader`);
}

/** Makes a topic on the broker at that port of 127.0.0.1 and waits until all of its partitions are led. */
export function createTopic(port: number, plan: TopicPlan): Promise<void> {
  return withClient(port, async (client) => {
    const topics = [newCreatableTopic({ name: plan.name, numPartitions: plan.partitions, replicationFactor: 1 })];
    const request = newCreateTopicsRequest({ topics, timeoutMs: TIMEOUT_MS });
    const answer = await client.call({ api: apis.CreateTopics, version: 5, request });
    const { errorCode, errorMessage } = answer.topics[0]!;
    if (errorCode !== 0) throw new Error(`topic ${plan.name} was not created: ${errorCode} ${errorMessage ?? ''}`);
    await untilLed(client, plan);
  });
}

export function deleteTopic(port: number, name: string): Promise<void> {
  return withClient(port, async (client) => {
    const request = newDeleteTopicsRequest({ topicNames: [name], timeoutMs: TIMEOUT_MS });
    const answer = await client.call({ api: apis.DeleteTopics, version: 4, request });
    const errorCode = answer.responses[0]?.errorCode ?? 0;
    if (errorCode !== 0) throw new Error(`topic ${name} was not deleted: ${errorCode}`);
  });
}

/** A topic for as long as `use` takes; where that fails it stays, as everything of this broker does, until it ends. */
export async function withTopic<T>(port: number, plan: TopicPlan, use: () => Promise<T>): Promise<T> {
  await createTopic(port, plan);
  const result = await use();
  await deleteTopic(port, plan.name);
  return result;
}
