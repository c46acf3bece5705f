/** DescribeProducers: what is remembered of producers, and partitions that are not there. */
import { newDescribeProducersRequest, newTopicRequest } from '../codec/generated/61-describe-producers';
import { ErrorCode } from '../codec/generated/errors';
import { startDataBroker } from '../testing/data-context';
import { answerOf } from '../testing/handler-answer';
import { testBatch } from '../testing/replica-fixture';
import { describeProducers } from './describe-producers';

it('tells the producers of a partition, and why there are none', async () => {
  const broker = await startDataBroker();
  await broker.createTopic('t');
  const { replicaManager } = broker.replicas;
  const records = testBatch(3, { producerId: 7, producerEpoch: 2, baseSequence: 4 });
  const entries = [{ topic: 't', partition: 0, records }];
  const request = {
    requiredAcks: -1,
    timeoutMs: 1000,
    origin: 'client' as const,
    internalTopicsAllowed: false,
    entries,
  };
  await replicaManager.append(request).promise();

  const topics = ['t', 'none', 'a b'].map((name) => newTopicRequest({ name, partitionIndexes: [0, 5] }));
  const answer = await answerOf(describeProducers(broker.context(0), newDescribeProducersRequest({ topics })));
  expect(answer.topics.map(({ name, partitions }) => [name, partitions.map(({ errorCode }) => errorCode)])).toEqual([
    ['t', [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]],
    ['none', [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]],
    ['a b', [ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.INVALID_TOPIC_EXCEPTION]],
  ]);
  expect(answer.topics[0]?.partitions[0]?.activeProducers).toEqual([
    {
      producerId: 7,
      producerEpoch: 2,
      lastSequence: 6,
      lastTimestamp: 1_700_000_000_002,
      coordinatorEpoch: -1,
      currentTxnStartOffset: -1,
    },
  ]);
});
