/**
 * Everything that a broker hands out of a partition, by plain Fetch requests: records with offsets and times, markers,
 * the aborted transactions, the bounds. Two brokers with the same data must give the same.
 */
import { newFetchPartition, newFetchRequest, newFetchTopic, type PartitionData } from '../src/codec/generated/01-fetch';
import {
  newListOffsetsPartition,
  newListOffsetsRequest,
  newListOffsetsTopic,
} from '../src/codec/generated/02-list-offsets';
import { apis } from '../src/codec/generated/apis';
import * as batchHeader from '../src/records/batch-header';
import { decodeRecords } from '../src/records/record-codec';
import type { WireClient } from '../src/testing/wire-client';

/** In the form of JSON; keys and values as text. */
export interface PartitionContents {
  readonly logStartOffset: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  /** For a reader of all: one text a record, its batch's attributes included. */
  readonly records: readonly string[];
  /** The offset after the last record that a reader of committed ones is given. */
  readonly committedEnd: number;
  /** What such a reader has to leave out: producer id and first offset. */
  readonly aborted: readonly (readonly [number, number])[];
}

const FETCH_VERSION = 11;
const READ_COMMITTED = 1;
const ALL_BYTES = 10_000_000;
const EARLIEST = -2;

async function fetch(
  client: WireClient,
  at: { topic: string; partition: number; offset: number },
  isolationLevel: number,
): Promise<PartitionData> {
  const partition = newFetchPartition({
    partition: at.partition,
    fetchOffset: at.offset,
    partitionMaxBytes: ALL_BYTES,
  });
  const topics = [newFetchTopic({ topic: at.topic, partitions: [partition] })];
  const request = newFetchRequest({ topics, isolationLevel, maxBytes: ALL_BYTES });
  const answer = await client.call({ api: apis.Fetch, version: FETCH_VERSION, request });
  const data = answer.responses[0]?.partitions[0];
  if (answer.errorCode !== 0 || data === undefined || data.errorCode !== 0)
    throw new Error(`fetch of ${at.topic}-${at.partition} at ${at.offset}: ${answer.errorCode} ${data?.errorCode}`);
  return data;
}

function bytesOf(data: PartitionData): Buffer {
  const { records } = data;
  if (records === null) return Buffer.alloc(0);
  if (!Buffer.isBuffer(records)) throw new Error('records came in a form for sending');
  return records;
}

/** [texts of the records from `from` on, offset after the last batch]. */
function describe(batches: Buffer, from: number): [string[], number] {
  const texts: string[] = [];
  let end = from;
  for (let at = 0; at < batches.length; at += batchHeader.sizeInBytes(batches, at)) {
    const decoded = decodeRecords(batches, at);
    if (!decoded.ok || !batchHeader.isCrcValid(batches, at)) throw new Error(`a batch cannot be read at byte ${at}`);
    const producer = [batchHeader.producerId(batches, at), batchHeader.producerEpoch(batches, at)].join('/');
    const attributes = batchHeader.attributes(batches, at);
    for (const { offset, timestamp, key, value, headers } of decoded.value) {
      if (offset < from) continue;
      const parts = [offset, timestamp, key?.toString('latin1') ?? null, value?.toString('latin1') ?? null];
      const shown = headers.map((header) => [header.key, header.value?.toString('latin1') ?? null]);
      texts.push(JSON.stringify([...parts, shown, `attributes ${attributes} producer ${producer}`]));
    }
    end = batchHeader.lastOffset(batches, at) + 1;
  }
  return [texts, end];
}

/** Reads on until nothing more comes; `take` sees each answer. Gives the offset after the last batch. */
async function readOn(
  client: WireClient,
  from: { topic: string; partition: number; offset: number; isolationLevel: number },
  take: (texts: readonly string[], data: PartitionData) => void,
): Promise<number> {
  let { offset } = from;
  for (;;) {
    const data = await fetch(client, { ...from, offset }, from.isolationLevel);
    const [texts, end] = describe(bytesOf(data), offset);
    take(texts, data);
    if (end === offset) return end;
    offset = end;
  }
}

export async function partitionContents(
  client: WireClient,
  topic: string,
  partition: number,
): Promise<PartitionContents> {
  const offset = await startOffset(client, topic, partition);
  const { logStartOffset, highWatermark } = await fetch(client, { topic, partition, offset }, 0);
  const records: string[] = [];
  await readOn(client, { topic, partition, offset, isolationLevel: 0 }, (texts) => records.push(...texts));
  const aborted = new Map<string, readonly [number, number]>();
  let lastStableOffset = -1;
  const at = { topic, partition, offset, isolationLevel: READ_COMMITTED };
  const committedEnd = await readOn(client, at, (_, data) => {
    lastStableOffset = data.lastStableOffset;
    for (const { producerId, firstOffset } of data.abortedTransactions ?? [])
      aborted.set(`${producerId} ${firstOffset}`, [producerId, firstOffset]);
  });
  return {
    logStartOffset,
    highWatermark,
    lastStableOffset,
    records,
    committedEnd,
    aborted: [...aborted.values()].sort((a, b) => a[1] - b[1]),
  };
}

async function startOffset(client: WireClient, topic: string, partition: number): Promise<number> {
  const partitions = [newListOffsetsPartition({ partitionIndex: partition, timestamp: EARLIEST })];
  const request = newListOffsetsRequest({ topics: [newListOffsetsTopic({ name: topic, partitions })] });
  const answer = await client.call({ api: apis.ListOffsets, version: 5, request });
  const found = answer.topics[0]?.partitions[0];
  if (found === undefined || found.errorCode !== 0)
    throw new Error(`no start of ${topic}-${partition}: ${found?.errorCode}`);
  return found.offset;
}
