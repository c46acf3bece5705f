/** The broker as a library: quick, several at a time, nothing left behind; in memory and on disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newMetadataRequest } from './codec/generated/03-metadata';
import { newApiVersionsRequest } from './codec/generated/18-api-versions';
import { newCreatableTopic, newCreateTopicsRequest } from './codec/generated/19-create-topics';
import { apis } from './codec/generated/apis';
import { ErrorCode } from './codec/generated/errors';
import { startBroker } from './start-broker';
import { TestBrokers } from './testing/test-broker';
import type { WireClient } from './testing/wire-client';

const brokers = new TestBrokers();
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'odradek-start-'));
});

afterEach(async () => {
  await brokers.close();
  rmSync(directory, { recursive: true, force: true });
});

async function createTopic(client: WireClient, name: string): Promise<void> {
  const topics = [newCreatableTopic({ name, numPartitions: 2, replicationFactor: 1 })];
  const request = newCreateTopicsRequest({ topics, timeoutMs: 10_000 });
  const answer = await client.call({ api: apis.CreateTopics, version: 5, request });
  expect(answer.topics.map(({ errorCode }) => errorCode)).toEqual([ErrorCode.NONE]);
}

async function topicNames(client: WireClient): Promise<(string | null)[]> {
  const request = newMetadataRequest({ topics: null });
  const { topics } = await client.call({ api: apis.Metadata, version: 9, request });
  return topics.map(({ name }) => name).sort();
}

it('serves clients at the address it gives', async () => {
  const broker = await brokers.start();
  expect(broker.bootstrap).toBe(`127.0.0.1:${broker.port}`);
  const client = await brokers.connect(broker);
  const versions = await client.call({ api: apis.ApiVersions, version: 0, request: newApiVersionsRequest() });
  expect(versions.apiKeys.length).toBeGreaterThan(20);
  const request = newMetadataRequest({ topics: [] });
  const metadata = await client.call({ api: apis.Metadata, version: 9, request });
  expect(metadata).toMatchObject({ clusterId: broker.clusterId, controllerId: broker.brokerId, topics: [] });
  expect(metadata.brokers).toMatchObject([{ nodeId: 1, host: '127.0.0.1', port: broker.port, rack: null }]);
});

it('runs several at a time, each with its own topics', async () => {
  const [first, second] = [await brokers.start(), await brokers.start({ config: { 'broker.id': 7 } })];
  const [one, two] = [await brokers.connect(first), await brokers.connect(second)];
  await createTopic(one, 'only-here');
  expect([await topicNames(one), await topicNames(two)]).toEqual([['only-here'], []]);
  expect([first.brokerId, second.brokerId, first.port === second.port]).toEqual([1, 7, false]);
});

it('keeps its topics on disk', async () => {
  const first = await startBroker({ dataDir: directory });
  const client = await brokers.connect(first);
  await createTopic(client, 'kept');
  await first.close();
  const second = await brokers.start({ dataDir: directory });
  expect(second.clusterId).toBe(first.clusterId);
  expect(await topicNames(await brokers.connect(second))).toEqual(['kept']);
});

it('leaves nothing behind: not the port, nor the directory, nor connections', async () => {
  const first = await startBroker({ dataDir: directory });
  const client = await brokers.connect(first);
  await first.close();
  await client.closedByBroker();
  await first.close();
  const second = await brokers.start({ dataDir: directory, port: first.port });
  expect(second.port).toBe(first.port);
});

it('says what is wrong with options and settings, and lets go of what it held', async () => {
  await expect(startBroker({ storage: 'disk' })).rejects.toThrow('needs a dataDir');
  await expect(startBroker({ storage: 'memory', dataDir: directory })).rejects.toThrow('of no use');
  await expect(startBroker({ config: { 'log.segment.bytes': 1 } })).rejects.toThrow('log.segment.bytes=1');
  const { port } = await brokers.start();
  const taken = startBroker({ dataDir: directory, port });
  await expect(taken).rejects.toThrow(`port ${port} is in use`);
  await brokers.start({ dataDir: directory });
  await expect(startBroker({ dataDir: directory })).rejects.toThrow('in use by another broker in this process');
});
