/** Administration of what topics hold: deleting records, sizes on disk, and the list of groups. */
import { newListGroupsRequest } from '../../src/codec/generated/16-list-groups';
import { newDescribableLogDirTopic, newDescribeLogDirsRequest } from '../../src/codec/generated/35-describe-log-dirs';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { buildBatch } from '../../src/records/batch-builder';
import type { WireClient } from '../../src/testing/wire-client';
import { batchOf, valuesIn } from './batches';
import { deleteRecords, EARLIEST, fetchAll, fetchOne, listOffset, stored } from './data-calls';
import { uniqueName, useBroker } from './fixture';
import { commit, coordinatorOf, Member, stabilise } from './group-calls';

const broker = useBroker();

let client: WireClient;
beforeEach(async () => {
  client = await broker.connect();
});

const numbers = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `r${from + i}`);

describe('DeleteRecords', () => {
  broker.scenario('moves the start of the log, at once and for everybody, but never back', async () => {
    const topic = await broker.topic();
    for (let from = 0; from < 100; from += 10)
      await stored(client, { topic, records: batchOf(numbers(from, from + 10)) });
    const upTo = async (offset: number, partition = 0): Promise<[number, number]> => {
      const { errorCode, lowWatermark } = await deleteRecords(client, { topic, partition, offset });
      return [errorCode, lowWatermark];
    };
    expect(await upTo(40)).toEqual([ErrorCode.NONE, 40]);
    expect((await listOffset(client, { topic, timestamp: EARLIEST })).offset).toBe(40);
    expect((await fetchOne(client, { topic, offset: 39 })).errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    expect(await upTo(20)).toEqual([ErrorCode.NONE, 40]);
    expect((await upTo(200))[0]).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    expect((await upTo(-2))[0]).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    expect(await upTo(55)).toEqual([ErrorCode.NONE, 55]);
    expect(valuesIn(await fetchAll(client, { topic, offset: 55 })).at(-1)).toBe('r99');
    expect(await upTo(-1)).toEqual([ErrorCode.NONE, 100]);
    expect(await stored(client, { topic, records: batchOf(['next']) })).toBe(100);
    expect((await upTo(0, 7))[0]).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });

  broker.scenario('is refused where records go by compaction alone, and of internal topics', async () => {
    const compacted = await broker.topic({ configs: { 'cleanup.policy': 'compact' } });
    const both = await broker.topic({ configs: { 'cleanup.policy': 'compact,delete' } });
    const records = [{ timestamp: Date.now(), key: Buffer.from('k'), value: Buffer.from('v') }];
    const keyed = buildBatch({ records });
    for (const topic of [compacted, both]) await stored(client, { topic, records: keyed });
    const code = async (topic: string): Promise<number> =>
      (await deleteRecords(client, { topic, offset: 1 })).errorCode;
    await coordinatorOf(client, uniqueName('group'));
    expect([await code(compacted), await code(both), await code('__consumer_offsets')]).toEqual([
      ErrorCode.POLICY_VIOLATION,
      ErrorCode.NONE,
      ErrorCode.INVALID_TOPIC_EXCEPTION,
    ]);
  });
});

describe('DescribeLogDirs', () => {
  broker.scenario('tells sizes that grow, of all partitions or those that are named', async () => {
    const topic = await broker.topic({ partitions: 2 });
    await stored(client, { topic, records: batchOf(['a'.repeat(1000)]) });
    const look = async (version: number, named: boolean): Promise<[number, number][]> => {
      const topics = [topic, uniqueName('none')].map((name) =>
        newDescribableLogDirTopic({ topic: name, partitions: [0] }),
      );
      const request = newDescribeLogDirsRequest({ topics: named ? topics : null });
      const { results } = await client.call({ api: apis.DescribeLogDirs, version, request });
      expect(results.map(({ errorCode }) => errorCode)).toEqual([ErrorCode.NONE]);
      const found = results.flatMap((result) => result.topics.filter(({ name }) => name === topic));
      return found.flatMap(({ partitions }) =>
        partitions.map((p) => [p.partitionIndex, p.partitionSize] as [number, number]),
      );
    };
    for (const version of broker.versions(apis.DescribeLogDirs, 1)) {
      expect((await look(version, false)).map(([index]) => index).sort()).toEqual([0, 1]);
      const [before] = await look(version, true);
      expect([before![0], before![1] > 1000]).toEqual([0, true]);
      await stored(client, { topic, records: batchOf(['b'.repeat(1000)]) });
      const [after] = await look(version, true);
      expect(after![1]).toBeGreaterThan(before![1] + 900);
    }
  });
});

describe('ListGroups', () => {
  broker.scenario('filters by state and type, whatever the letters', async () => {
    const [stable, empty, topic] = [uniqueName('stable'), uniqueName('empty'), await broker.topic()];
    await coordinatorOf(client, stable);
    await stabilise(new Member(await broker.connect(), stable));
    await commit(client, { groupId: empty, topic, offset: 1 });
    const list = async (version: number, statesFilter: string[], typesFilter: string[] = []): Promise<string[]> => {
      const request = newListGroupsRequest({ statesFilter, typesFilter });
      const { groups } = await client.call({ api: apis.ListGroups, version, request });
      const mine = groups.filter(({ groupId }) => [stable, empty].includes(groupId));
      return mine.map(({ groupId, groupState }) => `${groupId} ${groupState}`).sort();
    };
    const both = [`${empty} Empty`, `${stable} Stable`];
    for (const version of broker.versions(apis.ListGroups, 4)) {
      expect(await list(version, ['stable', 'EMPTY'])).toEqual(both);
      expect(await list(version, [])).toEqual(both);
      expect(await list(version, ['Stable'])).toEqual(both.slice(1));
      expect(await list(version, ['foo'])).toEqual([]);
    }
    for (const type of ['classic', 'CLASSIC']) expect(await list(5, [], [type])).toEqual(both);
    expect(await list(5, [], ['consumer'])).toEqual([]);
  });
});
