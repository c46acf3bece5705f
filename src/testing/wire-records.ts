/** The few requests that most tests of a whole broker make: create a topic, produce and fetch some values. */
import {
  newPartitionProduceData,
  newProduceRequest,
  newTopicProduceData,
  type ProduceRequest,
  type ProduceResponse,
} from '../codec/generated/00-produce';
import { type FetchRequest, newFetchPartition, newFetchRequest, newFetchTopic } from '../codec/generated/01-fetch';
import { newCreatableTopic, newCreateTopicsRequest } from '../codec/generated/19-create-topics';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { buildBatch } from '../records/batch-builder';
import { decodeRecords } from '../records/record-codec';
import type { WireClient, WireRequest } from './wire-client';

export async function createTopic(client: WireClient, name: string, numPartitions = 1): Promise<void> {
  const topics = [newCreatableTopic({ name, numPartitions, replicationFactor: 1 })];
  const request = newCreateTopicsRequest({ topics, timeoutMs: 10_000 });
  const answer = await client.call({ api: apis.CreateTopics, version: 5, request });
  const { errorCode, errorMessage } = answer.topics[0]!;
  if (errorCode !== ErrorCode.NONE) throw new Error(`topic ${name} was not created: ${errorCode} ${errorMessage}`);
}

export interface ProduceOptions {
  readonly topic: string;
  readonly partition?: number;
  readonly values: readonly string[];
  readonly acks?: number;
}

export function produceRequest(o: ProduceOptions): ProduceRequest {
  const records = buildBatch({
    records: o.values.map((value) => ({ timestamp: 1, key: null, value: Buffer.from(value) })),
  });
  const partitionData = [newPartitionProduceData({ index: o.partition ?? 0, records })];
  const topicData = [newTopicProduceData({ name: o.topic, partitionData })];
  return newProduceRequest({ acks: o.acks ?? -1, timeoutMs: 10_000, topicData });
}

export function produceCall(o: ProduceOptions, version = 9): WireRequest<ProduceRequest, ProduceResponse> {
  return { api: apis.Produce, version, request: produceRequest(o) };
}

/** The base offset; throws where the partition answers with an error. */
export async function produce(client: WireClient, o: ProduceOptions): Promise<number> {
  const answer = await client.call(produceCall(o));
  const { errorCode, baseOffset } = answer.responses[0]!.partitionResponses[0]!;
  if (errorCode !== ErrorCode.NONE) throw new Error(`produce: error ${errorCode}`);
  return baseOffset;
}

export interface FetchOptions {
  readonly topic: string;
  readonly partition?: number;
  readonly offset?: number;
  readonly maxWaitMs?: number;
}

export function fetchRequest(o: FetchOptions): FetchRequest {
  const { partition: number = 0, offset: fetchOffset = 0 } = o;
  const partition = newFetchPartition({ partition: number, fetchOffset, partitionMaxBytes: 10_000_000 });
  const topics = [newFetchTopic({ topic: o.topic, partitions: [partition] })];
  return newFetchRequest({ maxWaitMs: o.maxWaitMs ?? 0, minBytes: 1, maxBytes: 10_000_000, topics });
}

/** The values from `offset` on, as far as one answer holds them. */
export async function fetchValues(client: WireClient, o: FetchOptions): Promise<string[]> {
  const answer = await client.call({ api: apis.Fetch, version: 11, request: fetchRequest(o) });
  const { errorCode, records } = answer.responses[0]!.partitions[0]!;
  if (errorCode !== ErrorCode.NONE) throw new Error(`fetch: error ${errorCode}`);
  const bytes = (records ?? Buffer.alloc(0)) as Buffer;
  const values: string[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32BE(at + 8) + 12) {
    const decoded = decodeRecords(bytes, at);
    if (!decoded.ok) throw new Error(decoded.error);
    for (const { value } of decoded.value) values.push(String(value));
  }
  return values;
}
