/** kafkajs admin: topics, partitions, configs, offsets, records, the cluster, and what the broker refuses. */
import { ConfigResourceTypes } from 'kafkajs';
import { errorType, messages, useBroker, valuesOf } from './fixture';

const fixture = useBroker();

describe('topics', () => {
  it('are created with partitions and configs, listed and described', async () => {
    const admin = await fixture.admin();
    const topic = fixture.name();
    const configEntries = [{ name: 'retention.ms', value: '3600000' }];
    expect(await admin.createTopics({ topics: [{ topic, numPartitions: 3, configEntries }] })).toBe(true);
    expect(await admin.listTopics()).toContain(topic);
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    expect(topics[0]?.partitions).toHaveLength(3);
    expect(topics[0]?.partitions[0]).toMatchObject({ partitionErrorCode: 0, offlineReplicas: [] });
    const { brokers } = await admin.describeCluster();
    for (const { leader, replicas, isr } of topics[0]?.partitions ?? []) {
      expect([leader, replicas, isr]).toEqual([brokers[0]?.nodeId, [leader], [leader]]);
    }
  });

  it('serve as soon as the answer is there', async () => {
    const producer = await fixture.producer({ retry: { retries: 0 } });
    const admin = await fixture.admin();
    for (let round = 0; round < 10; round++) {
      const topic = fixture.name();
      await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: false });
      expect(await producer.send({ topic, messages: messages(1) })).toMatchObject([{ errorCode: 0 }]);
    }
  });

  it('are placed where the caller says', async () => {
    const admin = await fixture.admin();
    const topic = fixture.name();
    const { controller } = await admin.describeCluster();
    const replicas = [controller ?? -1];
    const replicaAssignment = [0, 1].map((partition) => ({ partition, replicas }));
    await admin.createTopics({ topics: [{ topic, replicaAssignment }] });
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    expect(topics[0]?.partitions.map(({ partitionId }) => partitionId).sort()).toEqual([0, 1]);
  });

  it('exist once', async () => {
    const admin = await fixture.admin();
    const topic = await fixture.topic();
    expect(await admin.createTopics({ topics: [{ topic }] })).toBe(false);
  });

  it('are only checked when that is asked', async () => {
    const admin = await fixture.admin();
    const topic = fixture.name();
    const topics = [{ topic, numPartitions: 1 }];
    expect(await admin.createTopics({ validateOnly: true, waitForLeaders: false, topics })).toBe(true);
    expect(await admin.listTopics()).not.toContain(topic);
  });

  it.each([
    ['a name with a slash', { topic: 'a/b' }, 'INVALID_TOPIC_EXCEPTION'],
    ['no partitions', { numPartitions: 0 }, 'INVALID_PARTITIONS'],
    ['more replicas than brokers', { numPartitions: 1, replicationFactor: 3 }, 'INVALID_REPLICATION_FACTOR'],
    ['an impossible config', { configEntries: [{ name: 'retention.ms', value: 'soon' }] }, 'INVALID_CONFIG'],
    ['an unknown config', { configEntries: [{ name: 'no.such.key', value: '1' }] }, 'INVALID_CONFIG'],
  ])('are refused with %s', async (_, wrong, type) => {
    const admin = await fixture.admin({ retry: { retries: 0 } });
    const creation = admin.createTopics({ topics: [{ topic: fixture.name(), ...wrong }] });
    await expect(creation).rejects.toMatchObject({ errors: [expect.objectContaining({ type })] });
  });

  it('get more partitions, not fewer', async () => {
    const admin = await fixture.admin({ retry: { retries: 0 } });
    const topic = await fixture.topic(2);
    await admin.createPartitions({ topicPartitions: [{ topic, count: 4 }] });
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    expect(topics[0]?.partitions).toHaveLength(4);
    expect(await errorType(admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] }))).toBe(
      'INVALID_PARTITIONS',
    );
  });

  it('are deleted with their records', async () => {
    const admin = await fixture.admin();
    const topic = await fixture.topic();
    await fixture.send(topic, messages(5));
    await admin.deleteTopics({ topics: [topic] });
    expect(await admin.listTopics()).not.toContain(topic);
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
    expect(await admin.fetchTopicOffsets(topic)).toEqual([{ partition: 0, offset: '0', high: '0', low: '0' }]);
  });

  it('cannot be deleted or described when they are not there', async () => {
    const admin = await fixture.admin({ retry: { retries: 0 } });
    const type = 'UNKNOWN_TOPIC_OR_PARTITION';
    expect(await errorType(admin.deleteTopics({ topics: [fixture.name()] }))).toBe(type);
    expect(await errorType(admin.fetchTopicMetadata({ topics: [fixture.name()] }))).toBe(type);
  });
});

describe('offsets and records', () => {
  it('the ends of each partition are told', async () => {
    const topic = await fixture.topic(2);
    const producer = await fixture.producer();
    await producer.send({ topic, messages: messages(7).map((message) => ({ ...message, partition: 1 })) });
    const admin = await fixture.admin();
    const offsets = (await admin.fetchTopicOffsets(topic)).sort((a, b) => a.partition - b.partition);
    expect(offsets).toEqual([
      { partition: 0, offset: '0', high: '0', low: '0' },
      { partition: 1, offset: '7', high: '7', low: '0' },
    ]);
  });

  it('an offset is found by timestamp', async () => {
    const topic = await fixture.topic();
    const producer = await fixture.producer();
    for (let at = 0; at < 5; at++) {
      await producer.send({ topic, messages: [{ value: 'v', timestamp: String(1_700_000_000_000 + at * 1000) }] });
    }
    const admin = await fixture.admin();
    const find = async (timestamp: number) => (await admin.fetchTopicOffsetsByTimestamp(topic, timestamp))[0]?.offset;
    expect(await find(1_700_000_000_000)).toBe('0');
    expect(await find(1_700_000_002_500)).toBe('3');
    expect(await find(1_600_000_000_000)).toBe('0');
    // Nothing that late: kafkajs answers with the end of the partition.
    expect(await find(1_800_000_000_000)).toBe('5');
  });

  it('records are deleted up to an offset', async () => {
    const topic = await fixture.topic();
    await fixture.send(topic, messages(10));
    const admin = await fixture.admin();
    // kafkajs deletes from topics only whose leaders it has met.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '6' }] });
    expect(await admin.fetchTopicOffsets(topic)).toEqual([{ partition: 0, offset: '10', high: '10', low: '6' }]);
    expect(valuesOf(await fixture.read(topic, 4))).toEqual(['value-6', 'value-7', 'value-8', 'value-9']);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '-1' }] });
    expect(await admin.fetchTopicOffsets(topic)).toEqual([{ partition: 0, offset: '10', high: '10', low: '10' }]);
  });

  it('records beyond the end cannot be deleted', async () => {
    const topic = await fixture.topic();
    const admin = await fixture.admin({ retry: { retries: 0 } });
    await expect(admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '5' }] })).rejects.toThrow();
  });
});

describe('cluster and configs', () => {
  it('one broker that is its own controller, at the address that the client can reach', async () => {
    const admin = await fixture.admin();
    const { brokers, controller, clusterId } = await admin.describeCluster();
    expect(brokers).toEqual([{ nodeId: controller, host: 'localhost', port: fixture.broker.port }]);
    expect(clusterId).toMatch(/^\S+$/);
  });

  it('configs of a topic: given, default, and by name', async () => {
    const admin = await fixture.admin();
    const topic = fixture.name();
    await admin.createTopics({ topics: [{ topic, configEntries: [{ name: 'retention.ms', value: '1234567' }] }] });
    const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic }];
    const { resources: all } = await admin.describeConfigs({ includeSynonyms: false, resources });
    const entries = new Map(all[0]?.configEntries.map((entry) => [entry.configName, entry]));
    expect(entries.get('retention.ms')).toMatchObject({ configValue: '1234567', isDefault: false });
    expect(entries.get('cleanup.policy')).toMatchObject({ configValue: 'delete' });
    expect(entries.size).toBeGreaterThan(20);
    const named = [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['segment.bytes'] }];
    const { resources: one } = await admin.describeConfigs({ includeSynonyms: true, resources: named });
    expect(one[0]?.configEntries.map(({ configName }) => configName)).toEqual(['segment.bytes']);
  });

  it('configs of the broker', async () => {
    const admin = await fixture.admin();
    const { controller } = await admin.describeCluster();
    const resources = [{ type: ConfigResourceTypes.BROKER, name: String(controller) }];
    const { resources: all } = await admin.describeConfigs({ includeSynonyms: false, resources });
    const names = all[0]?.configEntries.map(({ configName }) => configName);
    expect(names).toEqual(expect.arrayContaining(['log.segment.bytes', 'num.partitions', 'auto.create.topics.enable']));
  });

  it('configs of a topic that is not there', async () => {
    const admin = await fixture.admin({ retry: { retries: 0 } });
    const resources = [{ type: ConfigResourceTypes.TOPIC, name: fixture.name() }];
    expect(await errorType(admin.describeConfigs({ includeSynonyms: false, resources }))).toBe(
      'UNKNOWN_TOPIC_OR_PARTITION',
    );
  });
});
