/**
 * OffsetCommit (key 8), versions 0–10.
 * v0 has neither member nor generation and is kept with the others. v1 may bring its own commit time, v2–v4 a
 * retention. v6+ brings the leader epoch (KIP-320), v7+ static members (KIP-345), v10 topic ids (KIP-848). Partitions
 * that do not exist are refused one by one; the answer keeps the order of the request, since there are clients that
 * compare by position.
 */

import type { TopicImage } from '../cluster/metadata-image';
import {
  newOffsetCommitRequestTopic,
  newOffsetCommitResponse,
  newOffsetCommitResponsePartition,
  newOffsetCommitResponseTopic,
  type OffsetCommitRequest,
  type OffsetCommitRequestTopic,
  type OffsetCommitResponse,
  type OffsetCommitResponsePartition,
} from '../codec/generated/08-offset-commit';
import { ErrorCode } from '../codec/generated/errors';
import { groupRequestContext } from './group-request-context';
import type { Handler, RequestContext } from './request-context';

const TOPIC_IDS_FROM = 10;

interface CheckedTopic {
  readonly asked: OffsetCommitRequestTopic;
  readonly known: TopicImage | undefined;
}

function checkTopic(context: RequestContext, asked: OffsetCommitRequestTopic): CheckedTopic {
  const { image } = context.broker.metadata;
  const byId = context.apiVersion >= TOPIC_IDS_FROM;
  return { asked, known: byId ? image.topicById(asked.topicId) : image.topic(asked.name) };
}

function refusal(context: RequestContext, known: TopicImage | undefined, partition: number): ErrorCode {
  if (known?.partitions[partition]) return ErrorCode.NONE;
  const idIsUnknown = context.apiVersion >= TOPIC_IDS_FROM && known === undefined;
  return idIsUnknown ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
}

export const offsetCommit: Handler<OffsetCommitRequest, OffsetCommitResponse> = async (context, request) => {
  const accepted: OffsetCommitRequestTopic[] = [];
  /** Where the coordinator's answers go, in the order of `accepted`. */
  const awaited: OffsetCommitResponsePartition[] = [];
  const topics = request.topics.map((topic) => {
    const { asked, known } = checkTopic(context, topic);
    const kept = newOffsetCommitRequestTopic({ name: known?.name ?? asked.name, topicId: known?.id ?? asked.topicId });
    const partitions = asked.partitions.map((partition) => {
      const { partitionIndex } = partition;
      const errorCode = refusal(context, known, partitionIndex);
      const answer = newOffsetCommitResponsePartition({ partitionIndex, errorCode });
      if (errorCode === ErrorCode.NONE) {
        kept.partitions.push(partition);
        awaited.push(answer);
      }
      return answer;
    });
    if (kept.partitions.length > 0) accepted.push(kept);
    return newOffsetCommitResponseTopic({ name: asked.name, topicId: asked.topicId, partitions });
  });
  if (accepted.length > 0) {
    const committed = { ...request, topics: accepted };
    const response = await context.broker.groups.commitOffsets(groupRequestContext(context), committed);
    const answers = response.topics.flatMap(({ partitions }) => partitions);
    for (const [at, answer] of awaited.entries()) answer.errorCode = answers[at]!.errorCode;
  }
  return newOffsetCommitResponse({ topics });
};
