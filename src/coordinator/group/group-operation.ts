/** What can be asked of a group shard, requests and expired timers alike, and what it works with while it answers. */
import type { TimestampMs } from '../../base/clock';
import type { Logger } from '../../base/logger';
import type { OffsetCommitRequest, OffsetCommitResponse } from '../../codec/generated/08-offset-commit';
import type { OffsetFetchRequestGroup, OffsetFetchResponseGroup } from '../../codec/generated/09-offset-fetch';
import type { JoinGroupRequest, JoinGroupResponse } from '../../codec/generated/11-join-group';
import type { HeartbeatRequest, HeartbeatResponse } from '../../codec/generated/12-heartbeat';
import type { LeaveGroupRequest, LeaveGroupResponse } from '../../codec/generated/13-leave-group';
import type { SyncGroupRequest, SyncGroupResponse } from '../../codec/generated/14-sync-group';
import type { DescribedGroup } from '../../codec/generated/15-describe-groups';
import type { ListedGroup } from '../../codec/generated/16-list-groups';
import type { DeletableGroupResult } from '../../codec/generated/42-delete-groups';
import type { OffsetDeleteRequest, OffsetDeleteResponse } from '../../codec/generated/47-offset-delete';
import type { EffectList, RequestToken } from '../shard';
import type { GroupConfig } from './group-config';
import type { GroupRecord } from './group-records';

/** What the coordinator has to know about who asks. */
export interface GroupRequestContext {
  readonly apiVersion: number;
  readonly clientId: string;
  /** The client's address as Kafka writes it: `/127.0.0.1`. */
  readonly clientHost: string;
}

export interface JoinGroup {
  readonly kind: 'join-group';
  readonly token: RequestToken<JoinGroupResponse>;
  readonly context: GroupRequestContext;
  readonly request: JoinGroupRequest;
  /** Unique; a new member's id ends in it. */
  readonly memberIdSuffix: string;
}

export interface SyncGroup {
  readonly kind: 'sync-group';
  readonly token: RequestToken<SyncGroupResponse>;
  readonly request: SyncGroupRequest;
}

export interface Heartbeat {
  readonly kind: 'heartbeat';
  readonly token: RequestToken<HeartbeatResponse>;
  readonly request: HeartbeatRequest;
}

/** In the form of version 3 and later: a list of members, even of one. */
export interface LeaveGroup {
  readonly kind: 'leave-group';
  readonly token: RequestToken<LeaveGroupResponse>;
  readonly request: LeaveGroupRequest;
}

export interface CommitOffsets {
  readonly kind: 'commit-offsets';
  readonly token: RequestToken<OffsetCommitResponse>;
  readonly apiVersion: number;
  readonly request: OffsetCommitRequest;
}

/** In the form of version 8 and later, with topic names filled in. */
export interface FetchOffsets {
  readonly kind: 'fetch-offsets';
  readonly token: RequestToken<OffsetFetchResponseGroup>;
  readonly group: OffsetFetchRequestGroup;
  readonly requireStable: boolean;
}

/** Topics and partitions are known to exist. */
export interface DeleteOffsets {
  readonly kind: 'delete-offsets';
  readonly token: RequestToken<OffsetDeleteResponse>;
  readonly request: OffsetDeleteRequest;
}

export interface DescribeGroups {
  readonly kind: 'describe-groups';
  readonly token: RequestToken<DescribedGroup[]>;
  readonly apiVersion: number;
  readonly groupIds: readonly string[];
}

export interface ListGroups {
  readonly kind: 'list-groups';
  readonly token: RequestToken<ListedGroup[]>;
}

export interface DeleteGroups {
  readonly kind: 'delete-groups';
  readonly token: RequestToken<DeletableGroupResult[]>;
  readonly groupIds: readonly string[];
}

export interface DeletedTopic {
  readonly name: string;
  readonly id: string;
}

/** Answers with the number of offsets dropped. */
export interface DropTopicOffsets {
  readonly kind: 'drop-topic-offsets';
  readonly token: RequestToken<number>;
  readonly topics: readonly DeletedTopic[];
}

/** A member, also a pending one, has not been heard of for its session timeout. */
export interface SessionExpired {
  readonly kind: 'session-expired';
  readonly groupId: string;
  readonly memberId: string;
}

/** The first members of a group have been waited for; `remainingMs` is how far that can still be extended. */
export interface InitialDelayOver {
  readonly kind: 'initial-delay-over';
  readonly groupId: string;
  readonly delayMs: number;
  readonly remainingMs: number;
}

/** The longest rebalance timeout is over: who has not rejoined is out. */
export interface JoinDeadline {
  readonly kind: 'join-deadline';
  readonly groupId: string;
}

/** Who has not sent SyncGroup for that generation by now is out. */
export interface SyncDeadline {
  readonly kind: 'sync-deadline';
  readonly groupId: string;
  readonly generationId: number;
}

export interface ExpireOffsets {
  readonly kind: 'expire-offsets';
}

export type GroupOperation =
  | JoinGroup
  | SyncGroup
  | Heartbeat
  | LeaveGroup
  | CommitOffsets
  | FetchOffsets
  | DeleteOffsets
  | DescribeGroups
  | ListGroups
  | DeleteGroups
  | DropTopicOffsets
  | SessionExpired
  | InitialDelayOver
  | JoinDeadline
  | SyncDeadline
  | ExpireOffsets;

export type GroupEffects = EffectList<GroupOperation, GroupRecord>;

/** One operation under way: when it is, and where its effects go. */
export interface Turn {
  readonly config: GroupConfig;
  readonly logger: Logger;
  readonly nowMs: TimestampMs;
  readonly effects: GroupEffects;
}
