/** The replica manager over real logs: appends, and what images and disks do to partitions. */
import type { TopicPartition } from '../base/topic-partition';
import { ErrorCode } from '../codec/generated/errors';
import { newTopic } from '../testing/metadata-broker';
import {
  appendOne,
  type ReplicaFixture,
  seen,
  startReplicas,
  startWithTopics,
  testBatch,
  testFetch,
} from '../testing/replica-fixture';
import type { PartitionListener } from './partition-listener';

const wet = { validateOnly: false };

describe('append', () => {
  it('gives offsets in the order of the calls and moves the high watermark', async () => {
    const fixture = await startWithTopics(['t']);
    const appends = [2, 1, 3].map((count) => appendOne(fixture, 't', { records: testBatch(count) }));
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
    const fixture = await startWithTopics(['t'], ['__consumer_offsets']);
    const refused = async (topic: string, o: Parameters<typeof appendOne>[2] = {}) => {
      const { errorCode, baseOffset } = await appendOne(fixture, topic, o);
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
    expect(await appendOne(fixture, '__consumer_offsets', allowed)).toMatchObject({ errorCode: 0 });
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
    await appendOne(fixture, 't');
    const topic = metadata.image.topic('t')!;
    await metadata.apply({
      topics: [{ ...topic, partitions: [{ ...topic.partitions[0]!, leader: 2, leaderEpoch: 1 }] }],
    });
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER });
    await controller.deleteTopics(['t']);
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION });
    await controller.createTopics([newTopic('t')], wet);
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: 0, baseOffset: 0 });
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
    const fixture = await startWithTopics(['t']);
    const topic = fixture.broker.metadata.image.topic('t')!;
    const elsewhere = { ...topic.partitions[0]!, partition: 1, leader: 2, replicas: [2], isr: [2] };
    await fixture.broker.metadata.apply({ topics: [{ ...topic, partitions: [...topic.partitions, elsewhere] }] });
    expect(await appendOne(fixture, 't', { partition: 1 })).toMatchObject({
      errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
    });
  });

  it('come back after a restart with all that was acknowledged', async () => {
    const before = await startWithTopics(['t']);
    await appendOne(before, 't', { records: testBatch(3) });
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
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(events).toEqual(['failed t-0']);
  });

  it('whose disk breaks fail once and for all readers', async () => {
    const fixture = await startWithTopics(['t']);
    const events = listen(fixture);
    const waiting = fixture.replicaManager.fetch(testFetch([{ topic: 't' }]));
    const fault = fixture.disk.inject({ on: 'write', code: 'EIO', path: /\.log$/ });
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    expect((await waiting)[0]?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    fault.lift();
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(events).toEqual(['failed t-0']);
    await fixture.broker.controller.deleteTopics(['t']);
    await fixture.broker.controller.createTopics([newTopic('t')], wet);
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: 0 });
  });
});
