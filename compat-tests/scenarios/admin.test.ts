/** Administration: topics and their settings as tools make, change and look them up. */
import { ZERO_UUID } from '../../src/base/random';
import { newDeleteTopicState, newDeleteTopicsRequest } from '../../src/codec/generated/20-delete-topics';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import type { WireClient } from '../../src/testing/wire-client';
import {
  APPEND,
  alterIncrementally,
  BROKER,
  createPartitions,
  createTopics,
  DELETE,
  deleteTopics,
  describeConfigs,
  type Operation,
  replaceConfigs,
  SET,
  SUBTRACT,
  TOPIC,
  topicSetting,
} from './admin-calls';
import { metadata, topicMetadata } from './data-calls';
import { eventually, uniqueName, useBroker, withSettings } from './fixture';

const broker = useBroker();
const [TOPIC_CONFIG, DYNAMIC_DEFAULT, STATIC, DEFAULT] = [1, 3, 4, 5];
const WEEK_MS = '604800000';

let client: WireClient;
beforeEach(async () => {
  client = await broker.connect();
});

async function partitionCount(from: WireClient, topic: string): Promise<number> {
  return (await topicMetadata(from, topic)).partitions.length;
}

async function becomes(topic: string, key: string, wanted: string): Promise<void> {
  await eventually(`${key} to be ${wanted}`, {
    attempt: () => topicSetting(client, topic, key),
    holds: ([value]) => value === wanted,
  });
}

describe('CreateTopics', () => {
  broker.scenario('refuses bad settings by name and makes nothing', async () => {
    const settings: (readonly [string, string | null])[] = [
      ['foo', 'bar'],
      ['retention.ms', 'abc'],
      ['retention.ms', null],
      ['cleanup.policy', 'bogus'],
      ['min.insync.replicas', '0'],
    ];
    for (const [key, value] of settings) {
      const name = uniqueName('topic');
      const [refused] = await createTopics(client, [{ name, configs: { [key]: value } }], { version: 5 });
      expect([refused!.errorCode, refused!.errorMessage]).toEqual([
        ErrorCode.INVALID_CONFIG,
        expect.stringContaining(key),
      ]);
      expect((await topicMetadata(client, name)).errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    }
  });

  broker.scenario('only validates where that is asked', async () => {
    const [good, present, bad] = [uniqueName('topic'), await broker.topic(), uniqueName('topic')];
    const wanted = [{ name: good }, { name: present }, { name: bad, configs: { 'retention.ms': 'abc' } }];
    const results = await createTopics(client, wanted, { version: 7, validateOnly: true });
    const codes = new Map(results.map(({ name, errorCode }) => [name, errorCode]));
    expect(wanted.map(({ name }) => codes.get(name))).toEqual([
      ErrorCode.NONE,
      ErrorCode.TOPIC_ALREADY_EXISTS,
      ErrorCode.INVALID_CONFIG,
    ]);
    expect((await topicMetadata(client, good)).errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });

  broker.scenario('bounds the partitions of a request without making any', async () => {
    for (const partitions of [2 ** 31 - 1, 10_001]) {
      const [refused] = await createTopics(client, [{ name: uniqueName('topic'), partitions }], { version: 5 });
      expect(refused!.errorCode).toBe(ErrorCode.POLICY_VIOLATION);
    }
  });

  broker.scenario(
    'takes names of up to 249 characters, none twice, and tells which topic a name collides with',
    async () => {
      const [base, long] = [uniqueName('n'), uniqueName('n').padEnd(249, 'x')];
      const create = async (name: string): Promise<[number, string | null]> => {
        const [made] = await createTopics(client, [{ name }], { version: 5 });
        return [made!.errorCode, made!.errorMessage];
      };
      expect(await create(long)).toEqual([ErrorCode.NONE, null]);
      const invalid = ErrorCode.INVALID_TOPIC_EXCEPTION;
      for (const name of ['', '.', '..', 'a b', 'ä', `${long}x`]) expect((await create(name))[0]).toBe(invalid);
      expect((await create(`${base}.d`))[0]).toBe(ErrorCode.NONE);
      expect(await create(`${base}_d`)).toEqual([invalid, `Topic '${base}_d' collides with existing topic: ${base}.d`]);
      await deleteTopics(client, [`${base}.d`], 4);
      expect((await create(`${base}_d`))[0]).toBe(ErrorCode.NONE);
      const twice = await createTopics(client, [{ name: `${base}-e` }, { name: `${base}-e` }], { version: 5 });
      expect(twice.map(({ errorCode }) => errorCode)).toEqual([ErrorCode.INVALID_REQUEST]);
    },
  );
});

withSettings({ 'num.partitions': 3, 'log.segment.bytes': 12_345_678 }, (own) => {
  own.scenario('CreateTopics takes defaults for -1 and tells everything of the topic', async () => {
    const admin = await own.connect();
    for (const version of [3, 4, 7]) {
      const name = uniqueName('topic');
      const wanted = { name, partitions: -1, replicationFactor: -1, configs: { 'retention.ms': '77777' } };
      const [made] = await createTopics(admin, [wanted], { version });
      expect(made!.errorCode).toBe(ErrorCode.NONE);
      const topic = await topicMetadata(admin, name);
      expect(topic.partitions).toHaveLength(3);
      if (version < 5) continue;
      expect([made!.numPartitions, made!.replicationFactor, made!.topicConfigErrorCode]).toEqual([3, 1, 0]);
      const told = new Map(made!.configs?.map(({ name: key, value, configSource }) => [key, [value, configSource]]));
      expect([told.get('retention.ms'), told.get('segment.bytes'), told.get('cleanup.policy')]).toEqual([
        ['77777', TOPIC_CONFIG],
        ['12345678', STATIC],
        ['delete', DEFAULT],
      ]);
      expect(told.size).toBeGreaterThan(30);
      expect(made!.topicId).not.toBe(ZERO_UUID);
    }
    const refusals: [Partial<{ partitions: number; replicationFactor: number }>, ErrorCode][] = [
      [{ partitions: 0 }, ErrorCode.INVALID_PARTITIONS],
      [{ replicationFactor: 0 }, ErrorCode.INVALID_REPLICATION_FACTOR],
      [{ replicationFactor: 5 }, ErrorCode.INVALID_REPLICATION_FACTOR],
    ];
    for (const [counts, code] of refusals) {
      const [refused] = await createTopics(admin, [{ name: uniqueName('topic'), ...counts }], { version: 4 });
      expect(refused!.errorCode).toBe(code);
    }
  });
});

describe('CreatePartitions', () => {
  broker.scenario('takes the number that there shall be in all', async () => {
    const name = await broker.topic({ partitions: 3 });
    const { brokers } = await metadata(client, [name]);
    const me = brokers[0]!.nodeId;
    for (const version of broker.versions(apis.CreatePartitions)) {
      const grow = async (count: number, assignments?: number[][]): Promise<number> =>
        (await createPartitions(client, [{ name, count, ...(assignments && { assignments }) }], { version }))[0]!;
      const count = await partitionCount(client, name);
      expect([await grow(count), await grow(count - 1)]).toEqual(Array(2).fill(ErrorCode.INVALID_PARTITIONS));
      const wrong = ErrorCode.INVALID_REPLICA_ASSIGNMENT;
      expect([await grow(count + 2, [[me]]), await grow(count + 1, [[99]])]).toEqual([wrong, wrong]);
      const missing = [{ name: uniqueName('none'), count: 4 }];
      expect(await createPartitions(client, missing, { version })).toEqual([ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]);
      const twice = [4, 5].map((more) => ({ name, count: count + more }));
      expect(await createPartitions(client, twice, { version })).toEqual([ErrorCode.INVALID_REQUEST]);
      const dry = [{ name, count: count + 3 }];
      expect(await createPartitions(client, dry, { version, validateOnly: true })).toEqual([ErrorCode.NONE]);
      expect(await partitionCount(client, name)).toBe(count);
      expect([await grow(count + 2), await grow(count + 3, [[me]])]).toEqual([ErrorCode.NONE, ErrorCode.NONE]);
      await eventually('the partitions', {
        attempt: () => partitionCount(client, name),
        holds: (now) => now === count + 3,
      });
    }
  });
});

describe('DeleteTopics', () => {
  broker.scenario('deletes by name and by id, answers each, and knows none afterwards', async () => {
    const [one, other] = [await broker.topic(), await broker.topic()];
    const results = await deleteTopics(client, [one, uniqueName('none')], 5);
    expect(results.map(({ errorCode }) => errorCode).sort()).toEqual([0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]);
    const { topicId } = await topicMetadata(client, other, 12);
    const unknown = 'abcdefghijklmnopqrstuw';
    const topics = [topicId, unknown].map((id) => newDeleteTopicState({ name: null, topicId: id }));
    const request = newDeleteTopicsRequest({ topics, timeoutMs: 10_000 });
    const { responses } = await client.call({ api: apis.DeleteTopics, version: 6, request });
    const codes = new Map(responses.map((response) => [response.topicId, response.errorCode]));
    expect([codes.get(topicId), codes.get(unknown)]).toEqual([ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_ID]);
    for (const name of [one, other]) {
      await eventually('the topic to go', {
        attempt: () => topicMetadata(client, name),
        holds: ({ errorCode }) => errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
      });
    }
  });
});

withSettings({ 'delete.topic.enable': false }, (own) => {
  own.scenario('DeleteTopics says that deletion is off, each version in its own way', async () => {
    const [admin, name] = [await own.connect(), await own.topic()];
    const code = async (version: number): Promise<number> => (await deleteTopics(admin, [name], version))[0]!.errorCode;
    expect([await code(1), await code(2)]).toEqual(Array(2).fill(ErrorCode.INVALID_REQUEST));
    expect([await code(3), await code(5)]).toEqual(Array(2).fill(ErrorCode.TOPIC_DELETION_DISABLED));
    expect((await topicMetadata(admin, name)).errorCode).toBe(ErrorCode.NONE);
  });
});

describe('settings of topics', () => {
  broker.scenario('change by operations, one after the other', async () => {
    const name = await broker.topic({ configs: { 'cleanup.policy': 'delete' } });
    for (const version of broker.versions(apis.IncrementalAlterConfigs)) {
      const alter = async (...operations: Operation[]): Promise<number> =>
        (await alterIncrementally(client, [{ name, operations }], { version }))[0]![1];
      await alter(['cleanup.policy', SET, 'delete']);
      for (let again = 0; again < 2; again++) {
        expect(await alter(['cleanup.policy', APPEND, 'compact'])).toBe(ErrorCode.NONE);
        await becomes(name, 'cleanup.policy', 'delete,compact');
      }
      for (let again = 0; again < 2; again++) {
        expect(await alter(['cleanup.policy', SUBTRACT, 'delete'])).toBe(ErrorCode.NONE);
        await becomes(name, 'cleanup.policy', 'compact');
      }
      expect(await alter(['retention.ms', APPEND, '5'])).toBe(ErrorCode.INVALID_CONFIG);
      expect(await alter(['retention.ms', SET, null])).toBe(ErrorCode.INVALID_REQUEST);
      expect(await alter(['retention.ms', SET, '5'], ['retention.ms', SET, '6'])).toBe(ErrorCode.INVALID_REQUEST);
      expect(await alter(['retention.ms', SET, '5000'])).toBe(ErrorCode.NONE);
      await becomes(name, 'retention.ms', '5000');
      expect(await alter(['retention.ms', DELETE])).toBe(ErrorCode.NONE);
      await becomes(name, 'retention.ms', WEEK_MS);
    }
  });

  broker.scenario('fail and succeed resource by resource', async () => {
    const [name, other, missing] = [await broker.topic(), await broker.topic(), uniqueName('none')];
    const set = (topic: string, value: string) => {
      return { name: topic, operations: [['retention.ms', SET, value] as const] };
    };
    const results = await alterIncrementally(client, [
      set(name, '1'),
      set(name, '2'),
      set(other, '6000'),
      set(missing, '1'),
    ]);
    expect(new Map(results)).toEqual(
      new Map([
        [name, ErrorCode.INVALID_REQUEST],
        [other, ErrorCode.NONE],
        [missing, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
      ]),
    );
    await becomes(other, 'retention.ms', '6000');
    expect(await alterIncrementally(client, [set(name, '4321')], { validateOnly: true })).toEqual([[name, 0]]);
    expect((await topicSetting(client, name, 'retention.ms'))[0]).toBe(WEEK_MS);
  });

  broker.scenario('are all replaced by AlterConfigs', async () => {
    for (const version of broker.versions(apis.AlterConfigs)) {
      const name = await broker.topic({ configs: { 'cleanup.policy': 'compact', 'retention.ms': 7777 } });
      expect(await replaceConfigs(client, name, { configs: { 'segment.bytes': '2000000' }, version })).toBe(0);
      await becomes(name, 'segment.bytes', '2000000');
      expect(await topicSetting(client, name, 'cleanup.policy')).toEqual(['delete', DEFAULT]);
      expect(await topicSetting(client, name, 'retention.ms')).toEqual([WEEK_MS, DEFAULT]);
    }
  });

  broker.scenario('can be read and written back as they are', async () => {
    const name = await broker.topic({ configs: { 'retention.ms': 123_456 } });
    const { configs } = await describeConfigs(client, { type: TOPIC, name });
    const given = configs.flatMap(({ name: key, value, readOnly }) =>
      readOnly || value === null ? [] : [[key, value] as const],
    );
    expect(given.length).toBeGreaterThan(25);
    expect(await replaceConfigs(client, name, { configs: Object.fromEntries(given), version: 2 })).toBe(0);
    const operations = given.map(([key, value]) => [key, SET, value] as const);
    expect(await alterIncrementally(client, [{ name, operations }])).toEqual([[name, 0]]);
    await becomes(name, 'retention.ms', '123456');
  });
});

describe('DescribeConfigs', () => {
  broker.scenario('tells the keys that are asked for, or all, with documentation where that is asked', async () => {
    const name = await broker.topic({ configs: { 'cleanup.policy': 'compact' } });
    const one = await describeConfigs(client, { type: TOPIC, name, keys: ['cleanup.policy', 'no.such.key'] });
    expect(one.configs.map(({ name: key, value }) => [key, value])).toEqual([['cleanup.policy', 'compact']]);
    for (const keys of [null, []]) {
      const all = (await describeConfigs(client, { type: TOPIC, name, keys, documentation: true })).configs;
      expect(all.length).toBeGreaterThan(25);
      expect(all.every(({ documentation }) => documentation !== null && documentation !== '')).toBe(true);
    }
    const code = async (type: number, resource: string): Promise<number> =>
      (await describeConfigs(client, { type, name: resource })).errorCode;
    expect([await code(TOPIC, uniqueName('none')), await code(TOPIC, 'a b'), await code(BROKER, '99')]).toEqual([
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
      ErrorCode.INVALID_TOPIC_EXCEPTION,
      ErrorCode.INVALID_REQUEST,
    ]);
  });
});

withSettings({ 'ssl.truststore.password': 'hunter2', 'log.retention.hours': 2 }, (own) => {
  own.scenario('DescribeConfigs of a broker: what engines look up, and no secrets', async () => {
    const admin = await own.connect();
    const { configs } = await describeConfigs(admin, { type: BROKER, name: '1' });
    const told = new Map(configs.map((config) => [config.name, config]));
    const lookedUp = ['num.partitions', 'default.replication.factor', 'auto.create.topics.enable', 'message.max.bytes'];
    expect(lookedUp.filter((key) => !told.has(key))).toEqual([]);
    expect(told.get('log.retention.hours')).toMatchObject({ value: '2', configSource: STATIC, readOnly: true });
    expect(told.get('ssl.truststore.password')).toMatchObject({ value: null, isSensitive: true });
    const change = { type: BROKER, name: '', operations: [['log.retention.ms', SET, '8640000'] as const] };
    expect(await alterIncrementally(admin, [change])).toEqual([['', ErrorCode.NONE]]);
    const defaults = (await describeConfigs(admin, { type: BROKER, name: '' })).configs;
    expect(defaults.map(({ name, value, configSource }) => [name, value, configSource])).toEqual([
      ['log.retention.ms', '8640000', DYNAMIC_DEFAULT],
    ]);
    const topic = await own.topic();
    expect(await topicSetting(admin, topic, 'retention.ms')).toEqual(['8640000', DYNAMIC_DEFAULT]);
  });
});
