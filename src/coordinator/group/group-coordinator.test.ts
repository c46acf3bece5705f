/**
 * The service over two partitions in memory: checks before the shard, forms of old versions, errors, topic deletion.
 */
import { err } from '../../base/result';
import { newOffsetCommitRequest, newOffsetCommitRequestTopic } from '../../codec/generated/08-offset-commit';
import { newOffsetFetchRequestGroup } from '../../codec/generated/09-offset-fetch';
import { newJoinGroupRequest } from '../../codec/generated/11-join-group';
import { newHeartbeatRequest } from '../../codec/generated/12-heartbeat';
import { newLeaveGroupRequest, newMemberIdentity } from '../../codec/generated/13-leave-group';
import { newSyncGroupRequest } from '../../codec/generated/14-sync-group';
import { newListGroupsRequest } from '../../codec/generated/16-list-groups';
import { newOffsetDeleteRequest } from '../../codec/generated/47-offset-delete';
import { ErrorCode } from '../../codec/generated/errors';
import { BrokerConfig } from '../../config/broker-config';
import * as batchHeader from '../../records/batch-header';
import { GroupBroker } from '../../testing/group-broker';

/** Of partition 0 and 1 of two. */
const EVEN = 'b';
const ODD = 'a';
const GROUPS = [EVEN, ODD, 'd', 'c'];

const context = (apiVersion: number) => ({ apiVersion, clientId: 'client', clientHost: '/127.0.0.1' });

function joinRequest(groupId: string, memberId = '', sessionTimeoutMs = 10_000) {
  const protocols = [{ name: 'range', metadata: Buffer.from('x') }];
  return newJoinGroupRequest({
    groupId,
    memberId,
    sessionTimeoutMs,
    rebalanceTimeoutMs: 20_000,
    protocolType: 'consumer',
    protocols,
  });
}

function commitRequest(groupId: string, offset: number) {
  const partition = {
    partitionIndex: 0,
    committedOffset: offset,
    committedLeaderEpoch: -1,
    commitTimestamp: -1,
    committedMetadata: null,
  };
  return newOffsetCommitRequest({
    groupId,
    topics: [newOffsetCommitRequestTopic({ name: 't', partitions: [partition] })],
  });
}

async function commit(broker: GroupBroker, groupId: string, offset = 1): Promise<number | undefined> {
  const response = await broker.groups.commitOffsets(context(8), commitRequest(groupId, offset));
  return response.topics[0]?.partitions[0]?.errorCode;
}

const offsetsOf = (broker: GroupBroker, groupId: string) =>
  broker.groups.fetchOffsets(newOffsetFetchRequestGroup({ groupId, topics: null }), false);

/** A member of a stable group of its own. */
async function member(broker: GroupBroker, groupId: string) {
  const joining = broker.groups.joinGroup(context(3), joinRequest(groupId));
  await broker.clock.advance(0);
  const { memberId, generationId } = await joining;
  const assignments = [{ memberId, assignment: Buffer.from('all') }];
  await broker.groups.syncGroup(context(3), newSyncGroupRequest({ groupId, memberId, generationId, assignments }));
  return { groupId, memberId, generationId };
}

describe('GroupCoordinator', () => {
  it('puts each group on its partition', async () => {
    const broker = await GroupBroker.start(2);
    expect(GROUPS.map((groupId) => broker.groups.partitionFor(groupId))).toEqual([0, 1, 0, 1]);
    for (const groupId of GROUPS) expect(await commit(broker, groupId)).toBe(ErrorCode.NONE);
    expect(broker.partitions.map((partition) => partition.endOffset)).toEqual([2, 2]);
  });

  it('makes member ids of client id and a UUID', async () => {
    const broker = await GroupBroker.start();
    const { memberId } = await broker.groups.joinGroup(context(4), joinRequest('g'));
    expect(memberId).toMatch(/^client-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('refuses empty group ids where a group is needed', async () => {
    const { groups } = await GroupBroker.start();
    const refusals = [
      await groups.joinGroup(context(5), joinRequest('')),
      await groups.syncGroup(context(3), newSyncGroupRequest()),
      await groups.heartbeat(newHeartbeatRequest()),
      await groups.leaveGroup(context(3), newLeaveGroupRequest()),
      await groups.deleteOffsets(newOffsetDeleteRequest()),
    ];
    expect(refusals.map(({ errorCode }) => errorCode)).toEqual(new Array(5).fill(ErrorCode.INVALID_GROUP_ID));
  });

  it('keeps session timeouts within bounds', async () => {
    const { groups } = await GroupBroker.start(1, BrokerConfig.of({ 'group.min.session.timeout.ms': '1000' }));
    const outcome = async (ms: number) => (await groups.joinGroup(context(5), joinRequest('g', '', ms))).errorCode;
    expect(await outcome(999)).toBe(ErrorCode.INVALID_SESSION_TIMEOUT);
    expect(await outcome(1_800_001)).toBe(ErrorCode.INVALID_SESSION_TIMEOUT);
    expect(await outcome(1000)).toBe(ErrorCode.MEMBER_ID_REQUIRED);
    expect(await outcome(1_800_000)).toBe(ErrorCode.MEMBER_ID_REQUIRED);
  });

  it.each([5, -5])('counts session timeouts whatever the wall clock does: %d hours', async (hours) => {
    const broker = await GroupBroker.start();
    const { groupId, memberId, generationId } = await member(broker, 'g');
    const heartbeat = async (): Promise<number> =>
      (await broker.groups.heartbeat(newHeartbeatRequest({ groupId, memberId, generationId }))).errorCode;
    broker.clock.jumpWallClock(hours * 3_600_000);
    await broker.clock.advance(9_000);
    expect(await heartbeat()).toBe(ErrorCode.NONE);
    broker.clock.jumpWallClock(-hours * 3_600_000);
    await broker.clock.advance(9_000);
    expect(await heartbeat()).toBe(ErrorCode.NONE);
    broker.clock.jumpWallClock(hours * 3_600_000);
    await broker.clock.advance(10_001);
    expect(await heartbeat()).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('wants a protocol named in SyncGroup from version 5', async () => {
    const broker = await GroupBroker.start();
    const request = newSyncGroupRequest(await member(broker, 'g'));
    expect(await broker.groups.syncGroup(context(4), request)).toMatchObject({ errorCode: ErrorCode.NONE });
    const refused = await broker.groups.syncGroup(context(5), request);
    expect(refused.errorCode).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
  });

  it('answers a single leave at the top, a batch for each member', async () => {
    const broker = await GroupBroker.start();
    const { groupId, memberId } = await member(broker, 'g');
    const stranger = await broker.groups.leaveGroup(context(2), newLeaveGroupRequest({ groupId, memberId: 'x' }));
    expect(stranger).toMatchObject({ errorCode: ErrorCode.UNKNOWN_MEMBER_ID, members: [] });
    const single = await broker.groups.leaveGroup(context(2), newLeaveGroupRequest({ groupId, memberId }));
    expect(single).toMatchObject({ errorCode: ErrorCode.NONE, members: [] });
    const members = [newMemberIdentity({ memberId })];
    const batch = await broker.groups.leaveGroup(context(3), newLeaveGroupRequest({ groupId, members }));
    expect(batch).toMatchObject({ errorCode: ErrorCode.NONE, members: [{ errorCode: ErrorCode.UNKNOWN_MEMBER_ID }] });
  });

  it('describes and deletes in the order asked, across partitions', async () => {
    const broker = await GroupBroker.start(2);
    for (const groupId of GROUPS) await commit(broker, groupId);
    const asked = [ODD, 'none', EVEN, ODD, 'd'];
    const described = await broker.groups.describeGroups(context(5), asked);
    expect(described.map(({ groupId, groupState }) => `${groupId} ${groupState}`)).toEqual([
      `${ODD} Empty`,
      'none Dead',
      `${EVEN} Empty`,
      `${ODD} Empty`,
      'd Empty',
    ]);
    const deleted = await broker.groups.deleteGroups([ODD, 'none', EVEN]);
    expect(deleted.map(({ groupId, errorCode }) => [groupId, errorCode])).toEqual([
      [ODD, ErrorCode.NONE],
      ['none', ErrorCode.GROUP_ID_NOT_FOUND],
      [EVEN, ErrorCode.NONE],
    ]);
  });

  it('lists by state and type, whatever their case', async () => {
    const broker = await GroupBroker.start(2);
    await commit(broker, EVEN);
    await member(broker, ODD);
    const list = async (statesFilter: string[], typesFilter: string[]) => {
      const { groups } = await broker.groups.listGroups(newListGroupsRequest({ statesFilter, typesFilter }));
      return groups.map(({ groupId }) => groupId);
    };
    expect(await list([], [])).toEqual([EVEN, ODD]);
    expect(await list(['stable'], [])).toEqual([ODD]);
    expect(await list([' EMPTY', 'Stable'], ['Classic'])).toEqual([EVEN, ODD]);
    expect(await list([], ['consumer'])).toEqual([]);
    expect(await list(['no such state'], [])).toEqual([]);
  });

  it('drops the offsets of deleted topics everywhere', async () => {
    const broker = await GroupBroker.start(2);
    for (const groupId of GROUPS) await commit(broker, groupId);
    await broker.groups.onTopicsDeleted([]);
    await broker.groups.onTopicsDeleted([{ name: 'u', id: 'u' }]);
    expect((await offsetsOf(broker, ODD)).topics).toHaveLength(1);
    await broker.groups.onTopicsDeleted([{ name: 't', id: 't' }]);
    for (const groupId of GROUPS) expect((await offsetsOf(broker, groupId)).topics).toEqual([]);
  });

  it('drops them also where the partition is still loading', async () => {
    const broker = await GroupBroker.start();
    await commit(broker, 'g');
    const again = GroupBroker.over(broker.partitions);
    await again.groups.onTopicsDeleted([{ name: 't', id: 't' }]);
    expect((await offsetsOf(again, 'g')).topics).toEqual([]);
  });

  it('says so when they could not be dropped', async () => {
    const broker = await GroupBroker.start();
    await commit(broker, 'g');
    broker.partitions[0]!.appendFailures.push(err(ErrorCode.KAFKA_STORAGE_ERROR));
    broker.partitions[0]!.appendFailures.push(err(ErrorCode.NOT_ENOUGH_REPLICAS));
    await broker.groups.onTopicsDeleted([{ name: 't', id: 't' }]);
    await broker.clock.advance(0);
    await broker.groups.onTopicsDeleted([{ name: 't', id: 't' }]);
    const left = broker.logger.of('warn').filter(({ message }) => message === 'offsets of deleted topics are left');
    expect(left).toHaveLength(1);
  });

  it('tells loading, except to heartbeats', async () => {
    const { groups } = GroupBroker.over((await GroupBroker.start()).partitions);
    const load = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
    const answers = [
      groups.joinGroup(context(5), joinRequest('g')),
      groups.heartbeat(newHeartbeatRequest({ groupId: 'g' })),
      groups.fetchOffsets(newOffsetFetchRequestGroup({ groupId: 'g', topics: null }), false),
      groups.listGroups(newListGroupsRequest()),
      groups.deleteOffsets(newOffsetDeleteRequest({ groupId: 'g' })),
    ];
    const codes = (await Promise.all(answers)).map(({ errorCode }) => errorCode);
    expect(codes).toEqual([load, ErrorCode.NONE, load, load, load]);
  });

  it('refuses what it does not lead, and lists the rest', async () => {
    const broker = await GroupBroker.start(2);
    await commit(broker, EVEN);
    broker.groups.onFollower({ topic: '__consumer_offsets', partition: 1 }, 1);
    const not = ErrorCode.NOT_COORDINATOR;
    expect(await commit(broker, ODD)).toBe(not);
    expect((await broker.groups.describeGroups(context(5), [ODD]))[0]).toMatchObject({ groupId: ODD, errorCode: not });
    expect((await broker.groups.deleteGroups([ODD]))[0]).toMatchObject({ groupId: ODD, errorCode: not });
    const leave = await broker.groups.leaveGroup(context(3), newLeaveGroupRequest({ groupId: ODD }));
    expect(leave.errorCode).toBe(not);
    expect((await broker.groups.listGroups(newListGroupsRequest())).groups.map(({ groupId }) => groupId)).toEqual([
      EVEN,
    ]);
  });

  it('tells consumers NOT_COORDINATOR where replicas are missing, committers COORDINATOR_NOT_AVAILABLE', async () => {
    const broker = await GroupBroker.start();
    broker.partitions[0]!.commitsAtOnce = false;
    const committing = commit(broker, 'g');
    const fetching = offsetsOf(broker, 'g');
    await broker.clock.advance(5000);
    expect(await committing).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect((await fetching).errorCode).toBe(ErrorCode.NOT_COORDINATOR);
  });

  it('cares for its own topic only, and forgets partitions that are deleted or broken', async () => {
    const broker = await GroupBroker.start(2);
    for (const topic of ['t', '__consumer_offsets']) {
      broker.groups.onHighWatermark({ topic, partition: 0 }, 0);
      broker.groups.onDeleted({ topic, partition: 0 });
      broker.groups.onFailed({ topic, partition: 1 });
      const code = topic === 't' ? ErrorCode.NONE : ErrorCode.NOT_COORDINATOR;
      expect([await commit(broker, EVEN), await commit(broker, ODD)]).toEqual([code, code]);
    }
    broker.groups.onLeader({ topic: 't', partition: 0 }, 9);
    broker.groups.onFollower({ topic: 't', partition: 0 }, 9);
    expect(await commit(broker, EVEN)).toBe(ErrorCode.NOT_COORDINATOR);
  });

  it('answers parked joins when it closes', async () => {
    const broker = await GroupBroker.start();
    const joining = broker.groups.joinGroup(context(3), joinRequest('g'));
    broker.groups.close();
    expect((await joining).errorCode).toBe(ErrorCode.NOT_COORDINATOR);
    expect(broker.clock.timerCount).toBe(0);
  });

  it('compresses its batches where the setting says so', async () => {
    const broker = await GroupBroker.start(1, BrokerConfig.of({ 'offsets.topic.compression.codec': '1' }));
    await commit(broker, 'g');
    expect(batchHeader.codec(broker.partitions[0]!.batches[0]!)).toBe(1);
  });
});
