/** DescribeTopicPartitions: pages, cursors, and what is wrong with some of them. */
import { newDescribeTopicPartitionsRequest } from '../codec/generated/75-describe-topic-partitions';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { type MetadataBroker, newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { describeTopicPartitions } from './describe-topic-partitions';

interface Ask {
  readonly names?: readonly string[];
  readonly limit?: number;
  readonly cursor?: readonly [string, number];
}

async function ask(broker: MetadataBroker, { names = [], limit = 2000, cursor }: Ask) {
  const request = newDescribeTopicPartitionsRequest({
    topics: names.map((name) => ({ name })),
    responsePartitionLimit: limit,
    cursor: cursor ? { topicName: cursor[0], partitionIndex: cursor[1] } : null,
  });
  const response = await answerOf(describeTopicPartitions(metadataContext(broker, { apiVersion: 0 }), request));
  return {
    pages: response.topics.map(({ name, errorCode, partitions }) => [
      name,
      errorCode,
      partitions.map(({ partitionIndex }) => partitionIndex),
    ]),
    next: response.nextCursor && [response.nextCursor.topicName, response.nextCursor.partitionIndex],
    response,
  };
}

async function threeTopics(): Promise<MetadataBroker> {
  const broker = await startMetadataBroker({ settings: { 'max.request.partition.size.limit': '4' } });
  const topics = ['b', 'a', 'c'].map((name, i) => newTopic(name, { numPartitions: i + 1 }));
  await broker.controller.createTopics(topics, { validateOnly: false });
  return broker;
}

describe('describeTopicPartitions', () => {
  it('gives all topics in order, a page at a time', async () => {
    const broker = await threeTopics();
    const first = await ask(broker, {});
    expect(first).toMatchObject({
      pages: [
        ['a', 0, [0, 1]],
        ['b', 0, [0]],
        ['c', 0, [0]],
      ],
      next: ['c', 1],
    });
    expect(await ask(broker, { cursor: ['c', 1] })).toMatchObject({ pages: [['c', 0, [1, 2]]], next: null });
    expect(await ask(broker, { limit: 2 })).toMatchObject({ pages: [['a', 0, [0, 1]]], next: ['b', 0] });
    expect(await ask(broker, { limit: 0 })).toMatchObject({ pages: [['a', 0, [0]]], next: ['a', 1] });
  });

  it('tells leaders, replicas and what one may do', async () => {
    const { response } = await ask(await threeTopics(), { names: ['b'] });
    expect(response.topics).toMatchObject([{ isInternal: false, topicAuthorizedOperations: 3576 }]);
    const partition = { leaderId: 1, leaderEpoch: 0, replicaNodes: [1], isrNodes: [1], offlineReplicas: [] };
    expect(response.topics[0]?.partitions).toMatchObject([
      { ...partition, eligibleLeaderReplicas: [], lastKnownElr: [] },
    ]);
  });

  it('says what is unknown only where it was asked for', async () => {
    const broker = await threeTopics();
    expect(await ask(broker, { names: ['none', 'b', 'a b'] })).toMatchObject({
      pages: [
        ['a b', ErrorCode.INVALID_TOPIC_EXCEPTION, []],
        ['b', 0, [0]],
        ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, []],
      ],
    });
    expect(await ask(broker, { cursor: ['bb', 5] })).toMatchObject({ pages: [['c', 0, [0, 1, 2]]] });
  });

  it('refuses cursors that make no sense', async () => {
    const broker = await threeTopics();
    for (const cursor of [
      ['x', 0],
      ['b', -1],
    ] as const) {
      expect(await ask(broker, { names: ['b'], cursor })).toMatchObject({
        pages: [['b', ErrorCode.INVALID_REQUEST, []]],
        next: null,
      });
    }
  });
});
