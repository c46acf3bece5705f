/** kafkajs producers: acks, keys, headers, partitions, batches, idempotence, and what the broker refuses. */
import { Partitioners } from 'kafkajs';
import { errorType, messages, useBroker, valuesOf } from './fixture';

const fixture = useBroker('num.partitions=3');

describe('send', () => {
  it.each([-1, 1])('acks=%i answers with offsets in order', async (acks) => {
    const topic = await fixture.topic();
    const producer = await fixture.producer();
    const first = await producer.send({ topic, acks, messages: messages(3) });
    const second = await producer.send({ topic, acks, messages: messages(2) });
    expect(first).toMatchObject([{ topicName: topic, partition: 0, errorCode: 0, baseOffset: '0' }]);
    expect(second).toMatchObject([{ baseOffset: '3', logStartOffset: '0', logAppendTime: '-1' }]);
  });

  it('acks=0 gets no answer, and the records are there', async () => {
    const topic = await fixture.topic();
    const producer = await fixture.producer();
    await producer.send({ topic, acks: 0, messages: messages(50) });
    expect(valuesOf(await fixture.read(topic, 50))).toEqual(valuesOf(messages(50)));
  });

  it('keeps key, value, headers and timestamp byte for byte', async () => {
    const topic = await fixture.topic();
    const producer = await fixture.producer();
    const value = Buffer.from([0, 255, 128, 10, 13]);
    const headers = { plain: 'text', binary: Buffer.from([1, 2, 3]), twice: ['a', 'b'], empty: '' };
    await producer.send({ topic, messages: [{ key: 'ключ', value, headers, timestamp: '1600000000123' }] });
    const [got] = await fixture.read(topic, 1);
    expect(got?.message.key).toEqual(Buffer.from('ключ'));
    expect(got?.message.value).toEqual(value);
    expect(got?.message.timestamp).toBe('1600000000123');
    expect(got?.message.headers).toEqual({
      plain: Buffer.from('text'),
      binary: Buffer.from([1, 2, 3]),
      twice: [Buffer.from('a'), Buffer.from('b')],
      empty: Buffer.from(''),
    });
  });

  it('keeps null and empty apart', async () => {
    const topic = await fixture.topic();
    const producer = await fixture.producer();
    await producer.send({ topic, messages: [{ key: 'a', value: null }, { key: '', value: '' }, { value: 'c' }] });
    const got = await fixture.read(topic, 3);
    expect(got.map(({ key, value }) => [key, value])).toEqual([
      ['a', null],
      ['', ''],
      [null, 'c'],
    ]);
  });

  it('goes to the partition that is named, and to one per key otherwise', async () => {
    const topic = await fixture.topic(3);
    const producer = await fixture.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.send({ topic, messages: [0, 1, 2].map((partition) => ({ value: `to ${partition}`, partition })) });
    await producer.send({
      topic,
      messages: Array.from({ length: 30 }, (_, at) => ({ key: `k${at % 5}`, value: 'v' })),
    });
    const got = await fixture.read(topic, 33);
    const named = got.filter(({ key }) => key === null).map(({ partition, value }) => `${partition} ${value}`);
    expect(named.sort()).toEqual(['0 to 0', '1 to 1', '2 to 2']);
    for (const key of ['k0', 'k1', 'k2', 'k3', 'k4']) {
      expect(new Set(got.filter((one) => one.key === key).map(({ partition }) => partition)).size).toBe(1);
    }
  });

  it('sends several topics in one batch', async () => {
    const [one, two] = [await fixture.topic(), await fixture.topic()];
    const producer = await fixture.producer();
    const answer = await producer.sendBatch({
      topicMessages: [
        { topic: one, messages: messages(2) },
        { topic: two, messages: messages(3) },
      ],
    });
    expect(answer.map(({ topicName, errorCode }) => [topicName, errorCode]).sort()).toEqual(
      [
        [one, 0],
        [two, 0],
      ].sort(),
    );
    expect(await fixture.read(one, 2)).toHaveLength(2);
    expect(await fixture.read(two, 3)).toHaveLength(3);
  });

  it('keeps the order of many sends without waiting', async () => {
    const topic = await fixture.topic();
    const producer = await fixture.producer({ maxInFlightRequests: 5 });
    await Promise.all(messages(200).map((message) => producer.send({ topic, messages: [message] })));
    const got = await fixture.read(topic, 200);
    expect(got.map(({ offset }) => Number(offset))).toEqual(Array.from({ length: 200 }, (_, at) => at));
    expect(new Set(valuesOf(got)).size).toBe(200);
  });

  it('takes many records and large ones', async () => {
    const topic = await fixture.topic();
    const producer = await fixture.producer();
    const large = 'x'.repeat(900_000);
    await producer.send({ topic, messages: messages(10_000) });
    await producer.send({ topic, messages: [{ value: large }] });
    const got = await fixture.read(topic, 10_001);
    expect(valuesOf(got.slice(0, 10_000))).toEqual(valuesOf(messages(10_000)));
    expect(got[10_000]?.value).toBe(large);
  });
});

describe('topics that are not there', () => {
  it('are created with the default number of partitions', async () => {
    const topic = fixture.name();
    const producer = await fixture.producer({ allowAutoTopicCreation: true });
    await producer.send({ topic, messages: messages(1) });
    const admin = await fixture.admin();
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    expect(topics[0]?.partitions.map(({ partitionId }) => partitionId).sort()).toEqual([0, 1, 2]);
  });

  it('are not created for who forbids it', async () => {
    const topic = fixture.name();
    const kafka = fixture.client();
    const producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 1 } });
    await producer.connect();
    expect(await errorType(producer.send({ topic, messages: messages(1) }))).toBe('UNKNOWN_TOPIC_OR_PARTITION');
    await producer.disconnect();
    expect(await (await fixture.admin()).listTopics()).not.toContain(topic);
  });

  it('are refused when the name is impossible', async () => {
    const producer = await fixture.producer({ retry: { retries: 1 } });
    expect(await errorType(producer.send({ topic: 'no spaces', messages: messages(1) }))).toBe(
      'INVALID_TOPIC_EXCEPTION',
    );
  });
});

describe('idempotent producer', () => {
  it('writes each record once and in order', async () => {
    const topic = await fixture.topic(2);
    const producer = await fixture.producer({ idempotent: true, maxInFlightRequests: 1 });
    for (let round = 0; round < 20; round++) {
      await producer.send({
        topic,
        acks: -1,
        messages: messages(10, `${round}-`).map((m) => ({ ...m, partition: round % 2 })),
      });
    }
    const got = await fixture.read(topic, 200);
    for (const partition of [0, 1]) {
      const expected = Array.from({ length: 10 }, (_, at) => valuesOf(messages(10, `${at * 2 + partition}-`))).flat();
      expect(valuesOf(got.filter((one) => one.partition === partition))).toEqual(expected);
    }
  });

  it('has a producer id of its own', async () => {
    const topic = await fixture.topic();
    const producers = await Promise.all(
      [1, 2, 3].map(() => fixture.producer({ idempotent: true, maxInFlightRequests: 1 })),
    );
    await Promise.all(
      producers.map((producer, at) => producer.send({ topic, acks: -1, messages: messages(5, `${at}-`) })),
    );
    expect(new Set(valuesOf(await fixture.read(topic, 15))).size).toBe(15);
  });
});
