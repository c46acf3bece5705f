/**
 * OffsetCommit and OffsetFetch on one shard. Owns what becomes of each partition; whether topics exist is the handlers'
 * matter. Source of the rules: Kafka's `OffsetMetadataManager`.
 */
import type { TimestampMs } from '../../base/clock';
import { ZERO_UUID } from '../../base/random';
import {
  newOffsetCommitResponse,
  newOffsetCommitResponsePartition,
  newOffsetCommitResponseTopic,
  type OffsetCommitRequest,
  type OffsetCommitRequestPartition,
  type OffsetCommitResponse,
} from '../../codec/generated/08-offset-commit';
import {
  newOffsetFetchResponseGroup,
  newOffsetFetchResponsePartitions,
  newOffsetFetchResponseTopics,
  type OffsetFetchResponsePartitions,
} from '../../codec/generated/09-offset-fetch';
import { ErrorCode } from '../../codec/generated/errors';
import { RECORD_OVERHEAD_BYTES, recordSizeBytes } from '../record-batches';
import type { CommitOffsets, FetchOffsets, Turn } from './group-operation';
import { type CommittedOffset, groupRecordCodec, type OffsetRecord } from './group-records';
import type { OffsetStore } from './offset-store';

/** Every partition of the request refused (or accepted) alike. */
export function commitResponse(request: OffsetCommitRequest, errorCode: ErrorCode): OffsetCommitResponse {
  const topics = request.topics.map(({ name, topicId, partitions }) =>
    newOffsetCommitResponseTopic({
      name,
      topicId,
      partitions: partitions.map(({ partitionIndex }) =>
        newOffsetCommitResponsePartition({ partitionIndex, errorCode }),
      ),
    }),
  );
  return newOffsetCommitResponse({ topics });
}

/** Writes one record per partition that is accepted; the committer has been checked. */
export function commitOffsets(turn: Turn, op: CommitOffsets): void {
  const { request } = op;
  const records: OffsetRecord[] = [];
  const topics = request.topics.map(({ name, topicId, partitions }) =>
    newOffsetCommitResponseTopic({
      name,
      topicId,
      partitions: partitions.map((partition) => {
        const { partitionIndex } = partition;
        const isTooLong = (partition.committedMetadata?.length ?? 0) > turn.config.offsetMetadataMaxLength;
        const errorCode = isTooLong ? ErrorCode.OFFSET_METADATA_TOO_LARGE : ErrorCode.NONE;
        if (!isTooLong) {
          const committed = committedOffset(partition, request.retentionTimeMs, turn.nowMs);
          const { groupId } = request;
          records.push({ kind: 'offset', groupId, topic: name, partition: partitionIndex, committed });
        }
        return newOffsetCommitResponsePartition({ partitionIndex, errorCode });
      }),
    }),
  );
  if (exceeds(records, turn.config.maxRecordBytes)) {
    turn.effects.reply(op.token, commitResponse(request, ErrorCode.INVALID_COMMIT_OFFSET_SIZE));
    return;
  }
  turn.effects.recordAll(records);
  turn.effects.leavesSoftState = true;
  turn.effects.reply(op.token, newOffsetCommitResponse({ topics }));
}

function committedOffset(
  partition: OffsetCommitRequestPartition,
  retentionTimeMs: number,
  nowMs: TimestampMs,
): CommittedOffset {
  return {
    offset: partition.committedOffset,
    leaderEpoch: partition.committedLeaderEpoch,
    metadata: partition.committedMetadata ?? '',
    commitTimestampMs: partition.commitTimestamp === -1 ? nowMs : partition.commitTimestamp,
    expireTimestampMs: retentionTimeMs === -1 ? -1 : nowMs + retentionTimeMs,
    topicId: ZERO_UUID,
  };
}

/**
 * Types, versions, lengths and numbers of an offset's key and value; its texts come on top, three bytes a unit at
 * most.
 */
const OFFSET_FIELD_BYTES = 48;

/** A commit is stored as a whole or not at all, so it must fit into one batch. */
function exceeds(records: readonly OffsetRecord[], maxBytes: number): boolean {
  let bound = 0;
  for (const { groupId, topic, committed } of records) {
    const units = groupId.length + topic.length + (committed?.metadata.length ?? 0);
    bound += RECORD_OVERHEAD_BYTES + OFFSET_FIELD_BYTES + 3 * units;
  }
  if (bound <= maxBytes) return false;
  let size = 0;
  for (const record of records) size += recordSizeBytes(groupRecordCodec.encode(record));
  return size > maxBytes;
}

interface Place {
  readonly groupId: string;
  readonly topic: string;
  readonly partition: number;
  /** ZERO_UUID: of whichever topic has that name. */
  readonly topicId: string;
}

function fetchOffset(store: OffsetStore, place: Place, requireStable: boolean): OffsetFetchResponsePartitions {
  const { groupId, topic, partition: partitionIndex, topicId } = place;
  const none = { partitionIndex, committedOffset: -1, metadata: '' };
  if (requireStable && store.isUnstable(groupId, topic, partitionIndex)) {
    return newOffsetFetchResponsePartitions({ ...none, errorCode: ErrorCode.UNSTABLE_OFFSET_COMMIT });
  }
  const committed = store.get(groupId, topic, partitionIndex);
  if (!committed || isOfAnotherTopic(committed, topicId)) return newOffsetFetchResponsePartitions(none);
  return newOffsetFetchResponsePartitions({
    partitionIndex,
    committedOffset: committed.offset,
    committedLeaderEpoch: committed.leaderEpoch,
    metadata: committed.metadata,
  });
}

/** The topic was deleted and made again under the same name since. */
function isOfAnotherTopic(committed: CommittedOffset, topicId: string): boolean {
  return committed.topicId !== ZERO_UUID && topicId !== ZERO_UUID && committed.topicId !== topicId;
}

/** Offsets of the partitions asked for, -1 where there is none; all that there are where none is named. */
export function fetchOffsets(turn: Turn, store: OffsetStore, op: FetchOffsets): void {
  const { groupId } = op.group;
  const asked =
    op.group.topics ??
    [...store.topics(groupId)].map((name) => ({
      name,
      topicId: ZERO_UUID,
      partitionIndexes: [...store.partitions(groupId, name)].map(([partition]) => partition),
    }));
  const topics = asked.map(({ name, topicId, partitionIndexes }) =>
    newOffsetFetchResponseTopics({
      name,
      topicId,
      partitions: partitionIndexes.map((partition) =>
        fetchOffset(store, { groupId, topic: name, partition, topicId }, op.requireStable),
      ),
    }),
  );
  turn.effects.reply(op.token, newOffsetFetchResponseGroup({ groupId, topics }));
}
