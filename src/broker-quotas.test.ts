/**
 * Quotas of clients in a whole broker, with time by hand: answers come at once, connections are not read for as long as
 * the answers say, and everyone else is served.
 */
import { newFetchRequest } from './codec/generated/01-fetch';
import { newMetadataRequest } from './codec/generated/03-metadata';
import { newCreatableTopic, newCreateTopicsRequest } from './codec/generated/19-create-topics';
import { newDeleteTopicState, newDeleteTopicsRequest } from './codec/generated/20-delete-topics';
import { newCreatePartitionsRequest, newCreatePartitionsTopic } from './codec/generated/37-create-partitions';
import { newDescribeClientQuotasRequest } from './codec/generated/48-describe-client-quotas';
import {
  newAlterClientQuotasRequest,
  newAlterClientQuotasRequestEntityData,
  newAlterClientQuotasRequestEntryData,
  newOpData,
} from './codec/generated/49-alter-client-quotas';
import { apis } from './codec/generated/apis';
import { ErrorCode } from './codec/generated/errors';
import { ClockedBroker } from './testing/clocked-broker';
import { until } from './testing/raw-client';
import type { WireClient } from './testing/wire-client';
import { createTopic, fetchRequest, produceCall } from './testing/wire-records';

type Entity = Record<string, string | null>;

const RATE = 10_000;
/** What ten windows are worth. */
const BURST = 10 * RATE;
const LARGE = 'x'.repeat(BURST + 3 * RATE);
const NOT_ASKED_FOR_LONG = { listeners: 'PLAINTEXT://127.0.0.1:0', 'connections.max.idle.ms': '-1' };

let broker: ClockedBroker;
let admin: WireClient;

async function start(settings: Record<string, string> = {}): Promise<void> {
  broker = await ClockedBroker.start({ ...NOT_ASKED_FOR_LONG, ...settings });
  admin = await broker.connect('admin');
}

/** Null removes a value. */
async function set(entity: Entity, values: Record<string, number | null>): Promise<void> {
  const parts = Object.entries(entity).map(([entityType, entityName]) =>
    newAlterClientQuotasRequestEntityData({ entityType, entityName }),
  );
  const ops = Object.entries(values).map(([key, value]) =>
    newOpData({ key, value: value ?? 0, remove: value === null }),
  );
  const entries = [newAlterClientQuotasRequestEntryData({ entity: parts, ops })];
  const request = newAlterClientQuotasRequest({ entries });
  const answer = await admin.call({ api: apis.AlterClientQuotas, version: 1, request });
  expect(answer.entries).toMatchObject([{ errorCode: ErrorCode.NONE }]);
}

/** The pause that the answer to a Produce of one value tells. */
async function produce(client: WireClient, value: string, version = 9): Promise<number> {
  const answer = await client.call(produceCall({ topic: 't', values: [value] }, version));
  expect(answer.responses[0]!.partitionResponses).toMatchObject([{ errorCode: ErrorCode.NONE }]);
  return answer.throttleTimeMs;
}

/** Whether the connection has answered a small request; asked without waiting. */
function asked(client: WireClient): { isAnswered: boolean } {
  const state = { isAnswered: false };
  const request = newMetadataRequest({ topics: [] });
  void client.call({ api: apis.Metadata, version: 9, request }).then(() => {
    state.isAnswered = true;
  });
  return state;
}

/** Checks that `client` is not read before `pauseMs` have passed, while others are. */
async function expectMuted(client: WireClient, pauseMs: number): Promise<void> {
  const next = asked(client);
  await broker.clock.advance(pauseMs - 1);
  const others = asked(admin);
  await until(() => others.isAnswered, 'the answer to others');
  expect(next.isAnswered).toBe(false);
  await broker.clock.advance(1);
  await until(() => next.isAnswered, 'the end of the pause');
}

afterEach(() => broker.close());

describe('produce', () => {
  beforeEach(async () => {
    await start();
    await createTopic(admin, 't');
  });

  it('answers at once with the pause, then does not read for so long; others are not slowed (QUO-01)', async () => {
    await set({ 'client-id': 'c' }, { producer_byte_rate: RATE });
    const client = await broker.connect('c');
    const pauseMs = await produce(client, LARGE);
    expect(pauseMs).toBeGreaterThanOrEqual(3000);
    expect(pauseMs).toBeLessThan(3050);
    const other = await broker.connect('other');
    expect(await produce(other, LARGE)).toBe(0);
    await expectMuted(client, pauseMs);
    // The quota is of the client id, not of the connection, and old versions are told as well.
    expect(await produce(await broker.connect('c'), 'x'.repeat(BURST), 3)).toBeGreaterThan(0);
  });

  it('pauses without an answer, too (QUO-03)', async () => {
    await set({ user: 'ANONYMOUS', 'client-id': 'c' }, { producer_byte_rate: RATE });
    const client = await broker.connect('c');
    client.post(produceCall({ topic: 't', values: [LARGE], acks: 0 }));
    const next = asked(client);
    await broker.clock.advance(2900);
    expect(next.isAnswered).toBe(false);
    await broker.clock.advance(200);
    await until(() => next.isAnswered);
    // Nothing came for the Produce: the answer was matched to its request.
    expect(client.raw.frames).toHaveLength(1);
  });

  it('starts nothing behind a Produce that makes its client pause', async () => {
    await set({ 'client-id': 'c' }, { producer_byte_rate: RATE });
    const client = await broker.connect('c');
    const answers = [LARGE, 'two', 'three'].map((value) => produce(client, value));
    const pauseMs = await answers[0]!;
    await broker.clock.advance(pauseMs - 1);
    expect(client.raw.frames).toHaveLength(1);
    await broker.clock.advance(1);
    await broker.clock.advance(await answers[1]!);
    await answers[2];
  });

  it('takes the most specific quota, whether it is larger or smaller (QUO-03)', async () => {
    const isPaused = async (clientId: string): Promise<boolean> =>
      (await produce(await broker.connect(clientId), LARGE)) > 0;
    const LARGE_RATE = 1e9;
    await set({ 'client-id': null }, { producer_byte_rate: RATE });
    await set({ 'client-id': 'free' }, { producer_byte_rate: LARGE_RATE });
    expect([await isPaused('any'), await isPaused('free'), await isPaused('')]).toEqual([true, false, false]);
    await set({ user: null }, { producer_byte_rate: LARGE_RATE });
    expect(await isPaused('any2')).toBe(false);
    await set({ user: 'ANONYMOUS', 'client-id': 'any3' }, { producer_byte_rate: RATE });
    expect(await isPaused('any3')).toBe(true);
    await set({ user: null }, { producer_byte_rate: null });
    expect(await isPaused('any4')).toBe(true);
  });

  it('keeps a pause to its end when the quota goes meanwhile, and then none', async () => {
    await set({ 'client-id': 'c' }, { producer_byte_rate: RATE });
    const client = await broker.connect('c');
    const pauseMs = await produce(client, LARGE);
    await set({ 'client-id': 'c' }, { producer_byte_rate: null });
    await expectMuted(client, pauseMs);
    expect(await produce(client, LARGE)).toBe(0);
  });

  it('holds and is described after a restart (QUO-03)', async () => {
    await set({ user: 'u', 'client-id': null }, { request_percentage: 12.5 });
    await set({ 'client-id': 'c' }, { producer_byte_rate: RATE, consumer_byte_rate: 5 });
    await broker.restart();
    admin = await broker.connect('admin');
    const request = newDescribeClientQuotasRequest();
    const { entries } = await admin.call({ api: apis.DescribeClientQuotas, version: 1, request });
    expect(entries).toMatchObject([
      {
        entity: [
          { entityType: 'user', entityName: 'u' },
          { entityType: 'client-id', entityName: null },
        ],
        values: [{ key: 'request_percentage', value: 12.5 }],
      },
      {
        entity: [{ entityType: 'client-id', entityName: 'c' }],
        values: [
          { key: 'producer_byte_rate', value: RATE },
          { key: 'consumer_byte_rate', value: 5 },
        ],
      },
    ]);
    expect(await produce(await broker.connect('c'), LARGE)).toBeGreaterThan(0);
  });
});

describe('fetch', () => {
  it('is answered without data over the quota, and has it after the pause', async () => {
    await start();
    await createTopic(admin, 't');
    for (let i = 0; i < 3; i++) await produce(admin, 'x'.repeat(6 * RATE));
    await set({ 'client-id': 'c' }, { consumer_byte_rate: RATE });
    const client = await broker.connect('c');
    const session = { sessionId: 0, sessionEpoch: 0 };
    const fetch = async (offset: number) => {
      const request = newFetchRequest({ ...fetchRequest({ topic: 't', offset }), ...session });
      const answer = await client.call({ api: apis.Fetch, version: 11, request });
      expect(answer.errorCode).toBe(ErrorCode.NONE);
      session.sessionId = answer.sessionId;
      session.sessionEpoch++;
      const bytes = answer.responses[0]?.partitions[0]?.records?.length;
      return { bytes, pauseMs: answer.throttleTimeMs, partitions: answer.responses.length };
    };
    const first = await fetch(0);
    // Two batches would be more than what may be fetched at once.
    expect(first).toMatchObject({ pauseMs: 0 });
    expect(first.bytes).toBeLessThan(7 * RATE);
    const second = await fetch(1);
    expect(second.partitions).toBe(0);
    expect(second.pauseMs).toBeGreaterThanOrEqual(2000);
    await expectMuted(client, second.pauseMs);
    // The session has not taken note of what it did not tell.
    expect(await fetch(1)).toMatchObject({ bytes: first.bytes, pauseMs: 0 });
  });
});

describe('topic changes', () => {
  beforeEach(async () => {
    await start({ 'controller.quota.window.num': '10' });
    await set({ user: null }, { controller_mutation_rate: 1 });
  });

  /** Creates topics, by name and number of partitions, and `v` only for show; gives their errors. */
  async function create(client: WireClient, version: number, topics: Record<string, number>) {
    const request = newCreateTopicsRequest({
      validateOnly: 'v' in topics,
      timeoutMs: 1000,
      topics: Object.entries(topics).map(([name, numPartitions]) =>
        newCreatableTopic({ name, numPartitions, replicationFactor: 1 }),
      ),
    });
    const answer = await client.call({ api: apis.CreateTopics, version, request });
    return { errors: answer.topics.map(({ errorCode }) => errorCode), pauseMs: answer.throttleTimeMs };
  }

  const OVER = ErrorCode.THROTTLING_QUOTA_EXCEEDED;

  it('are refused beyond the quota, each topic for itself, in the versions that know the error', async () => {
    const client = await broker.connect('c');
    expect(await create(client, 7, { a: 4, b: 9, c: 1 })).toEqual({ errors: [0, 0, OVER], pauseMs: 3000 });
    await expectMuted(client, 3000);
    expect(await create(client, 6, { c: 1 })).toEqual({ errors: [0], pauseMs: 0 });

    const partitions = newCreatePartitionsRequest({
      topics: [newCreatePartitionsTopic({ name: 'a', count: 5, assignments: null })],
    });
    const grown = await client.call({ api: apis.CreatePartitions, version: 3, request: partitions });
    expect(grown).toMatchObject({ results: [{ errorCode: OVER }], throttleTimeMs: 1000 });
    await expectMuted(client, 1000);

    const names = ['b', 'c'].map((name) => newDeleteTopicState({ name }));
    const request = newDeleteTopicsRequest({ topics: names, timeoutMs: 1000 });
    const deleted = await client.call({ api: apis.DeleteTopics, version: 6, request });
    expect(deleted.responses.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['b', 0],
      ['c', OVER],
    ]);
    expect(deleted.throttleTimeMs).toBe(9000);
  });

  it('count also where they are only validated, as in Kafka 4', async () => {
    const client = await broker.connect('c');
    expect(await create(client, 7, { v: 13 })).toEqual({ errors: [0], pauseMs: 0 });
    expect(await create(client, 7, { v: 1 })).toEqual({ errors: [OVER], pauseMs: 3000 });
  });

  it('are made, and make the client pause, in older versions', async () => {
    const client = await broker.connect('c');
    expect(await create(client, 5, { a: 4, b: 9, c: 1 })).toEqual({ errors: [0, 0, 0], pauseMs: 4000 });
    await expectMuted(client, 4000);
  });
});

describe('connections', () => {
  it('wait by the rate of the broker', async () => {
    await start({ 'max.connection.creation.rate': '1', 'quota.window.num': '3' });
    await broker.connect('two');
    const third = asked(await broker.connect('three'));
    await broker.clock.advance(900);
    expect(third.isAnswered).toBe(false);
    await broker.clock.advance(200);
    await until(() => third.isAnswered);
  });

  it('are closed unserved, after a while, from an address that makes too many', async () => {
    await start({ 'quota.window.num': '3' });
    await set({ ip: '127.0.0.1' }, { connection_creation_rate: 1 });
    expect(asked(await broker.connect('one'))).toBeDefined();
    await broker.connect('two');
    const third = await broker.connect('three');
    const refused = third.call({ api: apis.Metadata, version: 9, request: newMetadataRequest({ topics: [] }) });
    const outcome = expect(refused).rejects.toThrow('closed');
    await broker.clock.advance(400);
    expect(third.raw.closed).toBe(false);
    await broker.clock.advance(700);
    await third.closedByBroker();
    await outcome;
    await set({ ip: '127.0.0.1' }, { connection_creation_rate: null });
    const fourth = asked(await broker.connect('four'));
    await until(() => fourth.isAnswered);
  });
});
