/**
 * Random lives of groups: after each, the records replayed into a fresh shard give the same committed offsets, the same
 * groups, and members that go on with their generation. Along the way: every request is answered at most once, and no
 * two members of a generation believe that they lead.
 */
import fc from 'fast-check';
import { silentLogger } from '../../base/logger';
import {
  newOffsetCommitRequest,
  newOffsetCommitRequestPartition,
  newOffsetCommitRequestTopic,
} from '../../codec/generated/08-offset-commit';
import { newOffsetFetchRequestGroup, type OffsetFetchResponseGroup } from '../../codec/generated/09-offset-fetch';
import { type JoinGroupResponse, newJoinGroupRequest } from '../../codec/generated/11-join-group';
import { type HeartbeatResponse, newHeartbeatRequest } from '../../codec/generated/12-heartbeat';
import { newLeaveGroupRequest, newMemberIdentity } from '../../codec/generated/13-leave-group';
import { newSyncGroupRequest } from '../../codec/generated/14-sync-group';
import type { DescribedGroup } from '../../codec/generated/15-describe-groups';
import type { ListedGroup } from '../../codec/generated/16-list-groups';
import { ErrorCode } from '../../codec/generated/errors';
import type { Effects } from '../shard';
import type { GroupConfig } from './group-config';
import type { GroupOperation } from './group-operation';
import { type GroupRecord, groupRecordCodec } from './group-records';
import { GroupShard } from './group-shard';

const config: GroupConfig = {
  minSessionTimeoutMs: 6000,
  maxSessionTimeoutMs: 1_800_000,
  initialRebalanceDelayMs: 100,
  maxSize: 3,
  offsetMetadataMaxLength: 10,
  offsetsRetentionMs: 60_000,
  offsetsRetentionCheckIntervalMs: 20_000,
  maxRecordBytes: 10_000,
};

const GROUPS = ['g', 'h'];

interface Client {
  memberId: string;
  generationId: number;
}

/** A shard with its log, its timers and the clients that talk to it. */
class World {
  shard = new GroupShard({ config, logger: silentLogger, retainsOffsets: () => false });
  nowMs = 1_000_000;
  readonly log: GroupRecord[] = [];
  readonly timers = new Map<string, { at: number; op: GroupOperation }>();
  readonly clients = new Map<string, Client>();
  readonly #open = new Map<number, (response: unknown) => void>();
  #tokens = 0;

  constructor() {
    this.take(this.shard.onLoaded(this.nowMs));
  }

  /** Hands the operation in; its response, if it comes, goes to `onResponse`. */
  ask<R>(makeOp: (token: { id: number }) => GroupOperation, onResponse: (response: R) => void = () => undefined): void {
    const token = { id: ++this.#tokens };
    this.#open.set(token.id, (response) => onResponse(response as R));
    this.take(this.shard.handle(makeOp(token), this.nowMs));
  }

  get<R>(makeOp: (token: { id: number }) => GroupOperation): R {
    let got: R | undefined;
    this.ask<R>(makeOp, (response) => {
      got = response;
    });
    if (got === undefined) throw new Error('no answer at once');
    return got;
  }

  take(effects: Effects<GroupOperation, GroupRecord>): void {
    for (const record of effects.records) {
      this.shard.apply(record, { offset: this.log.length, producerId: -1 });
      this.log.push(record);
    }
    for (const change of effects.timers) {
      if (change.at === null) this.timers.delete(change.key);
      else this.timers.set(change.key, { at: change.at, op: change.op });
    }
    for (const { to, response } of effects.replies) {
      const answer = this.#open.get(to.id);
      if (!answer) throw new Error('a request is answered twice');
      this.#open.delete(to.id);
      answer(response);
    }
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const due = [...this.timers].filter(([, { at }]) => at <= endMs).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.timers.delete(due[0]);
      this.nowMs = Math.max(this.nowMs, due[1].at);
      this.take(this.shard.handle(due[1].op, this.nowMs));
    }
    this.nowMs = endMs;
  }

  /** The same log in a fresh shard, through bytes. */
  replayed(): World {
    const world = new World();
    world.shard = new GroupShard({ config, logger: silentLogger, retainsOffsets: () => false });
    world.timers.clear();
    world.nowMs = this.nowMs;
    for (const [offset, record] of this.log.entries()) {
      const { key, value } = groupRecordCodec.encode(record);
      world.shard.apply(groupRecordCodec.decode(key, value)!, { offset, producerId: -1 });
    }
    world.take(world.shard.onLoaded(this.nowMs));
    return world;
  }
}

type Step =
  | { kind: 'join'; who: number; group: string; version: number; protocols: string[]; isStatic: boolean }
  | { kind: 'sync' | 'heartbeat' | 'leave'; who: number; group: string; isStatic: boolean }
  | { kind: 'commit'; who: number; group: string; partition: number; asMember: boolean }
  | { kind: 'form'; group: string; isStatic: boolean }
  | { kind: 'delete'; group: string }
  | { kind: 'wait'; ms: number };

const who = fc.nat(3);
const group = fc.constantFrom(...GROUPS);
const isStatic = fc.boolean();
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      who,
      group,
      isStatic,
      version: fc.constantFrom(3, 5, 9),
      protocols: fc.subarray(['range', 'sticky'], { minLength: 1 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('sync' as const, 'heartbeat' as const), who, group, isStatic }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), who, group, isStatic }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      who,
      group,
      partition: fc.nat(2),
      asMember: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('form' as const), group, isStatic }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), group }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(100, 1000, 7000, 70_000) }),
  },
);

function clientOf(world: World, name: string): Client {
  const client = world.clients.get(name) ?? { memberId: '', generationId: -1 };
  world.clients.set(name, client);
  return client;
}

type JoinStep = Extract<Step, { kind: 'join' }>;
type CommitStep = Extract<Step, { kind: 'commit' }>;
type MemberStep = Extract<Step, { kind: 'sync' | 'heartbeat' | 'leave' }>;

function play(world: World, s: Step, at: number): void {
  if (s.kind === 'wait') world.advance(s.ms);
  else if (s.kind === 'delete') world.ask((token) => ({ kind: 'delete-groups', token, groupIds: [s.group] }));
  else if (s.kind === 'join') join(world, s, at);
  else if (s.kind === 'form') form(world, s, at);
  else if (s.kind === 'commit') commit(world, s, at);
  else act(world, s);
}

/** Two members that do everything right: mostly they end up in a stable group. */
function form(world: World, { group, isStatic }: Extract<Step, { kind: 'form' }>, at: number): void {
  const protocols = ['range'];
  for (const round of [0, 1]) {
    for (const who of [0, 1]) {
      const step = { kind: 'join', who, group, isStatic, version: 9, protocols } as const;
      join(world, { ...step, protocols }, 1000 * (2 * round + who + 1) + at);
    }
    world.advance(100);
  }
  for (const who of [0, 1]) act(world, { kind: 'sync', who, group, isStatic });
}

function identityOf(world: World, s: JoinStep | MemberStep) {
  const name = `${s.group}${s.who}${s.isStatic ? 's' : ''}`;
  const groupInstanceId = s.isStatic ? `i${s.who}` : null;
  const client = clientOf(world, name);
  return { name, client, identity: { groupId: s.group, memberId: client.memberId, groupInstanceId } };
}

function join(world: World, s: JoinStep, at: number): void {
  const { name, client, identity } = identityOf(world, s);
  const request = newJoinGroupRequest({
    ...identity,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 15_000,
    protocolType: 'consumer',
    protocols: s.protocols.map((protocol) => ({ name: protocol, metadata: Buffer.from(name) })),
  });
  const context = { apiVersion: s.version, clientId: name, clientHost: '/h' };
  world.ask<JoinGroupResponse>(
    (token) => ({ kind: 'join-group', token, context, request, memberIdSuffix: String(at) }),
    ({ memberId, generationId, errorCode }) => {
      if (errorCode === ErrorCode.NONE || memberId !== '') Object.assign(client, { memberId, generationId });
      if (errorCode === ErrorCode.UNKNOWN_MEMBER_ID) client.memberId = '';
    },
  );
}

function act(world: World, s: MemberStep): void {
  const { client, identity } = identityOf(world, s);
  const { generationId } = client;
  if (s.kind === 'sync') {
    const assignments = [...world.clients.values()].map(({ memberId }) => ({
      memberId,
      assignment: Buffer.from(`for ${memberId}`),
    }));
    const request = newSyncGroupRequest({ ...identity, generationId, assignments });
    world.ask((token) => ({ kind: 'sync-group', token, request }));
  } else if (s.kind === 'heartbeat') {
    const request = newHeartbeatRequest({ ...identity, generationId });
    world.ask((token) => ({ kind: 'heartbeat', token, request }));
  } else {
    const members = [newMemberIdentity(identity)];
    const request = newLeaveGroupRequest({ groupId: s.group, members });
    world.ask((token) => ({ kind: 'leave-group', token, request }));
  }
}

function commit(world: World, s: CommitStep, at: number): void {
  const client = clientOf(world, `${s.group}${s.who}`);
  const partition = newOffsetCommitRequestPartition({ partitionIndex: s.partition, committedOffset: at });
  const request = newOffsetCommitRequest({
    groupId: s.group,
    memberId: s.asMember ? client.memberId : '',
    generationIdOrMemberEpoch: s.asMember ? client.generationId : -1,
    topics: [newOffsetCommitRequestTopic({ name: 't', partitions: [partition] })],
  });
  world.ask((token) => ({ kind: 'commit-offsets', token, apiVersion: 8, request }));
}

const describeAll = (world: World) =>
  world.get<DescribedGroup[]>((token) => ({ kind: 'describe-groups', token, apiVersion: 6, groupIds: GROUPS }));

function offsetsOf(world: World, groupId: string): OffsetFetchResponseGroup {
  const asked = newOffsetFetchRequestGroup({ groupId, topics: null });
  return world.get((token) => ({ kind: 'fetch-offsets', token, group: asked, requireStable: true }));
}

/** The groups whose state is all in the records. */
const isSettled = ({ groupState }: DescribedGroup): boolean => ['Stable', 'Empty', 'Dead'].includes(groupState);

const listed = (world: World) => world.get<ListedGroup[]>((token) => ({ kind: 'list-groups', token }));

const isListed = (world: World, groupId: string): boolean => listed(world).some((g) => g.groupId === groupId);

/** Whether records, and not only soft state, tell of the group. */
function isStored(world: World, groupId: string): boolean {
  const metadata = world.log.filter((record) => record.kind === 'group-metadata' && record.groupId === groupId).at(-1);
  const hasMetadata = metadata?.kind === 'group-metadata' && metadata.metadata !== null;
  return hasMetadata || offsetsOf(world, groupId).topics.length > 0;
}

const byId = (a: { groupId: string }, b: { groupId: string }): number => (a.groupId < b.groupId ? -1 : 1);

function checkReplay(world: World): void {
  const after = world.replayed();
  for (const groupId of GROUPS) expect(offsetsOf(after, groupId)).toEqual(offsetsOf(world, groupId));
  const before = describeAll(world);
  const settled = before.filter(isSettled);
  // An id given out, and no more, is not kept.
  const kept = settled
    .map(({ groupId }) => groupId)
    .filter((groupId) => isStored(world, groupId) || !isListed(world, groupId));
  const pick = (groups: DescribedGroup[]) => groups.filter(({ groupId }) => kept.includes(groupId));
  expect(pick(describeAll(after))).toEqual(pick(before));
  const pickListed = (groups: ListedGroup[]) => groups.filter(({ groupId }) => kept.includes(groupId)).sort(byId);
  expect(pickListed(listed(after))).toEqual(pickListed(listed(world)));
  for (const described of pick(before)) checkMembersGoOn(world, after, described);
}

function checkMembersGoOn(world: World, after: World, described: DescribedGroup): void {
  for (const { memberId, groupInstanceId } of described.members) {
    const generations = [...world.clients.values()].filter((c) => c.memberId === memberId).map((c) => c.generationId);
    for (const generationId of generations) {
      const request = newHeartbeatRequest({ groupId: described.groupId, memberId, generationId, groupInstanceId });
      const beat = (w: World) => w.get<HeartbeatResponse>((token) => ({ kind: 'heartbeat', token, request })).errorCode;
      expect(beat(after)).toBe(beat(world));
    }
  }
}

describe('GroupShard', () => {
  it('gives the same state when its records are replayed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = new World();
        for (const [at, s] of steps.entries()) play(world, s, at);
        checkReplay(world);
      }),
      { numRuns: 200 },
    );
  });

  it('forgets everything about groups that nobody uses', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const world = new World();
        for (const [at, s] of steps.entries()) play(world, s, at);
        // Sessions, deadlines and retentions run out.
        world.advance(10 * 60_000);
        expect(listed(world)).toEqual([]);
        expect([...world.timers.keys()]).toEqual(['expire-offsets']);
      }),
      { numRuns: 100 },
    );
  });
});
