/**
 * OffsetDelete (key 47), version 0 (KIP-496).
 * Deletes offsets of single partitions. Topics that members of the group read keep theirs; an active group of another
 * type than consumer keeps all. Partitions that do not exist are refused one by one; the order is the request's.
 */
import {
  newOffsetDeleteRequestTopic,
  newOffsetDeleteResponse,
  newOffsetDeleteResponsePartition,
  newOffsetDeleteResponseTopic,
  type OffsetDeleteRequest,
  type OffsetDeleteRequestTopic,
  type OffsetDeleteResponse,
  type OffsetDeleteResponsePartition,
} from '../codec/generated/47-offset-delete';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

export const offsetDelete: Handler<OffsetDeleteRequest, OffsetDeleteResponse> = async (context, request) => {
  const { image } = context.broker.metadata;
  const existing: OffsetDeleteRequestTopic[] = [];
  /** Where the coordinator's answers go, in the order of `existing`. */
  const awaited: OffsetDeleteResponsePartition[] = [];
  const topics = request.topics.map(({ name, partitions }) => {
    const kept = newOffsetDeleteRequestTopic({ name });
    existing.push(kept);
    const answers = partitions.map((partition) => {
      const { partitionIndex } = partition;
      const answer = newOffsetDeleteResponsePartition({ partitionIndex });
      if (image.partition(name, partitionIndex)) {
        kept.partitions.push(partition);
        awaited.push(answer);
      } else {
        answer.errorCode = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      }
      return answer;
    });
    return newOffsetDeleteResponseTopic({ name, partitions: answers });
  });
  const response = await context.broker.groups.deleteOffsets({ ...request, topics: existing });
  if (response.errorCode !== ErrorCode.NONE) return response;
  const answers = response.topics.flatMap(({ partitions }) => partitions);
  for (const [at, answer] of awaited.entries()) answer.errorCode = answers[at]!.errorCode;
  return newOffsetDeleteResponse({ topics });
};
