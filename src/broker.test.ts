/** Wiring, start and stop of a whole broker: listeners and addresses, requests under way when it stops. */
import { systemClock } from './base/clock';
import { type RunningBroker, runBroker } from './broker';
import { newFetchPartition, newFetchRequest, newFetchTopic } from './codec/generated/01-fetch';
import { newMetadataRequest } from './codec/generated/03-metadata';
import { newFindCoordinatorRequest } from './codec/generated/10-find-coordinator';
import { newJoinGroupRequest, newJoinGroupRequestProtocol } from './codec/generated/11-join-group';
import { newCreatableTopic, newCreateTopicsRequest } from './codec/generated/19-create-topics';
import { apis } from './codec/generated/apis';
import { ErrorCode } from './codec/generated/errors';
import { loadConfig } from './config/layers';
import { MemoryFileSystem } from './log/memory-file-system';
import { RecordingLogger } from './testing/recording-logger';
import { WireClient } from './testing/wire-client';

let broker: RunningBroker;
let logger: RecordingLogger;
let clients: WireClient[];

async function start(...overrides: string[]): Promise<void> {
  const loaded = loadConfig({ overrides, dataDir: '/data' });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  logger = new RecordingLogger();
  clients = [];
  broker = await runBroker({ ...loaded.value, logger, fileSystem: new MemoryFileSystem(systemClock) });
}

async function connect(listener = 0): Promise<WireClient> {
  const client = await WireClient.connect(broker.endpoints[listener]!.port);
  clients.push(client);
  return client;
}

async function createTopic(client: WireClient, name: string): Promise<void> {
  const topics = [newCreatableTopic({ name, numPartitions: 1, replicationFactor: 1 })];
  await client.call({
    api: apis.CreateTopics,
    version: 5,
    request: newCreateTopicsRequest({ topics, timeoutMs: 9000 }),
  });
}

afterEach(async () => {
  for (const client of clients) client.close();
  await broker.close();
});

describe('listeners', () => {
  const metadata = { api: apis.Metadata, version: 9, request: newMetadataRequest({ topics: [] }) };

  it('tells each client an address of the listener by which it came', async () => {
    await start(
      'listeners=INTERNAL://127.0.0.1:0,EXTERNAL://127.0.0.1:0',
      'advertised.listeners=INTERNAL://inside:1111,EXTERNAL://outside:2222',
      'listener.security.protocol.map=INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT',
      'inter.broker.listener.name=INTERNAL',
    );
    expect(broker.endpoints.map(({ listener }) => listener)).toEqual(['INTERNAL', 'EXTERNAL']);
    const told = [];
    for (const listener of [0, 1]) {
      const { brokers } = await (await connect(listener)).call(metadata);
      told.push(brokers.map(({ nodeId, host, port }) => [nodeId, host, port]));
    }
    expect(told).toEqual([[[1, 'inside', 1111]], [[1, 'outside', 2222]]]);
    const request = newFindCoordinatorRequest({ key: 'group' });
    const coordinator = await (await connect(1)).call({ api: apis.FindCoordinator, version: 2, request });
    expect(coordinator).toMatchObject({ errorCode: ErrorCode.NONE, nodeId: 1, host: 'outside', port: 2222 });
  });

  it('without advertised.listeners tells the address by which the client came', async () => {
    await start('listeners=PLAINTEXT://127.0.0.1:0');
    const { brokers } = await (await connect()).call(metadata);
    expect(brokers).toMatchObject([{ host: '127.0.0.1', port: broker.endpoints[0]!.port }]);
  });
});

describe('stopping', () => {
  beforeEach(() => start('listeners=PLAINTEXT://127.0.0.1:0'));

  it('ends long polls and waiting group members at once', async () => {
    const poller = await connect();
    await createTopic(poller, 't');
    const partitions = [newFetchPartition({ partition: 0, fetchOffset: 0, partitionMaxBytes: 1000 })];
    const topics = [newFetchTopic({ topic: 't', partitions })];
    const request = newFetchRequest({ maxWaitMs: 20_000, minBytes: 1, maxBytes: 1000, topics });
    const poll = poller.call({ api: apis.Fetch, version: 11, request });

    const member = await connect();
    await member.call({ api: apis.FindCoordinator, version: 2, request: newFindCoordinatorRequest({ key: 'g' }) });
    const protocols = [newJoinGroupRequestProtocol({ name: 'range', metadata: Buffer.alloc(0) })];
    const times = { sessionTimeoutMs: 10_000, rebalanceTimeoutMs: 20_000 };
    const join = newJoinGroupRequest({ groupId: 'g', protocolType: 'consumer', protocols, ...times });
    await member.call({ api: apis.JoinGroup, version: 3, request: join });
    const second = await connect();
    const parked = second.call({ api: apis.JoinGroup, version: 3, request: join });
    await new Promise((resolve) => setTimeout(resolve, 50));

    const startMs = performance.now();
    const ends = Promise.allSettled([poll, parked]);
    await broker.close();
    expect(performance.now() - startMs).toBeLessThan(900);
    const [polled, joined] = await ends;
    if (polled.status === 'fulfilled')
      expect(polled.value.responses).toMatchObject([{ partitions: [{ errorCode: 0 }] }]);
    if (joined.status === 'fulfilled') expect(joined.value.errorCode).toBe(ErrorCode.NOT_COORDINATOR);
    expect(logger.of('error')).toEqual([]);
    await poller.closedByBroker();
  });

  it('is done once however often it is asked for', async () => {
    const first = broker.close();
    expect(broker.close()).toBe(first);
    await first;
  });
});

it('gives back what it took when it cannot start', async () => {
  await start('listeners=PLAINTEXT://127.0.0.1:0');
  const { port } = broker.endpoints[0]!;
  const loaded = loadConfig({ overrides: [`listeners=PLAINTEXT://127.0.0.1:${port}`], dataDir: '/data' });
  if (!loaded.ok) throw new Error('bad settings');
  const fileSystem = new MemoryFileSystem(systemClock);
  await expect(runBroker({ ...loaded.value, logger, fileSystem })).rejects.toThrow(`port ${port} is in use`);
  expect(logger.of('error')).toEqual([]);
});
