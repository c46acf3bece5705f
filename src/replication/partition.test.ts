/** One partition: epochs, in-sync replicas, offsets by time and epoch, deletion of records. */
import { ErrorCode } from '../codec/generated/errors';
import {
  appendOne,
  type ReplicaFixture,
  seen,
  startWithTopics,
  testBatch,
  testFetch,
} from '../testing/replica-fixture';

describe('leader', () => {
  const fetchOne = async (fixture: ReplicaFixture, ...args: Parameters<typeof testFetch>) =>
    seen((await fixture.replicaManager.fetch(testFetch(...args)))[0]);

  it('needs min.insync.replicas for acks=all only, and no more of them than there are replicas', async () => {
    const fixture = await startWithTopics(['t', { configs: new Map([['min.insync.replicas', '2']]) }]);
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: 0 });
    const topic = fixture.broker.metadata.image.topic('t')!;
    const partition = { ...topic.partitions[0]!, replicas: [1, 2], isr: [1] };
    await fixture.broker.metadata.apply({ topics: [{ ...topic, partitions: [partition] }] });
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: ErrorCode.NOT_ENOUGH_REPLICAS, baseOffset: -1 });
    expect(await appendOne(fixture, 't', { requiredAcks: 1 })).toMatchObject({ errorCode: 0, baseOffset: 1 });
  });

  it('checks the leader epoch', async () => {
    const fixture = await startWithTopics(['t']);
    const topic = fixture.broker.metadata.image.topic('t')!;
    await appendOne(fixture, 't');
    const partitions = [{ ...topic.partitions[0]!, leaderEpoch: 3 }];
    await fixture.broker.metadata.apply({ topics: [{ ...topic, partitions }] });
    const at = async (currentLeaderEpoch: number) => (await fetchOne(fixture, [{ topic: 't', currentLeaderEpoch }]))[0];
    expect([await at(2), await at(3), await at(4), await at(-1)]).toEqual([
      ErrorCode.FENCED_LEADER_EPOCH,
      0,
      ErrorCode.UNKNOWN_LEADER_EPOCH,
      0,
    ]);
  });

  it('tells a reader where its log and this one part', async () => {
    const fixture = await startWithTopics(['t']);
    await appendOne(fixture, 't', { records: testBatch(5) });
    const topic = fixture.broker.metadata.image.topic('t')!;
    const partitions = [{ ...topic.partitions[0]!, leaderEpoch: 2 }];
    await fixture.broker.metadata.apply({ topics: [{ ...topic, partitions }] });
    await appendOne(fixture, 't', { records: testBatch(5) });
    const ask = async (fetchOffset: number, lastFetchedEpoch: number) => {
      const request = testFetch([{ topic: 't', fetchOffset, lastFetchedEpoch }]);
      const [result] = await fixture.replicaManager.fetch(request);
      return [result!.errorCode, result!.divergingEpoch, result!.sizeInBytes > 0];
    };
    expect(await ask(7, 0)).toEqual([0, { leaderEpoch: 0, endOffset: 5 }, false]);
    expect(await ask(5, 0)).toEqual([0, null, true]);
    expect(await ask(7, 1)).toEqual([0, { leaderEpoch: 0, endOffset: 5 }, false]);
    expect(await ask(7, 2)).toEqual([0, null, true]);
    expect(await ask(11, 2)).toEqual([0, { leaderEpoch: 2, endOffset: 10 }, false]);
    expect((await ask(7, 9))[0]).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
  });
});

describe('offsets', () => {
  it('are found by time, and by the special times', async () => {
    const fixture = await startWithTopics(['t']);
    await appendOne(fixture, 't', { records: testBatch(3) });
    await appendOne(fixture, 't', { records: testBatch(3) });
    const find = async (timestamp: number) => {
      const lookup = {
        topic: 't',
        partition: 0,
        timestamp,
        isolation: 'high-watermark',
        currentLeaderEpoch: -1,
      } as const;
      const found = await fixture.replicaManager.offsetForTimestamp(lookup);
      return found.ok && [found.value.offset, found.value.timestampMs, found.value.leaderEpoch];
    };
    const first = 1_700_000_000_000;
    expect(await find(-1)).toEqual([6, -1, 0]);
    expect(await find(-2)).toEqual([0, -1, 0]);
    expect(await find(-3)).toEqual([2, first + 2, 0]);
    expect(await find(-4)).toEqual([0, -1, 0]);
    expect(await find(-5)).toEqual([-1, -1, -1]);
    expect(await find(first + 1)).toEqual([1, first + 1, 0]);
    expect(await find(first + 3)).toEqual([-1, -1, -1]);
  });

  it('beyond the last stable one are not told to who reads what is committed', async () => {
    const fixture = await startWithTopics(['t']);
    const first = 1_700_000_000_000;
    await appendOne(fixture, 't', { records: testBatch(2) });
    const log = fixture.logManager.get('t', 0)!;
    const open = testBatch(3, { producerId: 5, producerEpoch: 0, baseSequence: 0, isTransactional: true });
    await log.append(open, { origin: 'coordinator', leaderEpoch: 0 }).promise();
    log.setHighWatermark(5);
    const find = async (timestamp: number, isolation: 'high-watermark' | 'last-stable') => {
      const lookup = { topic: 't', partition: 0, timestamp, isolation, currentLeaderEpoch: -1 };
      const found = await fixture.replicaManager.offsetForTimestamp(lookup);
      return found.ok && found.value.offset;
    };
    const times = [-1, -2, -3, first, first + 2];
    expect(await Promise.all(times.map((time) => find(time, 'high-watermark')))).toEqual([5, 0, 4, 0, 4]);
    expect(await Promise.all(times.map((time) => find(time, 'last-stable')))).toEqual([2, 0, -1, 0, -1]);
  });

  it('of epochs', async () => {
    const fixture = await startWithTopics(['t']);
    await appendOne(fixture, 't');
    const end = (leaderEpoch: number, currentLeaderEpoch = -1) =>
      fixture.replicaManager.endOffsetForEpoch({ topic: 't', partition: 0, leaderEpoch, currentLeaderEpoch });
    expect(end(0)).toEqual({ ok: true, value: { leaderEpoch: 0, endOffset: 1 } });
    expect(end(5)).toEqual({ ok: true, value: { leaderEpoch: -1, endOffset: -1 } });
    expect(end(0, 1)).toMatchObject({ error: ErrorCode.UNKNOWN_LEADER_EPOCH });
  });

  it('move up when records are deleted', async () => {
    const compact = new Map([['cleanup.policy', 'compact']]);
    const forever = new Map([['retention.ms', '-1']]);
    const fixture = await startWithTopics(
      ['t', { configs: forever }],
      ['c', { configs: compact }],
      ['__consumer_offsets'],
    );
    for (let i = 0; i < 4; i++) await appendOne(fixture, 't');
    const remove = async (offset: number, topic = 't', partition = 0) => {
      const result = await fixture.replicaManager.deleteRecords({ topic, partition, offset });
      return result.ok ? ['start', result.value] : result.error;
    };
    expect(await remove(2)).toEqual(['start', 2]);
    expect(await remove(1)).toEqual(['start', 2]);
    expect(await remove(5)).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    expect(await remove(-2)).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    expect(await remove(-1)).toEqual(['start', 4]);
    expect(await remove(0, 'c')).toBe(ErrorCode.POLICY_VIOLATION);
    expect(await remove(0, '__consumer_offsets')).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
    expect(await remove(0, 't', 9)).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });
});
