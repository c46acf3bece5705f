/**
 * Requests about data as scenarios send them: one partition unless told otherwise, every field that matters open,
 * nothing retried and no error taken for a failure.
 */
import {
  newPartitionProduceData,
  newProduceRequest,
  newTopicProduceData,
  type PartitionProduceResponse,
  type ProduceRequest,
  type ProduceResponse,
} from '../../src/codec/generated/00-produce';
import {
  type FetchRequest,
  type FetchResponse,
  newFetchPartition,
  newFetchRequest,
  newFetchTopic,
  newForgottenTopic,
  type PartitionData,
} from '../../src/codec/generated/01-fetch';
import {
  type ListOffsetsPartitionResponse,
  newListOffsetsPartition,
  newListOffsetsRequest,
  newListOffsetsTopic,
} from '../../src/codec/generated/02-list-offsets';
import {
  type MetadataResponse,
  type MetadataResponseTopic,
  newMetadataRequest,
  newMetadataRequestTopic,
} from '../../src/codec/generated/03-metadata';
import {
  newDeleteRecordsPartition,
  newDeleteRecordsRequest,
  newDeleteRecordsTopic,
} from '../../src/codec/generated/21-delete-records';
import { newInitProducerIdRequest } from '../../src/codec/generated/22-init-producer-id';
import {
  type EpochEndOffset,
  newOffsetForLeaderEpochRequest,
  newOffsetForLeaderPartition,
  newOffsetForLeaderTopic,
} from '../../src/codec/generated/23-offset-for-leader-epoch';
import { apis } from '../../src/codec/generated/apis';
import type { WireClient, WireRequest } from '../../src/testing/wire-client';

export const PRODUCE_VERSION = 9;
export const FETCH_VERSION = 12;
const LIST_OFFSETS_VERSION = 7;
const METADATA_VERSION = 9;
export const EARLIEST = -2;
export const LATEST = -1;

export interface ProduceEntry {
  readonly topic: string;
  /** 0 when not given. */
  readonly partition?: number;
  readonly records: Buffer | null;
}

export interface ProduceOptions {
  readonly version?: number;
  /** -1 when not given. */
  readonly acks?: number;
}

/** A Produce request with these entries, in topics of their own unless neighbours share one. */
export function produceCall(
  entries: readonly ProduceEntry[],
  o: ProduceOptions = {},
): WireRequest<ProduceRequest, ProduceResponse> {
  const request = newProduceRequest({ acks: o.acks ?? -1, timeoutMs: 5000 });
  for (const { topic, partition, records } of entries) {
    const last = request.topicData.at(-1);
    const data = newPartitionProduceData({ index: partition ?? 0, records });
    if (last?.name === topic) last.partitionData.push(data);
    else request.topicData.push(newTopicProduceData({ name: topic, partitionData: [data] }));
  }
  return { api: apis.Produce, version: o.version ?? PRODUCE_VERSION, request };
}

export async function produce(client: WireClient, o: ProduceEntry & ProduceOptions): Promise<PartitionProduceResponse> {
  const { responses } = await client.call(produceCall([o], o));
  return responses[0]!.partitionResponses[0]!;
}

/** Produces and gives the base offset; throws for any error. */
export async function stored(client: WireClient, o: ProduceEntry & ProduceOptions): Promise<number> {
  const { errorCode, baseOffset, errorMessage } = await produce(client, o);
  if (errorCode !== 0) throw new Error(`not stored: error ${errorCode} ${errorMessage ?? ''}`);
  return baseOffset;
}

export interface WantedRecords {
  readonly topic: string;
  /** Instead of the name, from version 13 on. */
  readonly topicId?: string;
  readonly partition?: number;
  /** 0 when not given. */
  readonly offset?: number;
  readonly partitionMaxBytes?: number;
  readonly currentLeaderEpoch?: number;
  readonly lastFetchedEpoch?: number;
}

export interface FetchOptions {
  readonly version?: number;
  readonly maxBytes?: number;
  readonly minBytes?: number;
  readonly maxWaitMs?: number;
  readonly isolationLevel?: number;
  readonly sessionId?: number;
  readonly sessionEpoch?: number;
  readonly forgotten?: readonly { readonly topic: string; readonly partitions: number[] }[];
}

const ENOUGH_BYTES = 1024 * 1024;

export function fetchCall(
  wanted: readonly WantedRecords[],
  o: FetchOptions = {},
): WireRequest<FetchRequest, FetchResponse> {
  const request = newFetchRequest({
    maxWaitMs: o.maxWaitMs ?? 0,
    minBytes: o.minBytes ?? 1,
    maxBytes: o.maxBytes ?? ENOUGH_BYTES,
    isolationLevel: o.isolationLevel ?? 0,
    sessionId: o.sessionId ?? 0,
    sessionEpoch: o.sessionEpoch ?? -1,
    forgottenTopicsData: (o.forgotten ?? []).map(newForgottenTopic),
  });
  for (const { topic, topicId, ...one } of wanted) {
    const partition = newFetchPartition({
      partition: one.partition ?? 0,
      fetchOffset: one.offset ?? 0,
      partitionMaxBytes: one.partitionMaxBytes ?? ENOUGH_BYTES,
      currentLeaderEpoch: one.currentLeaderEpoch ?? -1,
      lastFetchedEpoch: one.lastFetchedEpoch ?? -1,
    });
    const last = request.topics.at(-1);
    if (last !== undefined && last.topic === topic) last.partitions.push(partition);
    else request.topics.push(newFetchTopic({ topic, ...(topicId && { topicId }), partitions: [partition] }));
  }
  return { api: apis.Fetch, version: o.version ?? FETCH_VERSION, request };
}

export async function fetchMany(
  client: WireClient,
  wanted: readonly WantedRecords[],
  o: FetchOptions = {},
): Promise<FetchResponse> {
  return client.call(fetchCall(wanted, o));
}

export async function fetchOne(client: WireClient, o: WantedRecords & FetchOptions): Promise<PartitionData> {
  const { responses } = await fetchMany(client, [o], o);
  return responses[0]!.partitions[0]!;
}

/** The bytes of a partition's records; fails where they are null instead of none. */
export function recordsOf(data: Pick<PartitionData, 'records'>): Buffer {
  if (!Buffer.isBuffer(data.records)) throw new Error('null records');
  return data.records;
}

/** All that the partition holds from `offset` on. */
export async function fetchAll(client: WireClient, o: WantedRecords): Promise<Buffer> {
  const found: Buffer[] = [];
  let offset = o.offset ?? 0;
  for (;;) {
    const data = await fetchOne(client, { ...o, offset });
    if (data.errorCode !== 0) throw new Error(`error ${data.errorCode} at offset ${offset}`);
    const records = recordsOf(data);
    if (records.length === 0) return Buffer.concat(found);
    found.push(records);
    offset = nextOffset(records);
  }
}

/** One behind the last offset of whole v2 batches. */
export function nextOffset(batches: Buffer): number {
  let next = -1;
  for (let at = 0; at < batches.length; at += 12 + batches.readInt32BE(at + 8)) {
    next = Number(batches.readBigInt64BE(at)) + batches.readInt32BE(at + 23) + 1;
  }
  return next;
}

export interface ListOptions {
  readonly topic: string;
  readonly partition?: number;
  /** Milliseconds, `EARLIEST` or `LATEST`. */
  readonly timestamp: number;
  readonly version?: number;
  readonly isolationLevel?: number;
  readonly currentLeaderEpoch?: number;
}

export async function listOffset(client: WireClient, o: ListOptions): Promise<ListOffsetsPartitionResponse> {
  const partition = newListOffsetsPartition({
    partitionIndex: o.partition ?? 0,
    timestamp: o.timestamp,
    currentLeaderEpoch: o.currentLeaderEpoch ?? -1,
  });
  const request = newListOffsetsRequest({
    replicaId: -1,
    isolationLevel: o.isolationLevel ?? 0,
    topics: [newListOffsetsTopic({ name: o.topic, partitions: [partition] })],
  });
  const version = o.version ?? LIST_OFFSETS_VERSION;
  const { topics } = await client.call({ api: apis.ListOffsets, version, request });
  return topics[0]!.partitions[0]!;
}

export async function endOffset(client: WireClient, topic: string, partition = 0): Promise<number> {
  return (await listOffset(client, { topic, partition, timestamp: LATEST })).offset;
}

export interface MetadataOptions {
  readonly version?: number;
  readonly allowAutoTopicCreation?: boolean;
}

/** Metadata of the topics with these names; null is all of them. */
export async function metadata(
  client: WireClient,
  names: readonly string[] | null,
  o: MetadataOptions = {},
): Promise<MetadataResponse> {
  const version = o.version ?? METADATA_VERSION;
  const request = newMetadataRequest({
    topics: names === null ? null : names.map((name) => newMetadataRequestTopic({ name })),
    allowAutoTopicCreation: version < 4 || (o.allowAutoTopicCreation ?? false),
  });
  return client.call({ api: apis.Metadata, version, request });
}

export async function topicMetadata(client: WireClient, topic: string, version = 12): Promise<MetadataResponseTopic> {
  return (await metadata(client, [topic], { version })).topics[0]!;
}

/** A new producer id. */
export async function newProducerId(client: WireClient): Promise<{ producerId: number; producerEpoch: number }> {
  const request = newInitProducerIdRequest({ transactionalId: null, transactionTimeoutMs: -1 });
  return client.call({ api: apis.InitProducerId, version: 4, request });
}

/** Moves the log start up to `offset`; -1 is the end. Gives the error and the new start. */
export async function deleteRecords(
  client: WireClient,
  o: { topic: string; partition?: number; offset: number },
): Promise<{ errorCode: number; lowWatermark: number }> {
  const partition = newDeleteRecordsPartition({ partitionIndex: o.partition ?? 0, offset: o.offset });
  const request = newDeleteRecordsRequest({
    topics: [newDeleteRecordsTopic({ name: o.topic, partitions: [partition] })],
    timeoutMs: 5000,
  });
  const { topics } = await client.call({ api: apis.DeleteRecords, version: 2, request });
  return topics[0]!.partitions[0]!;
}

/** Where `leaderEpoch` ends in the log. */
export async function endOfEpoch(
  client: WireClient,
  o: { topic: string; partition?: number; leaderEpoch: number; currentLeaderEpoch?: number },
): Promise<EpochEndOffset> {
  const partition = newOffsetForLeaderPartition({
    partition: o.partition ?? 0,
    leaderEpoch: o.leaderEpoch,
    currentLeaderEpoch: o.currentLeaderEpoch ?? -1,
  });
  const request = newOffsetForLeaderEpochRequest({
    replicaId: -1,
    topics: [newOffsetForLeaderTopic({ topic: o.topic, partitions: [partition] })],
  });
  const { topics } = await client.call({ api: apis.OffsetForLeaderEpoch, version: 4, request });
  return topics[0]!.partitions[0]!;
}
