/**
 * DescribeProducers (key 61), version 0 (KIP-664): what the leader of a partition remembers of idempotent and
 * transactional producers: the last sequence of each, and where its open transaction began (-1: there is none).
 */
import { topicNameProblem } from '../cluster/topic-name';
import {
  type DescribeProducersRequest,
  type DescribeProducersResponse,
  newDescribeProducersResponse,
  newPartitionResponse,
  newProducerState,
  newTopicResponse,
  type PartitionResponse,
} from '../codec/generated/61-describe-producers';
import { ErrorCode } from '../codec/generated/errors';
import type { BrokerServices } from './broker-services';
import type { Handler } from './request-context';

export const describeProducers: Handler<DescribeProducersRequest, DescribeProducersResponse> = (
  { broker },
  { topics },
) =>
  newDescribeProducersResponse({
    topics: topics.map(({ name, partitionIndexes }) =>
      newTopicResponse({
        name,
        partitions: partitionIndexes.map((partition) => describe(broker, name, partition)),
      }),
    ),
  });

function describe(broker: BrokerServices, topic: string, partitionIndex: number): PartitionResponse {
  const problem = topicNameProblem(topic);
  if (problem) {
    return newPartitionResponse({
      partitionIndex,
      errorCode: ErrorCode.INVALID_TOPIC_EXCEPTION,
      errorMessage: problem,
    });
  }
  if (!broker.metadata.image.topic(topic)) {
    return newPartitionResponse({
      partitionIndex,
      errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
      errorMessage: 'This server does not host this topic-partition.',
    });
  }
  const producers = broker.replicaManager.activeProducers({ topic, partition: partitionIndex });
  if (!producers.ok) return newPartitionResponse({ partitionIndex, errorCode: producers.error });
  return newPartitionResponse({
    partitionIndex,
    activeProducers: producers.value.map((producer) =>
      newProducerState({
        producerId: producer.producerId,
        producerEpoch: producer.producerEpoch,
        lastSequence: producer.lastSequence,
        lastTimestamp: producer.lastTimestampMs,
        coordinatorEpoch: producer.coordinatorEpoch,
        currentTxnStartOffset: producer.transactionFirstOffset,
      }),
    ),
  });
}
