/** ListOffsets and OffsetForLeaderEpoch: offsets by time, the ends of a log, isolation and epochs. */
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { buildBatch } from '../../src/records/batch-builder';
import { Codec } from '../../src/records/compression';
import { batchOf } from './batches';
import { deleteRecords, EARLIEST, endOfEpoch, LATEST, listOffset, stored, topicMetadata } from './data-calls';
import { uniqueName, useBroker } from './fixture';

const broker = useBroker();

const LARGEST_TIMESTAMP = -3;
const READ_COMMITTED = 1;
const FAR_FUTURE_MS = 4_000_000_000_000;

function timed(timestamps: readonly number[], codec: Codec = Codec.none): Buffer {
  return buildBatch({
    records: timestamps.map((timestamp) => ({ timestamp, key: null, value: Buffer.from(`${timestamp}`) })),
    codec,
  });
}

/** No such record: the answer that is no error. */
const NOTHING = { errorCode: ErrorCode.NONE, offset: -1, timestamp: -1 };

describe('by time', () => {
  for (const [name, batches] of [
    ['one batch each', [[2], [4], [6], [8]]],
    ['one batch for all', [[2, 4, 6, 8]]],
  ] as const) {
    broker.scenario(`the first record that is not older, with its own time: ${name}`, async () => {
      const client = await broker.connect();
      for (const codec of [Codec.none, Codec.gzip, Codec.zstd]) {
        const topic = await broker.topic();
        for (const timestamps of batches) await stored(client, { topic, records: timed(timestamps, codec) });
        for (const version of broker.versions(apis.ListOffsets, 1, 7)) {
          for (let timestamp = 0; timestamp <= 8; timestamp++) {
            const offset = Math.max(0, Math.ceil(timestamp / 2) - 1);
            const answer = await listOffset(client, { topic, timestamp, version });
            expect(answer).toMatchObject({ errorCode: ErrorCode.NONE, offset, timestamp: offset * 2 + 2 });
          }
          expect(await listOffset(client, { topic, timestamp: 9, version })).toMatchObject(NOTHING);
        }
      }
    });
  }

  broker.scenario('times that go back and forth: the first in the log', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    for (const timestamps of [[50, 10], [30, 90, 20], [70]])
      await stored(client, { topic, records: timed(timestamps) });
    const expected: [number, number, number][] = [
      [5, 0, 50],
      [50, 0, 50],
      [51, 3, 90],
      [90, 3, 90],
    ];
    for (const [timestamp, offset, found] of expected) {
      expect(await listOffset(client, { topic, timestamp })).toMatchObject({ offset, timestamp: found });
    }
    expect(await listOffset(client, { topic, timestamp: 91 })).toMatchObject(NOTHING);
    const largest = await listOffset(client, { topic, timestamp: LARGEST_TIMESTAMP });
    expect(largest).toMatchObject({ errorCode: ErrorCode.NONE, offset: 3, timestamp: 90 });
  });

  broker.scenario('nothing behind the time, nothing left, nothing ever: no offset, and no error', async () => {
    const [topic, empty] = [await broker.topic(), await broker.topic()];
    const client = await broker.connect();
    await stored(client, { topic, records: batchOf(['a', 'b', 'c']) });
    expect(await listOffset(client, { topic, timestamp: FAR_FUTURE_MS })).toMatchObject(NOTHING);
    expect(await listOffset(client, { topic: empty, timestamp: 1 })).toMatchObject(NOTHING);
    expect(await listOffset(client, { topic: empty, timestamp: LARGEST_TIMESTAMP })).toMatchObject(NOTHING);
    await deleteRecords(client, { topic, offset: -1 });
    expect(await listOffset(client, { topic, timestamp: 1 })).toMatchObject(NOTHING);
    for (const [timestamp, offset, of] of [
      [LATEST, 3, topic],
      [EARLIEST, 3, topic],
      [LATEST, 0, empty],
      [EARLIEST, 0, empty],
    ] as const) {
      expect(await listOffset(client, { topic: of, timestamp })).toMatchObject({
        errorCode: ErrorCode.NONE,
        offset,
        timestamp: -1,
      });
    }
  });

  broker.scenario('records before the log start are not found', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    await stored(client, { topic, records: timed([10, 20, 30, 40]) });
    await deleteRecords(client, { topic, offset: 2 });
    expect(await listOffset(client, { topic, timestamp: EARLIEST })).toMatchObject({ offset: 2, timestamp: -1 });
    expect((await listOffset(client, { topic, timestamp: 5 })).offset).toBeGreaterThanOrEqual(2);
  });
});

describe('what is asked for', () => {
  broker.scenario('without open transactions both isolation levels see the same end', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    await stored(client, { topic, records: timed([10, 20, 30]) });
    for (const isolationLevel of [0, READ_COMMITTED]) {
      expect((await listOffset(client, { topic, timestamp: LATEST, isolationLevel })).offset).toBe(3);
      expect((await listOffset(client, { topic, timestamp: 15, isolationLevel })).offset).toBe(1);
    }
  });

  broker.scenario('unknown topics and partitions are errors of their own', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    for (const wanted of [
      { topic, partition: 1 },
      { topic: uniqueName('missing'), partition: 0 },
    ]) {
      expect(await listOffset(client, { ...wanted, timestamp: LATEST })).toMatchObject({
        errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        offset: -1,
        timestamp: -1,
      });
    }
  });

  broker.scenario('epochs: a newer one than the broker’s is refused, the answer has the record’s', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    await stored(client, { topic, records: timed([10]) });
    const { leaderEpoch } = (await topicMetadata(client, topic)).partitions[0]!;
    for (const timestamp of [LATEST, EARLIEST, 10]) {
      const refused = await listOffset(client, { topic, timestamp, currentLeaderEpoch: leaderEpoch + 1 });
      expect([refused.errorCode, refused.offset]).toEqual([ErrorCode.UNKNOWN_LEADER_EPOCH, -1]);
      const answer = await listOffset(client, { topic, timestamp, currentLeaderEpoch: leaderEpoch });
      expect([answer.errorCode, answer.leaderEpoch]).toEqual([ErrorCode.NONE, leaderEpoch]);
    }
  });
});

describe('where epochs end', () => {
  broker.scenario('the current one at the end of the log, later ones nowhere', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    await stored(client, { topic, records: batchOf(['a', 'b']) });
    const { leaderEpoch } = (await topicMetadata(client, topic)).partitions[0]!;
    expect(await endOfEpoch(client, { topic, leaderEpoch })).toMatchObject({
      errorCode: ErrorCode.NONE,
      leaderEpoch,
      endOffset: 2,
    });
    expect(await endOfEpoch(client, { topic, leaderEpoch: leaderEpoch + 1 })).toMatchObject({
      errorCode: ErrorCode.NONE,
      leaderEpoch: -1,
      endOffset: -1,
    });
    const ahead = await endOfEpoch(client, { topic, leaderEpoch, currentLeaderEpoch: leaderEpoch + 1 });
    expect(ahead.errorCode).toBe(ErrorCode.UNKNOWN_LEADER_EPOCH);
    const missing = await endOfEpoch(client, { topic, partition: 9, leaderEpoch });
    expect([missing.errorCode, missing.endOffset]).toEqual([ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1]);
  });
});
