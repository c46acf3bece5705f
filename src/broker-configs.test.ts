/** Settings made at run time in a whole broker: they bite at once, by their precedence, and after a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newListOffsetsPartition, newListOffsetsRequest, newListOffsetsTopic } from './codec/generated/02-list-offsets';
import { newDescribeConfigsRequest, newDescribeConfigsResource } from './codec/generated/32-describe-configs';
import { newDescribeLogDirsRequest } from './codec/generated/35-describe-log-dirs';
import {
  newAlterableConfig,
  newAlterConfigsResource,
  newIncrementalAlterConfigsRequest,
} from './codec/generated/44-incremental-alter-configs';
import { apis } from './codec/generated/apis';
import { ErrorCode } from './codec/generated/errors';
import type { StartBrokerOptions } from './start-broker';
import { TestBrokers } from './testing/test-broker';
import type { WireClient } from './testing/wire-client';
import { createTopic, produce, produceCall } from './testing/wire-records';

const TOPIC = 2;
const BROKER = 4;
const EARLIEST = -2;

const brokers = new TestBrokers();
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'configs-'));
});
afterEach(async () => {
  await brokers.close();
  rmSync(directory, { recursive: true });
});

async function start(config: StartBrokerOptions['config'] = {}): Promise<WireClient> {
  await brokers.close();
  return brokers.connect(await brokers.start({ dataDir: directory, config: { 'node.id': 1, ...config } }));
}

/** Sets `key`, or deletes it where the value is null. */
async function set(client: WireClient, [type, name]: [number, string], [key, value]: [string, string | null]) {
  const configs = [newAlterableConfig({ name: key, configOperation: value === null ? 1 : 0, value })];
  const resources = [newAlterConfigsResource({ resourceType: type, resourceName: name, configs })];
  const request = newIncrementalAlterConfigsRequest({ resources });
  const answer = await client.call({ api: apis.IncrementalAlterConfigs, version: 1, request });
  expect(answer.responses).toMatchObject([{ errorCode: ErrorCode.NONE }]);
}

async function producing(client: WireClient, topic: string, bytes: number): Promise<number> {
  const answer = await client.call(produceCall({ topic, values: ['x'.repeat(bytes)] }));
  return answer.responses[0]!.partitionResponses[0]!.errorCode;
}

async function sourcesOf(client: WireClient, topic: string, key: string): Promise<[string | null, number][]> {
  const resources = [
    newDescribeConfigsResource({ resourceType: TOPIC, resourceName: topic, configurationKeys: [key] }),
  ];
  const request = newDescribeConfigsRequest({ resources, includeSynonyms: true });
  const answer = await client.call({ api: apis.DescribeConfigs, version: 4, request });
  return answer.results[0]!.configs[0]!.synonyms.map(({ value, source }) => [value, source]);
}

async function logStart(client: WireClient, topic: string): Promise<number> {
  const partitions = [newListOffsetsPartition({ partitionIndex: 0, timestamp: EARLIEST })];
  const request = newListOffsetsRequest({ topics: [newListOffsetsTopic({ name: topic, partitions })] });
  const answer = await client.call({ api: apis.ListOffsets, version: 5, request });
  return answer.topics[0]!.partitions[0]!.offset;
}

async function becomes(offset: number, look: () => Promise<number>): Promise<void> {
  const deadlineMs = Date.now() + 5000;
  while ((await look()) !== offset && Date.now() < deadlineMs) await new Promise((then) => setTimeout(then, 50));
  expect(await look()).toBe(offset);
}

it("a topic's largest message, at once and after a restart", async () => {
  let client = await start();
  await createTopic(client, 't');
  expect(await producing(client, 't', 500)).toBe(ErrorCode.NONE);
  await set(client, [TOPIC, 't'], ['max.message.bytes', '300']);
  expect(await producing(client, 't', 500)).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  client = await start();
  expect(await producing(client, 't', 500)).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  await set(client, [TOPIC, 't'], ['max.message.bytes', null]);
  expect(await producing(client, 't', 500)).toBe(ErrorCode.NONE);
});

it('layers: topic, broker, all brokers, start, default', async () => {
  let client = await start({ 'message.max.bytes': 5000 });
  await createTopic(client, 't');
  await set(client, [BROKER, ''], ['message.max.bytes', '400']);
  expect(await producing(client, 't', 500)).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  await set(client, [BROKER, '1'], ['message.max.bytes', '700']);
  expect(await producing(client, 't', 500)).toBe(ErrorCode.NONE);
  await set(client, [TOPIC, 't'], ['max.message.bytes', '300']);
  expect(await producing(client, 't', 500)).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  client = await start({ 'message.max.bytes': 5000 });
  expect(await sourcesOf(client, 't', 'max.message.bytes')).toEqual([
    ['300', 1],
    ['700', 2],
    ['400', 3],
    ['5000', 4],
    ['1048588', 5],
  ]);
  await set(client, [TOPIC, 't'], ['max.message.bytes', null]);
  expect(await producing(client, 't', 500)).toBe(ErrorCode.NONE);
  await set(client, [BROKER, '1'], ['message.max.bytes', null]);
  expect(await producing(client, 't', 500)).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  await set(client, [BROKER, ''], ['message.max.bytes', null]);
  expect(await producing(client, 't', 4000)).toBe(ErrorCode.NONE);
});

it('retention of a topic, and of all topics by a default, without a restart', async () => {
  const client = await start({ 'log.retention.ms': -1, 'log.retention.check.interval.ms': 50 });
  for (const topic of ['t', 'u']) {
    await createTopic(client, topic);
    // Records of 1970.
    await produce(client, { topic, values: ['a', 'b'] });
  }
  await set(client, [TOPIC, 't'], ['retention.ms', '1000']);
  await becomes(2, () => logStart(client, 't'));
  expect(await logStart(client, 'u')).toBe(0);
  await set(client, [BROKER, ''], ['log.retention.ms', '1000']);
  await becomes(2, () => logStart(client, 'u'));
});

it('recompression with a codec that has to be loaded first', async () => {
  const client = await start();
  await createTopic(client, 't');
  await set(client, [TOPIC, 't'], ['compression.type', 'zstd']);
  expect(await producing(client, 't', 5000)).toBe(ErrorCode.NONE);
  const request = newDescribeLogDirsRequest({ topics: null });
  const { results } = await client.call({ api: apis.DescribeLogDirs, version: 4, request });
  expect(results).toMatchObject([{ errorCode: 0, logDir: directory }]);
  const partition = results[0]!.topics.find(({ name }) => name === 't')!.partitions[0]!;
  expect(partition.partitionSize).toBeGreaterThan(0);
  expect(partition.partitionSize).toBeLessThan(1000);
  expect(results[0]!.usableBytes).toBeGreaterThan(0);
});

it('limits of connections', async () => {
  const broker = await brokers.start({ dataDir: directory, config: { 'node.id': 1 } });
  const client = await brokers.connect(broker);
  await set(client, [BROKER, '1'], ['max.connections.per.ip', '2']);
  const second = await brokers.connect(broker);
  const third = await brokers.connect(broker);
  await createTopic(second, 't');
  await third.closedByBroker();
  await set(client, [BROKER, '1'], ['max.connections.per.ip', null]);
  await createTopic(await brokers.connect(broker), 'u');
});
