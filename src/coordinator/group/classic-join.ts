/**
 * JoinGroup on a classic group: new members (KIP-394: dynamic ones from version 4 come twice), static ones that come
 * back (KIP-345), and members that rejoin. Parks the request until the rebalance ends, or answers at once where nothing
 * changes. Source of the rules: Kafka's `GroupMetadataManager.classicGroupJoin`.
 */
import { assert } from '../../base/assert';
import {
  type JoinGroupRequest,
  type JoinGroupResponse,
  newJoinGroupResponse,
} from '../../codec/generated/11-join-group';
import { ErrorCode } from '../../codec/generated/errors';
import type { ClassicGroup } from './classic-group';
import { ClassicMember, type MemberProtocol, type MemberTerms } from './classic-member';
import {
  completeJoinIfReady,
  groupRecord,
  joinedResponse,
  prepareRebalance,
  rebalanceOrCompleteJoin,
  removeMember,
} from './classic-rebalance';
import type { JoinGroup, Turn } from './group-operation';
import { restartSession, startNewMemberSession, startSession } from './group-timers';

/** Dynamic members without an id are first given one and asked to come again. */
const MEMBER_ID_REQUIRED_FROM = 4;
/** A returning static leader can be told not to assign (KIP-814). */
const SKIP_ASSIGNMENT_FROM = 9;

export function joinGroup(turn: Turn, group: ClassicGroup, op: JoinGroup): void {
  const { memberId, protocolType } = op.request;
  if (!hasRoom(turn, group, memberId)) {
    const member = group.member(memberId);
    if (member) removeMember(turn, group, member);
    else group.remove(memberId);
    refuse(turn, op, ErrorCode.GROUP_MAX_SIZE_REACHED);
  } else if (!group.supports(protocolType, op.request.protocols)) {
    turn.effects.reply(op.token, newJoinGroupResponse({ memberId, errorCode: ErrorCode.INCONSISTENT_GROUP_PROTOCOL }));
  } else if (memberId === '') {
    joinNewMember(turn, group, op);
  } else if (group.pendingJoins.has(memberId) && op.request.groupInstanceId === null) {
    addMember(turn, group, { op, memberId });
  } else {
    rejoin(turn, group, op);
  }
}

function refuse(turn: Turn, op: JoinGroup, errorCode: ErrorCode): void {
  turn.effects.reply(op.token, newJoinGroupResponse({ errorCode }));
}

/**
 * Whether the group may take the member in. During a rebalance those who have joined count, not the members, so that
 * a group that is too large loses those who come last.
 */
function hasRoom(turn: Turn, group: ClassicGroup, memberId: string): boolean {
  const { maxSize } = turn.config;
  switch (group.state) {
    case 'Empty':
    case 'Dead':
      return true;
    case 'PreparingRebalance':
      return group.member(memberId)?.isAwaitingJoin === true || group.awaitingJoin < maxSize;
    case 'CompletingRebalance':
    case 'Stable':
      return group.member(memberId) !== undefined || group.size < maxSize;
  }
}

/** The protocols copied out of the request's frame; of a name given twice, the first counts. */
function protocolsOf(request: JoinGroupRequest): MemberProtocol[] {
  const byName = new Map<string, MemberProtocol>();
  for (const { name, metadata } of request.protocols) {
    if (!byName.has(name)) byName.set(name, { name, metadata: Buffer.from(metadata) });
  }
  return [...byName.values()];
}

function termsOf(request: JoinGroupRequest): MemberTerms {
  const { sessionTimeoutMs, rebalanceTimeoutMs } = request;
  return {
    sessionTimeoutMs,
    // Version 0 has no rebalance timeout: the session's stands for it.
    rebalanceTimeoutMs: rebalanceTimeoutMs === -1 ? sessionTimeoutMs : rebalanceTimeoutMs,
    protocols: protocolsOf(request),
  };
}

function reasonOf(request: JoinGroupRequest): string {
  return request.reason === null || request.reason === '' ? 'not provided' : request.reason;
}

function joinNewMember(turn: Turn, group: ClassicGroup, op: JoinGroup): void {
  const { groupInstanceId } = op.request;
  const newMemberId = `${groupInstanceId ?? op.context.clientId}-${op.memberIdSuffix}`;
  if (groupInstanceId !== null) {
    const former = group.member(group.staticMemberId(groupInstanceId) ?? '');
    if (former) replaceStaticMember(turn, group, { op, former, newMemberId });
    else addMember(turn, group, { op, memberId: newMemberId });
  } else if (op.context.apiVersion >= MEMBER_ID_REQUIRED_FROM) {
    group.addPendingJoin(newMemberId);
    startSession(turn, { groupId: group.groupId, memberId: newMemberId }, op.request.sessionTimeoutMs);
    const errorCode = ErrorCode.MEMBER_ID_REQUIRED;
    turn.effects.reply(op.token, newJoinGroupResponse({ memberId: newMemberId, errorCode }));
  } else {
    addMember(turn, group, { op, memberId: newMemberId });
  }
}

function addMember(turn: Turn, group: ClassicGroup, { op, memberId }: { op: JoinGroup; memberId: string }): void {
  const { groupInstanceId, protocolType } = op.request;
  const { clientId, clientHost } = op.context;
  const member = new ClassicMember({ memberId, groupInstanceId, clientId, clientHost }, termsOf(op.request));
  member.isNew = true;
  if (group.isInitialRebalance) group.newMemberAdded = true;
  group.add(member, protocolType);
  group.parkJoin(member, op.token, turn.effects);
  startNewMemberSession(turn, group, member);
  rebalanceOrCompleteJoin(turn, group, `member ${memberId} joins; client's reason: ${reasonOf(op.request)}`);
}

function updateAndRebalance(turn: Turn, group: ClassicGroup, op: JoinGroup): void {
  const member = group.member(op.request.memberId);
  assert(member !== undefined, 'who rejoins is a member');
  group.update(member, termsOf(op.request));
  group.parkJoin(member, op.token, turn.effects);
  rebalanceOrCompleteJoin(turn, group, `member ${member.memberId} rejoins; client's reason: ${reasonOf(op.request)}`);
}

function rejoin(turn: Turn, group: ClassicGroup, op: JoinGroup): void {
  const { memberId, groupInstanceId } = op.request;
  const errorCode = group.checkMember(memberId, groupInstanceId);
  const member = group.member(memberId);
  if (errorCode !== ErrorCode.NONE || member === undefined) {
    turn.effects.reply(op.token, newJoinGroupResponse({ memberId, errorCode }));
    return;
  }
  const isUnchanged = member.hasProtocols(protocolsOf(op.request));
  switch (group.state) {
    case 'PreparingRebalance':
      updateAndRebalance(turn, group, op);
      return;
    case 'CompletingRebalance':
      // Most likely the answer to its join got lost.
      if (isUnchanged) turn.effects.reply(op.token, joinedResponse(group, memberId));
      else updateAndRebalance(turn, group, op);
      return;
    case 'Stable':
      // A leader rejoins to have the assignment made anew, for example since a topic has new partitions.
      if (isUnchanged && !group.isLeader(memberId)) turn.effects.reply(op.token, joinedResponse(group, memberId));
      else updateAndRebalance(turn, group, op);
      return;
    case 'Empty':
    case 'Dead':
      assert(false, `group ${group.groupId} has members in state ${group.state}`);
  }
}

interface StaticReturn {
  readonly op: JoinGroup;
  readonly former: ClassicMember;
  readonly newMemberId: string;
}

/** A static member comes back without its id: it takes its place again, and nobody rebalances if nothing changes. */
function replaceStaticMember(turn: Turn, group: ClassicGroup, { op, former, newMemberId }: StaticReturn): void {
  const formerLeader = group.leaderId;
  const member = group.replaceStaticMember(former, newMemberId, turn.effects);
  group.update(member, termsOf(op.request));
  restartSession(turn, group, member);
  const reason = `static member ${newMemberId} came back; client's reason: ${reasonOf(op.request)}`;
  if (group.state === 'Stable' && group.selectProtocol() === group.protocolName) {
    turn.effects.record(groupRecord(group));
    turn.effects.reply(op.token, returnedResponse(group, { op, newMemberId, formerLeader }));
    return;
  }
  group.parkJoin(member, op.token, turn.effects);
  // In CompletingRebalance the leader may already assign to the former id, so that round is void.
  if (group.state === 'PreparingRebalance') completeJoinIfReady(turn, group);
  else prepareRebalance(turn, group, reason);
}

/** A leader that comes back must not assign: newer versions say so, older ones are told that the former id leads. */
function returnedResponse(
  group: ClassicGroup,
  { op, newMemberId, formerLeader }: { op: JoinGroup; newMemberId: string; formerLeader: string | null },
): JoinGroupResponse {
  const joined = joinedResponse(group, newMemberId);
  if (op.context.apiVersion >= SKIP_ASSIGNMENT_FROM) return { ...joined, skipAssignment: group.isLeader(newMemberId) };
  return { ...joined, leader: formerLeader ?? '', members: [] };
}
