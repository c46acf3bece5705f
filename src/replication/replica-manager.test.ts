/** The replica manager over real logs: appends, reads, long polls, and what images and disks do to partitions. */
import { isFileRegion } from '../base/chunk';
import type { TopicPartition } from '../base/topic-partition';
import { ErrorCode } from '../codec/generated/errors';
import { newTopic } from '../testing/metadata-broker';
import { type ReplicaFixture, startReplicas, testBatch, testFetch } from '../testing/replica-fixture';
import type { AppendRequest } from './append-request';
import type { PartitionFetchResult } from './fetch-request';
import type { PartitionListener } from './partition-listener';

const wet = { validateOnly: false };
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function start(...topics: Parameters<typeof newTopic>[]): Promise<ReplicaFixture> {
  const fixture = await startReplicas();
  const results = await fixture.broker.controller.createTopics(
    topics.map((topic) => newTopic(...topic)),
    wet,
  );
  expect(results.map(({ ok }) => ok)).toEqual(topics.map(() => true));
  return fixture;
}

async function append({ replicaManager }: ReplicaFixture, topic: string, o: Partial<AppendRequest> & Entry = {}) {
  const { partition = 0, records = testBatch(), ...request } = o;
  const entries = [{ topic, partition, records }];
  const pending = replicaManager.append({
    requiredAcks: -1,
    origin: 'client',
    internalTopicsAllowed: false,
    entries,
    ...request,
  });
  await pending.appended;
  return (await pending.done)[0]!;
}

interface Entry {
  readonly partition?: number;
  readonly records?: Buffer;
}

/** What a fetch gave: code, high watermark, base offsets of the batches. */
async function seen(result: PartitionFetchResult | undefined): Promise<[number, number, number[]]> {
  const { errorCode, highWatermark, records } = result!;
  if (records === null) return [errorCode, highWatermark, []];
  let bytes: Buffer;
  if (isFileRegion(records)) {
    bytes = Buffer.alloc(records.length);
    await records.read(bytes, 0);
    records.release();
  } else bytes = records;
  const bases: number[] = [];
  for (let at = 0; at < bytes.length; at += 12 + bytes.readInt32BE(at + 8)) bases.push(bytes.readInt32BE(at + 4));
  return [errorCode, highWatermark, bases];
}

describe('append', () => {
  it('gives offsets in the order of the calls and moves the high watermark', async () => {
    const fixture = await start(['t']);
    const appends = [2, 1, 3].map((count) => append(fixture, 't', { records: testBatch(count) }));
    const results = await Promise.all(appends);
    expect(results.map(({ baseOffset, lastOffset }) => [baseOffset, lastOffset])).toEqual([
      [0, 1],
      [2, 2],
      [3, 5],
    ]);
    expect(results[0]).toMatchObject({ errorCode: 0, errorMessage: null, logAppendTimeMs: -1, logStartOffset: 0 });
    const offsets = { logStartOffset: 0, highWatermark: 6, lastStableOffset: 6, logEndOffset: 6, leaderEpoch: 0 };
    expect(fixture.replicaManager.partitionOffsets({ topic: 't', partition: 0 })).toEqual({ ok: true, value: offsets });
  });

  it('refuses what cannot be appended, entry by entry', async () => {
    const fixture = await start(['t'], ['__consumer_offsets']);
    const refused = async (topic: string, o: Parameters<typeof append>[2] = {}) => {
      const { errorCode, baseOffset } = await append(fixture, topic, o);
      expect(baseOffset).toBe(-1);
      return errorCode;
    };
    expect(await refused('none')).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await refused('t', { partition: 7 })).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await refused('t', { partition: -1 })).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await refused('t', { requiredAcks: 2 })).toBe(ErrorCode.INVALID_REQUIRED_ACKS);
    expect(await refused('__consumer_offsets')).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
    const corrupt = testBatch();
    corrupt[corrupt.length - 1]! ^= 1;
    expect(await refused('t', { records: corrupt })).toBe(ErrorCode.CORRUPT_MESSAGE);
    const allowed = { internalTopicsAllowed: true, origin: 'coordinator' } as const;
    expect(await append(fixture, '__consumer_offsets', allowed)).toMatchObject({ errorCode: 0 });
  });

  it('needs min.insync.replicas for acks=all only, and no more of them than there are replicas', async () => {
    const fixture = await start(['t', { configs: new Map([['min.insync.replicas', '2']]) }]);
    expect(await append(fixture, 't')).toMatchObject({ errorCode: 0 });
    const topic = fixture.broker.metadata.image.topic('t')!;
    const partition = { ...topic.partitions[0]!, replicas: [1, 2], isr: [1] };
    await fixture.broker.metadata.apply({ topics: [{ ...topic, partitions: [partition] }] });
    expect(await append(fixture, 't')).toMatchObject({ errorCode: ErrorCode.NOT_ENOUGH_REPLICAS, baseOffset: -1 });
    expect(await append(fixture, 't', { requiredAcks: 1 })).toMatchObject({ errorCode: 0, baseOffset: 1 });
  });
});

describe('fetch', () => {
  const fetchOne = async (fixture: ReplicaFixture, ...args: Parameters<typeof testFetch>) =>
    seen((await fixture.replicaManager.fetch(testFetch(...args)))[0]);

  it('gives whole batches up to the limits, the first one in any case', async () => {
    const fixture = await start(['empty'], ['t', { numPartitions: 2 }]);
    for (const partition of [0, 0, 1]) {
      await append(fixture, 't', { partition, records: testBatch(1, { valueBytes: 5000 }) });
    }
    const wanted = [{ topic: 'empty' }, { topic: 't' }, { topic: 't', partition: 1 }];
    const bases = async (maxBytes: number, partitionMax = 1_000_000) => {
      const partitions = wanted.map((each) => ({ ...each, maxBytes: partitionMax }));
      const results = await fixture.replicaManager.fetch(testFetch(partitions, { maxBytes }));
      return Promise.all(results.map(async (result) => (await seen(result))[2]));
    };
    expect(await bases(1)).toEqual([[], [0], []]);
    expect(await bases(50_000, 0)).toEqual([[], [0], []]);
    expect(await bases(12_000)).toEqual([[], [0, 1], []]);
    expect(await bases(50_000)).toEqual([[], [0, 1], [0]]);
    expect(await bases(50_000, 6000)).toEqual([[], [0], [0]]);
  });

  it('with hard limits gives each partition its first batch whole, to be cut, and counts no more than the limit', async () => {
    const fixture = await start(['t', { numPartitions: 3 }]);
    for (const partition of [0, 1, 2]) {
      await append(fixture, 't', { partition, records: testBatch(1, { valueBytes: 5000 }) });
    }
    const partitions = [0, 1, 2].map((partition) => ({ topic: 't', partition, maxBytes: 1000 }));
    const results = await fixture.replicaManager.fetch(testFetch(partitions, { maxBytes: 2000, hardMaxBytes: true }));
    expect(await Promise.all(results.map(async (result) => (await seen(result))[2]))).toEqual([[0], [0], []]);
  });

  it('answers errors at once, without spoiling the rest', async () => {
    const fixture = await start(['t'], ['u']);
    await append(fixture, 'u');
    for (const fetchOffset of [-1, 5, 2 ** 62]) {
      const partitions = [{ topic: 't', fetchOffset }, { topic: 't' }, { topic: 'u' }];
      const results = await fixture.replicaManager.fetch(testFetch(partitions, { minBytes: 1_000_000 }));
      expect(await Promise.all(results.map(seen))).toEqual([
        [ErrorCode.OFFSET_OUT_OF_RANGE, -1, []],
        [0, 0, []],
        [0, 1, [0]],
      ]);
    }
    expect(await fetchOne(fixture, [{ topic: 'none' }])).toEqual([ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, []]);
    const other = { topic: 't', topicId: 'otherIdAAAAAAAAAAAAAAA' };
    expect(await fetchOne(fixture, [other])).toEqual([ErrorCode.INCONSISTENT_TOPIC_ID, -1, []]);
  });

  it('checks the leader epoch', async () => {
    const fixture = await start(['t']);
    const topic = fixture.broker.metadata.image.topic('t')!;
    await append(fixture, 't');
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
    const fixture = await start(['t']);
    await append(fixture, 't', { records: testBatch(5) });
    const topic = fixture.broker.metadata.image.topic('t')!;
    const partitions = [{ ...topic.partitions[0]!, leaderEpoch: 2 }];
    await fixture.broker.metadata.apply({ topics: [{ ...topic, partitions }] });
    await append(fixture, 't', { records: testBatch(5) });
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

describe('long polls', () => {
  interface Poll {
    readonly result: Promise<PartitionFetchResult[]>;
    readonly isDone: () => boolean;
  }

  function poll(fixture: ReplicaFixture, ...args: Parameters<typeof testFetch>): Poll {
    let done = false;
    const result = fixture.replicaManager.fetch(testFetch(...args)).finally(() => {
      done = true;
    });
    return { result, isDone: () => done };
  }

  it('end with the first bytes, or without any after their time', async () => {
    const fixture = await start(['t']);
    const first = poll(fixture, [{ topic: 't' }]);
    await fixture.clock.advance(400);
    expect(first.isDone()).toBe(false);
    await append(fixture, 't');
    expect(await seen((await first.result)[0])).toEqual([0, 1, [0]]);
    const second = poll(fixture, [{ topic: 't', fetchOffset: 1 }]);
    await fixture.clock.advance(499);
    expect(second.isDone()).toBe(false);
    await fixture.clock.advance(1);
    expect(await seen((await second.result)[0])).toEqual([0, 1, []]);
    expect(fixture.clock.timerCount).toBeLessThan(10);
  });

  it('end when all partitions together have enough bytes', async () => {
    const fixture = await start(['t', { numPartitions: 2 }]);
    const partitions = [{ topic: 't' }, { topic: 't', partition: 1 }];
    const waiting = poll(fixture, partitions, { minBytes: 3000 });
    for (const partition of [0, 1]) {
      expect(waiting.isDone()).toBe(false);
      await append(fixture, 't', { partition, records: testBatch(1, { valueBytes: 1200 }) });
      await turn();
      await turn();
    }
    expect(waiting.isDone()).toBe(false);
    await append(fixture, 't', { records: testBatch(1, { valueBytes: 1200 }) });
    const bases = await Promise.all((await waiting.result).map(async (result) => (await seen(result))[2]));
    expect(bases).toEqual([[0, 1], [0]]);
  });

  it('count no more of a partition than may be read of it', async () => {
    const fixture = await start(['t']);
    const waiting = poll(fixture, [{ topic: 't', maxBytes: 1000 }], { minBytes: 1500 });
    for (let i = 0; i < 5; i++) await append(fixture, 't', { records: testBatch(1, { valueBytes: 800 }) });
    await turn();
    expect(waiting.isDone()).toBe(false);
    await fixture.clock.advance(500);
    expect(await seen((await waiting.result)[0])).toEqual([0, 5, [0]]);
  });

  it('end when the topic goes, when the leadership changes, and when the records before it are deleted', async () => {
    const fixture = await start(['t'], ['u'], ['v']);
    const [gone, moved, deleted] = ['t', 'u', 'v'].map((topic) =>
      poll(fixture, [{ topic, currentLeaderEpoch: 0 }], { minBytes: 1_000_000 }),
    );
    await append(fixture, 'v');
    await fixture.broker.controller.deleteTopics(['t']);
    expect((await gone!.result)[0]?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    const topic = fixture.broker.metadata.image.topic('u')!;
    const partitions = [{ ...topic.partitions[0]!, leaderEpoch: 1 }];
    await fixture.broker.metadata.apply({ topics: [{ ...topic, partitions }] });
    expect((await moved!.result)[0]?.errorCode).toBe(ErrorCode.FENCED_LEADER_EPOCH);
    await fixture.replicaManager.deleteRecords({ topic: 'v', partition: 0, offset: -1 });
    expect((await deleted!.result)[0]?.errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
  });

  it('end without data when their connection closes or the broker stops', async () => {
    const fixture = await start(['t']);
    let cancel = (): void => undefined;
    const cancelled = poll(fixture, [{ topic: 't' }], {
      onCancel: (run) => {
        cancel = run;
      },
    });
    const stopped = poll(fixture, [{ topic: 't' }]);
    await turn();
    cancel();
    expect((await cancelled.result)[0]).toMatchObject({ errorCode: 0, records: null });
    fixture.replicaManager.expireWaits();
    expect((await stopped.result)[0]).toMatchObject({ errorCode: 0, records: null, highWatermark: 0 });
  });
});

describe('offsets', () => {
  it('are found by time, and by the special times', async () => {
    const fixture = await start(['t']);
    await append(fixture, 't', { records: testBatch(3) });
    await append(fixture, 't', { records: testBatch(3) });
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

  it('of epochs', async () => {
    const fixture = await start(['t']);
    await append(fixture, 't');
    const end = (leaderEpoch: number, currentLeaderEpoch = -1) =>
      fixture.replicaManager.endOffsetForEpoch({ topic: 't', partition: 0, leaderEpoch, currentLeaderEpoch });
    expect(end(0)).toEqual({ ok: true, value: { leaderEpoch: 0, endOffset: 1 } });
    expect(end(5)).toEqual({ ok: true, value: { leaderEpoch: -1, endOffset: -1 } });
    expect(end(0, 1)).toMatchObject({ error: ErrorCode.UNKNOWN_LEADER_EPOCH });
  });

  it('move up when records are deleted', async () => {
    const compact = new Map([['cleanup.policy', 'compact']]);
    const forever = new Map([['retention.ms', '-1']]);
    const fixture = await start(['t', { configs: forever }], ['c', { configs: compact }], ['__consumer_offsets']);
    for (let i = 0; i < 4; i++) await append(fixture, 't');
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

describe('partitions', () => {
  function listen({ replicaManager }: ReplicaFixture): string[] {
    const events: string[] = [];
    const note =
      (what: string) =>
      ({ topic, partition }: TopicPartition, detail?: number) =>
        void events.push([what, `${topic}-${partition}`, detail].join(' ').trim());
    const listener: PartitionListener = {
      onLeader: note('leader'),
      onFollower: note('follower'),
      onHighWatermark: note('watermark'),
      onDeleted: note('deleted'),
      onFailed: note('failed'),
    };
    replicaManager.addListener(listener);
    return events;
  }

  it('are led, deleted and made anew, and listeners hear of it', async () => {
    const fixture = await startReplicas();
    const events = listen(fixture);
    const { controller, metadata } = fixture.broker;
    await controller.createTopics([newTopic('t')], wet);
    await append(fixture, 't');
    const topic = metadata.image.topic('t')!;
    await metadata.apply({
      topics: [{ ...topic, partitions: [{ ...topic.partitions[0]!, leader: 2, leaderEpoch: 1 }] }],
    });
    expect(await append(fixture, 't')).toMatchObject({ errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER });
    await controller.deleteTopics(['t']);
    expect(await append(fixture, 't')).toMatchObject({ errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION });
    await controller.createTopics([newTopic('t')], wet);
    expect(await append(fixture, 't')).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(events).toEqual([
      'leader t-0 0',
      'watermark t-0 1',
      'follower t-0 1',
      'deleted t-0',
      'leader t-0 0',
      'watermark t-0 1',
    ]);
  });

  it('of other brokers are not held', async () => {
    const fixture = await start(['t']);
    const topic = fixture.broker.metadata.image.topic('t')!;
    const elsewhere = { ...topic.partitions[0]!, partition: 1, leader: 2, replicas: [2], isr: [2] };
    await fixture.broker.metadata.apply({ topics: [{ ...topic, partitions: [...topic.partitions, elsewhere] }] });
    expect(await append(fixture, 't', { partition: 1 })).toMatchObject({ errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER });
  });

  it('come back after a restart with all that was acknowledged', async () => {
    const before = await start(['t']);
    await append(before, 't', { records: testBatch(3) });
    await before.logManager.close({ clean: true });
    const after = await startReplicas({ disk: before.disk, storage: before.broker.storage.afterPowerCut(0) });
    const [result] = await after.replicaManager.fetch(testFetch([{ topic: 't', currentLeaderEpoch: 1 }]));
    expect(await seen(result)).toEqual([0, 3, [0]]);
  });

  it('whose log cannot be opened answer KAFKA_STORAGE_ERROR', async () => {
    const fixture = await startReplicas();
    const events = listen(fixture);
    fixture.disk.inject({ on: 'open', code: 'EIO', path: /t-0/ });
    await fixture.broker.controller.createTopics([newTopic('t')], wet);
    expect(await append(fixture, 't')).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(events).toEqual(['failed t-0']);
  });

  it('whose disk breaks fail once and for all readers', async () => {
    const fixture = await start(['t']);
    const events = listen(fixture);
    const waiting = fixture.replicaManager.fetch(testFetch([{ topic: 't' }]));
    const fault = fixture.disk.inject({ on: 'write', code: 'EIO', path: /\.log$/ });
    expect(await append(fixture, 't')).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    expect((await waiting)[0]?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    fault.lift();
    expect(await append(fixture, 't')).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(events).toEqual(['failed t-0']);
    await fixture.broker.controller.deleteTopics(['t']);
    await fixture.broker.controller.createTopics([newTopic('t')], wet);
    expect(await append(fixture, 't')).toMatchObject({ errorCode: 0 });
  });
});
