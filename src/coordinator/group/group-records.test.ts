/** Records against bytes that Kafka's own classes have made, and back. */
import { ZERO_UUID } from '../../base/random';
import { MalformedMessage } from '../../codec/malformed';
import { type CommittedOffset, type GroupMetadata, type GroupRecord, groupRecordCodec } from './group-records';

const OFFSET_KEY = '00010001670005746f70696300000007';
const OFFSET_VALUES = {
  v0: '0000000000000000002a00046e6f74650000018bcfe5687b',
  v1: '0001000000000000002a00046e6f74650000018bcfe5687b0000018bcfe652db',
  v2: '0002000000000000002a00046e6f74650000018bcfe5687b',
  v3: '0003000000000000002a0000000500046e6f74650000018bcfe5687b',
  v4: '0004000000000000002a00000005056e6f74650000018bcfe5687b010010000102030405060708090a0b0c0d0e0f',
};
const GROUP_KEY = '0002000167';
const GROUP_VALUES = {
  v0:
    '00000008636f6e73756d657200000003000572616e67650003612d31000000020003612d31000161000a2f3132372e302e302e31' +
    '00002710000000030102030000000204050003692d3200016200042f3a3a3100004e20000000010600000000',
  v1:
    '00010008636f6e73756d657200000003000572616e67650003612d31000000020003612d31000161000a2f3132372e302e302e31' +
    '0000ea6000002710000000030102030000000204050003692d3200016200042f3a3a310001117000004e20000000010600000000',
  v2:
    '00020008636f6e73756d657200000003000572616e67650003612d310000018bcfe5687b000000020003612d31000161000a2f31' +
    '32372e302e302e310000ea6000002710000000030102030000000204050003692d3200016200042f3a3a310001117000004e2000' +
    '0000010600000000',
  v3:
    '00030008636f6e73756d657200000003000572616e67650003612d310000018bcfe5687b000000020003612d31ffff000161000a' +
    '2f3132372e302e302e310000ea6000002710000000030102030000000204050003692d3200016900016200042f3a3a3100011170' +
    '00004e20000000010600000000',
  v4:
    '000409636f6e73756d6572000000030672616e676504612d310000018bcfe5687b0304612d310002610b2f3132372e302e302e31' +
    '0000ea6000002710040102030304050004692d3202690262052f3a3a310001117000004e200206010000',
};
const EMPTY_GROUP_VALUE = '0003000000000004ffffffff0000018bcfe5687b00000000';

const COMMIT_MS = 1_700_000_000_123;

const committed: CommittedOffset = {
  offset: 42,
  leaderEpoch: 5,
  metadata: 'note',
  commitTimestampMs: COMMIT_MS,
  expireTimestampMs: -1,
  topicId: ZERO_UUID,
};
const offset = (o: Partial<CommittedOffset> | null): GroupRecord => ({
  kind: 'offset',
  groupId: 'g',
  topic: 'topic',
  partition: 7,
  committed: o && { ...committed, ...o },
});

const metadata: GroupMetadata = {
  protocolType: 'consumer',
  generationId: 3,
  protocolName: 'range',
  leaderId: 'a-1',
  stateSinceMs: COMMIT_MS,
  members: [
    {
      memberId: 'a-1',
      groupInstanceId: null,
      clientId: 'a',
      clientHost: '/127.0.0.1',
      rebalanceTimeoutMs: 60_000,
      sessionTimeoutMs: 10_000,
      subscription: Buffer.from([1, 2, 3]),
      assignment: Buffer.from([4, 5]),
    },
    {
      memberId: 'i-2',
      groupInstanceId: 'i',
      clientId: 'b',
      clientHost: '/::1',
      rebalanceTimeoutMs: 70_000,
      sessionTimeoutMs: 20_000,
      subscription: Buffer.from([6]),
      assignment: Buffer.alloc(0),
    },
  ],
};
const group = (o: Partial<GroupMetadata> | null): GroupRecord => ({
  kind: 'group-metadata',
  groupId: 'g',
  metadata: o && { ...metadata, ...o },
});
const empty = {
  protocolType: null,
  generationId: 4,
  protocolName: null,
  leaderId: null,
  members: [],
};

function encoded(record: GroupRecord): { key: string; value: string | undefined } {
  const { key, value } = groupRecordCodec.encode(record);
  return { key: key.toString('hex'), value: value?.toString('hex') };
}

function decoded(key: string, value: string | null): GroupRecord | undefined {
  return groupRecordCodec.decode(Buffer.from(key, 'hex'), value === null ? null : Buffer.from(value, 'hex'));
}

describe('records of __consumer_offsets', () => {
  it('are written as Kafka writes them', () => {
    expect(encoded(offset({}))).toEqual({ key: OFFSET_KEY, value: OFFSET_VALUES.v3 });
    expect(encoded(offset({ expireTimestampMs: COMMIT_MS + 60_000, leaderEpoch: -1 }))).toEqual({
      key: OFFSET_KEY,
      value: OFFSET_VALUES.v1,
    });
    expect(encoded(group({}))).toEqual({ key: GROUP_KEY, value: GROUP_VALUES.v3 });
    expect(encoded(group(empty))).toEqual({ key: GROUP_KEY, value: EMPTY_GROUP_VALUE });
  });

  it('are tombstones without a value', () => {
    expect(encoded(offset(null))).toEqual({ key: OFFSET_KEY, value: undefined });
    expect(encoded(group(null))).toEqual({ key: GROUP_KEY, value: undefined });
    expect(decoded(OFFSET_KEY, null)).toEqual(offset(null));
    expect(decoded(GROUP_KEY, null)).toEqual(group(null));
  });

  it('are read in every version of an offset', () => {
    expect(decoded(OFFSET_KEY, OFFSET_VALUES.v0)).toEqual(offset({ leaderEpoch: -1 }));
    const expiring = { leaderEpoch: -1, expireTimestampMs: COMMIT_MS + 60_000 };
    expect(decoded(OFFSET_KEY, OFFSET_VALUES.v1)).toEqual(offset(expiring));
    expect(decoded(OFFSET_KEY, OFFSET_VALUES.v2)).toEqual(offset({ leaderEpoch: -1 }));
    expect(decoded(OFFSET_KEY, OFFSET_VALUES.v3)).toEqual(offset({}));
    expect(decoded(OFFSET_KEY, OFFSET_VALUES.v4)).toEqual(offset({ topicId: 'AAECAwQFBgcICQoLDA0ODw' }));
    expect(decoded(`0000${OFFSET_KEY.slice(4)}`, OFFSET_VALUES.v0)).toEqual(offset({ leaderEpoch: -1 }));
  });

  it('are read in every version of a group', () => {
    const [a, b] = metadata.members;
    const dynamic = { ...b!, groupInstanceId: null };
    const old = [
      { ...a!, rebalanceTimeoutMs: 10_000 },
      { ...dynamic, rebalanceTimeoutMs: 20_000 },
    ];
    expect(decoded(GROUP_KEY, GROUP_VALUES.v0)).toEqual(group({ stateSinceMs: null, members: old }));
    expect(decoded(GROUP_KEY, GROUP_VALUES.v1)).toEqual(group({ stateSinceMs: null, members: [a!, dynamic] }));
    expect(decoded(GROUP_KEY, GROUP_VALUES.v2)).toEqual(group({ members: [a!, dynamic] }));
    expect(decoded(GROUP_KEY, GROUP_VALUES.v3)).toEqual(group({}));
    expect(decoded(GROUP_KEY, GROUP_VALUES.v4)).toEqual(group({}));
    expect(decoded(GROUP_KEY, EMPTY_GROUP_VALUE)).toEqual(group(empty));
  });

  it('of versions still to come are read as far as they are known', () => {
    expect(decoded(OFFSET_KEY, `0009${OFFSET_VALUES.v4.slice(4)}`)).toEqual(
      offset({ topicId: 'AAECAwQFBgcICQoLDA0ODw' }),
    );
    expect(decoded(GROUP_KEY, `0009${GROUP_VALUES.v4.slice(4)}`)).toEqual(group({}));
  });

  it('of other types are left alone', () => {
    expect(decoded('0003000167', '0000')).toBeUndefined();
  });

  it('that are cut off are malformed', () => {
    expect(() => decoded(OFFSET_KEY, OFFSET_VALUES.v3.slice(0, 20))).toThrow(MalformedMessage);
    expect(() => decoded('0001', null)).toThrow(MalformedMessage);
  });
});
