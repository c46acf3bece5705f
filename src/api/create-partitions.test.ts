/** CreatePartitions: from the request to the controller and back. */
import {
  newCreatePartitionsAssignment,
  newCreatePartitionsRequest,
  newCreatePartitionsTopic,
} from '../codec/generated/37-create-partitions';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { createPartitions } from './create-partitions';

const grow = (name: string, count: number, lists: number[][] | null = null) =>
  newCreatePartitionsTopic({
    name,
    count,
    assignments: lists?.map((brokerIds) => newCreatePartitionsAssignment({ brokerIds })) ?? null,
  });

describe('createPartitions', () => {
  it('answers each topic by itself, and what occurs twice once', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a'), newTopic('b'), newTopic('c')], { validateOnly: false });
    const topics = [grow('a', 3), grow('b', 2, [[9]]), grow('c', 4), grow('none', 2), grow('c', 5)];
    const request = newCreatePartitionsRequest({ topics });
    const context = metadataContext(broker, { apiVersion: 3 });
    const { results } = await answerOf(createPartitions(context, request));
    expect(results.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['a', 0],
      ['b', ErrorCode.INVALID_REPLICA_ASSIGNMENT],
      ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
      ['c', ErrorCode.INVALID_REQUEST],
    ]);
    expect(results[1]?.errorMessage).toContain('broker 9');
    const counts = ['a', 'b', 'c'].map((name) => broker.metadata.image.topic(name)?.partitions.length);
    expect(counts).toEqual([3, 1, 1]);
  });

  it('only validates where asked', async () => {
    const broker = await startMetadataBroker();
    await broker.controller.createTopics([newTopic('a')], { validateOnly: false });
    const request = newCreatePartitionsRequest({ topics: [grow('a', 3)], validateOnly: true });
    const { results } = await answerOf(createPartitions(metadataContext(broker, { apiVersion: 0 }), request));
    expect(results).toEqual([{ name: 'a', errorCode: 0, errorMessage: null }]);
    expect(broker.metadata.image.topic('a')?.partitions).toHaveLength(1);
  });
});
