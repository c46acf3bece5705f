/** What is counted for a topic and in all: over a real replica manager. */
import { ErrorCode } from '../codec/generated/errors';
import { convertDown } from '../records/down-conversion';
import { settle } from '../testing/manual-clock';
import { appendOne, type ReplicaFixture, startWithTopics, testBatch, testFetch } from '../testing/replica-fixture';
import { TrafficCounts } from './topic-traffic';

function countsOf({ replicaManager }: ReplicaFixture, topic: string): Readonly<TrafficCounts> | undefined {
  return new Map(replicaManager.traffic.topics()).get(topic);
}

function counted(counts: Partial<TrafficCounts>): TrafficCounts {
  return Object.assign(new TrafficCounts(), counts);
}

it('counts messages and bytes that were written, by topic and in all', async () => {
  const fixture = await startWithTopics(['a', { numPartitions: 2 }], ['b']);
  const batches = [testBatch(3), testBatch(1), testBatch(10)];
  const [first, second, third] = batches.map(({ length }) => length) as [number, number, number];
  await appendOne(fixture, 'a', { records: batches[0]! });
  await appendOne(fixture, 'a', { partition: 1, records: batches[1]! });
  await appendOne(fixture, 'b', { records: batches[2]!, requiredAcks: 0 });
  expect(countsOf(fixture, 'a')).toEqual(counted({ produceRequests: 2, messagesIn: 4, bytesIn: first + second }));
  expect(countsOf(fixture, 'b')).toEqual(counted({ produceRequests: 1, messagesIn: 10, bytesIn: third }));
  const bytesIn = first + second + third;
  expect(fixture.replicaManager.traffic.all).toEqual(counted({ produceRequests: 3, messagesIn: 14, bytesIn }));
});

it('counts messages of old formats as converted', async () => {
  const fixture = await startWithTopics(['t']);
  const old = convertDown(testBatch(2), { toMagic: 1, firstOffset: 0 });
  if (!old.ok) throw new Error('not converted');
  const bytesIn = old.value.length;
  await appendOne(fixture, 't', { records: old.value });
  const expected = { produceRequests: 1, messagesIn: 2, bytesIn, produceMessageConversions: 2 };
  expect(countsOf(fixture, 't')).toEqual(counted(expected));
});

it('tells failures from the mistakes that Kafka does not count', async () => {
  const fixture = await startWithTopics(['t', { configs: new Map([['max.message.bytes', '200']]) }]);
  const large = testBatch(1, { valueBytes: 300 });
  const bytesRejected = large.length;
  expect((await appendOne(fixture, 't', { records: large })).errorCode).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  const gap = testBatch(1, { producerId: 7, producerEpoch: 0, baseSequence: 0 });
  await appendOne(fixture, 't', { records: gap });
  const outOfOrder = testBatch(1, { producerId: 7, producerEpoch: 0, baseSequence: 5 });
  const { errorCode } = await appendOne(fixture, 't', { records: outOfOrder });
  expect(errorCode).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
  expect(countsOf(fixture, 't')).toMatchObject({
    produceRequests: 3,
    failedProduceRequests: 1,
    messagesIn: 1,
    bytesRejected,
  });
});

it('counts a fetch once, however long it waited, and the bytes that it brought', async () => {
  const fixture = await startWithTopics(['t'], ['idle']);
  const pending = fixture.replicaManager.fetch(testFetch([{ topic: 't' }, { topic: 'idle' }]));
  await settle();
  expect(fixture.replicaManager.waitingFetches).toBe(1);
  const records = testBatch(5);
  const bytesOut = records.length;
  await appendOne(fixture, 't', { records });
  await pending;
  expect(fixture.replicaManager.waitingFetches).toBe(0);
  expect(countsOf(fixture, 't')).toMatchObject({ fetchRequests: 1, failedFetchRequests: 0, bytesOut });
  expect(countsOf(fixture, 'idle')).toEqual(counted({ fetchRequests: 1 }));
  expect(fixture.replicaManager.traffic.all).toMatchObject({ fetchRequests: 2, bytesOut });
});

it('keeps nothing of topics that are not here, and forgets those that are deleted', async () => {
  const fixture = await startWithTopics(['t']);
  await fixture.replicaManager.fetch(testFetch([{ topic: 'made-up' }, { topic: 't' }], { maxWaitMs: 0 }));
  expect([...fixture.replicaManager.traffic.topics()].map(([topic]) => topic)).toEqual(['t']);
  await fixture.broker.controller.deleteTopics(['t']);
  expect([...fixture.replicaManager.traffic.topics()]).toEqual([]);
  expect(fixture.replicaManager.traffic.all.fetchRequests).toBe(2);
});
