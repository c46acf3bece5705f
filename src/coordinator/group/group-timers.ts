/** The timers of a group, by key: one session per member, one for the rebalance that is under way. */
import type { ClassicGroup } from './classic-group';
import type { ClassicMember } from './classic-member';
import type { GroupOperation, Turn } from './group-operation';

/** How long a join of a new member stays parked: clients that gave up come again with another id. As in Kafka. */
const NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60 * 1000;

function sessionKey(groupId: string, memberId: string): string {
  return `session ${groupId.length} ${groupId} ${memberId}`;
}

function joinKey(groupId: string): string {
  return `join ${groupId}`;
}

function syncKey(groupId: string): string {
  return `sync ${groupId}`;
}

function startTimer(turn: Turn, timer: { key: string; delayMs: number }, op: GroupOperation): void {
  turn.effects.startTimer(timer.key, turn.nowMs + timer.delayMs, op);
}

export function startSession(turn: Turn, member: { groupId: string; memberId: string }, timeoutMs: number): void {
  const { groupId, memberId } = member;
  const key = sessionKey(groupId, memberId);
  startTimer(turn, { key, delayMs: timeoutMs }, { kind: 'session-expired', groupId, memberId });
}

/** The member was heard of. */
export function restartSession(turn: Turn, group: ClassicGroup, member: ClassicMember): void {
  startSession(turn, { groupId: group.groupId, memberId: member.memberId }, member.terms.sessionTimeoutMs);
}

/** A new member cannot send heartbeats before it is answered, so its first wait has a limit of its own. */
export function startNewMemberSession(turn: Turn, group: ClassicGroup, member: ClassicMember): void {
  startSession(turn, { groupId: group.groupId, memberId: member.memberId }, NEW_MEMBER_JOIN_TIMEOUT_MS);
}

export function stopSession(turn: Turn, groupId: string, memberId: string): void {
  turn.effects.stopTimer(sessionKey(groupId, memberId));
}

export function startInitialDelay(
  turn: Turn,
  group: ClassicGroup,
  rest: { delayMs: number; remainingMs: number },
): void {
  const { groupId } = group;
  const { delayMs, remainingMs } = rest;
  const key = joinKey(groupId);
  startTimer(turn, { key, delayMs }, { kind: 'initial-delay-over', groupId, delayMs, remainingMs });
}

export function startJoinDeadline(turn: Turn, group: ClassicGroup): void {
  const { groupId, rebalanceTimeoutMs } = group;
  startTimer(turn, { key: joinKey(groupId), delayMs: rebalanceTimeoutMs }, { kind: 'join-deadline', groupId });
}

export function stopJoinDeadline(turn: Turn, group: ClassicGroup): void {
  turn.effects.stopTimer(joinKey(group.groupId));
}

/**
 * Members that gave themselves no time to rejoin still need a round trip to sync: they have their session. Kafka drops
 * them, mostly before their SyncGroup can arrive, since it got this deadline (KAFKA-12890); before, they worked.
 */
function syncTimeoutMs(group: ClassicGroup): number {
  if (group.rebalanceTimeoutMs > 0) return group.rebalanceTimeoutMs;
  let longest = 0;
  for (const member of group.members()) longest = Math.max(longest, member.terms.sessionTimeoutMs);
  return longest;
}

export function startSyncDeadline(turn: Turn, group: ClassicGroup): void {
  const { groupId, generationId } = group;
  const op: GroupOperation = { kind: 'sync-deadline', groupId, generationId };
  startTimer(turn, { key: syncKey(groupId), delayMs: syncTimeoutMs(group) }, op);
}

export function stopSyncDeadline(turn: Turn, group: ClassicGroup): void {
  turn.effects.stopTimer(syncKey(group.groupId));
}
