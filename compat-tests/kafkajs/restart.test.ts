/** What clients see of a broker that ends and comes back: after SIGTERM and after SIGKILL. */
import { messages, type Seen, seen, until, useBroker, valuesOf } from './fixture';

const fixture = useBroker();

const ENDINGS = [
  ['SIGTERM', async () => expect(await fixture.broker.stop()).toBe(0)],
  ['SIGKILL', () => fixture.broker.kill()],
] as const;

describe.each(ENDINGS)('after %s', (_, end) => {
  async function restart(): Promise<void> {
    await fixture.closeClients();
    await end();
    await fixture.start();
  }

  it('topics, records and configs are there', async () => {
    const topic = await fixture.topic(3);
    const producer = await fixture.producer();
    await producer.send({ topic, messages: messages(300).map((message, at) => ({ ...message, partition: at % 3 })) });
    const before = await (await fixture.admin()).fetchTopicMetadata({ topics: [topic] });
    await restart();
    const admin = await fixture.admin();
    expect(await admin.fetchTopicMetadata({ topics: [topic] })).toEqual(before);
    const got = await fixture.read(topic, 300);
    expect(new Set(valuesOf(got))).toEqual(new Set(valuesOf(messages(300))));
    await fixture.send(topic, messages(1, 'after-'));
  });

  it('a group goes on from its commit', async () => {
    const [groupId, topic] = [fixture.name('group'), await fixture.topic()];
    await fixture.send(topic, messages(10));
    await fixture.read(topic, 10, { groupId });
    await restart();
    await fixture.send(topic, messages(3, 'after-'));
    expect(valuesOf(await fixture.read(topic, 3, { groupId }))).toEqual(valuesOf(messages(3, 'after-')));
  });

  it('a deleted topic stays deleted', async () => {
    const topic = await fixture.topic();
    await (await fixture.admin()).deleteTopics({ topics: [topic] });
    await restart();
    expect(await (await fixture.admin()).listTopics()).not.toContain(topic);
  });

  it('a member that was consuming goes on without losing or repeating', async () => {
    const topic = await fixture.topic();
    const consumer = await fixture.consumer({ sessionTimeout: 10_000 });
    const got: Seen[] = [];
    let [joins, restarts] = [0, 0];
    consumer.on(consumer.events.GROUP_JOIN, () => void joins++);
    // A client that finds no broker for some seconds gives up and begins anew, as another member.
    consumer.on(consumer.events.CRASH, () => void restarts++);
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ autoCommitThreshold: 1, eachMessage: async (payload) => void got.push(seen(payload)) });
    await fixture.send(topic, messages(5, 'before-'));
    await until('the first part', () => got.length === 5);
    await end();
    await fixture.start();
    await fixture.send(topic, messages(5, 'after-'));
    await until('the second part', () => got.length >= 10);
    expect(valuesOf(got)).toEqual([...valuesOf(messages(5, 'before-')), ...valuesOf(messages(5, 'after-'))]);
    expect(joins).toBe(1 + restarts);
  });

  it('an idempotent producer goes on', async () => {
    const topic = await fixture.topic();
    const producer = await fixture.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.send({ topic, acks: -1, messages: messages(10, 'before-') });
    await end();
    await fixture.start();
    await producer.send({ topic, acks: -1, messages: messages(10, 'after-') });
    const got = await fixture.read(topic, 20);
    expect(valuesOf(got)).toEqual([...valuesOf(messages(10, 'before-')), ...valuesOf(messages(10, 'after-'))]);
  });
});
