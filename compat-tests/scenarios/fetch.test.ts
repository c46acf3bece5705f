/** Fetch: whole batches whatever the limits, offsets at the edges, errors of one partition beside the others. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PartitionData } from '../../src/codec/generated/01-fetch';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { Reader } from '../../src/codec/reader';
import { buildBatch } from '../../src/records/batch-builder';
import * as batchHeader from '../../src/records/batch-header';
import { requestFrame, type WireClient } from '../../src/testing/wire-client';
import { batchOf, changed, recordsIn, splitBatches, valuesIn } from './batches';
import {
  deleteRecords,
  EARLIEST,
  endOffset,
  fetchCall,
  fetchMany,
  fetchOne,
  listOffset,
  metadata,
  nextOffset,
  recordsOf,
  stored,
  topicMetadata,
} from './data-calls';
import { pause, timed, uniqueName, useBroker, withBroker, withSettings } from './fixture';

const broker = useBroker();

/** Longer than any test shall take: an answer that comes before it did not wait. */
const LONG_WAIT_MS = 10_000;
const MAX_OFFSET = Number.MAX_SAFE_INTEGER;
/** An offset that nothing else in a frame looks like. */
const MARKER = 0x1234_5678_9abc;

describe('limits', () => {
  broker.scenario('the first batch comes whole, however small the limits are, and then nothing more', async () => {
    const topic = await broker.topic({ partitions: 3 });
    const client = await broker.connect();
    const large = batchOf(['x'.repeat(500_000)]);
    for (const partition of [1, 2]) await stored(client, { topic, partition, records: large });
    for (const version of [4, 11, 12]) {
      for (const limits of [
        { maxBytes: 1, partitionMaxBytes: 1 },
        { maxBytes: 1, partitionMaxBytes: 0 },
        { maxBytes: 1, partitionMaxBytes: 1_000_000 },
      ]) {
        const wanted = [0, 1, 2].map((partition) => ({ topic, partition, ...limits }));
        const { responses } = await fetchMany(client, wanted, { version, ...limits });
        const sizes = responses[0]!.partitions.map((data) => recordsOf(data).length);
        expect(sizes).toEqual([0, large.length, 0]);
        expect(responses[0]!.partitions.map(({ errorCode }) => errorCode)).toEqual([0, 0, 0]);
      }
    }
  });

  broker.scenario('limits end behind whole batches where there is more than one', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const size = batchOf(['x'.repeat(1000)]).length;
    for (let at = 0; at < 10; at++) await stored(client, { topic, records: batchOf(['x'.repeat(1000)]) });
    for (const [partitionMaxBytes, whole] of [
      [size * 3, 3],
      [size * 4 - 1, 3],
      [size * 100, 10],
    ] as const) {
      const bytes = recordsOf(await fetchOne(client, { topic, partitionMaxBytes }));
      // More than whole batches may come: the last one is then cut off.
      expect(Math.floor(bytes.length / size)).toBe(whole);
      expect(nextOffset(bytes.subarray(0, whole * size))).toBe(whole);
    }
    const both = recordsOf(await fetchOne(client, { topic, maxBytes: size * 2, partitionMaxBytes: size * 5 }));
    expect(Math.floor(both.length / size)).toBe(2);
  });

  broker.scenario('sizes and times that make no sense harm nobody', async () => {
    const topic = await broker.topic({ partitions: 2 });
    const client = await broker.connect();
    const records = batchOf(['fine']);
    for (const partition of [0, 1]) await stored(client, { topic, partition, records });
    for (const partitionMaxBytes of [-1, -2147483648]) {
      const wanted = [
        { topic, partition: 0, partitionMaxBytes },
        { topic, partition: 1 },
      ];
      const { responses } = await fetchMany(client, wanted);
      const [silly, other] = responses[0]!.partitions.toSorted((a, b) => a.partitionIndex - b.partitionIndex);
      expect([ErrorCode.NONE, ErrorCode.UNKNOWN_SERVER_ERROR]).toContain(silly!.errorCode);
      expect(recordsOf(other!)).toHaveLength(records.length);
    }
    for (const odd of [
      { maxBytes: -5 },
      { maxWaitMs: -1 },
      { minBytes: -1 },
      { maxWaitMs: -2147483648, minBytes: 5_000_000 },
    ]) {
      const { value, tookMs } = await timed(() => fetchOne(client, { topic, ...odd }));
      expect([ErrorCode.NONE, ErrorCode.UNKNOWN_SERVER_ERROR]).toContain(value.errorCode);
      expect(tookMs).toBeLessThan(LONG_WAIT_MS / 2);
    }
    expect(valuesIn(recordsOf(await fetchOne(client, { topic })))).toEqual(['fine']);
  });
});

describe('offsets', () => {
  broker.scenario('none outside the log, at once; the end waits and is empty', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    for (let at = 0; at < 10; at++) await stored(client, { topic, records: batchOf([`${at}`]) });
    expect(await deleteRecords(client, { topic, offset: 5 })).toMatchObject({ errorCode: 0, lowWatermark: 5 });
    for (const offset of [4, 0, 11, -1, -2, MAX_OFFSET]) {
      const { value, tookMs } = await timed(() => fetchOne(client, { topic, offset, maxWaitMs: LONG_WAIT_MS }));
      expect(value).toMatchObject({
        errorCode: ErrorCode.OFFSET_OUT_OF_RANGE,
        highWatermark: -1,
        lastStableOffset: -1,
        logStartOffset: -1,
      });
      expect(recordsOf(value)).toHaveLength(0);
      expect(tookMs).toBeLessThan(LONG_WAIT_MS / 2);
    }
    for (const offset of [5, 9]) {
      const data = await fetchOne(client, { topic, offset });
      expect(data).toMatchObject({ errorCode: 0, highWatermark: 10, lastStableOffset: 10, logStartOffset: 5 });
      expect(valuesIn(recordsOf(data))[0]).toBe(`${offset}`);
    }
    const { value, tookMs } = await timed(() => fetchOne(client, { topic, offset: 10, maxWaitMs: 100 }));
    expect(value).toMatchObject({ errorCode: 0, highWatermark: 10 });
    expect(recordsOf(value)).toHaveLength(0);
    expect(tookMs).toBeGreaterThanOrEqual(95);
  });

  broker.scenario('the largest number that fits into eight bytes is none either', async () => {
    const topic = await broker.topic();
    const client = await broker.connectRaw();
    const frame = requestFrame(fetchCall([{ topic, offset: MARKER }], { version: 11 }), 1, 'raw');
    const marker = Buffer.alloc(8);
    marker.writeBigInt64BE(BigInt(MARKER));
    frame.writeBigInt64BE(2n ** 63n - 1n, frame.indexOf(marker));
    client.send(frame);
    const [answer] = await client.waitFrames(1);
    const { responses } = apis.Fetch.decodeResponse(new Reader(answer!.subarray(4)), 11);
    expect(responses[0]!.partitions[0]!.errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
  });

  broker.scenario('one in the middle of a batch gives the whole batch', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const records = batchOf(Array.from({ length: 10 }, (_, at) => `${at}`));
    await stored(client, { topic, records });
    await stored(client, { topic, records: batchOf(['behind']) });
    for (const offset of [1, 7, 9]) {
      const found = recordsOf(await fetchOne(client, { topic, offset }));
      expect(batchHeader.baseOffset(found)).toBe(0);
      expect(batchHeader.crc(found)).toBe(batchHeader.crc(records));
      expect(valuesIn(found)).toHaveLength(11);
    }
  });

  broker.scenario('where there is nothing, records are no bytes and not null (KAFKA-18646)', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const { topicId } = await topicMetadata(client, topic);
    for (const version of broker.versions(apis.Fetch, 4)) {
      const id = version >= 13 ? { topicId } : {};
      const name = version >= 13 ? '' : topic;
      const end = await fetchOne(client, { topic: name, ...id, version });
      expect([version, end.errorCode, recordsOf(end).length]).toEqual([version, ErrorCode.NONE, 0]);
      const unknown = await fetchOne(client, { topic: name, ...id, partition: 5, version });
      expect(unknown.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
      expect(unknown.highWatermark).toBe(-1);
      expect(recordsOf(unknown)).toHaveLength(0);
      const beyond = await fetchOne(client, { topic: name, ...id, offset: 1, version });
      expect(beyond.errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
      expect(recordsOf(beyond)).toHaveLength(0);
    }
  });
});

describe('waiting', () => {
  broker.scenario('data that comes ends the wait, once there is enough of it', async () => {
    const topic = await broker.topic();
    const [reader, writer] = [await broker.connect(), await broker.connect()];
    const records = batchOf(['x'.repeat(100)]);
    const pending = timed(() => fetchOne(reader, { topic, maxWaitMs: LONG_WAIT_MS, minBytes: records.length * 2 }));
    await stored(writer, { topic, records });
    await pause(50);
    await stored(writer, { topic, records });
    const { value, tookMs } = await pending;
    expect(recordsOf(value)).toHaveLength(records.length * 2);
    expect(tookMs).toBeGreaterThanOrEqual(45);
    expect(tookMs).toBeLessThan(LONG_WAIT_MS / 2);
  });

  broker.scenario('an error that reading meets is told at once, with what the others have', async () => {
    const [broken, topic] = [await broker.topic(), await broker.topic({ partitions: 2 })];
    const client = await broker.connect();
    await stored(client, { topic, partition: 1, records: batchOf(['data']) });
    const wanted = [
      { topic: broken, offset: 3 },
      { topic, partition: 0 },
      { topic, partition: 1 },
    ];
    const { value, tookMs } = await timed(() =>
      fetchMany(client, wanted, { maxWaitMs: LONG_WAIT_MS, minBytes: 1_000_000 }),
    );
    expect(told(value)).toEqual([
      [broken, 0, ErrorCode.OFFSET_OUT_OF_RANGE, []],
      [topic, 0, ErrorCode.NONE, []],
      [topic, 1, ErrorCode.NONE, ['data']],
    ]);
    expect(tookMs).toBeLessThan(LONG_WAIT_MS / 2);
  });

  broker.scenario('a topic that nobody knows does not keep the others’ data back', async () => {
    const topic = await broker.topic({ partitions: 2 });
    const missing = uniqueName('missing');
    const client = await broker.connect();
    await stored(client, { topic, partition: 1, records: batchOf(['data']) });
    const wanted = [{ topic: missing }, { topic, partition: 0 }, { topic, partition: 1 }];
    const answer = await fetchMany(client, wanted, { maxWaitMs: LONG_WAIT_MS, minBytes: 1 });
    expect(told(answer)).toHaveLength(3);
    expect(told(answer)).toEqual(
      expect.arrayContaining([
        [missing, 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, []],
        [topic, 0, ErrorCode.NONE, []],
        [topic, 1, ErrorCode.NONE, ['data']],
      ]),
    );
    expect((await metadata(client, null)).topics.map(({ name }) => name)).not.toContain(missing);
  });
});

function told(answer: { responses: readonly { topic: string; partitions: readonly PartitionData[] }[] }): unknown[] {
  return answer.responses.flatMap(({ topic, partitions }) =>
    partitions.map((data) => [topic, data.partitionIndex, data.errorCode, valuesIn(recordsOf(data))]),
  );
}

describe('leader epochs', () => {
  broker.scenario('a newer one than the broker’s is unknown to it (KIP-320)', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    await stored(client, { topic, records: batchOf(['x']) });
    const { leaderEpoch } = (await topicMetadata(client, topic)).partitions[0]!;
    for (const [currentLeaderEpoch, errorCode] of [
      [-1, ErrorCode.NONE],
      [leaderEpoch, ErrorCode.NONE],
      [leaderEpoch + 1, ErrorCode.UNKNOWN_LEADER_EPOCH],
    ] as const) {
      const data = await fetchOne(client, { topic, currentLeaderEpoch, version: 11 });
      expect([data.errorCode, recordsOf(data).length > 0]).toEqual([errorCode, errorCode === ErrorCode.NONE]);
    }
  });

  broker.scenario('a reader that is ahead of the log is told where they part, and gets no records', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    for (const value of ['a', 'b', 'c']) await stored(client, { topic, records: batchOf([value]) });
    const { leaderEpoch } = (await topicMetadata(client, topic)).partitions[0]!;
    const data = await fetchOne(client, { topic, offset: 8, lastFetchedEpoch: leaderEpoch, maxWaitMs: LONG_WAIT_MS });
    expect(data.errorCode).toBe(ErrorCode.NONE);
    expect(data.divergingEpoch).toEqual({ epoch: leaderEpoch, endOffset: 3 });
    expect(recordsOf(data)).toHaveLength(0);
    const fine = await fetchOne(client, { topic, offset: 1, lastFetchedEpoch: leaderEpoch });
    expect(fine.divergingEpoch.epoch).toBe(-1);
    expect(valuesIn(recordsOf(fine))).toEqual(['b', 'c']);
  });

  withBroker('after a restart', {
    isOnDisk: true,
    scenarios: (own) => {
      own.scenario('an older one is fenced', async () => {
        const topic = await own.topic();
        await stored(await own.connect(), { topic, records: batchOf(['x']) });
        await own.restart();
        const client = await own.connect();
        const { leaderEpoch } = (await topicMetadata(client, topic)).partitions[0]!;
        expect(leaderEpoch).toBeGreaterThan(0);
        const stale = await fetchOne(client, { topic, currentLeaderEpoch: leaderEpoch - 1, version: 11 });
        expect(stale.errorCode).toBe(ErrorCode.FENCED_LEADER_EPOCH);
        expect(recordsOf(await fetchOne(client, { topic, currentLeaderEpoch: leaderEpoch }))).not.toHaveLength(0);
      });
    },
  });
});

/** A log as compaction leaves it: offsets 3 to 21 and 23 are gone, and so is the last record of the second batch. */
function holedSegment(): Buffer {
  const record = (offset: number): { offset: number; timestamp: number; key: Buffer; value: Buffer } => ({
    offset,
    timestamp: 1_600_000_000_000 + offset,
    key: Buffer.from(`k${offset}`),
    value: Buffer.from(`v${offset}`),
  });
  const first = buildBatch({ baseOffset: 0, records: [0, 1, 2].map(record), partitionLeaderEpoch: 0 });
  const second = buildBatch({ baseOffset: 21, records: [22, 24].map(record), partitionLeaderEpoch: 0 });
  const survivors = changed(second, (copy) => batchHeader.patchLastOffsetDelta(copy, 0, 4));
  return Buffer.concat([first, survivors]);
}

describe('what compaction leaves', () => {
  withBroker('found at the start', {
    isOnDisk: true,
    scenarios: (own) => {
      own.scenario('holes are passed over: the next batch comes, as it was written', async () => {
        const topic = await own.topic();
        await own.restart((dataDir) => {
          const folder = path.join(dataDir, `${topic}-0`);
          for (const name of readdirSync(folder)) {
            if (/index$|snapshot$/.test(name)) rmSync(path.join(folder, name));
          }
          writeFileSync(path.join(folder, '00000000000000000000.log'), holedSegment());
          rmSync(path.join(dataDir, '.kafka_cleanshutdown'), { force: true });
        });
        const client = await own.connect();
        const [, survivors] = splitBatches(holedSegment());
        for (const offset of [3, 10, 21, 22, 23, 24, 25]) {
          const data = await fetchOne(client, { topic, offset });
          expect([offset, data.errorCode]).toEqual([offset, ErrorCode.NONE]);
          const found = recordsOf(data);
          expect(found.subarray(batchHeader.MAGIC_POSITION)).toEqual(survivors!.subarray(batchHeader.MAGIC_POSITION));
          expect(recordsIn(found).map((record) => record.offset)).toEqual([22, 24]);
          expect(nextOffset(found)).toBe(26);
        }
        expect(recordsOf(await fetchOne(client, { topic, offset: 26 }))).toHaveLength(0);
        expect(await endOffset(client, topic)).toBe(26);
        expect(await stored(client, { topic, records: batchOf(['next']) })).toBe(26);
      });
    },
  });
});

/** Reads from the start on, and again from the new start whenever the offset is gone; the offsets read. */
async function chase(client: WireClient, topic: string, untilMs: number): Promise<{ read: number; lost: number }> {
  let [offset, read, lost] = [0, 0, 0];
  while (performance.now() < untilMs) {
    const data = await fetchOne(client, { topic, offset, partitionMaxBytes: 200, maxWaitMs: 20 });
    if (data.errorCode === ErrorCode.OFFSET_OUT_OF_RANGE) {
      const start = (await listOffset(client, { topic, timestamp: EARLIEST })).offset;
      // It was refused because it is gone: the start that is told now lies behind it.
      expect(start).toBeGreaterThan(offset);
      [offset, lost] = [start, lost + 1];
      continue;
    }
    expect(data.errorCode).toBe(ErrorCode.NONE);
    const records = recordsIn(recordsOf(data));
    for (const record of records) if (record.offset >= offset) offset = record.offset + 1;
    read += records.length;
    await pause(15);
  }
  return { read, lost };
}

describe('retention that overtakes a reader', () => {
  withSettings(
    { 'log.retention.check.interval.ms': 30, 'log.initial.task.delay.ms': 30, 'log.segment.delete.delay.ms': 0 },
    (own) => {
      own.scenario('the reader goes on from the new start, and others are not disturbed', async () => {
        const configs = { 'retention.ms': 150, 'segment.ms': 50 };
        const [topic, calm] = [await own.topic({ configs }), await own.topic()];
        const untilMs = performance.now() + 1500;
        const [writer, reader, other] = [await own.connect(), await own.connect(), await own.connect()];
        await stored(writer, { topic: calm, records: batchOf(['calm']) });
        const write = async (): Promise<number> => {
          let written = 0;
          for (; performance.now() < untilMs; written += 5) {
            await stored(writer, { topic, records: batchOf(Array.from({ length: 5 }, (_, at) => `${written + at}`)) });
            await pause(2);
          }
          return written;
        };
        const watch = async (): Promise<void> => {
          while (performance.now() < untilMs) {
            const { responses } = await fetchMany(other, [{ topic, offset: 0 }, { topic: calm }]);
            const data = responses.find((one) => one.topic === calm)!.partitions[0]!;
            expect(valuesIn(recordsOf(data))).toEqual(['calm']);
            await pause(10);
          }
        };
        const [written, { read, lost }] = await Promise.all([write(), chase(reader, topic, untilMs), watch()]);
        expect(lost).toBeGreaterThan(0);
        expect(read).toBeGreaterThan(0);
        expect(read).toBeLessThan(written);
        expect(await endOffset(reader, topic)).toBe(written);
      });
    },
  );
});
