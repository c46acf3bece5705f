/** kafkajs consumer groups: joining, leaving, rebalancing, commits, silent members, and what the admin sees of them. */
import type { Consumer, GroupDescription } from 'kafkajs';
import { messages, type Seen, seen, until, useBroker, valuesOf } from './fixture';

const fixture = useBroker('group.min.session.timeout.ms=500');

interface Member {
  readonly consumer: Consumer;
  readonly got: Seen[];
  /** The partitions of the last assignment. */
  assigned(): readonly number[];
  /** How often it has joined. */
  joined(): number;
  readonly crashes: unknown[];
}

interface MemberOptions {
  readonly groupId: string;
  readonly topic: string;
  readonly sessionTimeout?: number;
  readonly autoCommit?: boolean;
}

async function member({ groupId, topic, sessionTimeout = 10_000, autoCommit = true }: MemberOptions): Promise<Member> {
  const consumer = await fixture.consumer({ groupId, sessionTimeout, rebalanceTimeout: 5000 });
  const got: Seen[] = [];
  let partitions: readonly number[] = [];
  let joins = 0;
  const crashes: unknown[] = [];
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    partitions = [...(payload.memberAssignment[topic] ?? [])].sort();
    joins++;
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => void crashes.push(payload.error));
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({ autoCommit, eachMessage: async (payload) => void got.push(seen(payload)) });
  return { consumer, got, assigned: () => partitions, joined: () => joins, crashes };
}

async function describe1(groupId: string): Promise<GroupDescription | undefined> {
  const admin = await fixture.admin();
  return (await admin.describeGroups([groupId])).groups[0];
}

async function committed(groupId: string, topic: string): Promise<string[]> {
  const admin = await fixture.admin();
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return (offsets?.partitions ?? []).sort((a, b) => a.partition - b.partition).map(({ offset }) => offset);
}

describe('members', () => {
  it('one gets all partitions', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic(4)];
    const one = await member({ groupId, topic });
    await until('an assignment', () => one.assigned().length === 4);
    expect(one.assigned()).toEqual([0, 1, 2, 3]);
  });

  it('two share them, and each record goes to one of them', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic(4)];
    const one = await member({ groupId, topic });
    const two = await member({ groupId, topic });
    await until('both halves', () => one.assigned().length === 2 && two.assigned().length === 2);
    expect([...one.assigned(), ...two.assigned()].sort()).toEqual([0, 1, 2, 3]);
    const producer = await fixture.producer();
    const numbered = messages(40).map((message, at) => ({ ...message, partition: at % 4 }));
    await producer.send({ topic, messages: numbered });
    await until('all records', () => one.got.length + two.got.length === 40);
    expect(new Set(valuesOf([...one.got, ...two.got])).size).toBe(40);
    for (const { got, assigned } of [one, two]) {
      expect(got.every(({ partition }) => assigned().includes(partition))).toBe(true);
    }
  });

  it('who leaves gives its partitions to the others at once', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic(4)];
    const one = await member({ groupId, topic });
    const two = await member({ groupId, topic });
    await until('both halves', () => one.assigned().length === 2 && two.assigned().length === 2);
    const leftMs = performance.now();
    await two.consumer.disconnect();
    await until('all partitions', () => one.assigned().length === 4);
    expect(performance.now() - leftMs).toBeLessThan(5000);
  });

  it('who falls silent loses its partitions after the session timeout', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic(2)];
    const one = await member({ groupId, topic, sessionTimeout: 1500 });
    // A handler that does not end: this member sends no more heartbeats.
    let release = (): void => undefined;
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const silent = await fixture.consumer({ groupId, sessionTimeout: 1500, rebalanceTimeout: 3000 });
    await silent.subscribe({ topics: [topic], fromBeginning: true });
    await silent.run({ eachMessage: () => stuck });
    await until('a partition for each', () => one.assigned().length === 1);
    const producer = await fixture.producer();
    for (const partition of [0, 1]) await producer.send({ topic, messages: [{ value: `to ${partition}`, partition }] });
    await until('both partitions', () => one.assigned().length === 2);
    await until('both records', () => new Set(valuesOf(one.got)).size === 2);
    release();
  });

  it('more members than partitions: some have none', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic(2)];
    const members: Member[] = [];
    for (let at = 0; at < 3; at++) members.push(await member({ groupId, topic }));
    await until('a stable group of three', async () => {
      const group = await describe1(groupId);
      return group?.state === 'Stable' && group.members.length === 3;
    });
    await until('two partitions given away', () => members.flatMap((one) => one.assigned()).length === 2);
    expect(members.flatMap((one) => one.assigned()).sort()).toEqual([0, 1]);
  });

  it('rebalances when its topic gets more partitions', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic(1)];
    const consumer = await fixture.consumer({ groupId, metadataMaxAge: 500 });
    let partitions: number[] = [];
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      partitions = payload.memberAssignment[topic] ?? [];
    });
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ eachMessage: async () => undefined });
    const admin = await fixture.admin();
    await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] });
    await until('the new partitions', () => partitions.length === 3);
  });

  it('groups do not disturb each other', async () => {
    const topic = await fixture.topic();
    await fixture.send(topic, messages(10));
    const [one, two] = [await fixture.read(topic, 10), await fixture.read(topic, 10)];
    expect(valuesOf(one)).toEqual(valuesOf(two));
  });
});

describe('commits', () => {
  it('the next member goes on where the last one stopped', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic()];
    await fixture.send(topic, messages(10));
    await fixture.read(topic, 10, { groupId });
    await fixture.send(topic, messages(5, 'more-'));
    expect(valuesOf(await fixture.read(topic, 5, { groupId }))).toEqual(valuesOf(messages(5, 'more-')));
  });

  it('explicit ones are kept with their metadata, and move back too', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic()];
    await fixture.send(topic, messages(10));
    const one = await member({ groupId, topic, autoCommit: false });
    await until('all', () => one.got.length === 10);
    expect(await committed(groupId, topic)).toEqual(['-1']);
    await one.consumer.commitOffsets([{ topic, partition: 0, offset: '7', metadata: 'seven' }]);
    const admin = await fixture.admin();
    expect(await admin.fetchOffsets({ groupId, topics: [topic] })).toEqual([
      { topic, partitions: [{ partition: 0, offset: '7', metadata: 'seven' }] },
    ]);
    await one.consumer.commitOffsets([{ topic, partition: 0, offset: '3' }]);
    expect(await committed(groupId, topic)).toEqual(['3']);
    await one.consumer.disconnect();
    expect(valuesOf(await fixture.read(topic, 7, { groupId }))[0]).toBe('value-3');
  });

  it('come by count and by time', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic()];
    await fixture.send(topic, messages(20));
    const consumer = await fixture.consumer({ groupId });
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ autoCommitThreshold: 5, autoCommitInterval: 200, eachMessage: async () => undefined });
    await until('the commit', async () => (await committed(groupId, topic))[0] === '20');
  });

  it('of a member that was thrown out are refused', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic()];
    const one = await member({ groupId, topic });
    await until('an assignment', () => one.joined() === 1);
    await one.consumer.stop();
    await expect(one.consumer.commitOffsets([{ topic, partition: 0, offset: '1' }])).rejects.toThrow();
  });
});

describe('seen by the admin', () => {
  it('a group is Stable with members, then Empty, then gone', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic(2)];
    const one = await member({ groupId, topic });
    await until('a stable group', async () => (await describe1(groupId))?.state === 'Stable');
    const group = await describe1(groupId);
    expect(group).toMatchObject({ errorCode: 0, groupId, protocolType: 'consumer', protocol: 'RoundRobinAssigner' });
    expect(group?.members).toMatchObject([{ clientId: 'odradek-compat', clientHost: expect.stringMatching(/^\/127/) }]);
    const admin = await fixture.admin();
    expect((await admin.listGroups()).groups).toContainEqual({ groupId, protocolType: 'consumer' });
    await expect(admin.deleteGroups([groupId])).rejects.toMatchObject({
      groups: [{ groupId, error: expect.objectContaining({ type: 'NON_EMPTY_GROUP' }) }],
    });
    await one.consumer.disconnect();
    await until('an empty group', async () => (await describe1(groupId))?.state === 'Empty');
    expect(await admin.deleteGroups([groupId])).toEqual([{ groupId, errorCode: 0 }]);
    expect((await describe1(groupId))?.state).toBe('Dead');
    expect((await admin.listGroups()).groups.map((listed) => listed.groupId)).not.toContain(groupId);
  });

  it('an unknown group is Dead, and cannot be deleted', async () => {
    const groupId = fixture.name('nobody');
    expect(await describe1(groupId)).toMatchObject({ errorCode: 0, state: 'Dead', members: [] });
    const admin = await fixture.admin();
    await expect(admin.deleteGroups([groupId])).rejects.toMatchObject({
      groups: [{ groupId, error: expect.objectContaining({ type: 'GROUP_ID_NOT_FOUND' }) }],
    });
  });

  it('offsets are set and reset for a group without members', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic()];
    await fixture.send(topic, messages(10));
    const admin = await fixture.admin();
    await admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: '4' }] });
    expect(await committed(groupId, topic)).toEqual(['4']);
    await admin.resetOffsets({ groupId, topic, earliest: true });
    expect(valuesOf(await fixture.read(topic, 10, { groupId }))[0]).toBe('value-0');
  });

  it('offsets of all topics are told without naming them', async () => {
    const groupId = fixture.name('group');
    const [one, two] = [await fixture.topic(), await fixture.topic()];
    for (const topic of [one, two]) {
      await fixture.send(topic, messages(1));
      await fixture.read(topic, 1, { groupId });
    }
    const admin = await fixture.admin();
    const offsets = await admin.fetchOffsets({ groupId });
    expect(offsets.map(({ topic }) => topic).sort()).toEqual([one, two].sort());
  });
});
