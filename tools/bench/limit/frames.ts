/**
 * The requests that the load of `limit.c` sends again and again, in the newest versions that have a fixed layout, and
 * where in them and in their answers the bytes lie that it looks at. Positions count from behind the length prefix.
 */
import {
  newPartitionProduceData,
  newProduceRequest,
  newTopicProduceData,
  type ProduceRequest,
  type ProduceResponse,
} from '../../../src/codec/generated/00-produce';
import { newFetchPartition, newFetchRequest, newFetchTopic } from '../../../src/codec/generated/01-fetch';
import { apis } from '../../../src/codec/generated/apis';
import { buildBatch } from '../../../src/records/batch-builder';
import { requestFrame, type WireRequest } from '../../../src/testing/wire-client';

const PRODUCE_VERSION = 7;
const FETCH_VERSION = 4;
const PREFIX_BYTES = 4;
const CORRELATION_ID = 1;
const BATCH_BYTES = 64 * 1024;
const FETCH_BYTES = 1024 * 1024;
/** A fetch offset that no other bytes of the frame look like. */
const MARKED_OFFSET = 0x01020304050607;

export interface ProduceFrame {
  readonly frame: Buffer;
  readonly batch: Buffer;
  readonly batchAt: number;
  /** Of the error code in the answer. */
  readonly errorAt: number;
}

export interface BatchPlan {
  readonly recordBytes: number;
  readonly acks: number;
}

function batchOf(recordBytes: number): Buffer {
  const count = Math.max(1, Math.floor(BATCH_BYTES / (recordBytes + 10)));
  const value = Buffer.alloc(recordBytes, 'x');
  return buildBatch({ records: Array.from({ length: count }, () => ({ timestamp: Date.now(), key: null, value })) });
}

/** One batch of about 64 KB to partition 0 of `topic`. */
export function produceRequest(topic: string, plan: BatchPlan): WireRequest<ProduceRequest, ProduceResponse> {
  const partitionData = [newPartitionProduceData({ index: 0, records: batchOf(plan.recordBytes) })];
  const topicData = [newTopicProduceData({ name: topic, partitionData })];
  const request = newProduceRequest({ acks: plan.acks, timeoutMs: 30_000, topicData });
  return { api: apis.Produce, version: PRODUCE_VERSION, request };
}

export function produceFrame(topic: string, plan: BatchPlan): ProduceFrame {
  const call = produceRequest(topic, plan);
  const batch = call.request.topicData[0]?.partitionData[0]?.records as Buffer;
  const frame = requestFrame(call, CORRELATION_ID, 'limit');
  // Correlation id, topics, the name, partitions, the index.
  const errorAt = 4 + 4 + 2 + topic.length + 4 + 4;
  return { frame, batch, batchAt: frame.indexOf(batch) - PREFIX_BYTES, errorAt };
}

export interface FetchFrame {
  readonly frame: Buffer;
  readonly offsetAt: number;
  /** Of the first batch in the answer. */
  readonly recordsAt: number;
}

/** Up to 1 MB of partition 0 of `topic`. */
export function fetchFrame(topic: string): FetchFrame {
  const partition = newFetchPartition({ partition: 0, fetchOffset: MARKED_OFFSET, partitionMaxBytes: FETCH_BYTES });
  const request = newFetchRequest({
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: FETCH_BYTES,
    topics: [newFetchTopic({ topic, partitions: [partition] })],
  });
  const frame = requestFrame({ api: apis.Fetch, version: FETCH_VERSION, request }, CORRELATION_ID, 'limit');
  const marked = Buffer.alloc(8);
  marked.writeBigInt64BE(BigInt(MARKED_OFFSET));
  return { frame, offsetAt: frame.indexOf(marked) - PREFIX_BYTES, recordsAt: 48 + topic.length };
}

export interface SourceAnswer {
  /** What comes before the records, length prefix included. */
  readonly head: Buffer;
  /** Whole batches, as many as a Fetch of 1 MB gives. */
  readonly chunkBytes: number;
}

/** The answer to `fetchFrame` as the limit's own server gives it. */
export function sourceAnswer(topic: string, batchBytes: number): SourceAnswer {
  const chunkBytes = batchBytes * Math.floor(FETCH_BYTES / batchBytes);
  const head = Buffer.alloc(PREFIX_BYTES + 48 + topic.length);
  head.writeInt32BE(head.length - PREFIX_BYTES + chunkBytes, 0);
  head.writeInt32BE(chunkBytes, head.length - 4);
  return { head, chunkBytes };
}
