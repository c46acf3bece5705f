/**
 * The codec beside kafkajs's: `node tools/run.js tools/bench/codec/main.ts [--seconds N]` prints, for each message,
 * microseconds to decode and to encode it by both and the ratio, taken by turns in one run; then what decoding and
 * encoding leave behind for records of different sizes. Asserts only that both sides agree on the bytes.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { ZERO_UUID } from '../../../src/base/random';
import { newProduceRequest } from '../../../src/codec/generated/00-produce';
import { newFetchableTopicResponse, newFetchResponse, newPartitionData } from '../../../src/codec/generated/01-fetch';
import {
  newMetadataResponse,
  newMetadataResponseBroker,
  newMetadataResponsePartition,
  newMetadataResponseTopic,
} from '../../../src/codec/generated/03-metadata';
import { newJoinGroupResponse } from '../../../src/codec/generated/11-join-group';
import { apis } from '../../../src/codec/generated/apis';
import { Reader } from '../../../src/codec/reader';
import { Writer } from '../../../src/codec/writer';
import { buildBatch } from '../../../src/records/batch-builder';
import { decodeRecords } from '../../../src/records/record-codec';
import { kafkajsCall } from '../../codegen/kafkajs-protocol';
import { decodeProduce, encodeFetch, encodeJoinGroup, encodeMetadata, encodeProduce } from './kafkajs-side';

type Work = () => unknown;

interface Case {
  readonly name: string;
  readonly ours: Work;
  readonly theirs: Work;
}

const TURNS = 12;
const WARM_UP_MS = 400;

function written(encode: (writer: Writer) => void): Buffer {
  const writer = new Writer();
  encode(writer);
  return writer.finishBuffer();
}

function expectSame(name: string, ours: Buffer, theirs: Buffer): void {
  if (!ours.equals(theirs)) throw new Error(`${name}: ${ours.toString('hex')}\nis not ${theirs.toString('hex')}`);
}

function batch(valueBytes: number, count: number): Buffer {
  const record = { timestamp: 1_700_000_000_000, key: Buffer.from('key'), value: Buffer.alloc(valueBytes, 1) };
  return buildBatch({ records: Array.from({ length: count }, () => record) });
}

function produceCases(): Case[] {
  const version = 7;
  const records = batch(100, 10);
  const topics = Array.from({ length: 10 }, (_, index) => ({ name: `topic-${index}`, partitions: [records, records] }));
  const message = newProduceRequest({
    acks: -1,
    timeoutMs: 30_000,
    topicData: topics.map(({ name, partitions }) => ({
      name,
      topicId: ZERO_UUID,
      partitionData: partitions.map((one, index) => ({ index, records: one })),
    })),
  });
  const encode = (): Buffer => written((writer) => apis.Produce.encodeRequest(writer, message, version));
  const bytes = encode();
  expectSame('Produce', bytes, encodeProduce(topics));
  return [
    {
      name: `Produce v${version} request, 20 partitions of 1 KB: decode`,
      ours: () => apis.Produce.decodeRequest(new Reader(bytes), version),
      theirs: () => decodeProduce(bytes),
    },
    { name: 'the same: encode', ours: encode, theirs: () => encodeProduce(topics) },
  ];
}

function fetchMessage(partitions: number, records: Buffer): ReturnType<typeof newFetchResponse> {
  const all = Array.from({ length: partitions }, (_, partitionIndex) =>
    newPartitionData({
      ...{ partitionIndex, highWatermark: 123_456_789, lastStableOffset: 123_456_789, logStartOffset: 5 },
      ...{ abortedTransactions: [], records },
    }),
  );
  return newFetchResponse({ responses: [newFetchableTopicResponse({ topic: 'topic', partitions: all })] });
}

function fetchCases(): Case[] {
  const version = 11;
  const empty = fetchMessage(20, Buffer.alloc(0));
  const full = fetchMessage(20, batch(100, 10));
  const encode = (message: typeof empty): Buffer =>
    written((writer) => apis.Fetch.encodeResponse(writer, message, version));
  const [emptyBytes, fullBytes] = [encode(empty), encode(full)];
  expectSame('Fetch', fullBytes, encodeFetch(full));
  const kafkajs = kafkajsCall('fetch', version, { topics: [] }).response;
  const decodeAll = (): unknown => {
    const { responses } = apis.Fetch.decodeResponse(new Reader(fullBytes), version);
    return responses.map((topic) => topic.partitions.map(({ records }) => decodeRecords(records as Buffer)));
  };
  return [
    {
      name: `Fetch v${version} response, 20 partitions without records: decode`,
      ours: () => apis.Fetch.decodeResponse(new Reader(emptyBytes), version),
      theirs: () => kafkajs.decode(emptyBytes),
    },
    {
      name: 'the same with 10 records each, records too: decode',
      ours: decodeAll,
      theirs: () => kafkajs.decode(fullBytes),
    },
    { name: 'the same: encode', ours: () => encode(full), theirs: () => encodeFetch(full) },
  ];
}

function metadataCases(): Case[] {
  const version = 6;
  const message = newMetadataResponse({
    clusterId: 'cluster',
    controllerId: 1,
    brokers: [1, 2, 3].map((nodeId) => newMetadataResponseBroker({ nodeId, host: `broker-${nodeId}`, port: 9092 })),
    topics: Array.from({ length: 1000 }, (_, topic) =>
      newMetadataResponseTopic({
        name: `some-topic-${topic}`,
        partitions: [0, 1, 2].map((partitionIndex) =>
          newMetadataResponsePartition({ partitionIndex, leaderId: 1, replicaNodes: [1, 2, 3], isrNodes: [1, 2, 3] }),
        ),
      }),
    ),
  });
  const encode = (): Buffer => written((writer) => apis.Metadata.encodeResponse(writer, message, version));
  const bytes = encode();
  expectSame('Metadata', bytes, encodeMetadata(message));
  const kafkajs = kafkajsCall('metadata', version, { topics: [] }).response;
  return [
    {
      name: `Metadata v${version} response, 1,000 topics of 3 partitions: decode`,
      ours: () => apis.Metadata.decodeResponse(new Reader(bytes), version),
      theirs: () => kafkajs.decode(bytes),
    },
    { name: 'the same: encode', ours: encode, theirs: () => encodeMetadata(message) },
  ];
}

function joinGroupCases(): Case[] {
  const version = 5;
  const members = Array.from({ length: 50 }, (_, index) => ({
    memberId: `consumer-${index}-0123456789abcdef`,
    groupInstanceId: null,
    metadata: Buffer.alloc(60, 7),
  }));
  const message = newJoinGroupResponse({
    ...{
      generationId: 3,
      protocolName: 'range',
      leader: members[0]!.memberId,
      memberId: members[0]!.memberId,
      members,
    },
  });
  const encode = (): Buffer => written((writer) => apis.JoinGroup.encodeResponse(writer, message, version));
  const bytes = encode();
  expectSame('JoinGroup', bytes, encodeJoinGroup(message));
  const kafkajs = kafkajsCall('joinGroup', version, { groupProtocols: [] }).response;
  return [
    {
      name: `JoinGroup v${version} response, 50 members: decode`,
      ours: () => apis.JoinGroup.decodeResponse(new Reader(bytes), version),
      theirs: () => kafkajs.decode(bytes),
    },
    { name: 'the same: encode', ours: encode, theirs: () => encodeJoinGroup(message) },
  ];
}

/** Microseconds of processor time for one call, garbage collection included; a busy machine disturbs it little. */
async function microseconds(work: Work, milliseconds: number): Promise<number> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  let calls = 0;
  do {
    for (let left = 10; left > 0; left--, calls++) {
      const result = work();
      if (result instanceof Promise) await result;
    }
  } while (performance.now() - startedMs < milliseconds);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** The fastest turn counts: whatever else the machine does only makes turns slower. */
async function compare({ name, ours, theirs }: Case, milliseconds: number): Promise<void> {
  // The compiler works beside us, and on a busy machine slowly.
  for (const work of [ours, theirs, ours, theirs]) await microseconds(work, WARM_UP_MS);
  let [own, other] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < TURNS; turn++) {
    own = Math.min(own, await microseconds(ours, milliseconds));
    other = Math.min(other, await microseconds(theirs, milliseconds));
  }
  console.log(`| ${name} | ${own.toFixed(1)} | ${other.toFixed(1)} | ${(other / own).toFixed(1)} |`);
}

/** Bytes that one call leaves on the heap and outside of it. */
function leftBehind(work: Work): { heap: number; buffers: number } {
  const calls = 300;
  for (let left = calls; left > 0; left--) work();
  globalThis.gc?.();
  const before = process.memoryUsage();
  for (let left = calls; left > 0; left--) work();
  const after = process.memoryUsage();
  return {
    heap: Math.round((after.heapUsed - before.heapUsed) / calls),
    buffers: Math.round((after.arrayBuffers - before.arrayBuffers) / calls),
  };
}

function printGarbage(): void {
  console.log('\n| one partition with records of | decoding leaves, heap + buffers | encoding leaves |\n|---|---|---|');
  for (const size of [10_000, 100_000, 1_000_000]) {
    const message = fetchMessage(1, batch(size, 1));
    const bytes = written((writer) => apis.Fetch.encodeResponse(writer, message, 11));
    const decoded = leftBehind(() => apis.Fetch.decodeResponse(new Reader(bytes), 11));
    const encoded = leftBehind(() => {
      const writer = new Writer();
      apis.Fetch.encodeResponse(writer, message, 11);
      return writer.finish();
    });
    const cell = ({ heap, buffers }: typeof decoded): string => `${heap} + ${buffers} bytes`;
    console.log(`| ${size} bytes | ${cell(decoded)} | ${cell(encoded)} |`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
  const cases = [...produceCases(), ...fetchCases(), ...metadataCases(), ...joinGroupCases()];
  const milliseconds = (Number(values.seconds) * 1000) / (cases.length * TURNS * 2);
  if (!(milliseconds > 0)) throw new Error('--seconds takes a number above 0');
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}; microseconds of processor time\n`,
  );
  console.log('| message | Odradek | kafkajs | times faster |\n|---|---|---|---|');
  for (const one of cases) await compare(one, milliseconds);
  printGarbage();
}

void main();
