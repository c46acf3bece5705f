/**
 * A classic consumer group while it has members: who they are, what they can agree on, whose requests are parked.
 * All of it is soft state; what survives is in the records of the shard. Owns the counts and indexes over members and
 * keeps them consistent; `classic-join.ts`, `classic-rebalance.ts` and `classic-membership.ts` decide what happens
 * when. Source of the rules: Kafka's `ClassicGroup`.
 */
import { assert } from '../../base/assert';
import type { TimestampMs } from '../../base/clock';
import { type JoinGroupResponse, newJoinGroupResponse } from '../../codec/generated/11-join-group';
import { newSyncGroupResponse, type SyncGroupResponse } from '../../codec/generated/14-sync-group';
import { ErrorCode } from '../../codec/generated/errors';
import type { RequestToken } from '../shard';
import { assertTransition, type ClassicGroupState } from './classic-group-state';
import { ClassicMember, type MemberProtocol, type MemberTerms } from './classic-member';
import type { GroupEffects } from './group-operation';
import type { GroupMetadata } from './group-records';

export class ClassicGroup {
  readonly groupId: string;
  generationId = 0;
  /** What kind of members: `consumer`, `connect`…; null while there never were any. */
  protocolType: string | null = null;
  /** The protocol of this generation. */
  protocolName: string | null = null;
  leaderId: string | null = null;
  /** The initial rebalance can be delayed further, since somebody joined during the delay. */
  newMemberAdded = false;
  #state: ClassicGroupState = 'Empty';
  #previousState: ClassicGroupState = 'Dead';
  #stateSinceMs: TimestampMs | null;
  #awaitingJoin = 0;
  readonly #members = new Map<string, ClassicMember>();
  /** Group instance id → member id. */
  readonly #staticMembers = new Map<string, string>();
  /** Ids that were given out with MEMBER_ID_REQUIRED (KIP-394) and have not come back yet. */
  readonly #pendingJoins = new Set<string>();
  /** Members of this generation that have not sent SyncGroup yet. */
  readonly #pendingSyncs = new Set<string>();
  /** Protocol name → members that support it. */
  readonly #support = new Map<string, number>();

  constructor(groupId: string, stateSinceMs: TimestampMs | null) {
    this.groupId = groupId;
    this.#stateSinceMs = stateSinceMs;
  }

  /** The group as its last record tells it: Stable with its members, or Empty. */
  static restore(groupId: string, metadata: GroupMetadata): ClassicGroup {
    const group = new ClassicGroup(groupId, metadata.stateSinceMs);
    group.generationId = metadata.generationId;
    group.protocolType = metadata.protocolType;
    group.protocolName = metadata.protocolName;
    group.leaderId = metadata.leaderId;
    for (const stored of metadata.members) {
      const protocols = [{ name: metadata.protocolName ?? '', metadata: stored.subscription }];
      const { rebalanceTimeoutMs, sessionTimeoutMs } = stored;
      const terms = { rebalanceTimeoutMs, sessionTimeoutMs, protocols };
      group.#index(new ClassicMember(stored, terms, stored.assignment));
    }
    if (metadata.members.length > 0) group.#state = 'Stable';
    return group;
  }

  get state(): ClassicGroupState {
    return this.#state;
  }

  /** Null where an old broker's record does not say. */
  get stateSinceMs(): TimestampMs | null {
    return this.#stateSinceMs;
  }

  /** The first members of a group that had none are gathered for a while. */
  get isInitialRebalance(): boolean {
    return this.#state === 'PreparingRebalance' && this.#previousState === 'Empty';
  }

  /** Nothing of it would be missed: no members, none about to come. */
  get isIdle(): boolean {
    return this.#state === 'Dead' || (this.#state === 'Empty' && this.#pendingJoins.size === 0);
  }

  get size(): number {
    return this.#members.size;
  }

  get awaitingJoin(): number {
    return this.#awaitingJoin;
  }

  get hasAllMembersJoined(): boolean {
    return this.#awaitingJoin === this.#members.size && this.#pendingJoins.size === 0;
  }

  get pendingJoins(): ReadonlySet<string> {
    return this.#pendingJoins;
  }

  get pendingSyncs(): ReadonlySet<string> {
    return this.#pendingSyncs;
  }

  /** The longest that any member may take to rejoin. */
  get rebalanceTimeoutMs(): number {
    let longest = 0;
    for (const member of this.#members.values()) longest = Math.max(longest, member.terms.rebalanceTimeoutMs);
    return longest;
  }

  members(): Iterable<ClassicMember> {
    return this.#members.values();
  }

  member(memberId: string): ClassicMember | undefined {
    return this.#members.get(memberId);
  }

  staticMemberId(groupInstanceId: string): string | undefined {
    return this.#staticMembers.get(groupInstanceId);
  }

  isLeader(memberId: string): boolean {
    return this.leaderId === memberId;
  }

  transitionTo(state: ClassicGroupState, nowMs: TimestampMs): void {
    assertTransition(this.#state, state);
    this.#previousState = this.#state;
    this.#state = state;
    this.#stateSinceMs = nowMs;
  }

  /** The member of that id; UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID when another has taken its static place. */
  checkMember(memberId: string, groupInstanceId: string | null): ErrorCode {
    if (groupInstanceId !== null) {
      const current = this.#staticMembers.get(groupInstanceId);
      if (current === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
      if (current !== memberId) return ErrorCode.FENCED_INSTANCE_ID;
    }
    return this.#members.has(memberId) ? ErrorCode.NONE : ErrorCode.UNKNOWN_MEMBER_ID;
  }

  /** Whether a member with these protocols can be in the group: same type, and one protocol that all support. */
  supports(protocolType: string, protocols: readonly MemberProtocol[]): boolean {
    if (this.#state === 'Empty') return protocolType !== '' && protocols.length > 0;
    return (
      this.protocolType === protocolType &&
      protocols.some(({ name }) => (this.#support.get(name) ?? 0) === this.#members.size)
    );
  }

  add(member: ClassicMember, protocolType: string): void {
    if (this.#members.size === 0) this.protocolType = protocolType;
    assert(this.supports(protocolType, member.terms.protocols), `member ${member.memberId} has no common protocol`);
    this.#index(member);
    this.leaderId ??= member.memberId;
    this.#pendingJoins.delete(member.memberId);
  }

  addPendingJoin(memberId: string): void {
    assert(!this.#members.has(memberId), `${memberId} is a member already`);
    this.#pendingJoins.add(memberId);
  }

  /**
   * Takes out a member or a pending one; its parked requests must have been answered. Another member becomes leader.
   */
  remove(memberId: string): void {
    const member = this.#members.get(memberId);
    if (member) {
      this.#members.delete(memberId);
      this.#countProtocols(member, -1);
      if (member.isAwaitingJoin) this.#awaitingJoin--;
      if (member.groupInstanceId !== null) this.#staticMembers.delete(member.groupInstanceId);
    }
    if (this.isLeader(memberId)) this.leaderId = this.#members.keys().next().value ?? null;
    this.#pendingJoins.delete(memberId);
    this.#pendingSyncs.delete(memberId);
  }

  update(member: ClassicMember, terms: MemberTerms): void {
    this.#countProtocols(member, -1);
    member.terms = terms;
    this.#countProtocols(member, 1);
  }

  /**
   * A static member under a new id takes over place, terms and assignment of the former one, whose requests are
   * fenced.
   */
  replaceStaticMember(former: ClassicMember, memberId: string, effects: GroupEffects): ClassicMember {
    const errorCode = ErrorCode.FENCED_INSTANCE_ID;
    this.answerJoin(former, newJoinGroupResponse({ memberId: former.memberId, errorCode }), effects);
    this.answerSync(former, newSyncGroupResponse({ errorCode }), effects);
    const { groupInstanceId, clientId, clientHost } = former;
    const member = new ClassicMember(
      { memberId, groupInstanceId, clientId, clientHost },
      former.terms,
      former.assignment,
    );
    const wasLeader = this.isLeader(former.memberId);
    this.remove(former.memberId);
    this.#index(member);
    if (wasLeader) this.leaderId = memberId;
    return member;
  }

  /** Keeps the leader if it has rejoined, else takes one that has; false when nobody has. */
  electJoinedLeader(): boolean {
    const leader = this.leaderId === null ? undefined : this.#members.get(this.leaderId);
    if (leader?.isAwaitingJoin) return true;
    for (const member of this.#members.values()) {
      if (member.isAwaitingJoin) {
        this.leaderId = member.memberId;
        return true;
      }
    }
    return false;
  }

  /** The protocol that all members support and most prefer; of equals, the one that the earliest member prefers. */
  selectProtocol(): string {
    const candidates = new Set<string>();
    for (const [name, count] of this.#support) if (count === this.#members.size) candidates.add(name);
    const votes = new Map<string, number>();
    for (const member of this.#members.values()) {
      const choice = member.vote(candidates);
      votes.set(choice, (votes.get(choice) ?? 0) + 1);
    }
    let best: string | undefined;
    for (const [name, count] of votes) if (best === undefined || count > votes.get(best)!) best = name;
    assert(best !== undefined, 'a protocol is chosen among members');
    return best;
  }

  /** The next generation: CompletingRebalance with the members there are, Empty without. */
  startGeneration(nowMs: TimestampMs): void {
    this.generationId++;
    this.#pendingSyncs.clear();
    if (this.#members.size === 0) {
      this.protocolName = null;
      this.transitionTo('Empty', nowMs);
      return;
    }
    this.protocolName = this.selectProtocol();
    for (const memberId of this.#members.keys()) this.#pendingSyncs.add(memberId);
    this.transitionTo('CompletingRebalance', nowMs);
  }

  /** True when this was the last one that was waited for. */
  syncReceived(memberId: string): boolean {
    return this.#pendingSyncs.delete(memberId) && this.#pendingSyncs.size === 0;
  }

  clearPendingSyncs(): void {
    this.#pendingSyncs.clear();
  }

  parkJoin(member: ClassicMember, token: RequestToken<JoinGroupResponse>, effects: GroupEffects): void {
    // The client has sent the same join again: the first connection is given up, but its request must end too.
    this.answerJoin(member, newJoinGroupResponse({ errorCode: ErrorCode.REBALANCE_IN_PROGRESS }), effects);
    member.joinToken = token;
    this.#awaitingJoin++;
  }

  answerJoin(member: ClassicMember, response: JoinGroupResponse, effects: GroupEffects): void {
    if (member.joinToken === null) return;
    effects.reply(member.joinToken, response);
    member.joinToken = null;
    this.#awaitingJoin--;
  }

  answerSync(member: ClassicMember, response: SyncGroupResponse, effects: GroupEffects): boolean {
    if (member.syncToken === null) return false;
    effects.reply(member.syncToken, response);
    member.syncToken = null;
    return true;
  }

  #index(member: ClassicMember): void {
    const { memberId, groupInstanceId } = member;
    assert(!this.#members.has(memberId), `${memberId} is a member already`);
    this.#members.set(memberId, member);
    this.#countProtocols(member, 1);
    if (groupInstanceId === null) return;
    assert(!this.#staticMembers.has(groupInstanceId), `the static place ${groupInstanceId} is taken`);
    this.#staticMembers.set(groupInstanceId, memberId);
  }

  #countProtocols(member: ClassicMember, by: 1 | -1): void {
    for (const { name } of member.terms.protocols) {
      const count = (this.#support.get(name) ?? 0) + by;
      if (count > 0) this.#support.set(name, count);
      else this.#support.delete(name);
    }
  }
}
