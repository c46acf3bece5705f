/** A broker with several data directories: partitions are spread, and a directory that fails takes its own along. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newMetadataRequest, newMetadataRequestTopic } from './codec/generated/03-metadata';
import {
  newAlterReplicaLogDir,
  newAlterReplicaLogDirsRequest,
  newAlterReplicaLogDirTopic,
} from './codec/generated/34-alter-replica-log-dirs';
import { newDescribeLogDirsRequest } from './codec/generated/35-describe-log-dirs';
import { apis } from './codec/generated/apis';
import { ErrorCode } from './codec/generated/errors';
import type { EmbeddedBroker } from './start-broker';
import { TestBrokers } from './testing/test-broker';
import type { WireClient } from './testing/wire-client';
import { createTopic, fetchValues, produce, produceCall } from './testing/wire-records';

const brokers = new TestBrokers();
const home = mkdtempSync(join(tmpdir(), 'odradek-directories-'));
const [a, b] = [join(home, 'a'), join(home, 'b')];

afterAll(async () => {
  await brokers.close();
  rmSync(home, { recursive: true, force: true });
});

async function start(): Promise<{ broker: EmbeddedBroker; client: WireClient }> {
  const broker = await brokers.start({ dataDir: `${a},${b}`, logLevel: 'silent' });
  return { broker, client: await brokers.connect(broker) };
}

async function leaders(client: WireClient, topic: string): Promise<[number, number][]> {
  const request = newMetadataRequest({ topics: [newMetadataRequestTopic({ name: topic })] });
  const { topics } = await client.call({ api: apis.Metadata, version: 9, request });
  const partitions = topics[0]!.partitions.sort((x, y) => x.partitionIndex - y.partitionIndex);
  return partitions.map(({ errorCode, leaderId }) => [errorCode, leaderId]);
}

async function directories(client: WireClient): Promise<Record<string, string[] | number>> {
  const request = newDescribeLogDirsRequest({ topics: null });
  const { results } = await client.call({ api: apis.DescribeLogDirs, version: 4, request });
  return Object.fromEntries(
    results.map(({ logDir, errorCode, topics }) => {
      const names = topics.flatMap(({ name, partitions }) =>
        partitions.map((each) => `${name}-${each.partitionIndex}`),
      );
      return [logDir.slice(home.length + 1), errorCode === 0 ? names.sort() : errorCode];
    }),
  );
}

async function move(client: WireClient, path: string, name: string): Promise<number> {
  const topics = [newAlterReplicaLogDirTopic({ name, partitions: [0] })];
  const request = newAlterReplicaLogDirsRequest({ dirs: [newAlterReplicaLogDir({ path, topics })] });
  const { results } = await client.call({ api: apis.AlterReplicaLogDirs, version: 2, request });
  return results[0]!.partitions[0]!.errorCode;
}

it('loses only what lies in a directory that fails, and has it back with the directory', async () => {
  const first = await start();
  await createTopic(first.client, 't', 4);
  for (const partition of [0, 1, 2, 3])
    await produce(first.client, { topic: 't', partition, values: [`p${partition}`] });
  expect(await directories(first.client)).toEqual({ a: ['t-0', 't-2'], b: ['t-1', 't-3'] });
  await first.broker.close();

  renameSync(b, join(home, 'away'));
  writeFileSync(b, 'no directory');
  const second = await start();
  const offline = [ErrorCode.LEADER_NOT_AVAILABLE, -1];
  expect(await leaders(second.client, 't')).toEqual([[0, 1], offline, [0, 1], offline]);
  expect(await fetchValues(second.client, { topic: 't', partition: 2 })).toEqual(['p2']);
  const refused = await second.client.call(produceCall({ topic: 't', partition: 1, values: ['lost'] }));
  expect(refused.responses[0]!.partitionResponses[0]!.errorCode).not.toBe(0);
  expect(await move(second.client, b, 't')).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  await createTopic(second.client, 'new', 2);
  await produce(second.client, { topic: 'new', partition: 1, values: ['elsewhere'] });
  expect(await directories(second.client)).toEqual({
    a: ['new-0', 'new-1', 't-0', 't-2'],
    b: ErrorCode.KAFKA_STORAGE_ERROR,
  });
  await second.broker.close();

  rmSync(b);
  renameSync(join(home, 'away'), b);
  const third = await start();
  expect(await leaders(third.client, 't')).toEqual([1, 1, 1, 1].map((leader) => [0, leader]));
  for (const partition of [0, 1, 2, 3]) {
    expect(await fetchValues(third.client, { topic: 't', partition })).toEqual([`p${partition}`]);
  }
  expect(await fetchValues(third.client, { topic: 'new', partition: 1 })).toEqual(['elsewhere']);
  await third.broker.close();
});
