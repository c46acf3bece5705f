/** Metadata: which topics an answer holds, in each version's way, and what it says of brokers and partitions. */
import { ZERO_UUID } from '../base/random';
import type { PartitionImage } from '../cluster/metadata-image';
import { type MetadataRequest, newMetadataRequest, newMetadataRequestTopic } from '../codec/generated/03-metadata';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { type MetadataBroker, newTopic, startMetadataBroker, TEST_CLUSTER_ID } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { metadata } from './metadata';

interface Ask {
  readonly v: number;
  readonly names?: readonly string[] | null;
  readonly ids?: readonly string[];
  readonly listener?: string;
  readonly more?: Partial<MetadataRequest>;
}

function ask(broker: MetadataBroker, { v, names = [], ids, listener, more }: Ask) {
  const byId = ids?.map((topicId) => newMetadataRequestTopic({ topicId, name: null }));
  const topics = byId ?? names?.map((name) => newMetadataRequestTopic({ name })) ?? null;
  const context = metadataContext(broker, { apiVersion: v, ...(listener && { listenerName: listener }) });
  return answerOf(metadata(context, newMetadataRequest({ topics, ...more })));
}

async function brokerWith(...names: string[]): Promise<MetadataBroker> {
  const broker = await startMetadataBroker();
  await broker.controller.createTopics(
    names.map((name) => newTopic(name)),
    { validateOnly: false },
  );
  return broker;
}

const codesOf = (answer: Awaited<ReturnType<typeof ask>>) =>
  answer.topics.map((topic) => [topic.name, topic.errorCode]);

describe('which topics', () => {
  it('all of them for an empty list in version 0, for null later', async () => {
    const broker = await brokerWith('a', 'b');
    const all = [
      ['a', 0],
      ['b', 0],
    ];
    expect(codesOf(await ask(broker, { v: 0, names: [] }))).toEqual(all);
    for (const v of [1, 9, 13]) expect(codesOf(await ask(broker, { v, names: null }))).toEqual(all);
    for (const v of [1, 9, 13]) expect(codesOf(await ask(broker, { v, names: [] }))).toEqual([]);
  });

  it('bad names get their error and spoil nothing', async () => {
    const broker = await brokerWith('good');
    for (const allowAutoTopicCreation of [true, false]) {
      const names = ['', 'a b', 'good', 'good', `x${allowAutoTopicCreation}`];
      const answer = await ask(broker, { v: 9, names, more: { allowAutoTopicCreation } });
      expect(codesOf(answer)).toEqual([
        ['', ErrorCode.INVALID_TOPIC_EXCEPTION],
        ['a b', ErrorCode.INVALID_TOPIC_EXCEPTION],
        ['good', 0],
        [`x${allowAutoTopicCreation}`, allowAutoTopicCreation ? 0 : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
      ]);
    }
  });

  it('missing ones are created at once where request and broker allow it', async () => {
    const broker = await brokerWith();
    expect(codesOf(await ask(broker, { v: 4, names: ['n'], more: { allowAutoTopicCreation: false } }))).toEqual([
      ['n', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    const created = await ask(broker, { v: 4, names: ['n'] });
    expect(created.topics[0]?.partitions).toMatchObject([{ errorCode: 0, leaderId: 1 }]);
    const strict = await startMetadataBroker({ settings: { 'auto.create.topics.enable': 'false' } });
    expect(codesOf(await ask(strict, { v: 1, names: ['n'] }))).toEqual([['n', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]]);
    expect(strict.metadata.image.topicCount).toBe(0);
  });

  it('ones that cannot be created get the reason', async () => {
    const broker = await startMetadataBroker({ settings: { 'default.replication.factor': '3' } });
    expect(codesOf(await ask(broker, { v: 9, names: ['n'] }))).toEqual([['n', ErrorCode.INVALID_REPLICATION_FACTOR]]);
  });

  it('by id from version 12 on, names only with ids that are known', async () => {
    const broker = await brokerWith('a');
    const { id } = broker.metadata.image.topic('a')!;
    const answer = await ask(broker, { v: 12, ids: [id, 'unknownIdAAAAAAAAAAAAA', ZERO_UUID] });
    expect(answer.topics.map(({ name, topicId, errorCode }) => [name, topicId, errorCode])).toEqual([
      ['a', id, 0],
      [null, 'unknownIdAAAAAAAAAAAAA', ErrorCode.UNKNOWN_TOPIC_ID],
    ]);
  });

  it('neither ids nor null names in versions 10 and 11', async () => {
    const broker = await brokerWith('a');
    const { id } = broker.metadata.image.topic('a')!;
    for (const v of [10, 11]) {
      expect(codesOf(await ask(broker, { v, ids: [id] }))).toEqual([['', ErrorCode.INVALID_REQUEST]]);
    }
  });
});

describe('what is said', () => {
  it('of brokers, controller and cluster', async () => {
    const answer = await ask(await brokerWith(), { v: 9 });
    expect(answer).toMatchObject({ controllerId: 1, clusterId: TEST_CLUSTER_ID });
    expect(answer.brokers).toEqual([{ nodeId: 1, host: 'broker1', port: 9092, rack: 'r1' }]);
  });

  it('of authorized operations only where asked', async () => {
    const broker = await brokerWith('a');
    const silent = await ask(broker, { v: 9, names: ['a'] });
    expect([silent.clusterAuthorizedOperations, silent.topics[0]?.topicAuthorizedOperations]).toEqual([
      -2147483648, -2147483648,
    ]);
    const more = { includeClusterAuthorizedOperations: true, includeTopicAuthorizedOperations: true };
    const answer = await ask(broker, { v: 9, names: ['a'], more });
    expect([answer.clusterAuthorizedOperations, answer.topics[0]?.topicAuthorizedOperations]).toEqual([8096, 3576]);
  });

  it('of partitions whose brokers are away, have no such listener, or whose disks failed', async () => {
    const broker = await brokerWith('a');
    const topic = broker.metadata.image.topic('a')!;
    const partition = (partition: number, o: Partial<PartitionImage>) => ({
      ...topic.partitions[0]!,
      partition,
      replicas: [1, 2],
      isr: [1, 2],
      ...o,
    });
    const partitions = [
      partition(0, {}),
      partition(1, { leader: 2 }),
      partition(2, { leader: -1, replicas: [1], isr: [1] }),
    ];
    await broker.metadata.apply({ topics: [{ ...topic, partitions }] });
    const see = async (v: number, listener = 'PLAINTEXT') =>
      (await ask(broker, { v, names: ['a'], listener })).topics[0]?.partitions.map((each) => [
        each.errorCode,
        each.leaderId,
        each.replicaNodes,
        each.isrNodes,
        each.offlineReplicas,
      ]);
    const { LEADER_NOT_AVAILABLE, LISTENER_NOT_FOUND, REPLICA_NOT_AVAILABLE } = ErrorCode;
    expect(await see(0)).toEqual([
      [REPLICA_NOT_AVAILABLE, 1, [1], [1], [2]],
      [LEADER_NOT_AVAILABLE, -1, [1], [1], [2]],
      [LEADER_NOT_AVAILABLE, -1, [1], [1], [1]],
    ]);
    expect(await see(12)).toEqual([
      [0, 1, [1, 2], [1, 2], [2]],
      [LISTENER_NOT_FOUND, -1, [1, 2], [1, 2], [2]],
      [LEADER_NOT_AVAILABLE, -1, [1], [1], [1]],
    ]);
    const elsewhere = await ask(broker, { v: 5, names: ['a'], listener: 'OTHER' });
    expect([elsewhere.brokers, elsewhere.controllerId]).toEqual([[], -1]);
    expect(elsewhere.topics[0]?.partitions[0]?.errorCode).toBe(LEADER_NOT_AVAILABLE);
  });
});
