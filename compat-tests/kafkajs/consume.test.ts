/** kafkajs consumers: positions, pause and seek, batches, many topics, long polls, and offsets out of range. */
import { messages, type Seen, seen, until, useBroker, valuesOf } from './fixture';

const fixture = useBroker();

/** Subscribes and runs a consumer of its own group; what it gets is in the list. */
async function follow(topic: string, options: { fromBeginning?: boolean; groupId?: string } = {}) {
  const consumer = await fixture.consumer(options.groupId === undefined ? {} : { groupId: options.groupId });
  const got: Seen[] = [];
  await consumer.subscribe({ topics: [topic], fromBeginning: options.fromBeginning ?? true });
  const joined = new Promise<void>((resolve) => consumer.on(consumer.events.GROUP_JOIN, () => resolve()));
  await consumer.run({ eachMessage: async (payload) => void got.push(seen(payload)) });
  await joined;
  return { consumer, got };
}

it('reads from the beginning', async () => {
  const topic = await fixture.topic();
  await fixture.send(topic, messages(10));
  const { got } = await follow(topic);
  await until('all', () => got.length === 10);
  expect(valuesOf(got)).toEqual(valuesOf(messages(10)));
  expect(got.map(({ offset }) => offset)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
});

it('reads from the end what comes later', async () => {
  const topic = await fixture.topic();
  await fixture.send(topic, messages(10, 'old-'));
  const { got } = await follow(topic, { fromBeginning: false });
  // The position is taken by the first fetch: send until one arrives.
  await until('something new', async () => {
    await fixture.send(topic, messages(1, 'new-'));
    return got.length > 0;
  });
  expect(got[0]?.value).toBe('new-0');
});

it('wakes a long poll as soon as a record arrives', async () => {
  const topic = await fixture.topic();
  await fixture.send(topic, messages(1));
  const consumer = await fixture.consumer({ maxWaitTimeInMs: 3000 });
  const got: { value: string; atMs: number }[] = [];
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => void got.push({ value: String(message.value), atMs: performance.now() }),
  });
  await until('the first', () => got.length === 1);
  const sentMs = performance.now();
  await fixture.send(topic, messages(1, 'second-'));
  await until('the second', () => got.length === 2);
  expect((got[1]?.atMs ?? Number.POSITIVE_INFINITY) - sentMs).toBeLessThan(1500);
});

it('pauses and resumes a topic', async () => {
  const topic = await fixture.topic();
  await fixture.send(topic, messages(1));
  const { consumer, got } = await follow(topic);
  await until('the first', () => got.length === 1);
  consumer.pause([{ topic }]);
  expect(consumer.paused()).toEqual([{ topic, partitions: [0] }]);
  await fixture.send(topic, messages(1, 'second-'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(got).toHaveLength(1);
  consumer.resume([{ topic }]);
  await until('the second', () => got.length === 2);
  expect(got[1]?.value).toBe('second-0');
});

it('pauses one partition and goes on with the other', async () => {
  const topic = await fixture.topic(2);
  const { consumer, got } = await follow(topic);
  consumer.pause([{ topic, partitions: [0] }]);
  const producer = await fixture.producer();
  await producer.send({ topic, messages: [0, 1].map((partition) => ({ value: `to ${partition}`, partition })) });
  await until('the record of partition 1', () => got.length === 1);
  expect(got[0]?.value).toBe('to 1');
  consumer.resume([{ topic, partitions: [0] }]);
  await until('the record of partition 0', () => got.length === 2);
});

it('seeks forwards and back', async () => {
  const topic = await fixture.topic();
  await fixture.send(topic, messages(10));
  const { consumer, got } = await follow(topic);
  await until('all', () => got.length === 10);
  consumer.seek({ topic, partition: 0, offset: '7' });
  await until('the last three again', () => got.length === 13);
  expect(valuesOf(got.slice(10))).toEqual(['value-7', 'value-8', 'value-9']);
});

it('begins again when its offset is out of range', async () => {
  const topic = await fixture.topic();
  await fixture.send(topic, messages(3));
  const { consumer, got } = await follow(topic);
  await until('all', () => got.length === 3);
  consumer.seek({ topic, partition: 0, offset: '1000' });
  await until('all again', () => got.length === 6);
  expect(valuesOf(got.slice(3))).toEqual(valuesOf(messages(3)));
});

it('reads batches, with their high watermark, resolving as it likes', async () => {
  const topic = await fixture.topic();
  await fixture.send(topic, messages(100));
  const consumer = await fixture.consumer();
  const offsets: string[] = [];
  let highWatermark = '';
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachBatchAutoResolve: false,
    eachBatch: async ({ batch, resolveOffset, heartbeat, commitOffsetsIfNecessary }) => {
      highWatermark = batch.highWatermark;
      for (const message of batch.messages) {
        offsets.push(message.offset);
        resolveOffset(message.offset);
      }
      await heartbeat();
      await commitOffsetsIfNecessary();
    },
  });
  await until('all', () => offsets.length === 100);
  expect(highWatermark).toBe('100');
  expect(offsets).toEqual(Array.from({ length: 100 }, (_, at) => String(at)));
});

it('reads several topics, by name and by pattern', async () => {
  const prefix = fixture.name('family');
  const topics = ['a', 'b'].map((kind) => ({ topic: `${prefix}-${kind}`, numPartitions: 1 }));
  await (await fixture.admin()).createTopics({ topics });
  const producer = await fixture.producer();
  for (const kind of ['a', 'b']) await producer.send({ topic: `${prefix}-${kind}`, messages: messages(2, `${kind}-`) });
  const consumer = await fixture.consumer();
  const got: Seen[] = [];
  await consumer.subscribe({ topics: [new RegExp(`^${prefix}-.*`)], fromBeginning: true });
  await consumer.run({ eachMessage: async (payload) => void got.push(seen(payload)) });
  await until('all four', () => got.length === 4);
  expect(valuesOf(got).sort()).toEqual(['a-0', 'a-1', 'b-0', 'b-1']);
});

it('reads with small limits of bytes, records larger than the limit included', async () => {
  const topic = await fixture.topic(2);
  const producer = await fixture.producer();
  const value = 'x'.repeat(20_000);
  for (let at = 0; at < 10; at++) await producer.send({ topic, messages: [{ value, partition: at % 2 }] });
  const got = await fixture.read(topic, 10, { maxBytesPerPartition: 1000, maxBytes: 1500, minBytes: 1 });
  expect(got.every((one) => one.value === value)).toBe(true);
});

it('reads old and new records of a topic that is written while it is read', async () => {
  const topic = await fixture.topic();
  const { got } = await follow(topic);
  const producer = await fixture.producer();
  for (let round = 0; round < 30; round++) await producer.send({ topic, messages: messages(10, `${round}-`) });
  await until('all', () => got.length === 300);
  expect(got.map(({ offset }) => Number(offset))).toEqual(Array.from({ length: 300 }, (_, at) => at));
});

it('reads read_committed and read_uncommitted alike where no transaction is', async () => {
  const topic = await fixture.topic();
  await fixture.send(topic, messages(5));
  expect(await fixture.read(topic, 5, { readUncommitted: true })).toHaveLength(5);
  expect(await fixture.read(topic, 5, { readUncommitted: false })).toHaveLength(5);
});
