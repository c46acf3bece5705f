/**
 * DescribeTopicPartitions (key 75), version 0 (KIP-966): topics in the order of their names, a page at a time.
 *
 * - No topics asks for all; unknown ones are then not an error.
 * - A page holds at most the lesser of `responsePartitionLimit` and `max.request.partition.size.limit`, at least one
 *   partition; the next cursor names the first partition that had no room.
 * - A cursor with a negative partition, or whose topic is not among those asked for, is INVALID_REQUEST on each topic.
 */
import type { MetadataImage, PartitionImage, TopicImage } from '../cluster/metadata-image';
import { isInternalTopic, topicNameProblem } from '../cluster/topic-name';
import {
  type DescribeTopicPartitionsRequest,
  type DescribeTopicPartitionsResponse,
  type DescribeTopicPartitionsResponsePartition,
  type DescribeTopicPartitionsResponseTopic,
  newDescribeTopicPartitionsResponse,
  newDescribeTopicPartitionsResponsePartition,
  newDescribeTopicPartitionsResponseTopic,
} from '../codec/generated/75-describe-topic-partitions';
import { ErrorCode } from '../codec/generated/errors';
import { TOPIC_OPERATIONS } from './authorized-operations';
import { type DescribedBroker, offlineReplicas, reachableBrokers } from './partition-description';
import type { Handler } from './request-context';

type Reachable = ReadonlyMap<number, DescribedBroker>;

export const describeTopicPartitions: Handler<DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse> = (
  context,
  request,
) => {
  const { image } = context.broker.metadata;
  const { cursor } = request;
  const wantsAll = request.topics.length === 0;
  const names = wantsAll ? [...image.topics()].map(({ name }) => name) : request.topics.map(({ name }) => name);
  const isUnlisted = !wantsAll && cursor !== null && !names.includes(cursor.topicName);
  if (isUnlisted || (cursor !== null && cursor.partitionIndex < 0)) {
    return newDescribeTopicPartitionsResponse({ topics: names.map((name) => failed(name, ErrorCode.INVALID_REQUEST)) });
  }
  const limit = Math.min(context.broker.config.get('max.request.partition.size.limit'), request.responsePartitionLimit);
  const page = new Page(image, reachableBrokers(context), Math.max(limit, 1));
  const first = cursor?.topicName ?? '';
  for (const name of [...new Set(names)].filter((each) => each >= first).sort()) {
    if (page.response.nextCursor) break;
    page.add(name, name === cursor?.topicName ? cursor.partitionIndex : 0);
  }
  return page.response;
};

class Page {
  readonly response = newDescribeTopicPartitionsResponse();
  readonly #image: MetadataImage;
  readonly #reachable: Reachable;
  #room: number;

  constructor(image: MetadataImage, reachable: Reachable, room: number) {
    this.#image = image;
    this.#reachable = reachable;
    this.#room = room;
  }

  /** Adds the topic's partitions from number `first` on, as far as there is room. */
  add(name: string, first: number): void {
    if (this.#room === 0) {
      this.response.nextCursor = { topicName: name, partitionIndex: 0 };
      return;
    }
    const topic = this.#image.topic(name);
    if (!topic) {
      const isValid = topicNameProblem(name) === undefined;
      const code = isValid ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION : ErrorCode.INVALID_TOPIC_EXCEPTION;
      this.response.topics.push({ ...failed(name, code), topicAuthorizedOperations: TOPIC_OPERATIONS });
      return;
    }
    const end = Math.min(topic.partitions.length, first + this.#room);
    const partitions = topic.partitions.slice(first, end);
    this.#room -= partitions.length;
    this.response.topics.push(describeTopic(topic, partitions, this.#reachable));
    if (end < topic.partitions.length) this.response.nextCursor = { topicName: name, partitionIndex: end };
  }
}

function describeTopic(
  topic: TopicImage,
  partitions: readonly PartitionImage[],
  reachable: Reachable,
): DescribeTopicPartitionsResponseTopic {
  return newDescribeTopicPartitionsResponseTopic({
    name: topic.name,
    topicId: topic.id,
    isInternal: topic.isInternal,
    partitions: partitions.map((partition) => describePartition(partition, reachable)),
    topicAuthorizedOperations: TOPIC_OPERATIONS,
  });
}

function describePartition(partition: PartitionImage, reachable: Reachable): DescribeTopicPartitionsResponsePartition {
  return newDescribeTopicPartitionsResponsePartition({
    partitionIndex: partition.partition,
    leaderId: reachable.has(partition.leader) ? partition.leader : -1,
    leaderEpoch: partition.leaderEpoch,
    replicaNodes: [...partition.replicas],
    isrNodes: [...partition.isr],
    eligibleLeaderReplicas: [],
    lastKnownElr: [],
    offlineReplicas: offlineReplicas(partition, reachable),
  });
}

function failed(name: string, errorCode: ErrorCode): DescribeTopicPartitionsResponseTopic {
  return newDescribeTopicPartitionsResponseTopic({ name, errorCode, isInternal: isInternalTopic(name) });
}
