/**
 * OffsetForLeaderEpoch (key 23), versions 0 to 4: where an epoch ended in the leader's log, so that a reader or
 * follower finds out from where its own records differ (KIP-101, KIP-320). The largest epoch not above the wanted one
 * is answered, from version 1 with its number; -1/-1 when there is none. Fencing by the current leader epoch from
 * version 2.
 */
import {
  type EpochEndOffset,
  newEpochEndOffset,
  newOffsetForLeaderEpochResponse,
  newOffsetForLeaderTopicResult,
  type OffsetForLeaderEpochRequest,
  type OffsetForLeaderEpochResponse,
  type OffsetForLeaderPartition,
} from '../codec/generated/23-offset-for-leader-epoch';
import type { Handler, RequestContext } from './request-context';

export const offsetForLeaderEpoch: Handler<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse> = (
  context,
  request,
) =>
  newOffsetForLeaderEpochResponse({
    topics: request.topics.map(({ topic, partitions }) =>
      newOffsetForLeaderTopicResult({
        topic,
        partitions: partitions.map((partition) => endOffset(context, topic, partition)),
      }),
    ),
  });

function endOffset({ broker }: RequestContext, topic: string, wanted: OffsetForLeaderPartition): EpochEndOffset {
  const { partition, currentLeaderEpoch, leaderEpoch } = wanted;
  const end = broker.replicaManager.endOffsetForEpoch({ topic, partition, currentLeaderEpoch, leaderEpoch });
  return end.ok
    ? newEpochEndOffset({ partition, leaderEpoch: end.value.leaderEpoch, endOffset: end.value.endOffset })
    : newEpochEndOffset({ partition, errorCode: end.error });
}
