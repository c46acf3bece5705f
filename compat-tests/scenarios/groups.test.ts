/** Consumer groups, classic protocol: joining, rebalances, heartbeats, static members, leaving, describing. */
import { newFindCoordinatorRequest } from '../../src/codec/generated/10-find-coordinator';
import { newLeaveGroupRequest } from '../../src/codec/generated/13-leave-group';
import { newDescribeGroupsRequest } from '../../src/codec/generated/15-describe-groups';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import type { WireClient } from '../../src/testing/wire-client';
import { metadata } from './data-calls';
import { pause, timed, uniqueName, useBroker, withSettings } from './fixture';
import {
  coordinatorOf,
  describeGroups,
  heartbeat,
  join,
  leave,
  listGroups,
  Member,
  membersSeen,
  stabilise,
  sync,
  syncAll,
} from './group-calls';

const broker = useBroker();

let client: WireClient;
beforeEach(async () => {
  client = await broker.connect();
  await coordinatorOf(client, 'anyone');
});

async function member(groupId: string, o: ConstructorParameters<typeof Member>[2] = {}): Promise<Member> {
  return new Member(await broker.connect(), groupId, o);
}

async function stateOf(groupId: string): Promise<string> {
  return (await describeGroups(client, groupId))[0]!.groupState;
}

describe('coordinators', () => {
  broker.scenario('are told at the address that metadata tells', async () => {
    const { brokers } = await metadata(client, []);
    const { nodeId, host, port } = await coordinatorOf(client, uniqueName('group'));
    expect({ nodeId, host, port }).toEqual({
      nodeId: brokers[0]!.nodeId,
      host: brokers[0]!.host,
      port: brokers[0]!.port,
    });
    const request = newFindCoordinatorRequest({ key: 'old' });
    const old = await client.call({ api: apis.FindCoordinator, version: 0, request });
    expect([old.errorCode, old.host, old.port]).toEqual([ErrorCode.NONE, host, port]);
  });

  broker.scenario('of several groups come one for each, in order (KIP-699)', async () => {
    const coordinatorKeys = [1, 2, 3].map(() => uniqueName('group'));
    const request = newFindCoordinatorRequest({ coordinatorKeys });
    const { coordinators } = await client.call({ api: apis.FindCoordinator, version: 4, request });
    expect(coordinators.map(({ key, errorCode }) => [key, errorCode])).toEqual(coordinatorKeys.map((key) => [key, 0]));
  });

  broker.scenario('of something that nobody coordinates are an error', async () => {
    for (const version of [2, 4]) {
      const key = version < 4 ? { key: 'x' } : { coordinatorKeys: ['x'] };
      const request = newFindCoordinatorRequest({ ...key, keyType: 9 });
      const answer = await client.call({ api: apis.FindCoordinator, version, request });
      const { errorCode, nodeId } = version < 4 ? answer : answer.coordinators[0]!;
      expect([errorCode, nodeId]).toEqual([ErrorCode.INVALID_REQUEST, -1]);
    }
  });
});

describe('joining', () => {
  broker.scenario('a new member is given an id to join with (KIP-394), and leads alone', async () => {
    const groupId = uniqueName('group');
    const told = await join(client, { groupId });
    expect(told).toMatchObject({ errorCode: ErrorCode.MEMBER_ID_REQUIRED, generationId: -1, members: [] });
    expect(told.memberId).not.toBe('');
    const joined = await join(client, { groupId, memberId: told.memberId });
    expect(joined).toMatchObject({
      errorCode: ErrorCode.NONE,
      generationId: 1,
      protocolType: 'consumer',
      protocolName: 'range',
      leader: told.memberId,
      memberId: told.memberId,
    });
    expect(joined.members.map(({ memberId }) => memberId)).toEqual([told.memberId]);
    const atOnce = await join(await broker.connect(), { groupId: uniqueName('group'), version: 3 });
    expect([atOnce.errorCode, atOnce.generationId]).toEqual([ErrorCode.NONE, 1]);
  });

  broker.scenario('only with a session timeout within the broker’s bounds', async () => {
    const groupId = uniqueName('group');
    for (const sessionTimeoutMs of [1000, 5999, 1_800_001, 3_600_000, -1]) {
      const { errorCode } = await join(client, { groupId, sessionTimeoutMs, version: 3 });
      expect([sessionTimeoutMs, errorCode]).toEqual([sessionTimeoutMs, ErrorCode.INVALID_SESSION_TIMEOUT]);
    }
    expect(await stateOf(groupId)).toBe('Dead');
    for (const sessionTimeoutMs of [6000, 1_800_000]) {
      const answer = await join(await broker.connect(), { groupId: uniqueName('group'), sessionTimeoutMs, version: 3 });
      expect(answer.errorCode).toBe(ErrorCode.NONE);
    }
  });

  broker.scenario('only with a group id, and with an id that the broker gave', async () => {
    expect((await join(client, { groupId: '' })).errorCode).toBe(ErrorCode.INVALID_GROUP_ID);
    const groupId = uniqueName('group');
    const refused = await join(client, { groupId, memberId: 'invented' });
    expect([refused.errorCode, refused.generationId]).toEqual([ErrorCode.UNKNOWN_MEMBER_ID, -1]);
    expect(await stateOf(groupId)).toBe('Dead');
  });

  broker.scenario('only with a protocol that all members know; a refusal disturbs nobody (KIP-559)', async () => {
    const groupId = uniqueName('group');
    const a = await member(groupId, { protocols: ['range', 'roundrobin'] });
    await stabilise(a);
    for (const wrong of [{ protocols: ['sticky'] }, { protocolType: 'connect' }, { protocols: [] }]) {
      const { errorCode } = await join(client, { groupId, version: 3, ...wrong });
      expect([wrong, errorCode]).toEqual([wrong, ErrorCode.INCONSISTENT_GROUP_PROTOCOL]);
    }
    expect(await a.heartbeat()).toBe(ErrorCode.NONE);
    expect(await stateOf(groupId)).toBe('Stable');

    const e = await member(groupId, { protocols: ['roundrobin'] });
    const joining = e.join();
    await membersSeen(client, groupId, 2);
    const [answer] = await Promise.all([a.join(), joining]);
    expect(answer).toMatchObject({ generationId: 2, protocolType: 'consumer', protocolName: 'roundrobin' });
    expect(e.protocolName).toBe('roundrobin');
    expect(answer.members.map(({ memberId }) => memberId).toSorted()).toEqual([a.memberId, e.memberId].toSorted());

    const { memberId, generationId } = e;
    for (const wrong of [{ protocolName: 'range' }, { protocolType: 'connect', protocolName: 'roundrobin' }]) {
      const { errorCode } = await sync(client, { groupId, memberId, generationId, ...wrong });
      expect([wrong, errorCode]).toEqual([wrong, ErrorCode.INCONSISTENT_GROUP_PROTOCOL]);
    }
    await syncAll(a, e);
    expect(await stateOf(groupId)).toBe('Stable');
  });

  broker.scenario('the leader gets the members’ metadata of the chosen protocol, the others get none', async () => {
    const groupId = uniqueName('group');
    const a = await member(groupId, { protocols: [['range', Buffer.from('of a')]] });
    const b = await member(groupId, {
      protocols: [
        ['other', Buffer.from('no')],
        ['range', Buffer.from('of b')],
      ],
    });
    await stabilise(a);
    const joining = b.join();
    await membersSeen(client, groupId, 2);
    const [leading, following] = await Promise.all([a.join(), joining]);
    expect(leading.leader).toBe(a.memberId);
    const told = leading.members.map(({ memberId, metadata: bytes }) => [memberId, bytes.toString()]);
    expect(new Map(told as [string, string][])).toEqual(
      new Map([
        [a.memberId, 'of a'],
        [b.memberId, 'of b'],
      ]),
    );
    expect(following).toMatchObject({ leader: a.memberId, members: [], protocolName: 'range', generationId: 2 });
  });
});

describe('rebalances', () => {
  broker.scenario('a member that stays silent is out after the rebalance timeout', async () => {
    const groupId = uniqueName('group');
    const timeouts = { rebalanceTimeoutMs: 500 };
    const [a, b, c] = [
      await member(groupId, timeouts),
      await member(groupId, timeouts),
      await member(groupId, timeouts),
    ];
    await stabilise(a, b);
    const joining = c.join();
    await membersSeen(client, groupId, 3);
    b.client.close();
    expect(await a.heartbeat()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    const { value, tookMs } = await timed(() => Promise.all([a.join(), joining]));
    expect(value[0].members.map(({ memberId }) => memberId).toSorted()).toEqual([a.memberId, c.memberId].toSorted());
    expect(tookMs).toBeLessThan(4000);
    await syncAll(a, c);
    expect(await heartbeat(client, b)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await a.heartbeat()).toBe(ErrorCode.NONE);
    expect(await stateOf(groupId)).toBe('Stable');
  });

  broker.scenario('heartbeats tell what goes on', async () => {
    const groupId = uniqueName('group');
    const [a, b] = [await member(groupId), await member(groupId)];
    await a.join();
    expect(await stateOf(groupId)).toBe('CompletingRebalance');
    expect(await a.heartbeat()).toBe(ErrorCode.NONE);
    await a.sync({ [a.memberId]: 'all' });
    expect(await stateOf(groupId)).toBe('Stable');
    expect(await a.heartbeat()).toBe(ErrorCode.NONE);
    expect(await a.heartbeat({ generationId: a.generationId - 1 })).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(await a.heartbeat({ generationId: a.generationId + 1 })).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(await a.heartbeat({ memberId: 'nobody' })).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await heartbeat(client, { ...a, groupId: uniqueName('group'), memberId: a.memberId })).toBe(
      ErrorCode.UNKNOWN_MEMBER_ID,
    );
    const joining = b.join();
    await membersSeen(client, groupId, 2);
    expect(await stateOf(groupId)).toBe('PreparingRebalance');
    expect(await a.heartbeat()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    await Promise.all([a.join(), joining]);
    expect(await a.heartbeat()).toBe(ErrorCode.NONE);
    await syncAll(a, b);
    expect(await Promise.all([a.heartbeat(), b.heartbeat()])).toEqual([ErrorCode.NONE, ErrorCode.NONE]);
  });

  broker.scenario('whom the leader leaves out gets no bytes; whom it invents does not matter', async () => {
    const groupId = uniqueName('group');
    const [a, b] = [await member(groupId), await member(groupId)];
    await a.join();
    await a.sync({ [a.memberId]: 'all' });
    const joining = b.join();
    await membersSeen(client, groupId, 2);
    await Promise.all([a.join(), joining]);
    const waiting = sync(b.client, { groupId, memberId: b.memberId, generationId: b.generationId });
    await a.sync({ [a.memberId]: 'all', invented: 'nothing' });
    const answer = await waiting;
    expect(answer.errorCode).toBe(ErrorCode.NONE);
    expect(answer.assignment).toEqual(Buffer.alloc(0));
    const [group] = await describeGroups(client, groupId);
    expect(group!.members.map(({ memberId }) => memberId).toSorted()).toEqual([a.memberId, b.memberId].toSorted());
  });

  broker.scenario('a follower that synchronises before the leader waits for it', async () => {
    const groupId = uniqueName('group');
    const [a, b] = [await member(groupId), await member(groupId)];
    await stabilise(a, b);
    // Once stable, everyone gets the same answer again.
    expect(await b.sync()).toBe('place 1');
    expect(await a.sync({ [a.memberId]: 'another' })).toBe('place 0');
    const stale = await sync(client, { groupId, memberId: b.memberId, generationId: b.generationId - 1 });
    expect(stale.errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
    const unknown = await sync(client, { groupId, memberId: 'nobody', generationId: b.generationId });
    expect(unknown.errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });
});

describe('static members (KIP-345)', () => {
  broker.scenario('one that comes back takes its place without a rebalance', async () => {
    const groupId = uniqueName('group');
    const [a, b] = [await member(groupId, { groupInstanceId: 'i1' }), await member(groupId, { groupInstanceId: 'i2' })];
    await stabilise(a, b);
    const again = new Member(await broker.connect(), groupId, {
      groupInstanceId: 'i2',
    });
    const answer = await again.join();
    expect(answer).toMatchObject({ errorCode: ErrorCode.NONE, generationId: b.generationId });
    expect(again.memberId).not.toBe(b.memberId);
    expect(await again.sync()).toBe('place 1');
    expect(await a.heartbeat()).toBe(ErrorCode.NONE);
    expect(await again.heartbeat()).toBe(ErrorCode.NONE);
    expect(await b.heartbeat()).toBe(ErrorCode.FENCED_INSTANCE_ID);
    const [group] = await describeGroups(client, groupId);
    expect(group!.groupState).toBe('Stable');
    const told = group!.members.map(({ groupInstanceId, memberId }) => [groupInstanceId, memberId]);
    expect(told).toHaveLength(2);
    expect(told).toContainEqual(['i2', again.memberId]);
  });

  broker.scenario(
    'the leader comes back without leading; from version 9 it may look at the members (KIP-814)',
    async () => {
      const groupId = uniqueName('group');
      const [a, b] = [
        await member(groupId, { groupInstanceId: 'i1' }),
        await member(groupId, { groupInstanceId: 'i2' }),
      ];
      await stabilise(a, b);
      const again = new Member(await broker.connect(), groupId, { groupInstanceId: 'i1' });
      const answer = await again.join();
      expect(answer).toMatchObject({
        errorCode: ErrorCode.NONE,
        generationId: a.generationId,
        leader: a.memberId,
        members: [],
      });
      expect(await again.sync({ [again.memberId]: 'not its to give' })).toBe('place 0');
      const newest = new Member(await broker.connect(), groupId, { groupInstanceId: 'i1', version: 9 });
      const skipping = await newest.join();
      expect(skipping).toMatchObject({ errorCode: ErrorCode.NONE, skipAssignment: true, leader: newest.memberId });
      expect(skipping.members.map(({ groupInstanceId }) => groupInstanceId).toSorted()).toEqual(['i1', 'i2']);
      expect(await newest.sync()).toBe('place 0');
      expect(await b.heartbeat()).toBe(ErrorCode.NONE);
    },
  );
});

describe('leaving', () => {
  broker.scenario('of one member: an unknown one is an error for the whole answer', async () => {
    const groupId = uniqueName('group');
    const a = await member(groupId);
    await stabilise(a);
    const one = async (memberId: string, version: number): Promise<number> => {
      const request = newLeaveGroupRequest({ groupId, memberId });
      return (await client.call({ api: apis.LeaveGroup, version, request })).errorCode;
    };
    for (const version of [0, 1, 2]) expect(await one('nobody', version)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await one(a.memberId, 2)).toBe(ErrorCode.NONE);
    expect(await stateOf(groupId)).toBe('Empty');
    expect(await a.heartbeat()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  broker.scenario('of several: each gets its own answer, in order', async () => {
    const groupId = uniqueName('group');
    const [a, b, c] = [
      await member(groupId),
      await member(groupId, { groupInstanceId: 'i1' }),
      await member(groupId, { groupInstanceId: 'i2' }),
    ];
    await stabilise(a, b, c);
    const pending = (await join(client, { groupId })).memberId;
    const answer = await leave(client, groupId, [
      { memberId: a.memberId },
      { memberId: 'nobody' },
      { memberId: 'nobody', groupInstanceId: 'i1' },
      { memberId: '', groupInstanceId: 'i2' },
      { memberId: '', groupInstanceId: 'i9' },
      { memberId: pending },
    ]);
    expect(answer.errorCode).toBe(ErrorCode.NONE);
    expect(
      answer.members.map(({ memberId, groupInstanceId, errorCode }) => [memberId, groupInstanceId, errorCode]),
    ).toEqual([
      [a.memberId, null, ErrorCode.NONE],
      ['nobody', null, ErrorCode.UNKNOWN_MEMBER_ID],
      ['nobody', 'i1', ErrorCode.FENCED_INSTANCE_ID],
      ['', 'i2', ErrorCode.NONE],
      ['', 'i9', ErrorCode.UNKNOWN_MEMBER_ID],
      [pending, null, ErrorCode.NONE],
    ]);
    const [group] = await describeGroups(client, groupId);
    expect(group!.members.map(({ memberId }) => memberId)).toEqual([b.memberId]);
    expect(await join(client, { groupId, memberId: pending })).toMatchObject({
      errorCode: ErrorCode.UNKNOWN_MEMBER_ID,
    });
  });
});

describe('describing and listing', () => {
  broker.scenario('shows members in every state, their bytes only once stable (KAFKA-2768)', async () => {
    const groupId = uniqueName('group');
    const a = await member(groupId, { protocols: [['range', Buffer.from('wants all')]] });
    const b = await member(groupId);
    await stabilise(a);
    const [stable] = await describeGroups(client, groupId);
    expect(stable).toMatchObject({
      errorCode: 0,
      groupState: 'Stable',
      protocolType: 'consumer',
      protocolData: 'range',
    });
    expect(stable!.members[0]).toMatchObject({
      memberId: a.memberId,
      groupInstanceId: null,
      clientId: 'scenario',
      memberMetadata: Buffer.from('wants all'),
      memberAssignment: Buffer.from('place 0'),
    });
    expect(stable!.members[0]!.clientHost).toMatch(/127\.0\.0\.1/);

    const joining = b.join();
    await membersSeen(client, groupId, 2);
    const [preparing] = await describeGroups(client, groupId);
    expect(preparing).toMatchObject({ groupState: 'PreparingRebalance', protocolType: 'consumer', protocolData: '' });
    for (const { memberMetadata, memberAssignment } of preparing!.members) {
      expect(memberMetadata).toHaveLength(0);
      // Kafka from 4.0 on shows the last assignment; before, as here, none.
      if (!broker.isForeign) expect(memberAssignment).toHaveLength(0);
    }
    await Promise.all([a.join(), joining]);
    await syncAll(a, b);
    await leave(client, groupId, [{ memberId: a.memberId }, { memberId: b.memberId }]);
    const missing = uniqueName('missing');
    const answers = await describeGroups(client, missing, groupId);
    expect(answers.find((one) => one.groupId === missing)).toMatchObject({
      errorCode: 0,
      groupState: 'Dead',
      protocolType: '',
      members: [],
    });
    expect(answers.find((one) => one.groupId === groupId)).toMatchObject({
      errorCode: 0,
      groupState: 'Empty',
      protocolType: 'consumer',
      members: [],
    });
    const request = newDescribeGroupsRequest({ groups: [missing] });
    const { groups } = await client.call({ api: apis.DescribeGroups, version: 6, request });
    expect(groups[0]).toMatchObject({ errorCode: ErrorCode.GROUP_ID_NOT_FOUND, groupState: 'Dead' });
  });

  broker.scenario('lists by state, in any case of letters (KIP-518)', async () => {
    const [empty, stable] = [uniqueName('group'), uniqueName('group')];
    const [a, b] = [await member(empty), await member(stable)];
    await stabilise(a);
    await stabilise(b);
    await leave(client, empty, [{ memberId: a.memberId }]);
    const listed = async (...states: string[]): Promise<string[]> =>
      (await listGroups(client, { states }))
        .filter(({ groupId }) => [empty, stable].includes(groupId))
        .map(({ groupId, groupState, protocolType }) => `${groupId} ${groupState} ${protocolType}`);
    const [one, other] = [`${empty} Empty consumer`, `${stable} Stable consumer`];
    expect((await listed()).toSorted()).toEqual([one, other].toSorted());
    expect((await listed('stable', 'EMPTY')).toSorted()).toEqual([one, other].toSorted());
    expect(await listed('Stable')).toEqual([other]);
    expect(await listed('PreparingRebalance')).toEqual([]);
    expect(await listed('no such state')).toEqual([]);
  });
});

withSettings({ 'group.min.session.timeout.ms': 50 }, (own) => {
  own.scenario('a static member that comes back brings new timeouts; silence ends its membership', async () => {
    const groupId = uniqueName('group');
    const anyone = await own.connect();
    const [a, b] = await Promise.all(
      ['i1', 'i2'].map(async (groupInstanceId) => new Member(await own.connect(), groupId, { groupInstanceId })),
    );
    await coordinatorOf(anyone, groupId);
    await stabilise(a!, b!);
    const again = new Member(await own.connect(), groupId, { groupInstanceId: 'i2', sessionTimeoutMs: 300 });
    await again.join();
    expect(await again.sync()).toBe('place 1');
    const { tookMs } = await timed(() => membersSeen(anyone, groupId, 1));
    expect(tookMs).toBeGreaterThan(200);
    expect(tookMs).toBeLessThan(5000);
    expect(await again.heartbeat()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await a!.heartbeat()).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });
});

withSettings({ 'group.initial.rebalance.delay.ms': 300 }, (own) => {
  own.scenario('a new group waits for more to come, a group that is there does not', async () => {
    const groupId = uniqueName('group');
    const anyone = await own.connect();
    await coordinatorOf(anyone, groupId);
    const members = await Promise.all([0, 1, 2, 3].map(async () => new Member(await own.connect(), groupId)));
    const [a, b, c, late] = members as [Member, Member, Member, Member];
    const { value, tookMs } = await timed(() =>
      Promise.all([a, b, c].map((one, at) => pause(at * 200).then(() => one.join()))),
    );
    expect(value.map(({ generationId }) => generationId)).toEqual([1, 1, 1]);
    const leading = value.find(({ memberId, leader }) => memberId === leader)!;
    expect(leading.members).toHaveLength(3);
    expect(tookMs).toBeGreaterThan(550);
    const leader = [a, b, c].find(({ memberId }) => memberId === leading.memberId)!;
    await syncAll(leader, ...[a, b, c].filter((one) => one !== leader));

    const joining = late.join();
    await membersSeen(anyone, groupId, 4);
    const next = await timed(() => Promise.all([a.join(), b.join(), c.join(), joining]));
    expect(next.value.map(({ generationId }) => generationId)).toEqual([2, 2, 2, 2]);
    expect(next.tookMs).toBeLessThan(250);
  });
});
