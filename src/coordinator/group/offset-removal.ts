/**
 * When committed offsets go: their retention is over (KIP-211), somebody deletes them, their topic or their group.
 * Source of the rules: Kafka's `OffsetMetadataManager.cleanupExpiredOffsets` and
 * `ClassicGroup.offsetExpirationCondition`.
 */
import type { TimestampMs } from '../../base/clock';
import { ZERO_UUID } from '../../base/random';
import {
  newOffsetDeleteResponse,
  newOffsetDeleteResponsePartition,
  newOffsetDeleteResponseTopic,
} from '../../codec/generated/47-offset-delete';
import { ErrorCode } from '../../codec/generated/errors';
import { decodeConsumerProtocolSubscription } from '../../codec/generated/records/consumer-protocol-subscription';
import { MalformedMessage } from '../../codec/malformed';
import { Reader } from '../../codec/reader';
import type { ClassicGroup } from './classic-group';
import type { DeletedTopic, DeleteOffsets, Turn } from './group-operation';
import type { CommittedOffset, OffsetRecord } from './group-records';
import type { OffsetStore } from './offset-store';

const CONSUMER_PROTOCOL_TYPE = 'consumer';

/** Every version of a subscription begins as version 0 does. */
const SUBSCRIPTION_PREFIX_VERSION = 0;

export function offsetTombstone(groupId: string, topic: string, partition: number): OffsetRecord {
  return { kind: 'offset', groupId, topic, partition, committed: null };
}

/**
 * The topics that the members of a stable consumer group subscribe to; undefined where that is unknown: in the middle
 * of a rebalance, for other types of groups, and for subscriptions that cannot be read.
 */
function subscribedTopics(group: ClassicGroup): ReadonlySet<string> | undefined {
  if (group.state !== 'Stable' || group.protocolType !== CONSUMER_PROTOCOL_TYPE) return undefined;
  const topics = new Set<string>();
  try {
    for (const member of group.members()) {
      const reader = new Reader(member.metadata(group.protocolName ?? ''));
      reader.int16();
      const subscription = decodeConsumerProtocolSubscription(reader, SUBSCRIPTION_PREFIX_VERSION);
      for (const topic of subscription.topics) topics.add(topic);
    }
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
  return topics;
}

/** From when on an offset of the group ages; undefined: it does not. */
type AgeStart = (topic: string, committed: CommittedOffset) => TimestampMs | undefined;

function ageStartOf(group: ClassicGroup): AgeStart {
  if (group.protocolType === null) return (_topic, { commitTimestampMs }) => commitTimestampMs;
  if (group.state === 'Empty') return (_topic, { commitTimestampMs }) => group.stateSinceMs ?? commitTimestampMs;
  const subscribed = subscribedTopics(group);
  if (!subscribed) return () => undefined;
  return (topic, { commitTimestampMs }) => (subscribed.has(topic) ? undefined : commitTimestampMs);
}

export interface Expiry {
  readonly nowMs: TimestampMs;
  readonly retentionMs: number;
}

function isExpired(committed: CommittedOffset, ageStartMs: TimestampMs | undefined, expiry: Expiry): boolean {
  if (ageStartMs === undefined) return false;
  if (committed.expireTimestampMs !== -1) return expiry.nowMs >= committed.expireTimestampMs;
  return expiry.nowMs - ageStartMs >= expiry.retentionMs;
}

/** Tombstones for the offsets of the group whose time is over. */
export function expiredOffsets(store: OffsetStore, group: ClassicGroup, expiry: Expiry): OffsetRecord[] {
  const { groupId } = group;
  const ageStart = ageStartOf(group);
  const tombstones: OffsetRecord[] = [];
  for (const topic of store.topics(groupId)) {
    for (const [partition, committed] of store.partitions(groupId, topic)) {
      if (!isExpired(committed, ageStart(topic, committed), expiry)) continue;
      if (!store.isUnstable(groupId, topic, partition)) tombstones.push(offsetTombstone(groupId, topic, partition));
    }
  }
  return tombstones;
}

/** Whether members of the group read the topic; where that is unknown, a consumer group is taken to read all topics. */
function isSubscribed(group: ClassicGroup, topic: string): boolean {
  if (group.protocolType !== CONSUMER_PROTOCOL_TYPE || group.state === 'Empty') return false;
  return subscribedTopics(group)?.has(topic) ?? true;
}

/** OffsetDelete (KIP-496): drops offsets of topics that nobody in the group reads. */
export function deleteOffsets(
  turn: Turn,
  group: ClassicGroup,
  { op, store }: { op: DeleteOffsets; store: OffsetStore },
): void {
  const { groupId } = group;
  if (group.state !== 'Empty' && group.protocolType !== CONSUMER_PROTOCOL_TYPE) {
    turn.effects.reply(op.token, newOffsetDeleteResponse({ errorCode: ErrorCode.NON_EMPTY_GROUP }));
    return;
  }
  const topics = op.request.topics.map(({ name, partitions }) => {
    const isRead = isSubscribed(group, name);
    const errorCode = isRead ? ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC : ErrorCode.NONE;
    return newOffsetDeleteResponseTopic({
      name,
      partitions: partitions.map(({ partitionIndex }) => {
        const isKept = store.get(groupId, name, partitionIndex) || store.isUnstable(groupId, name, partitionIndex);
        if (!isRead && isKept) turn.effects.record(offsetTombstone(groupId, name, partitionIndex));
        return newOffsetDeleteResponsePartition({ partitionIndex, errorCode });
      }),
    });
  });
  turn.effects.reply(op.token, newOffsetDeleteResponse({ topics }));
}

/** Tombstones for all offsets of the group, those of open transactions too. */
export function allOffsets(store: OffsetStore, groupId: string): OffsetRecord[] {
  const tombstones: OffsetRecord[] = [];
  for (const topic of store.topics(groupId)) {
    for (const [partition] of store.partitions(groupId, topic)) {
      tombstones.push(offsetTombstone(groupId, topic, partition));
    }
  }
  for (const { topic, partition } of store.unstablePartitions(groupId)) {
    if (!store.get(groupId, topic, partition)) tombstones.push(offsetTombstone(groupId, topic, partition));
  }
  return tombstones;
}

/** Tombstones for the offsets of deleted topics, in all groups; not for those of a successor of the same name. */
export function offsetsOfTopics(store: OffsetStore, topics: readonly DeletedTopic[]): OffsetRecord[] {
  const tombstones: OffsetRecord[] = [];
  for (const groupId of store.groupIds()) {
    for (const { name, id } of topics) {
      for (const [partition, { topicId }] of store.partitions(groupId, name)) {
        if (topicId !== ZERO_UUID && topicId !== id) continue;
        tombstones.push(offsetTombstone(groupId, name, partition));
      }
    }
  }
  return tombstones;
}
