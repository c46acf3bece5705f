/**
 * SyncGroup, Heartbeat and LeaveGroup on a classic group, and the check of who may commit offsets.
 * Source of the rules: Kafka's `GroupMetadataManager` and `ClassicGroup`.
 */
import { unreachable } from '../../base/assert';
import { newHeartbeatResponse } from '../../codec/generated/12-heartbeat';
import { type MemberIdentity, newLeaveGroupResponse, newMemberResponse } from '../../codec/generated/13-leave-group';
import { newSyncGroupResponse, type SyncGroupRequest } from '../../codec/generated/14-sync-group';
import { ErrorCode } from '../../codec/generated/errors';
import { recordSizeBytes } from '../record-batches';
import type { ClassicGroup } from './classic-group';
import { type ClassicMember, EMPTY_ASSIGNMENT } from './classic-member';
import {
  completeJoinIfReady,
  completeSync,
  failSyncs,
  groupRecord,
  prepareRebalance,
  rebalanceOrCompleteJoin,
  removeMember,
} from './classic-rebalance';
import type { Heartbeat, LeaveGroup, SyncGroup, Turn } from './group-operation';
import { groupRecordCodec } from './group-records';
import { restartSession, stopSession, stopSyncDeadline } from './group-timers';

function checkGeneration(group: ClassicGroup, request: SyncGroupRequest | Heartbeat['request']): ErrorCode {
  const errorCode = group.checkMember(request.memberId, request.groupInstanceId);
  if (errorCode !== ErrorCode.NONE) return errorCode;
  return request.generationId === group.generationId ? ErrorCode.NONE : ErrorCode.ILLEGAL_GENERATION;
}

/** Versions before 5 do not say which protocol they believe in. */
function contradicts(said: string | null, chosen: string | null): boolean {
  return said !== null && chosen !== null && said !== chosen;
}

function checkSync(group: ClassicGroup, request: SyncGroupRequest): ErrorCode {
  const errorCode = checkGeneration(group, request);
  if (errorCode !== ErrorCode.NONE) return errorCode;
  const { protocolType, protocolName } = request;
  if (contradicts(protocolType, group.protocolType) || contradicts(protocolName, group.protocolName)) {
    return ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
  }
  return group.state === 'PreparingRebalance' ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
}

export function syncGroup(turn: Turn, group: ClassicGroup, op: SyncGroup): void {
  const { request, token } = op;
  const errorCode = checkSync(group, request);
  const member = group.member(request.memberId);
  if (errorCode !== ErrorCode.NONE || member === undefined) {
    turn.effects.reply(token, newSyncGroupResponse({ errorCode }));
    return;
  }
  if (group.syncReceived(member.memberId)) stopSyncDeadline(turn, group);
  if (group.state === 'Stable') {
    const { protocolType, protocolName } = group;
    turn.effects.reply(token, newSyncGroupResponse({ protocolType, protocolName, assignment: member.assignment }));
    return;
  }
  // A sync that is parked already was sent by the same client before, over a connection that it has given up.
  group.answerSync(member, newSyncGroupResponse({ errorCode: ErrorCode.REBALANCE_IN_PROGRESS }), turn.effects);
  member.syncToken = token;
  if (group.isLeader(member.memberId)) assign(turn, group, request);
}

/** The leader's assignment: members that it left out get an empty one, strangers are ignored. */
function assign(turn: Turn, group: ClassicGroup, request: SyncGroupRequest): void {
  const assignments = new Map(request.assignments.map((a) => [a.memberId, Buffer.from(a.assignment)]));
  for (const member of group.members()) member.assignment = assignments.get(member.memberId) ?? EMPTY_ASSIGNMENT;
  const record = groupRecord(group);
  if (recordSizeBytes(groupRecordCodec.encode(record)) <= turn.config.maxRecordBytes) {
    completeSync(turn, group, record);
    return;
  }
  turn.logger.warn('group is too large to be stored', { groupId: group.groupId, members: group.size });
  failSyncs(turn, group, ErrorCode.UNKNOWN_SERVER_ERROR);
  prepareRebalance(turn, group, 'the assignment is too large to be stored');
}

export function heartbeat(turn: Turn, group: ClassicGroup, op: Heartbeat): void {
  const errorCode = checkGeneration(group, op.request);
  const member = group.member(op.request.memberId);
  if (errorCode !== ErrorCode.NONE || member === undefined) {
    turn.effects.reply(op.token, newHeartbeatResponse({ errorCode }));
    return;
  }
  restartSession(turn, group, member);
  const rebalancing = group.state === 'PreparingRebalance';
  turn.effects.reply(
    op.token,
    newHeartbeatResponse({ errorCode: rebalancing ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE }),
  );
}

/** Each member leaves or is refused on its own; what the group makes of it is decided once for all of them. */
export function leaveGroup(turn: Turn, group: ClassicGroup, op: LeaveGroup): void {
  const members = op.request.members.map((identity) => {
    const errorCode = leave(turn, group, identity);
    return newMemberResponse({ memberId: identity.memberId, groupInstanceId: identity.groupInstanceId, errorCode });
  });
  turn.effects.reply(op.token, newLeaveGroupResponse({ members }));
  const left = members.filter(({ errorCode }) => errorCode === ErrorCode.NONE);
  if (left.length === 0) return;
  if (group.state === 'PreparingRebalance') completeJoinIfReady(turn, group);
  else if (group.state !== 'Empty') rebalanceOrCompleteJoin(turn, group, `members left: ${left.length}`);
}

function leave(turn: Turn, group: ClassicGroup, identity: MemberIdentity): ErrorCode {
  const { groupInstanceId } = identity;
  // An administrator removes static members by their instance id alone (KIP-345).
  const byInstance = identity.memberId === '' && groupInstanceId !== null;
  const memberId = byInstance ? (group.staticMemberId(groupInstanceId) ?? '') : identity.memberId;
  if (group.pendingJoins.has(memberId)) {
    group.remove(memberId);
    stopSession(turn, group.groupId, memberId);
    return ErrorCode.NONE;
  }
  const errorCode = group.checkMember(memberId, groupInstanceId);
  const member = group.member(memberId);
  if (errorCode !== ErrorCode.NONE || member === undefined) return errorCode;
  const reason = identity.reason ?? 'not provided';
  turn.logger.info('group member left', { groupId: group.groupId, memberId, reason });
  removeMember(turn, group, member);
  return ErrorCode.NONE;
}

/** Who commits, as far as the request says. */
export interface Committer {
  /** Negative: a client without membership. */
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

/**
 * Whether the commit may be taken. Outsiders may commit while the group has no members; members in any state but
 * CompletingRebalance, where their partitions may be another's already.
 */
export function checkCommit(group: ClassicGroup, committer: Committer): ErrorCode {
  const { generationId, memberId, groupInstanceId } = committer;
  const isOutsider = generationId < 0 && memberId === '' && groupInstanceId === null;
  switch (group.state) {
    case 'Dead':
      return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    case 'Empty':
      if (generationId < 0) return ErrorCode.NONE;
      break;
    case 'PreparingRebalance':
    case 'CompletingRebalance':
    case 'Stable':
      if (isOutsider) return ErrorCode.UNKNOWN_MEMBER_ID;
      break;
    default:
      return unreachable(group.state);
  }
  const errorCode = group.checkMember(memberId, groupInstanceId);
  if (errorCode !== ErrorCode.NONE) return errorCode;
  if (generationId !== group.generationId) return ErrorCode.ILLEGAL_GENERATION;
  return group.state === 'CompletingRebalance' ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
}

/** A commit is a sign of life of its member. */
export function noteCommit(turn: Turn, group: ClassicGroup, member: ClassicMember): void {
  if (group.state === 'Stable' || group.state === 'PreparingRebalance') restartSession(turn, group, member);
}
