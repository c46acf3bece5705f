/** What clients hear when something is wrong, and that the broker goes on afterwards. */
import { createConnection } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';
import { errorType, messages, until, useBroker, valuesOf } from './fixture';

const fixture = useBroker(
  'message.max.bytes=100000',
  'auto.create.topics.enable=false',
  'socket.request.max.bytes=2000000',
);

it('a batch larger than the limit is refused, a smaller one is not', async () => {
  const topic = await fixture.topic();
  const producer = await fixture.producer({ retry: { retries: 0 } });
  const send = (size: number) => producer.send({ topic, messages: [{ value: 'x'.repeat(size) }] });
  expect(await errorType(send(200_000))).toBe('MESSAGE_TOO_LARGE');
  await send(90_000);
  expect(await fixture.read(topic, 1)).toHaveLength(1);
});

it('a topic that is not there is refused where topics are not created by use', async () => {
  const topic = fixture.name();
  const kafka = fixture.client();
  const type = 'UNKNOWN_TOPIC_OR_PARTITION';
  const producer = kafka.producer({ retry: { retries: 1 } });
  await producer.connect();
  expect(await errorType(producer.send({ topic, messages: messages(1) }))).toBe(type);
  await producer.disconnect();
  const consumer = kafka.consumer({ groupId: fixture.name('group'), retry: { retries: 1 } });
  await consumer.connect();
  expect(await errorType(consumer.subscribe({ topics: [topic] }))).toBe(type);
  await consumer.disconnect();
});

it('transactions are refused at once, with words', async () => {
  const producer = fixture.client().producer({
    transactionalId: fixture.name('transaction'),
    maxInFlightRequests: 1,
    idempotent: true,
    retry: { retries: 1 },
  });
  const startedMs = performance.now();
  await expect(producer.connect().then(() => producer.transaction())).rejects.toThrow();
  expect(performance.now() - startedMs).toBeLessThan(3000);
  await producer.disconnect();
});

it('a session timeout out of bounds is refused', async () => {
  const topic = await fixture.topic();
  const consumer = await fixture.consumer({ sessionTimeout: 1000, retry: { retries: 0 } });
  const crash = new Promise<Error>((resolve) =>
    consumer.on(consumer.events.CRASH, ({ payload }) => resolve(payload.error)),
  );
  await consumer.subscribe({ topics: [topic] });
  await consumer.run({ eachMessage: async () => undefined });
  expect(await crash).toMatchObject({ message: expect.stringMatching(/session timeout/i) });
});

it('a client that asks for SASL hears that the listener has none', async () => {
  const kafka = new Kafka({
    brokers: [fixture.broker.bootstrap],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
    sasl: { mechanism: 'plain', username: 'u', password: 'p' },
  });
  const admin = kafka.admin();
  await expect(admin.connect()).rejects.toThrow();
  await admin.disconnect();
});

describe('bytes that are no request', () => {
  /** Sends raw bytes; resolves when the broker has closed the connection. */
  function sendRaw(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(fixture.broker.port, fixture.broker.host, () => socket.write(bytes));
      socket.setTimeout(5000, () => reject(new Error('the connection is still open')));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.resume();
    });
  }

  it.each([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['an unknown request', Buffer.from([0, 0, 0, 10, 0x7f, 0xff, 0, 0, 0, 0, 0, 1, 0xff, 0xff])],
    ['a body that ends too early', Buffer.from([0, 0, 0, 12, 0, 3, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0, 0])],
  ])('%s: the connection is closed and others go on', async (_, bytes) => {
    await sendRaw(bytes);
    const topic = await fixture.topic();
    await fixture.send(topic, messages(3));
    expect(valuesOf(await fixture.read(topic, 3))).toEqual(valuesOf(messages(3)));
  });
});

it('a deleted topic stops its readers and writers with an error, not with silence', async () => {
  const topic = await fixture.topic();
  const producer = await fixture.producer({ retry: { retries: 1 } });
  await producer.send({ topic, messages: messages(1) });
  const admin = await fixture.admin();
  await admin.deleteTopics({ topics: [topic] });
  expect(await errorType(producer.send({ topic, messages: messages(1) }))).toBe('UNKNOWN_TOPIC_OR_PARTITION');
});

it('many connections come and go', async () => {
  const kafka = fixture.client();
  for (let round = 0; round < 3; round++) {
    const admins = Array.from({ length: 40 }, () => kafka.admin());
    await Promise.all(admins.map((admin) => admin.connect()));
    await Promise.all(admins.map((admin) => admin.listTopics()));
    await Promise.all(admins.map((admin) => admin.disconnect()));
  }
  await until('the broker answers', async () => (await (await fixture.admin()).listTopics()) !== undefined);
});
