/** Reads of several partitions: byte limits, and errors that spoil nothing else. */
import { ErrorCode } from '../codec/generated/errors';
import {
  appendOne,
  type ReplicaFixture,
  seen,
  startWithTopics,
  testBatch,
  testFetch,
} from '../testing/replica-fixture';

describe('fetch', () => {
  const fetchOne = async (fixture: ReplicaFixture, ...args: Parameters<typeof testFetch>) =>
    seen((await fixture.replicaManager.fetch(testFetch(...args)))[0]);

  it('gives whole batches up to the limits, the first one in any case', async () => {
    const fixture = await startWithTopics(['empty'], ['t', { numPartitions: 2 }]);
    for (const partition of [0, 0, 1]) {
      await appendOne(fixture, 't', { partition, records: testBatch(1, { valueBytes: 5000 }) });
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

  it('with hard limits gives each partition its first batch whole and counts the limit', async () => {
    const fixture = await startWithTopics(['t', { numPartitions: 3 }]);
    for (const partition of [0, 1, 2]) {
      await appendOne(fixture, 't', { partition, records: testBatch(1, { valueBytes: 5000 }) });
    }
    const partitions = [0, 1, 2].map((partition) => ({ topic: 't', partition, maxBytes: 1000 }));
    const results = await fixture.replicaManager.fetch(testFetch(partitions, { maxBytes: 2000, hardMaxBytes: true }));
    expect(await Promise.all(results.map(async (result) => (await seen(result))[2]))).toEqual([[0], [0], []]);
  });

  it('holds little in memory, however many partitions it reads', async () => {
    const fixture = await startWithTopics(['t', { numPartitions: 20 }]);
    const partitions = Array.from({ length: 20 }, (_, partition) => ({ topic: 't', partition }));
    for (const { partition } of partitions) {
      await appendOne(fixture, 't', { partition, records: testBatch(1, { valueBytes: 30_000 }) });
    }
    const results = await fixture.replicaManager.fetch(testFetch(partitions));
    const buffered = results.filter(({ records }) => Buffer.isBuffer(records)).length;
    expect(buffered).toBe(8);
    expect(await Promise.all(results.map(async (result) => (await seen(result))[2]))).toEqual(
      partitions.map(() => [0]),
    );
  });

  it('answers errors at once, without spoiling the rest', async () => {
    const fixture = await startWithTopics(['t'], ['u']);
    await appendOne(fixture, 'u');
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
});
