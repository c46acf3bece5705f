/** The controller over a real journal: what it answers, what it stores, and what a restart makes of it. */
import { ZERO_UUID } from '../../base/random';
import { ErrorCode } from '../../codec/generated/errors';
import { type MetadataBroker, newTopic, startMetadataBroker } from '../../testing/metadata-broker';
import type { ImageSubscriber } from '../image-publisher';
import { NO_LEADER, type TopicImage } from '../metadata-image';

const yes = { validateOnly: false };
const dry = { validateOnly: true };

function codes(results: readonly { ok: boolean; error?: ErrorCode }[]): number[] {
  return results.map((result) => (result.ok ? ErrorCode.NONE : result.error!));
}

function topic(broker: MetadataBroker, name: string): TopicImage {
  const found = broker.metadata.image.topic(name);
  if (!found) throw new Error(`no topic ${name}`);
  return found;
}

/** The same disk under a new process. */
async function restart(broker: MetadataBroker): Promise<MetadataBroker> {
  return startMetadataBroker({ storage: broker.storage.afterPowerCut(0) });
}

describe('createTopics', () => {
  it('creates, publishes and keeps a topic', async () => {
    const broker = await startMetadataBroker();
    const configs = new Map([['retention.ms', '5']]);
    const [created] = await broker.controller.createTopics([newTopic('a', { numPartitions: 3, configs })], yes);
    expect(created).toMatchObject({
      ok: true,
      value: { name: 'a', numPartitions: 3, replicationFactor: 1, configs },
    });
    const image = topic(broker, 'a');
    expect(created?.ok && created.value.id).toBe(image.id);
    expect(image.partitions).toHaveLength(3);
    const partition = { partition: 2, leader: 1, leaderEpoch: 0, partitionEpoch: 0, replicas: [1], isr: [1] };
    expect(image.partitions[2]).toEqual(partition);
    const again = topic(await restart(broker), 'a');
    expect(again).toEqual({
      ...image,
      partitions: image.partitions.map((each) => ({ ...each, leaderEpoch: 1, partitionEpoch: 1 })),
    });
  });

  it('makes the topics of requests that wait together, each on top of the earlier ones', async () => {
    const published: string[][] = [];
    const subscriber: ImageSubscriber = async ({ changedTopics }) => {
      if (changedTopics.length > 0) published.push(changedTopics.map(({ name }) => name));
    };
    const broker = await startMetadataBroker({ subscribers: [subscriber] });
    const requests = ['a', 'b', 'c', 'b', 'd'].map((name) => broker.controller.createTopics([newTopic(name)], yes));
    const onlyTried = broker.controller.createTopics([newTopic('e')], dry);
    expect((await Promise.all(requests)).map(codes)).toEqual([[0], [0], [0], [ErrorCode.TOPIC_ALREADY_EXISTS], [0]]);
    expect(codes(await onlyTried)).toEqual([0]);
    expect(published).toEqual([['a', 'b', 'c', 'd']]);
    const again = await restart(broker);
    expect([...again.metadata.image.topics()].map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
    const removals = [['a', 'b'], ['b', 'x'], ['c']].map((names) => again.controller.deleteTopics(names));
    expect((await Promise.all(removals)).map(codes)).toEqual([[0, 0], [3, 3], [0]]);
    expect([...(await restart(again)).metadata.image.topics()].map(({ name }) => name)).toEqual(['d']);
  });

  it('grows and alters for requests that wait together, each on top of the earlier ones', async () => {
    const published: string[][] = [];
    const subscriber: ImageSubscriber = async ({ changedTopics, changedConfigs }) => {
      const topics = changedTopics.map(({ name, partitions }) => `${name} ${partitions.length}`);
      if (topics.length + changedConfigs.length > 0) published.push([...topics, ...changedConfigs.map((c) => c.name)]);
    };
    const broker = await startMetadataBroker({ subscribers: [subscriber] });
    await broker.controller.createTopics([newTopic('a'), newTopic('b')], yes);
    const grow = (name: string, totalCount: number) =>
      broker.controller.createPartitions([{ name, totalCount, assignments: null }], yes);
    const grown = await Promise.all([grow('a', 2), grow('a', 2), grow('a', 4), grow('b', 3)]);
    expect(grown.map(codes)).toEqual([[0], [ErrorCode.INVALID_PARTITIONS], [0], [0]]);
    const set = (scope: 'topics' | 'groups', name: string, [key, value]: readonly [string, string]) => {
      const operations = [{ key, kind: 'set', value }] as const;
      return broker.controller.alterConfigs([{ resource: { scope, name }, operations, replacesAll: false }], yes);
    };
    const altered = await Promise.all([
      set('topics', 'a', ['retention.ms', '5']),
      set('topics', 'a', ['segment.ms', '6']),
      set('groups', 'g', ['consumer.session.timeout.ms', '50000']),
      set('groups', 'g', ['share.auto.offset.reset', 'earliest']),
      set('topics', 'none', ['retention.ms', '5']),
    ]);
    expect(altered.map(codes)).toEqual([[0], [0], [0], [0], [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]]);
    expect(published.slice(1)).toEqual([
      ['a 4', 'b 3'],
      ['a 4', 'g', 'g'],
    ]);
    const again = await restart(broker);
    const { partitions, configs } = topic(again, 'a');
    expect([partitions.length, [...configs]]).toEqual([
      4,
      [
        ['retention.ms', '5'],
        ['segment.ms', '6'],
      ],
    ]);
    expect([...again.metadata.image.configs({ scope: 'groups', name: 'g' }).values()]).toEqual(['50000', 'earliest']);
  });

  it('only validates where asked', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('old')], yes);
    const bad = newTopic('b', { configs: new Map([['retention.ms', 'abc']]) });
    const results = await broker.controller.createTopics([newTopic('a'), newTopic('old'), bad], dry);
    expect(codes(results)).toEqual([ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS, ErrorCode.INVALID_CONFIG]);
    expect(results[0]).toMatchObject({ value: { id: ZERO_UUID } });
    expect(broker.metadata.image.topic('a')).toBeUndefined();
  });

  it('takes back a topic whose storage fails, so that it can be created when there is room', async () => {
    const broker = await startMetadataBroker();
    broker.broken.add('a-1');
    const topics = [newTopic('a', { numPartitions: 2 }), newTopic('b')];
    const results = await broker.controller.createTopics(topics, yes);
    expect(codes(results)).toEqual([ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NONE]);
    await broker.controller.replicaFailed({ topic: 'a', partition: 1 });
    expect([...broker.metadata.image.topics()].map(({ name }) => name)).toEqual(['b']);
    broker.broken.clear();
    expect(codes(await broker.controller.createTopics([newTopic('a', { numPartitions: 2 })], yes))).toEqual([0]);
    const again = await startMetadataBroker({ storage: broker.storage.afterPowerCut(0) });
    expect(topic(again, 'a').partitions.map(({ leader }) => leader)).toEqual([1, 1]);
  });

  it('creates nothing that it cannot store', async () => {
    const broker = await startMetadataBroker();
    broker.storage.failNextWrite = true;
    expect(codes(await broker.controller.createTopics([newTopic('a')], yes))).toEqual([ErrorCode.KAFKA_STORAGE_ERROR]);
    expect(broker.metadata.image.topic('a')).toBeUndefined();
    expect(codes(await broker.controller.createTopics([newTopic('a')], yes))).toEqual([ErrorCode.NONE]);
  });

  it('refuses to write for a controller that has taken office since', async () => {
    const broker = await startMetadataBroker();
    await broker.store.multi([{ kind: 'set', path: '/controller_epoch', data: '99', expectedVersion: -1 }]);
    expect(codes(await broker.controller.createTopics([newTopic('a')], yes))).toEqual([ErrorCode.NOT_CONTROLLER]);
  });

  it('writes the nodes of Kafka', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a', { configs: new Map([['segment.bytes', '9000']]) })], yes);
    const { id } = topic(broker, 'a');
    const nodes: [string, unknown][] = [
      [
        '/brokers/topics/a',
        { version: 3, topic_id: id, partitions: { 0: [1] }, adding_replicas: {}, removing_replicas: {} },
      ],
      [
        '/brokers/topics/a/partitions/0/state',
        { controller_epoch: 1, leader: 1, version: 1, leader_epoch: 0, isr: [1] },
      ],
      ['/config/topics/a', { version: 1, config: { 'segment.bytes': '9000' } }],
    ];
    for (const [path, content] of nodes) {
      const node = await broker.store.get(path);
      expect(node.ok && JSON.parse(node.value.data)).toEqual(content);
    }
  });
});

describe('autoCreateTopics', () => {
  it('creates what is missing with the defaults, and is content with what is there', async () => {
    const broker = await startMetadataBroker({ settings: { 'num.partitions': '2' } });
    const results = await broker.controller.autoCreateTopics(['a', 'a', 'b c']);
    expect(codes(results)).toEqual([ErrorCode.NONE, ErrorCode.NONE, ErrorCode.INVALID_TOPIC_EXCEPTION]);
    const { id, partitions } = topic(broker, 'a');
    expect(partitions).toHaveLength(2);
    expect(codes(await broker.controller.autoCreateTopics(['a']))).toEqual([ErrorCode.NONE]);
    expect(topic(broker, 'a').id).toBe(id);
  });

  it('gives the offsets topic its own settings and, on a single node, one replica', async () => {
    const settings = { 'offsets.topic.num.partitions': '7', 'default.replication.factor': '3' } as const;
    const broker = await startMetadataBroker({ settings });
    expect(codes(await broker.controller.autoCreateTopics(['__consumer_offsets', 'a']))).toEqual([
      ErrorCode.NONE,
      ErrorCode.INVALID_REPLICATION_FACTOR,
    ]);
    const { partitions, configs, isInternal } = topic(broker, '__consumer_offsets');
    expect([partitions.length, partitions[0]?.replicas, isInternal]).toEqual([7, [1], true]);
    expect(configs.get('cleanup.policy')).toBe('compact');
  });

  it('does not create the other internal topics', async () => {
    const broker = await startMetadataBroker();
    expect(codes(await broker.controller.autoCreateTopics(['__transaction_state']))).toEqual([
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]);
  });
});

describe('deleteTopics', () => {
  it('leaves nothing, and the name is free for another topic', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a'), newTopic('b')], yes);
    const { id } = topic(broker, 'a');
    expect(codes(await broker.controller.deleteTopics(['a', 'none']))).toEqual([
      ErrorCode.NONE,
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]);
    expect(broker.metadata.image.topic('a')).toBeUndefined();
    expect(broker.metadata.image.topicById(id)).toBeUndefined();
    for (const path of ['/brokers/topics/a', '/config/topics/a', '/admin/delete_topics/a']) {
      expect(await broker.store.get(path)).toMatchObject({ error: 'no-node' });
    }
    expect(codes(await broker.controller.createTopics([newTopic('a')], yes))).toEqual([ErrorCode.NONE]);
    expect(topic(broker, 'a').id).not.toBe(id);
    expect([...(await restart(broker)).metadata.image.topics()].map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('is finished by the next start when the process ends in between', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a'), newTopic('b')], yes);
    await broker.store.multi([{ kind: 'create', path: '/admin/delete_topics/a', data: '' }]);
    const again = await restart(broker);
    expect([...again.metadata.image.topics()].map(({ name }) => name)).toEqual(['b']);
    expect(await again.store.get('/brokers/topics/a')).toMatchObject({ error: 'no-node' });
  });

  it('changes nothing when it cannot be stored', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a')], yes);
    broker.storage.failNextWrite = true;
    expect(codes(await broker.controller.deleteTopics(['a']))).toEqual([ErrorCode.KAFKA_STORAGE_ERROR]);
    expect(broker.metadata.image.topic('a')).toBeDefined();
  });
});

describe('createPartitions', () => {
  it('adds partitions, only validates where asked, and keeps them', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a', { numPartitions: 2 })], yes);
    const grow = { name: 'a', totalCount: 4, assignments: null };
    expect(codes(await broker.controller.createPartitions([grow], dry))).toEqual([ErrorCode.NONE]);
    expect(topic(broker, 'a').partitions).toHaveLength(2);
    expect(codes(await broker.controller.createPartitions([grow], yes))).toEqual([ErrorCode.NONE]);
    expect(topic(broker, 'a').partitions.map(({ partition }) => partition)).toEqual([0, 1, 2, 3]);
    expect(topic(await restart(broker), 'a').partitions).toHaveLength(4);
  });

  it('answers each request by itself', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a'), newTopic('b')], yes);
    const results = await broker.controller.createPartitions(
      [
        { name: 'a', totalCount: 1, assignments: null },
        { name: 'none', totalCount: 2, assignments: null },
        { name: 'b', totalCount: 2, assignments: [[1]] },
      ],
      yes,
    );
    expect(codes(results)).toEqual([
      ErrorCode.INVALID_PARTITIONS,
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
      ErrorCode.NONE,
    ]);
  });
});

describe('replicaFailed', () => {
  it('leaves the partition without a leader until a restart', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a', { numPartitions: 2 })], yes);
    await broker.controller.replicaFailed({ topic: 'a', partition: 1 });
    await broker.controller.replicaFailed({ topic: 'gone', partition: 0 });
    const failed = { leader: NO_LEADER, leaderEpoch: 1, partitionEpoch: 1, isr: [1] };
    expect(topic(broker, 'a').partitions).toMatchObject([{ leader: 1, leaderEpoch: 0 }, failed]);
    expect(topic(await restart(broker), 'a').partitions).toMatchObject([
      { leader: 1, leaderEpoch: 1 },
      { leader: 1, leaderEpoch: 2 },
    ]);
  });

  it('is told to clients even when it cannot be stored', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a')], yes);
    broker.storage.failNextWrite = true;
    await broker.controller.replicaFailed({ topic: 'a', partition: 0 });
    expect(topic(broker, 'a').partitions[0]?.leader).toBe(NO_LEADER);
  });

  it('is forgotten with the topic', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a')], yes);
    await broker.controller.replicaFailed({ topic: 'a', partition: 0 });
    await broker.controller.deleteTopics(['a']);
    await broker.controller.createTopics([newTopic('a')], yes);
    await broker.controller.replicaFailed({ topic: 'b', partition: 0 });
    expect(topic(broker, 'a').partitions[0]?.leader).toBe(1);
  });
});

describe('start', () => {
  it('gives up leaders that do not come to serve', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a', { numPartitions: 2 })], yes);
    const again = await startMetadataBroker({ storage: broker.storage.afterPowerCut(0), broken: ['a-0'] });
    expect(topic(again, 'a').partitions.map(({ leader }) => leader)).toEqual([NO_LEADER, 1]);
  });
});
