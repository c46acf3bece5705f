/**
 * The records of `__consumer_offsets`: what the coordinator keeps, and its form as key and value bytes, in Kafka's
 * schemas. Written: OffsetCommitValue 3 (1 when the client asked for its own retention), GroupMetadataValue 3, which
 * every Kafka since 2.3 and the usual monitors read. Read: every version.
 * The first int16 of a key is the type of the record, that of a value its version; a null value is a tombstone.
 */
import type { TimestampMs } from '../../base/clock';
import {
  decodeGroupMetadataKey,
  decodeGroupMetadataValue,
  encodeGroupMetadataKey,
  encodeGroupMetadataValue,
  newGroupMetadataValue,
  newMemberMetadata,
} from '../../codec/generated/records/group-metadata';
import {
  decodeOffsetCommitKey,
  decodeOffsetCommitValue,
  encodeOffsetCommitKey,
  encodeOffsetCommitValue,
  newOffsetCommitValue,
} from '../../codec/generated/records/offset-commit';
import { Reader } from '../../codec/reader';
import { Writer } from '../../codec/writer';
import type { EncodedRecord, RecordCodec } from '../record-codec';

export interface CommittedOffset {
  readonly offset: number;
  /** -1: the client did not say. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly commitTimestampMs: TimestampMs;
  /** When it is dropped whatever the group does; -1: by the broker's retention. */
  readonly expireTimestampMs: TimestampMs;
  /** Of the topic that the offset belongs to; ZERO_UUID where the record does not say. */
  readonly topicId: string;
}

export interface StoredMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly rebalanceTimeoutMs: number;
  readonly sessionTimeoutMs: number;
  readonly subscription: Buffer;
  readonly assignment: Buffer;
}

/** A generation of a group with the assignment of each member; without members, the group is Empty. */
export interface GroupMetadata {
  /** Null: the group only ever committed offsets. */
  readonly protocolType: string | null;
  readonly generationId: number;
  readonly protocolName: string | null;
  readonly leaderId: string | null;
  /** Since when the group is in this state; null in records of old brokers. */
  readonly stateSinceMs: TimestampMs | null;
  readonly members: readonly StoredMember[];
}

export interface OffsetRecord {
  readonly kind: 'offset';
  readonly groupId: string;
  readonly topic: string;
  readonly partition: number;
  readonly committed: CommittedOffset | null;
}

export interface GroupMetadataRecord {
  readonly kind: 'group-metadata';
  readonly groupId: string;
  readonly metadata: GroupMetadata | null;
}

export type GroupRecord = OffsetRecord | GroupMetadataRecord;

/** The same fields, written by brokers of the 0.8 age. */
const LEGACY_OFFSET_COMMIT = 0;
const OFFSET_COMMIT = 1;
const GROUP_METADATA = 2;

const OFFSET_VALUE_VERSION = 3;
/** The only version that can hold an expiry time of its own. */
const EXPIRING_OFFSET_VALUE_VERSION = 1;
const GROUP_METADATA_VALUE_VERSION = 3;
/** The newest value versions known; newer ones only add tagged fields (KIP-915) and are read as these. */
const NEWEST_OFFSET_VALUE_VERSION = 4;
const NEWEST_GROUP_METADATA_VALUE_VERSION = 4;

const KEY_VERSION = 0;

function bytesOf(firstInt16: number, encode: (writer: Writer) => void): Buffer {
  const writer = new Writer();
  writer.int16(firstInt16);
  encode(writer);
  return writer.finishBuffer();
}

function encodeOffset(record: OffsetRecord): EncodedRecord {
  const { groupId: group, topic, partition, committed } = record;
  const key = bytesOf(OFFSET_COMMIT, (writer) =>
    encodeOffsetCommitKey(writer, { group, topic, partition }, KEY_VERSION),
  );
  if (committed === null) return { key, value: null };
  const version = committed.expireTimestampMs === -1 ? OFFSET_VALUE_VERSION : EXPIRING_OFFSET_VALUE_VERSION;
  const value = newOffsetCommitValue({
    offset: committed.offset,
    leaderEpoch: committed.leaderEpoch,
    metadata: committed.metadata,
    commitTimestamp: committed.commitTimestampMs,
    expireTimestamp: committed.expireTimestampMs,
  });
  return { key, value: bytesOf(version, (writer) => encodeOffsetCommitValue(writer, value, version)) };
}

function encodeGroupMetadata({ groupId: group, metadata }: GroupMetadataRecord): EncodedRecord {
  const key = bytesOf(GROUP_METADATA, (writer) => encodeGroupMetadataKey(writer, { group }, KEY_VERSION));
  if (metadata === null) return { key, value: null };
  const value = newGroupMetadataValue({
    protocolType: metadata.protocolType ?? '',
    generation: metadata.generationId,
    protocol: metadata.protocolName,
    leader: metadata.leaderId,
    currentStateTimestamp: metadata.stateSinceMs ?? -1,
    members: metadata.members.map((member) =>
      newMemberMetadata({
        memberId: member.memberId,
        groupInstanceId: member.groupInstanceId,
        clientId: member.clientId,
        clientHost: member.clientHost,
        rebalanceTimeout: member.rebalanceTimeoutMs,
        sessionTimeout: member.sessionTimeoutMs,
        subscription: member.subscription,
        assignment: member.assignment,
      }),
    ),
  });
  const version = GROUP_METADATA_VALUE_VERSION;
  return { key, value: bytesOf(version, (writer) => encodeGroupMetadataValue(writer, value, version)) };
}

function decodeOffset(key: Reader, value: Buffer | null): OffsetRecord {
  const { group: groupId, topic, partition } = decodeOffsetCommitKey(key, KEY_VERSION);
  if (value === null) return { kind: 'offset', groupId, topic, partition, committed: null };
  const reader = new Reader(value);
  const version = Math.min(reader.int16(), NEWEST_OFFSET_VALUE_VERSION);
  const stored = decodeOffsetCommitValue(reader, version);
  const committed: CommittedOffset = {
    offset: stored.offset,
    leaderEpoch: stored.leaderEpoch,
    metadata: stored.metadata,
    commitTimestampMs: stored.commitTimestamp,
    expireTimestampMs: stored.expireTimestamp,
    topicId: stored.topicId,
  };
  return { kind: 'offset', groupId, topic, partition, committed };
}

function decodeGroupMetadata(key: Reader, value: Buffer | null): GroupMetadataRecord {
  const { group: groupId } = decodeGroupMetadataKey(key, KEY_VERSION);
  if (value === null) return { kind: 'group-metadata', groupId, metadata: null };
  const reader = new Reader(value);
  const version = Math.min(reader.int16(), NEWEST_GROUP_METADATA_VALUE_VERSION);
  const stored = decodeGroupMetadataValue(reader, version);
  const metadata: GroupMetadata = {
    protocolType: stored.protocolType === '' ? null : stored.protocolType,
    generationId: stored.generation,
    protocolName: stored.protocol,
    leaderId: stored.leader,
    stateSinceMs: stored.currentStateTimestamp === -1 ? null : stored.currentStateTimestamp,
    members: stored.members.map((member) => ({
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      rebalanceTimeoutMs: member.rebalanceTimeout === -1 ? member.sessionTimeout : member.rebalanceTimeout,
      sessionTimeoutMs: member.sessionTimeout,
      subscription: Buffer.from(member.subscription),
      assignment: Buffer.from(member.assignment),
    })),
  };
  return { kind: 'group-metadata', groupId, metadata };
}

export const groupRecordCodec: RecordCodec<GroupRecord> = {
  encode(record) {
    return record.kind === 'offset' ? encodeOffset(record) : encodeGroupMetadata(record);
  },
  decode(key, value) {
    const reader = new Reader(key);
    switch (reader.int16()) {
      case LEGACY_OFFSET_COMMIT:
      case OFFSET_COMMIT:
        return decodeOffset(reader, value);
      case GROUP_METADATA:
        return decodeGroupMetadata(reader, value);
      default:
        return undefined;
    }
  },
};
