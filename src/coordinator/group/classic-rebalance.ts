/**
 * How a classic group gets from one generation to the next: who is waited for, how long, who is dropped, and what
 * everybody is told. Owns the order of states during a rebalance; the requests that set it off are in `classic-join.ts`
 * and `classic-membership.ts`. Source of the rules: Kafka's `GroupMetadataManager`.
 */
import {
  type JoinGroupResponse,
  newJoinGroupResponse,
  newJoinGroupResponseMember,
} from '../../codec/generated/11-join-group';
import { newSyncGroupResponse } from '../../codec/generated/14-sync-group';
import { ErrorCode } from '../../codec/generated/errors';
import type { ClassicGroup } from './classic-group';
import { canPrepareRebalance } from './classic-group-state';
import { type ClassicMember, EMPTY_ASSIGNMENT } from './classic-member';
import type { InitialDelayOver, SessionExpired, SyncDeadline, Turn } from './group-operation';
import type { GroupMetadataRecord } from './group-records';
import {
  restartSession,
  startInitialDelay,
  startJoinDeadline,
  startSyncDeadline,
  stopJoinDeadline,
  stopSession,
  stopSyncDeadline,
} from './group-timers';

/** The group as it is now, to be kept: this generation with its assignment. */
export function groupRecord(group: ClassicGroup): GroupMetadataRecord {
  const { groupId, generationId, protocolType, protocolName, leaderId, stateSinceMs } = group;
  const members = [...group.members()].map((member) => ({
    memberId: member.memberId,
    groupInstanceId: member.groupInstanceId,
    clientId: member.clientId,
    clientHost: member.clientHost,
    rebalanceTimeoutMs: member.terms.rebalanceTimeoutMs,
    sessionTimeoutMs: member.terms.sessionTimeoutMs,
    subscription: member.metadata(protocolName ?? ''),
    assignment: member.assignment,
  }));
  const metadata = { protocolType, generationId, protocolName, leaderId, stateSinceMs, members };
  return { kind: 'group-metadata', groupId, metadata };
}

/** What the leader is told about everybody: their subscriptions under the chosen protocol. */
function memberList(group: ClassicGroup): JoinGroupResponse['members'] {
  return [...group.members()].map((member) =>
    newJoinGroupResponseMember({
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      metadata: member.metadata(group.protocolName ?? ''),
    }),
  );
}

/** The answer to a join into the current generation; `members` is filled for the leader. */
export function joinedResponse(group: ClassicGroup, memberId: string): JoinGroupResponse {
  return newJoinGroupResponse({
    generationId: group.generationId,
    protocolType: group.protocolType,
    protocolName: group.protocolName,
    leader: group.leaderId ?? '',
    memberId,
    members: group.isLeader(memberId) ? memberList(group) : [],
  });
}

/** Starts a rebalance where none is under way, else sees whether it can end. */
export function rebalanceOrCompleteJoin(turn: Turn, group: ClassicGroup, reason: string): void {
  if (canPrepareRebalance(group.state)) prepareRebalance(turn, group, reason);
  else completeJoinIfReady(turn, group);
}

export function prepareRebalance(turn: Turn, group: ClassicGroup, reason: string): void {
  if (group.state === 'CompletingRebalance') failSyncs(turn, group, ErrorCode.REBALANCE_IN_PROGRESS);
  group.clearPendingSyncs();
  stopSyncDeadline(turn, group);
  const isInitial = group.state === 'Empty';
  group.transitionTo('PreparingRebalance', turn.nowMs);
  const { groupId, generationId } = group;
  turn.logger.info('group prepares to rebalance', { groupId, generationId, reason });
  if (isInitial) {
    group.newMemberAdded = false;
    const delayMs = turn.config.initialRebalanceDelayMs;
    startInitialDelay(turn, group, { delayMs, remainingMs: Math.max(group.rebalanceTimeoutMs - delayMs, 0) });
  } else if (group.hasAllMembersJoined) {
    completeJoin(turn, group);
  } else {
    startJoinDeadline(turn, group);
  }
}

/** Everybody is there; in an initial rebalance only the delay's end tells that. */
export function completeJoinIfReady(turn: Turn, group: ClassicGroup): void {
  if (group.state !== 'PreparingRebalance' || group.isInitialRebalance || !group.hasAllMembersJoined) return;
  completeJoin(turn, group);
}

export function onInitialDelayOver(turn: Turn, group: ClassicGroup, op: InitialDelayOver): void {
  if (!group.isInitialRebalance) return;
  if (!group.newMemberAdded || op.remainingMs === 0) {
    completeJoin(turn, group);
    return;
  }
  group.newMemberAdded = false;
  const delayMs = Math.min(turn.config.initialRebalanceDelayMs, op.remainingMs);
  startInitialDelay(turn, group, { delayMs, remainingMs: Math.max(op.remainingMs - op.delayMs, 0) });
}

export function onJoinDeadline(turn: Turn, group: ClassicGroup): void {
  if (group.state === 'PreparingRebalance') completeJoin(turn, group);
}

/** Ends the join phase: drops dynamic members that did not rejoin, starts the next generation, answers all joins. */
function completeJoin(turn: Turn, group: ClassicGroup): void {
  stopJoinDeadline(turn, group);
  const late = [...group.members()].filter((member) => !member.isAwaitingJoin && member.groupInstanceId === null);
  for (const { memberId } of late) {
    group.remove(memberId);
    stopSession(turn, group.groupId, memberId);
  }
  const { groupId } = group;
  if (late.length > 0) {
    turn.logger.info('group dropped members that did not rejoin', { groupId, members: late.map((m) => m.memberId) });
  }
  if (group.size > 0 && !group.electJoinedLeader()) {
    // Only static members are left and none has rejoined: their sessions decide.
    startJoinDeadline(turn, group);
    return;
  }
  group.startGeneration(turn.nowMs);
  const { generationId, size } = group;
  if (group.size === 0) {
    group.leaderId = null;
    turn.logger.info('group is empty', { groupId, generationId });
    turn.effects.record(groupRecord(group));
    return;
  }
  turn.logger.info('group has a new generation', { groupId, generationId, members: size });
  for (const member of group.members()) {
    group.answerJoin(member, joinedResponse(group, member.memberId), turn.effects);
    restartSession(turn, group, member);
    member.isNew = false;
  }
  startSyncDeadline(turn, group);
}

/** Keeps `record`, which holds the generation with its assignment, and tells every member that waits. */
export function completeSync(turn: Turn, group: ClassicGroup, record: GroupMetadataRecord): void {
  turn.effects.record(record);
  for (const member of group.members()) answerSync(turn, group, member);
  group.transitionTo('Stable', turn.nowMs);
}

function answerSync(turn: Turn, group: ClassicGroup, member: ClassicMember): void {
  const { protocolType, protocolName } = group;
  const response = newSyncGroupResponse({ protocolType, protocolName, assignment: member.assignment });
  if (group.answerSync(member, response, turn.effects)) restartSession(turn, group, member);
}

/** Every parked sync ends with an error, and no assignment of this generation counts. */
export function failSyncs(turn: Turn, group: ClassicGroup, errorCode: ErrorCode): void {
  for (const member of group.members()) {
    member.assignment = EMPTY_ASSIGNMENT;
    if (group.answerSync(member, newSyncGroupResponse({ errorCode }), turn.effects))
      restartSession(turn, group, member);
  }
}

export function onSyncDeadline(turn: Turn, group: ClassicGroup, op: SyncDeadline): void {
  if (op.generationId !== group.generationId || group.pendingSyncs.size === 0) return;
  if (group.state !== 'CompletingRebalance' && group.state !== 'Stable') return;
  for (const memberId of [...group.pendingSyncs]) {
    group.remove(memberId);
    stopSession(turn, group.groupId, memberId);
  }
  prepareRebalance(turn, group, 'members did not send SyncGroup in time');
}

export function onSessionExpired(turn: Turn, group: ClassicGroup, { memberId }: SessionExpired): void {
  const member = group.member(memberId);
  if (member === undefined) {
    if (!group.pendingJoins.has(memberId)) return;
    group.remove(memberId);
    completeJoinIfGathered(turn, group);
    return;
  }
  if (member.sessionIsKept) return;
  turn.logger.info('group member has failed', { groupId: group.groupId, memberId });
  removeMember(turn, group, member);
  if (group.state === 'PreparingRebalance') completeJoinIfGathered(turn, group);
  else rebalanceOrCompleteJoin(turn, group, `session of ${memberId} expired`);
}

/** Unlike `completeJoinIfReady` this may end an initial rebalance early: those who are gone are not waited for. */
function completeJoinIfGathered(turn: Turn, group: ClassicGroup): void {
  if (group.state === 'PreparingRebalance' && group.hasAllMembersJoined) completeJoin(turn, group);
}

/** Takes a member out; a join that it has parked is answered UNKNOWN_MEMBER_ID, so that a living client comes again. */
export function removeMember(turn: Turn, group: ClassicGroup, member: ClassicMember): void {
  stopSession(turn, group.groupId, member.memberId);
  const errorCode = ErrorCode.UNKNOWN_MEMBER_ID;
  group.answerJoin(member, newJoinGroupResponse({ errorCode }), turn.effects);
  group.answerSync(member, newSyncGroupResponse({ errorCode }), turn.effects);
  group.remove(member.memberId);
}
