/** Fetches that wait: what ends the wait, and with what. */
import { ErrorCode } from '../codec/generated/errors';
import {
  appendOne,
  type ReplicaFixture,
  seen,
  startWithTopics,
  testBatch,
  testFetch,
} from '../testing/replica-fixture';
import type { PartitionFetchResult } from './fetch-request';

const turn = () => new Promise((resolve) => setImmediate(resolve));

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
    const fixture = await startWithTopics(['t']);
    const first = poll(fixture, [{ topic: 't' }]);
    await fixture.clock.advance(400);
    expect(first.isDone()).toBe(false);
    await appendOne(fixture, 't');
    expect(await seen((await first.result)[0])).toEqual([0, 1, [0]]);
    const second = poll(fixture, [{ topic: 't', fetchOffset: 1 }]);
    await fixture.clock.advance(499);
    expect(second.isDone()).toBe(false);
    await fixture.clock.advance(1);
    expect(await seen((await second.result)[0])).toEqual([0, 1, []]);
    expect(fixture.clock.timerCount).toBeLessThan(10);
  });

  it('end when all partitions together have enough bytes', async () => {
    const fixture = await startWithTopics(['t', { numPartitions: 2 }]);
    const partitions = [{ topic: 't' }, { topic: 't', partition: 1 }];
    const waiting = poll(fixture, partitions, { minBytes: 3000 });
    for (const partition of [0, 1]) {
      expect(waiting.isDone()).toBe(false);
      await appendOne(fixture, 't', { partition, records: testBatch(1, { valueBytes: 1200 }) });
      await turn();
      await turn();
    }
    expect(waiting.isDone()).toBe(false);
    await appendOne(fixture, 't', { records: testBatch(1, { valueBytes: 1200 }) });
    const bases = await Promise.all((await waiting.result).map(async (result) => (await seen(result))[2]));
    expect(bases).toEqual([[0, 1], [0]]);
  });

  it('count no more of a partition than may be read of it', async () => {
    const fixture = await startWithTopics(['t']);
    const waiting = poll(fixture, [{ topic: 't', maxBytes: 1000 }], { minBytes: 1500 });
    for (let i = 0; i < 5; i++) await appendOne(fixture, 't', { records: testBatch(1, { valueBytes: 800 }) });
    await turn();
    expect(waiting.isDone()).toBe(false);
    await fixture.clock.advance(500);
    expect(await seen((await waiting.result)[0])).toEqual([0, 5, [0]]);
  });

  it('end when the topic goes, when the leadership changes, and when the records before it are deleted', async () => {
    const fixture = await startWithTopics(['t'], ['u'], ['v']);
    const [gone, moved, deleted] = ['t', 'u', 'v'].map((topic) =>
      poll(fixture, [{ topic, currentLeaderEpoch: 0 }], { minBytes: 1_000_000 }),
    );
    await appendOne(fixture, 'v');
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
    const fixture = await startWithTopics(['t']);
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
