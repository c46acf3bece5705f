/** Committed offsets: who may commit, what is read back, what deletes them, what of it lies in the internal topic. */
import { newOffsetFetchRequest, newOffsetFetchRequestGroup } from '../../src/codec/generated/09-offset-fetch';
import { newDescribeConfigsRequest, newDescribeConfigsResource } from '../../src/codec/generated/32-describe-configs';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { decodeGroupMetadataKey, decodeGroupMetadataValue } from '../../src/codec/generated/records/group-metadata';
import { decodeOffsetCommitKey, decodeOffsetCommitValue } from '../../src/codec/generated/records/offset-commit';
import { Reader } from '../../src/codec/reader';
import type { LogRecord } from '../../src/records/record-codec';
import type { WireClient } from '../../src/testing/wire-client';
import { recordsIn } from './batches';
import { fetchAll, topicMetadata } from './data-calls';
import { eventually, uniqueName, useBroker } from './fixture';
import {
  commit,
  commitCall,
  committed,
  committedCall,
  coordinatorOf,
  deleteGroup,
  deleteOffsets,
  describeGroups,
  listGroups,
  Member,
  membersSeen,
  stabilise,
  subscription,
  syncAll,
} from './group-calls';

const broker = useBroker();

const OFFSETS_TOPIC = '__consumer_offsets';
const TOPIC_RESOURCE = 2;

let client: WireClient;
beforeEach(async () => {
  client = await broker.connect();
  await coordinatorOf(client, 'anyone');
});

async function member(groupId: string, o: ConstructorParameters<typeof Member>[2] = {}): Promise<Member> {
  return new Member(await broker.connect(), groupId, o);
}

describe('who may commit', () => {
  broker.scenario('anyone for a group without members; not with a generation it never had (KAFKA-2596)', async () => {
    const [simple, other, topic] = [uniqueName('group'), uniqueName('group'), await broker.topic()];
    for (const version of [2, 5, 8]) {
      expect(await commit(client, { groupId: simple, topic, offset: version, version })).toBe(ErrorCode.NONE);
      expect((await committed(client, { groupId: simple, topic })).committedOffset).toBe(version);
    }
    const stranger = { groupId: other, topic, offset: 1, generationId: 1, memberId: 'x', version: 2 };
    expect(await commit(client, stranger)).toBe(ErrorCode.ILLEGAL_GENERATION);
    const listed = (await listGroups(client)).filter(({ groupId }) => [simple, other].includes(groupId));
    expect(listed.map(({ groupId, protocolType, groupState }) => [groupId, protocolType, groupState])).toEqual([
      [simple, '', 'Empty'],
    ]);
    const [described] = await describeGroups(client, simple);
    expect(described).toMatchObject({ errorCode: 0, groupState: 'Empty', protocolType: '', members: [] });
  });

  broker.scenario('only members of the generation for a group with members', async () => {
    const [groupId, topic] = [uniqueName('group'), await broker.topic()];
    const [a, b] = [await member(groupId), await member(groupId)];
    await stabilise(a);
    const as = (who: { generationId: number; memberId: string }, offset: number): Promise<number> =>
      commit(client, { groupId, topic, offset, generationId: who.generationId, memberId: who.memberId });
    const { memberId, generationId } = a;
    expect(await as({ generationId: -1, memberId: '' }, 1)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await as({ generationId, memberId: 'nobody' }, 2)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await as({ generationId: generationId - 1, memberId }, 3)).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(await as({ generationId: generationId + 1, memberId }, 4)).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect((await committed(client, { groupId, topic })).committedOffset).toBe(-1);
    expect(await as(a, 5)).toBe(ErrorCode.NONE);

    const joining = b.join();
    await membersSeen(client, groupId, 2);
    // While the group prepares a rebalance, what was consumed before it can still be committed.
    expect(await as(a, 6)).toBe(ErrorCode.NONE);
    await Promise.all([a.join(), joining]);
    expect(await as(a, 7)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    await syncAll(a, b);
    expect((await committed(client, { groupId, topic })).committedOffset).toBe(6);
    expect(await as(b, 8)).toBe(ErrorCode.NONE);
    expect((await committed(client, { groupId, topic })).committedOffset).toBe(8);
  });
});

describe('what is read back', () => {
  broker.scenario('all that is stored for null, nothing for a partition without (KIP-88)', async () => {
    const [groupId, missing] = [uniqueName('group'), uniqueName('missing')];
    const [t, u] = [await broker.topic({ partitions: 2 }), await broker.topic()];
    const commits = [
      { topic: t, partition: 1, offset: 11, metadata: 'note' },
      { topic: u, offset: 7 },
    ];
    await commitCall(client, { groupId, commits });
    for (const version of broker.versions(apis.OffsetFetch, 2, 7)) {
      const { errorCode, topics } = await committedCall(client, { groupId, wanted: null, version });
      expect(errorCode).toBe(ErrorCode.NONE);
      const told = topics.flatMap(({ name, partitions }) =>
        partitions.map((one) => [name, one.partitionIndex, one.committedOffset, one.metadata, one.errorCode]),
      );
      expect(told).toHaveLength(2);
      expect(told).toEqual(
        expect.arrayContaining([
          [t, 1, 11, 'note', 0],
          [u, 0, 7, '', 0],
        ]),
      );
    }
    const nothing = { committedOffset: -1, metadata: '', errorCode: ErrorCode.NONE };
    for (const version of broker.versions(apis.OffsetFetch, 1, 7)) {
      expect(await committed(client, { groupId, topic: t, partition: 0, version })).toMatchObject(nothing);
      expect(await committed(client, { groupId: missing, topic: t, version })).toMatchObject(nothing);
    }
    expect((await committedCall(client, { groupId: missing, wanted: null })).topics).toEqual([]);
    expect((await committedCall(client, { groupId, wanted: [] })).topics).toEqual([]);
  });

  broker.scenario('for several groups at once, each its own (KIP-709)', async () => {
    const [one, other, topic] = [uniqueName('group'), uniqueName('group'), await broker.topic()];
    await commit(client, { groupId: one, topic, offset: 1 });
    await commit(client, { groupId: other, topic, offset: 2 });
    const groups = [
      newOffsetFetchRequestGroup({ groupId: one, topics: null }),
      newOffsetFetchRequestGroup({ groupId: other, topics: [{ name: topic, topicId: '', partitionIndexes: [0, 5] }] }),
    ];
    const answer = await client.call({ api: apis.OffsetFetch, version: 8, request: newOffsetFetchRequest({ groups }) });
    const told = answer.groups.map(({ groupId, errorCode, topics }) => [
      groupId,
      errorCode,
      ...topics.flatMap(({ partitions }) => partitions.map((found) => [found.partitionIndex, found.committedOffset])),
    ]);
    expect(told).toHaveLength(2);
    expect(told).toContainEqual([one, 0, [0, 1]]);
    expect(told).toContainEqual([other, 0, [0, 2], [5, -1]]);
  });

  broker.scenario('metadata: up to 4096 characters, however many bytes; null is none', async () => {
    const [groupId, topic] = [uniqueName('group'), await broker.topic({ partitions: 5 })];
    const texts = ['x'.repeat(4096), 'x'.repeat(4097), null, 'ü'.repeat(4096), 'ü'.repeat(4097)];
    const commits = texts.map((metadata, partition) => ({ topic, partition, offset: partition + 1, metadata }));
    const { topics } = await commitCall(client, { groupId, commits });
    expect(topics[0]!.partitions.map(({ partitionIndex, errorCode }) => [partitionIndex, errorCode])).toEqual([
      [0, ErrorCode.NONE],
      [1, ErrorCode.OFFSET_METADATA_TOO_LARGE],
      [2, ErrorCode.NONE],
      [3, ErrorCode.NONE],
      [4, ErrorCode.OFFSET_METADATA_TOO_LARGE],
    ]);
    const found = await Promise.all(texts.map((_, partition) => committed(client, { groupId, topic, partition })));
    expect(found.map(({ committedOffset }) => committedOffset)).toEqual([1, -1, 3, 4, -1]);
    expect(found.map(({ metadata }) => metadata)).toEqual([texts[0], '', '', texts[3], '']);
  });

  broker.scenario('a topic that nobody knows does not spoil the others; the answer has what was asked', async () => {
    const [groupId, topic, missing] = [
      uniqueName('group'),
      await broker.topic({ partitions: 2 }),
      uniqueName('missing'),
    ];
    const commits = [
      { topic, partition: 1, offset: 4 },
      { topic: missing, offset: 5 },
      { topic, partition: 9, offset: 6 },
      { topic, partition: 0, offset: 7 },
    ];
    const { topics } = await commitCall(client, { groupId, commits });
    const told = topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, errorCode }) => `${name}-${partitionIndex} ${errorCode}`),
    );
    expect(told.toSorted()).toEqual(
      [
        `${topic}-1 ${ErrorCode.NONE}`,
        `${missing}-0 ${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}`,
        `${topic}-9 ${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}`,
        `${topic}-0 ${ErrorCode.NONE}`,
      ].toSorted(),
    );
    expect((await committed(client, { groupId, topic, partition: 0 })).committedOffset).toBe(7);
    expect((await topicMetadata(client, missing)).errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });
});

describe('what deletes offsets', () => {
  broker.scenario('OffsetDelete, but not those of topics that members want (KIP-496)', async () => {
    const [groupId, t, u] = [uniqueName('group'), await broker.topic(), await broker.topic()];
    const a = await member(groupId, { protocols: [['range', subscription(t)]] });
    await stabilise(a);
    const as = { groupId, generationId: a.generationId, memberId: a.memberId };
    await commitCall(client, {
      ...as,
      commits: [
        { topic: t, offset: 1 },
        { topic: u, offset: 2 },
      ],
    });
    const answer = await deleteOffsets(client, groupId, [t, u]);
    expect(answer.errorCode).toBe(ErrorCode.NONE);
    const told = answer.topics.map(({ name, partitions }) => [name, partitions[0]!.errorCode]);
    expect(told.toSorted()).toEqual(
      [
        [t, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC],
        [u, ErrorCode.NONE],
      ].toSorted(),
    );
    expect((await committed(client, { groupId, topic: t })).committedOffset).toBe(1);
    expect((await committed(client, { groupId, topic: u })).committedOffset).toBe(-1);
  });

  broker.scenario(
    'OffsetDelete not for groups that are not there, nor for those of another kind with members',
    async () => {
      const [groupId, topic] = [uniqueName('group'), await broker.topic()];
      expect((await deleteOffsets(client, groupId, [topic])).errorCode).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
      await stabilise(await member(groupId, { protocolType: 'connect' }));
      expect((await deleteOffsets(client, groupId, [topic])).errorCode).toBe(ErrorCode.NON_EMPTY_GROUP);
    },
  );

  broker.scenario('the deletion of the topic: a new one of that name starts without (KAFKA-2000)', async () => {
    const [groupId, topic, other] = [uniqueName('group'), await broker.topic(), await broker.topic()];
    await commitCall(client, {
      groupId,
      commits: [
        { topic, offset: 5 },
        { topic: other, offset: 6 },
      ],
    });
    await broker.deleteTopic(topic);
    await broker.topic({ name: topic });
    await eventually('the offset to be gone', {
      attempt: () => committed(client, { groupId, topic }),
      holds: ({ committedOffset }) => committedOffset === -1,
    });
    expect((await committed(client, { groupId, topic: other })).committedOffset).toBe(6);
  });

  broker.scenario('the deletion of the group, which must have no members', async () => {
    const [groupId, topic] = [uniqueName('group'), await broker.topic()];
    expect(await deleteGroup(client, groupId)).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
    const a = await member(groupId);
    await stabilise(a);
    await commit(client, { groupId, topic, offset: 3, generationId: a.generationId, memberId: a.memberId });
    expect(await deleteGroup(client, groupId)).toBe(ErrorCode.NON_EMPTY_GROUP);
    expect((await committed(client, { groupId, topic })).committedOffset).toBe(3);
    const simple = uniqueName('group');
    await commit(client, { groupId: simple, topic, offset: 4 });
    expect(await deleteGroup(client, simple)).toBe(ErrorCode.NONE);
    expect((await committed(client, { groupId: simple, topic })).committedOffset).toBe(-1);
    expect((await describeGroups(client, simple))[0]!.groupState).toBe('Dead');
  });
});

/** As monitors read it: the newest of the group's records by what their key says. */
async function internalRecords(groupId: string): Promise<Map<string, LogRecord>> {
  const { partitions } = await topicMetadata(client, OFFSETS_TOPIC);
  const found = new Map<string, LogRecord>();
  for (const { partitionIndex } of partitions) {
    for (const record of recordsIn(await fetchAll(client, { topic: OFFSETS_TOPIC, partition: partitionIndex }))) {
      const reader = new Reader(record.key!);
      const version = reader.int16();
      if (version <= 1) {
        const { group, topic, partition } = decodeOffsetCommitKey(reader, 0);
        if (group === groupId) found.set(`${topic}-${partition}`, record);
      } else if (version === 2 && decodeGroupMetadataKey(reader, 0).group === groupId) {
        found.set('group', record);
      }
    }
  }
  return found;
}

describe('the internal topic', () => {
  broker.scenario('is told as internal, and compacted', async () => {
    const { isInternal, partitions } = await topicMetadata(client, OFFSETS_TOPIC);
    expect([isInternal, partitions.length]).toEqual([true, 50]);
    const resource = {
      resourceType: TOPIC_RESOURCE,
      resourceName: OFFSETS_TOPIC,
      configurationKeys: ['cleanup.policy'],
    };
    const request = newDescribeConfigsRequest({ resources: [newDescribeConfigsResource(resource)] });
    const { results } = await client.call({ api: apis.DescribeConfigs, version: 1, request });
    expect(results[0]!.configs.map(({ name, value }) => [name, value])).toEqual([['cleanup.policy', 'compact']]);
  });

  broker.scenario('holds offsets and groups in Kafka’s records, tombstones when they go', async () => {
    const [groupId, topic] = [uniqueName('group'), await broker.topic()];
    const a = await member(groupId);
    await stabilise(a);
    const as = { groupId, generationId: a.generationId, memberId: a.memberId };
    expect(await commit(client, { ...as, topic, offset: 42, metadata: 'note' })).toBe(ErrorCode.NONE);
    const stable = await internalRecords(groupId);
    const offset = new Reader(stable.get(`${topic}-0`)!.value!);
    const offsetVersion = offset.int16();
    expect(broker.isForeign ? [3, 4] : [3]).toContain(offsetVersion);
    expect(decodeOffsetCommitValue(offset, offsetVersion)).toMatchObject({ offset: 42, metadata: 'note' });
    const group = new Reader(stable.get('group')!.value!);
    const groupVersion = group.int16();
    expect(broker.isForeign ? [3, 4] : [3]).toContain(groupVersion);
    expect(decodeGroupMetadataValue(group, groupVersion)).toMatchObject({
      protocolType: 'consumer',
      protocol: 'range',
      generation: 1,
      leader: a.memberId,
      members: [{ memberId: a.memberId, assignment: Buffer.from('place 0') }],
    });

    const simple = uniqueName('group');
    await commit(client, { groupId: simple, topic, offset: 1 });
    expect((await internalRecords(simple)).get(`${topic}-0`)!.value).not.toBeNull();
    await deleteOffsets(client, simple, [topic]);
    expect((await internalRecords(simple)).get(`${topic}-0`)!.value).toBeNull();
  });
});
