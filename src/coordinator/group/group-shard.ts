/**
 * The groups of one partition of `__consumer_offsets`: routes each operation to its group and keeps the hard state.
 * Hard state is the last metadata record of each group and the committed offsets. A live `ClassicGroup` exists only
 * while a group has members or some are about to join; any other group is made from its records when it is asked for.
 */
import { unreachable } from '../../base/assert';
import type { TimestampMs } from '../../base/clock';
import type { Logger } from '../../base/logger';
import { newJoinGroupResponse } from '../../codec/generated/11-join-group';
import { newHeartbeatResponse } from '../../codec/generated/12-heartbeat';
import { newLeaveGroupResponse, newMemberResponse } from '../../codec/generated/13-leave-group';
import { newSyncGroupResponse } from '../../codec/generated/14-sync-group';
import { newDeletableGroupResult } from '../../codec/generated/42-delete-groups';
import { newOffsetDeleteResponse } from '../../codec/generated/47-offset-delete';
import { ErrorCode } from '../../codec/generated/errors';
import { EffectList, type Effects, type RecordPosition, type Shard } from '../shard';
import { ClassicGroup } from './classic-group';
import { joinGroup } from './classic-join';
import { checkCommit, heartbeat, leaveGroup, noteCommit, syncGroup } from './classic-membership';
import {
  onInitialDelayOver,
  onJoinDeadline,
  onSessionExpired,
  onSyncDeadline,
  prepareRebalance,
} from './classic-rebalance';
import type { GroupConfig } from './group-config';
import type {
  CommitOffsets,
  DeleteGroups,
  DeleteOffsets,
  DescribeGroups,
  DropTopicOffsets,
  GroupOperation,
  Heartbeat,
  InitialDelayOver,
  JoinDeadline,
  JoinGroup,
  LeaveGroup,
  ListGroups,
  SessionExpired,
  SyncDeadline,
  SyncGroup,
  Turn,
} from './group-operation';
import { describeGroup, describeUnknownGroup, listGroup } from './group-queries';
import type { GroupMetadata, GroupRecord } from './group-records';
import { restartSession, stopSession } from './group-timers';
import { allOffsets, deleteOffsets, expiredOffsets, offsetsOfTopics } from './offset-removal';
import { commitOffsets, commitResponse, fetchOffsets } from './offset-requests';
import { OffsetStore } from './offset-store';

/** From this version a commit with a generation to a group that does not exist says so. */
const COMMIT_GROUP_ID_NOT_FOUND_FROM = 9;

export interface GroupShardOptions {
  readonly config: GroupConfig;
  readonly logger: Logger;
  /** Whether offsets, and groups that are empty, are kept whatever their age. Asked when they are looked through. */
  readonly retainsOffsets: () => boolean;
}

export class GroupShard implements Shard<GroupOperation, GroupRecord> {
  readonly #config: GroupConfig;
  readonly #logger: Logger;
  readonly #retainsOffsets: () => boolean;
  readonly #live = new Map<string, ClassicGroup>();
  readonly #metadata = new Map<string, GroupMetadata>();
  readonly #offsets = new OffsetStore();

  constructor({ config, logger, retainsOffsets }: GroupShardOptions) {
    this.#config = config;
    this.#logger = logger;
    this.#retainsOffsets = retainsOffsets;
  }

  apply(record: GroupRecord, at: RecordPosition): void {
    if (record.kind === 'offset') this.#offsets.apply(record, at);
    else if (record.metadata === null) this.#metadata.delete(record.groupId);
    else this.#metadata.set(record.groupId, record.metadata);
  }

  applyEndMarker(producerId: number, commit: boolean): void {
    this.#offsets.applyEndMarker(producerId, commit);
  }

  /** Members go on where they were: sessions start anew, nobody is told of a rebalance. */
  onLoaded(nowMs: TimestampMs): Effects<GroupOperation, GroupRecord> {
    const turn = this.#turn(nowMs);
    for (const [groupId, metadata] of this.#metadata) {
      if (metadata.members.length === 0) continue;
      const group = ClassicGroup.restore(groupId, metadata);
      this.#live.set(groupId, group);
      for (const member of group.members()) restartSession(turn, group, member);
      if (group.size > this.#config.maxSize) prepareRebalance(turn, group, 'the group is larger than it may be now');
    }
    this.#startExpiryTimer(turn);
    return turn.effects;
  }

  handle(op: GroupOperation, nowMs: TimestampMs): Effects<GroupOperation, GroupRecord> {
    const turn = this.#turn(nowMs);
    this.#dispatch(turn, op);
    return turn.effects;
  }

  #turn(nowMs: TimestampMs): Turn {
    return { config: this.#config, logger: this.#logger, nowMs, effects: new EffectList() };
  }

  #dispatch(turn: Turn, op: GroupOperation): void {
    switch (op.kind) {
      case 'join-group':
        this.#join(turn, op);
        break;
      case 'sync-group':
      case 'heartbeat':
      case 'leave-group':
        this.#member(turn, op);
        break;
      case 'commit-offsets':
        this.#commit(turn, op);
        break;
      case 'fetch-offsets':
        fetchOffsets(turn, this.#offsets, op);
        break;
      case 'delete-offsets':
        this.#deleteOffsets(turn, op);
        break;
      case 'describe-groups':
        this.#describe(turn, op);
        break;
      case 'list-groups':
        this.#list(turn, op);
        break;
      case 'delete-groups':
        this.#delete(turn, op);
        break;
      case 'drop-topic-offsets':
        this.#dropTopicOffsets(turn, op);
        break;
      case 'session-expired':
      case 'initial-delay-over':
      case 'join-deadline':
      case 'sync-deadline':
        this.#timer(turn, op);
        break;
      case 'expire-offsets':
        this.#expireOffsets(turn);
        break;
      default:
        unreachable(op);
    }
  }

  /** The group if it is live, else as its records tell; undefined where there is nothing of it. */
  #find(groupId: string, nowMs: TimestampMs): ClassicGroup | undefined {
    const live = this.#live.get(groupId);
    if (live) return live;
    const metadata = this.#metadata.get(groupId);
    if (metadata) return ClassicGroup.restore(groupId, metadata);
    return this.#offsets.hasGroup(groupId) ? new ClassicGroup(groupId, nowMs) : undefined;
  }

  /** A group whose records say all there is to say needs no object. */
  #settle(group: ClassicGroup): void {
    if (group.isIdle) this.#live.delete(group.groupId);
    else this.#live.set(group.groupId, group);
  }

  #join(turn: Turn, op: JoinGroup): void {
    const { groupId, memberId } = op.request;
    const group =
      this.#find(groupId, turn.nowMs) ?? (memberId === '' ? new ClassicGroup(groupId, turn.nowMs) : undefined);
    if (!group) {
      const errorCode = ErrorCode.UNKNOWN_MEMBER_ID;
      turn.effects.reply(op.token, newJoinGroupResponse({ memberId, errorCode }));
      return;
    }
    joinGroup(turn, group, op);
    this.#settle(group);
  }

  #member(turn: Turn, op: SyncGroup | Heartbeat | LeaveGroup): void {
    const group = this.#live.get(op.request.groupId);
    if (!group) {
      this.#refuseMember(turn, op);
      return;
    }
    if (op.kind === 'sync-group') syncGroup(turn, group, op);
    else if (op.kind === 'heartbeat') heartbeat(turn, group, op);
    else leaveGroup(turn, group, op);
    this.#settle(group);
  }

  /** A group without members knows none. */
  #refuseMember(turn: Turn, op: SyncGroup | Heartbeat | LeaveGroup): void {
    const errorCode = ErrorCode.UNKNOWN_MEMBER_ID;
    if (op.kind === 'sync-group') {
      turn.effects.reply(op.token, newSyncGroupResponse({ errorCode }));
    } else if (op.kind === 'heartbeat') {
      turn.effects.reply(op.token, newHeartbeatResponse({ errorCode }));
    } else {
      const members = op.request.members.map(({ memberId, groupInstanceId }) =>
        newMemberResponse({ memberId, groupInstanceId, errorCode }),
      );
      turn.effects.reply(op.token, newLeaveGroupResponse({ members }));
    }
  }

  #commit(turn: Turn, op: CommitOffsets): void {
    const { groupId, memberId, groupInstanceId, generationIdOrMemberEpoch: generationId } = op.request;
    const group = this.#find(groupId, turn.nowMs);
    const errorCode = group
      ? checkCommit(group, { generationId, memberId, groupInstanceId })
      : this.#checkCommitToUnknown(op.apiVersion, generationId);
    if (errorCode !== ErrorCode.NONE) {
      turn.effects.reply(op.token, commitResponse(op.request, errorCode));
      return;
    }
    const member = group?.member(memberId);
    if (group && member) noteCommit(turn, group, member);
    commitOffsets(turn, op);
  }

  #checkCommitToUnknown(apiVersion: number, generationId: number): ErrorCode {
    if (generationId < 0) return ErrorCode.NONE;
    return apiVersion >= COMMIT_GROUP_ID_NOT_FOUND_FROM ? ErrorCode.GROUP_ID_NOT_FOUND : ErrorCode.ILLEGAL_GENERATION;
  }

  #deleteOffsets(turn: Turn, op: DeleteOffsets): void {
    const group = this.#find(op.request.groupId, turn.nowMs);
    if (group) deleteOffsets(turn, group, { op, store: this.#offsets });
    else turn.effects.reply(op.token, newOffsetDeleteResponse({ errorCode: ErrorCode.GROUP_ID_NOT_FOUND }));
  }

  #describe(turn: Turn, op: DescribeGroups): void {
    const described = op.groupIds.map((groupId) => {
      const group = this.#find(groupId, turn.nowMs);
      return group ? describeGroup(group) : describeUnknownGroup(groupId, op.apiVersion);
    });
    turn.effects.reply(op.token, described);
  }

  #groupIds(): Set<string> {
    return new Set([...this.#live.keys(), ...this.#metadata.keys(), ...this.#offsets.groupIds()]);
  }

  #list(turn: Turn, op: ListGroups): void {
    const listed = [...this.#groupIds()].flatMap((groupId) => {
      const group = this.#find(groupId, turn.nowMs);
      return group ? [listGroup(group)] : [];
    });
    turn.effects.reply(op.token, listed);
  }

  #delete(turn: Turn, op: DeleteGroups): void {
    const results = op.groupIds.map((groupId) => {
      const errorCode = this.#deleteGroup(turn, groupId);
      return newDeletableGroupResult({ groupId, errorCode });
    });
    turn.effects.reply(op.token, results);
  }

  #deleteGroup(turn: Turn, groupId: string): ErrorCode {
    const group = this.#find(groupId, turn.nowMs);
    if (!group) return ErrorCode.GROUP_ID_NOT_FOUND;
    if (group.state !== 'Empty') return ErrorCode.NON_EMPTY_GROUP;
    for (const memberId of group.pendingJoins) stopSession(turn, groupId, memberId);
    group.transitionTo('Dead', turn.nowMs);
    this.#settle(group);
    turn.effects.recordAll(allOffsets(this.#offsets, groupId));
    if (this.#metadata.has(groupId)) turn.effects.record({ kind: 'group-metadata', groupId, metadata: null });
    return ErrorCode.NONE;
  }

  #dropTopicOffsets(turn: Turn, op: DropTopicOffsets): void {
    const tombstones = offsetsOfTopics(this.#offsets, op.topics);
    turn.effects.recordAll(tombstones);
    turn.effects.reply(op.token, tombstones.length);
  }

  #timer(turn: Turn, op: SessionExpired | InitialDelayOver | JoinDeadline | SyncDeadline): void {
    const group = this.#live.get(op.groupId);
    if (!group) return;
    if (op.kind === 'session-expired') onSessionExpired(turn, group, op);
    else if (op.kind === 'initial-delay-over') onInitialDelayOver(turn, group, op);
    else if (op.kind === 'join-deadline') onJoinDeadline(turn, group);
    else onSyncDeadline(turn, group, op);
    this.#settle(group);
  }

  #startExpiryTimer(turn: Turn): void {
    const at = turn.nowMs + this.#config.offsetsRetentionCheckIntervalMs;
    turn.effects.startTimer('expire-offsets', at, { kind: 'expire-offsets' });
  }

  /** Drops what has expired, and groups of which nothing is left. */
  #expireOffsets(turn: Turn): void {
    this.#startExpiryTimer(turn);
    if (this.#retainsOffsets()) return;
    const expiry = { nowMs: turn.nowMs, retentionMs: this.#config.offsetsRetentionMs };
    for (const groupId of this.#groupIds()) {
      const group = this.#find(groupId, turn.nowMs);
      if (!group) continue;
      const expired = expiredOffsets(this.#offsets, group, expiry);
      turn.effects.recordAll(expired);
      if (!group.isIdle || !this.#metadata.has(groupId)) continue;
      if (expired.length === allOffsets(this.#offsets, groupId).length) {
        turn.effects.record({ kind: 'group-metadata', groupId, metadata: null });
      }
    }
    if (turn.effects.records.length > 0) {
      this.#logger.info('offsets expired', { records: turn.effects.records.length });
    }
  }
}
