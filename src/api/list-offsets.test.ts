/** ListOffsets over real replicas in memory: special times by version, times, isolation, the lists of version 0. */
import {
  newListOffsetsPartition,
  newListOffsetsRequest,
  newListOffsetsTopic,
} from '../codec/generated/02-list-offsets';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { Writer } from '../codec/writer';
import { buildBatch } from '../records/batch-builder';
import { startDataBroker } from '../testing/data-context';
import { answerOf } from '../testing/handler-answer';
import { listOffsets } from './list-offsets';

const START = 1_767_225_600_000;

interface Ask {
  topic?: string;
  partition?: number;
  replicaId?: number;
  isolation?: number;
  max?: number;
  epoch?: number;
}

async function setUp() {
  const broker = await startDataBroker();
  await broker.createTopic('t', { partitions: 2 });
  const records = [2, 4, 9, 6].map((time) => ({ timestamp: START + time, key: null, value: Buffer.from('v') }));
  const appended = broker.replicas.replicaManager.append({
    requiredAcks: -1,
    origin: 'client',
    internalTopicsAllowed: false,
    entries: [{ topic: 't', partition: 0, records: buildBatch({ records }) }],
  });
  expect(await appended.promise()).toMatchObject([{ errorCode: 0 }]);
  const ask = async (version: number, timestamp: number, o: Ask = {}) => {
    const partition = newListOffsetsPartition({
      partitionIndex: o.partition ?? 0,
      timestamp,
      maxNumOffsets: o.max ?? 1,
      currentLeaderEpoch: o.epoch ?? -1,
    });
    const request = newListOffsetsRequest({
      replicaId: o.replicaId ?? -1,
      isolationLevel: o.isolation ?? 0,
      topics: [newListOffsetsTopic({ name: o.topic ?? 't', partitions: [partition] })],
    });
    const response = await answerOf(listOffsets(broker.context(version), request));
    // Every answer must fit its version.
    apis.ListOffsets.encodeResponse(new Writer(), response, version);
    return response.topics[0]!.partitions[0]!;
  };
  const shown = async (...given: Parameters<typeof ask>): Promise<unknown> => {
    const { errorCode, offset, timestamp, leaderEpoch } = await ask(...given);
    return errorCode === ErrorCode.NONE
      ? [offset, timestamp < 0 ? timestamp : timestamp - START, leaderEpoch]
      : errorCode;
  };
  const leaderEpoch = broker.replicas.broker.metadata.image.partition('t', 0)!.leaderEpoch;
  return { broker, ask, shown, leaderEpoch };
}

describe('ListOffsets', () => {
  it.each([1, 2, 4, 5, 7, 8, 10, 11])('finds the first record that is not older, version %d', async (version) => {
    const { shown, leaderEpoch } = await setUp();
    const epoch = version >= 4 ? leaderEpoch : -1;
    for (const [time, offset, found] of [
      [0, 0, 2],
      [2, 0, 2],
      [3, 1, 4],
      [5, 2, 9],
      [9, 2, 9],
    ] as const) {
      expect([time, await shown(version, START + time)]).toEqual([time, [offset, found, epoch]]);
    }
    expect(await shown(version, START + 10)).toEqual([-1, -1, -1]);
    expect(await shown(version, START, { partition: 1 })).toEqual([-1, -1, -1]);
    expect(await shown(version, -1)).toEqual([4, -1, epoch]);
    expect(await shown(version, -2)).toEqual([0, -1, epoch]);
  });

  it('knows each special time from its version on', async () => {
    const { shown, leaderEpoch } = await setUp();
    const found = new Map<number, unknown>([
      [-3, [2, 9, leaderEpoch]],
      [-4, [0, -1, leaderEpoch]],
      [-5, [-1, -1, -1]],
      [-6, [-1, -1, -1]],
    ]);
    for (const [time, first] of [
      [-3, 7],
      [-4, 8],
      [-5, 9],
      [-6, 11],
    ] as const) {
      expect([time, await shown(first - 1, time)]).toEqual([time, ErrorCode.UNSUPPORTED_VERSION]);
      expect([time, await shown(first, time)]).toEqual([time, found.get(time)]);
    }
    expect(await shown(11, -7)).toBe(ErrorCode.UNSUPPORTED_VERSION);
    expect(await shown(0, -3)).toBe(ErrorCode.UNSUPPORTED_VERSION);
  });

  it('answers errors of partitions', async () => {
    const { shown, leaderEpoch } = await setUp();
    expect(await shown(5, -1, { topic: 'missing' })).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await shown(5, -1, { partition: 9 })).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await shown(5, -1, { epoch: leaderEpoch + 1 })).toBe(ErrorCode.UNKNOWN_LEADER_EPOCH);
  });

  it('takes any isolation and any replica', async () => {
    const { shown, leaderEpoch } = await setUp();
    for (const o of [{ isolation: 1 }, { replicaId: -2 }, { replicaId: 1 }]) {
      expect(await shown(5, -1, o)).toEqual([4, -1, leaderEpoch]);
    }
  });

  it('refuses a partition that is named twice', async () => {
    const { broker } = await setUp();
    const partitions = [0, 1, 0].map((partitionIndex) => newListOffsetsPartition({ partitionIndex, timestamp: -1 }));
    const request = newListOffsetsRequest({ topics: [newListOffsetsTopic({ name: 't', partitions })] });
    const response = await answerOf(listOffsets(broker.context(7), request));
    expect(response.topics[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([
      ErrorCode.INVALID_REQUEST,
      ErrorCode.NONE,
      ErrorCode.INVALID_REQUEST,
    ]);
  });

  it('gives lists in version 0', async () => {
    const { ask } = await setUp();
    const list = async (time: number, max?: number) => {
      const answer = await ask(0, time, max === undefined ? {} : { max });
      return [answer.errorCode, answer.oldStyleOffsets];
    };
    expect(await list(-1)).toEqual([0, [4]]);
    expect(await list(-2, 10)).toEqual([0, [0]]);
    // All of the log, whose end counts as written now.
    expect(await list(-1, 10)).toEqual([0, [4, 0]]);
    expect(await list(Number.MAX_SAFE_INTEGER, 10)).toEqual([0, [4, 0]]);
    expect(await list(1, 10)).toEqual([0, []]);
    expect(await list(-1, 0)).toEqual([0, []]);
    expect((await ask(0, -1, { topic: 'missing' })).errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });
});
