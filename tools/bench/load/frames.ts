/**
 * The Produce and Fetch requests that `load.c` sends again and again, in the newest versions that have a fixed layout,
 * and where in them and in their answers the bytes lie that it looks at. Positions count from behind the length prefix.
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
const FETCH_VERSION = 11;
const PREFIX_BYTES = 4;
/**
 * Of a Fetch's answer, without the topic's name: before the partition's error code (correlation id, throttle time,
 * error code, session, topics, the name's length, partitions, index), and from it to the records (the code, high
 * watermark, last stable offset, log start, aborted transactions, preferred replica, the records' length).
 */
const BEFORE_ERROR_BYTES = 4 + 4 + 2 + 4 + 4 + 2 + 4 + 4;
const FROM_ERROR_BYTES = 2 + 8 + 8 + 8 + 4 + 4 + 4;
const CORRELATION_ID = 1;
const CLIENT_ID = 'load';
const BATCH_BYTES = 64 * 1024;
/** Of a record without key and headers in a batch, about. */
const RECORD_OVERHEAD_BYTES = 10;
const FILLING = 'x';
const FETCH_BYTES = 1024 * 1024;
/** A fetch offset that no other bytes of the frame look like. */
const MARKED_OFFSET = 0x01020304050607;

export interface ProduceFrame {
  readonly frame: Buffer;
  readonly batch: Buffer;
  readonly batchAt: number;
  /** Of the first record's value. */
  readonly valueAt: number;
  /** Of the error code in the answer. */
  readonly errorAt: number;
}

export interface BatchPlan {
  readonly recordBytes: number;
  /** About so large is the batch, at least one record; 64 KB by default. */
  readonly batchBytes?: number;
  readonly acks: number;
  /** 0 by default. */
  readonly partition?: number;
}

export function recordsOfBatch({ recordBytes, batchBytes = BATCH_BYTES }: BatchPlan): number {
  return Math.max(1, Math.floor(batchBytes / (recordBytes + RECORD_OVERHEAD_BYTES)));
}

function batchOf(plan: BatchPlan): Buffer {
  const value = Buffer.alloc(plan.recordBytes, FILLING);
  const record = { timestamp: Date.now(), key: null, value };
  return buildBatch({ records: Array.from({ length: recordsOfBatch(plan) }, () => record) });
}

/** One batch to a partition of `topic`. */
function produceRequest(topic: string, plan: BatchPlan): WireRequest<ProduceRequest, ProduceResponse> {
  const partitionData = [newPartitionProduceData({ index: plan.partition ?? 0, records: batchOf(plan) })];
  const topicData = [newTopicProduceData({ name: topic, partitionData })];
  const request = newProduceRequest({ acks: plan.acks, timeoutMs: 30_000, topicData });
  return { api: apis.Produce, version: PRODUCE_VERSION, request };
}

export function produceFrame(topic: string, plan: BatchPlan): ProduceFrame {
  const call = produceRequest(topic, plan);
  const batch = call.request.topicData[0]?.partitionData[0]?.records as Buffer;
  const frame = requestFrame(call, CORRELATION_ID, CLIENT_ID);
  const batchAt = frame.indexOf(batch) - PREFIX_BYTES;
  const value = Buffer.alloc(plan.recordBytes, FILLING);
  // Correlation id, topics, the name, partitions, the index.
  const errorAt = 4 + 4 + 2 + topic.length + 4 + 4;
  return { frame, batch, batchAt, valueAt: batchAt + batch.indexOf(value), errorAt };
}

export interface FetchFrame {
  readonly frame: Buffer;
  readonly offsetAt: number;
  /** Of the partition's error code in the answer. */
  readonly errorAt: number;
  /** Of the first batch in the answer. */
  readonly recordsAt: number;
}

export interface FetchPlan {
  readonly partition?: number;
  readonly offset?: number;
}

/** Up to 1 MB of a partition of `topic`, as soon as there is anything. */
export function fetchFrame(topic: string, { partition = 0, offset = 0 }: FetchPlan = {}): FetchFrame {
  const wanted = newFetchPartition({ partition, fetchOffset: MARKED_OFFSET, partitionMaxBytes: FETCH_BYTES });
  const request = newFetchRequest({
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: FETCH_BYTES,
    topics: [newFetchTopic({ topic, partitions: [wanted] })],
  });
  const frame = requestFrame({ api: apis.Fetch, version: FETCH_VERSION, request }, CORRELATION_ID, CLIENT_ID);
  const marked = Buffer.alloc(8);
  marked.writeBigInt64BE(BigInt(MARKED_OFFSET));
  const at = frame.indexOf(marked);
  frame.writeBigInt64BE(BigInt(offset), at);
  const errorAt = BEFORE_ERROR_BYTES + topic.length;
  return { frame, offsetAt: at - PREFIX_BYTES, errorAt, recordsAt: errorAt + FROM_ERROR_BYTES };
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
  const head = Buffer.alloc(PREFIX_BYTES + BEFORE_ERROR_BYTES + topic.length + FROM_ERROR_BYTES);
  head.writeInt32BE(head.length - PREFIX_BYTES + chunkBytes, 0);
  head.writeInt32BE(chunkBytes, head.length - 4);
  return { head, chunkBytes };
}
