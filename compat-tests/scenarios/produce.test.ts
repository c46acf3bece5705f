/** Produce: what is stored, what is refused with which error, and that a refusal leaves nothing behind. */
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { buildBatch, type NewRecord } from '../../src/records/batch-builder';
import * as batchHeader from '../../src/records/batch-header';
import { Codec } from '../../src/records/compression';
import type { LogRecord } from '../../src/records/record-codec';
import type { WireClient } from '../../src/testing/wire-client';
import { batchOf, changed, recordsIn, splitBatches, valuesIn } from './batches';
import { endOffset, fetchAll, metadata, produce, produceCall, stored } from './data-calls';
import { uniqueName, useBroker, withBroker } from './fixture';
import { coordinatorOf } from './group-calls';

const broker = useBroker();

/** Batches that differ only in their codec. */
const CODECS = [Codec.none, Codec.gzip, Codec.snappy, Codec.lz4, Codec.zstd] as const;

/** A batch with one value, `size` bytes in all. */
function batchOfSize(size: number, o: { codec?: Codec } = {}): Buffer {
  const overhead = batchOf([''], o).length;
  // The value's length takes more bytes than that of an empty one.
  const batch = batchOf(['x'.repeat(size - overhead - 4)], o);
  return batchOf(['x'.repeat(size - overhead - 4 + size - batch.length)], o);
}

/** Refused with that error at base offset -1, and not stored. */
async function expectRefused(
  client: WireClient,
  o: { topic: string; records: Buffer | null; version?: number; errorCode?: number },
): Promise<void> {
  const before = await endOffset(client, o.topic);
  const answer = await produce(client, o);
  if (o.errorCode === undefined) expect(answer.errorCode).not.toBe(ErrorCode.NONE);
  else expect(answer.errorCode).toBe(o.errorCode);
  expect(answer.baseOffset).toBe(-1);
  expect(await endOffset(client, o.topic)).toBe(before);
}

describe('where records may go', () => {
  broker.scenario(
    'unknown topics and partitions are refused one by one, the good one stored; no topic is made',
    async () => {
      const topic = await broker.topic();
      const missing = uniqueName('missing');
      const client = await broker.connect();
      const records = batchOf(['kept']);
      const { responses } = await client.call(
        produceCall([
          { topic: missing, records },
          { topic, partition: 7, records },
          { topic, partition: -1, records },
          { topic, partition: 0, records },
        ]),
      );
      const told = responses.flatMap(({ name, partitionResponses }) =>
        partitionResponses.map(({ index, errorCode, baseOffset }) => [name, index, errorCode, baseOffset]),
      );
      expect(told).toHaveLength(4);
      expect(told).toEqual(
        expect.arrayContaining([
          [missing, 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1],
          [topic, 7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1],
          [topic, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1],
          [topic, 0, ErrorCode.NONE, 0],
        ]),
      );
      const { topics } = await metadata(client, null);
      expect(topics.map(({ name }) => name)).not.toContain(missing);
    },
  );

  broker.scenario('internal topics take nothing from clients', async () => {
    const client = await broker.connect('x');
    await coordinatorOf(client, 'anyone');
    for (const acks of [1, -1]) {
      const answer = await produce(client, { topic: '__consumer_offsets', records: batchOf(['forged']), acks });
      expect([answer.errorCode, answer.baseOffset]).toEqual([ErrorCode.INVALID_TOPIC_EXCEPTION, -1]);
    }
    // It is not there before it is needed.
    const { errorCode } = await produce(client, { topic: '__transaction_state', records: batchOf(['forged']) });
    expect([ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]).toContain(errorCode);
  });

  broker.scenario('the answer has every partition that was asked for and no other', async () => {
    const [a, b] = [await broker.topic(), await broker.topic({ partitions: 2 })];
    const client = await broker.connect();
    for (const version of broker.versions(apis.Produce, 3, 12)) {
      const records = batchOf(['x']);
      const bad = changed(records, (copy) => batchHeader.patchRecordCount(copy, 0, 2));
      const { responses } = await client.call(
        produceCall(
          [
            { topic: b, partition: 1, records },
            { topic: b, partition: 0, records: bad },
            { topic: a, partition: 0, records },
          ],
          { version },
        ),
      );
      const told = responses.map(({ name, partitionResponses }) => ({
        name,
        partitions: partitionResponses.map(({ index, errorCode }) => [index, errorCode]).toSorted(),
      }));
      expect(told).toHaveLength(2);
      expect(told).toContainEqual({ name: a, partitions: [[0, ErrorCode.NONE]] });
      expect(told).toContainEqual({
        name: b,
        partitions: [
          [0, ErrorCode.INVALID_RECORD],
          [1, ErrorCode.NONE],
        ],
      });
    }
  });

  broker.scenario('acks other than -1, 0 and 1 store nothing', async () => {
    const topic = await broker.topic({ partitions: 2 });
    const client = await broker.connect();
    for (const acks of [2, -2, 32767]) {
      const entries = [0, 1].map((partition) => ({ topic, partition, records: batchOf(['x']) }));
      const { responses } = await client.call(produceCall(entries, { acks, version: 8 }));
      for (const { errorCode, baseOffset } of responses[0]!.partitionResponses) {
        expect([errorCode, baseOffset]).toEqual([ErrorCode.INVALID_REQUIRED_ACKS, -1]);
      }
    }
    expect(await endOffset(client, topic)).toBe(0);
    expect((await produce(client, { topic, acks: 1, records: batchOf(['x']) })).baseOffset).toBe(0);
  });
});

describe('the shape of a batch', () => {
  broker.scenario('a wrong checksum is refused; a right one is handed back untouched', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const good = batchOf(['payload']);
    const damaged = Buffer.from(good);
    damaged[damaged.length - 3]! ^= 0x01;
    await expectRefused(client, { topic, records: damaged, errorCode: ErrorCode.CORRUPT_MESSAGE });
    await stored(client, { topic, records: good });
    const found = await fetchAll(client, { topic });
    expect(batchHeader.crc(found)).toBe(batchHeader.crc(good));
    expect(batchHeader.isCrcValid(found)).toBe(true);
    // The base offset and the leader epoch lie before the checksum, and are the broker's.
    expect(found.subarray(batchHeader.MAGIC_POSITION)).toEqual(good.subarray(batchHeader.MAGIC_POSITION));
  });

  broker.scenario('record count and last offset must agree (KAFKA-6554)', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    for (const codec of [Codec.none, Codec.gzip]) {
      const batch = batchOf(['a', 'b', 'c'], { codec });
      const wrong = [
        changed(batch, (copy) => batchHeader.patchLastOffsetDelta(copy, 0, 5)),
        changed(batch, (copy) => {
          batchHeader.patchRecordCount(copy, 0, 0);
          batchHeader.patchLastOffsetDelta(copy, 0, -1);
        }),
        changed(batch, (copy) => batchHeader.patchRecordCount(copy, 0, -1)),
        changed(batch, (copy) => {
          batchHeader.patchRecordCount(copy, 0, 4);
          batchHeader.patchLastOffsetDelta(copy, 0, 3);
        }),
        changed(batch, (copy) => {
          batchHeader.patchRecordCount(copy, 0, 2);
          batchHeader.patchLastOffsetDelta(copy, 0, 1);
        }),
      ];
      for (const records of wrong) await expectRefused(client, { topic, records, errorCode: ErrorCode.INVALID_RECORD });
      await stored(client, { topic, records: batch });
    }
  });

  broker.scenario(
    'from version 3 there must be exactly one batch of format 2; other partitions do not suffer',
    async () => {
      const topic = await broker.topic({ partitions: 2 });
      const client = await broker.connect();
      const one = batchOf(['one']);
      const old = Buffer.from(one);
      old[batchHeader.MAGIC_POSITION] = 1;
      for (const version of [3, 9]) {
        for (const records of [Buffer.concat([one, batchOf(['two'])]), Buffer.alloc(0), old]) {
          const before = await endOffset(client, topic, 1);
          const { responses } = await client.call(
            produceCall(
              [
                { topic, partition: 0, records },
                { topic, partition: 1, records: one },
              ],
              { version },
            ),
          );
          const told = responses[0]!.partitionResponses.map(({ index, errorCode, baseOffset }) => [
            index,
            errorCode,
            baseOffset,
          ]);
          expect(told.toSorted()).toEqual([
            [0, ErrorCode.INVALID_RECORD, -1],
            [1, ErrorCode.NONE, before],
          ]);
        }
      }
      expect(await endOffset(client, topic, 0)).toBe(0);
    },
  );

  broker.scenario('a base offset other than 0 is refused', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const moved = batchOf(['one'], { baseOffset: 5 });
    await expectRefused(client, { topic, records: moved, errorCode: ErrorCode.INVALID_RECORD });
    expect(await stored(client, { topic, records: batchOf(['one']) })).toBe(0);
  });

  broker.scenario(
    'null records are refused',
    async () => {
      const topic = await broker.topic();
      const client = await broker.connect();
      for (const version of [3, 9]) {
        await expectRefused(client, { topic, records: null, version, errorCode: ErrorCode.INVALID_RECORD });
      }
      expect(await stored(client, { topic, records: batchOf(['one']) })).toBe(0);
    },
    { kafkaDiffers: 'it fails on them and never answers' },
  );

  broker.scenario('null, empty and repeated keys, values and headers come back as they were', async () => {
    const timestamp = Date.now();
    const text = (value: string | null): Buffer | null => (value === null ? null : Buffer.from(value));
    const records: NewRecord[] = [
      { timestamp, key: null, value: null },
      { timestamp, key: text(''), value: text('') },
      { timestamp, key: text('k'), value: null, headers: [{ key: 'h', value: null }] },
      {
        timestamp,
        key: null,
        value: text('v'),
        headers: [
          { key: 'h', value: text('') },
          { key: '', value: text('x') },
        ],
      },
      {
        timestamp,
        key: text('k'),
        value: text('v'),
        headers: [
          { key: 'h', value: text('1') },
          { key: 'h', value: text('2') },
        ],
      },
      {
        timestamp: timestamp - 5,
        key: text('many'),
        value: text('headers'),
        headers: Array.from({ length: 1000 }, (_, at) => ({
          key: `h${at % 10}`,
          value: text(at % 3 ? `${at}` : null),
        })),
      },
    ];
    const told = (found: readonly (LogRecord | NewRecord)[]): string =>
      JSON.stringify(
        found.map(({ timestamp, key, value, headers }) => ({ timestamp, key, value, headers: headers ?? [] })),
      );
    const client = await broker.connect();
    for (const codec of CODECS) {
      const sent = buildBatch({ records, codec });
      for (const compressionType of ['producer', 'gzip']) {
        const topic = await broker.topic({ configs: { 'compression.type': compressionType } });
        await stored(client, { topic, records: sent });
        const found = await fetchAll(client, { topic });
        expect(told(recordsIn(found))).toBe(told(records));
        expect(batchHeader.codec(found)).toBe(compressionType === 'gzip' ? Codec.gzip : codec);
      }
    }
  });

  withBroker('after a restart', {
    isOnDisk: true,
    scenarios: (own) => {
      own.scenario('batches are byte for byte what they were', async () => {
        const topic = await own.topic();
        const sent = CODECS.map((codec) => batchOf(['a', 'b'.repeat(1000)], { codec }));
        for (const records of sent) await stored(await own.connect(), { topic, records });
        const before = await fetchAll(await own.connect(), { topic });
        await own.restart();
        const after = await fetchAll(await own.connect(), { topic });
        expect(after).toEqual(before);
        expect(splitBatches(after).map((batch) => batch.subarray(batchHeader.MAGIC_POSITION))).toEqual(
          sent.map((batch) => batch.subarray(batchHeader.MAGIC_POSITION)),
        );
      });
    },
  });

  broker.scenario(
    'a compacted topic takes no null key; the answer names the record (KAFKA-4808, KIP-467)',
    async () => {
      const topic = await broker.topic({ configs: { 'cleanup.policy': 'compact' } });
      const client = await broker.connect();
      const timestamp = Date.now();
      const keyed = (key: string | null): NewRecord => ({
        timestamp,
        key: key === null ? null : Buffer.from(key),
        value: Buffer.from('v'),
      });
      for (const codec of [Codec.none, Codec.zstd]) {
        const records = buildBatch({ records: ['a', null, 'c'].map(keyed), codec });
        await expectRefused(client, { topic, records, errorCode: ErrorCode.INVALID_RECORD });
        const answer = await produce(client, { topic, records, version: 8 });
        expect(answer.recordErrors.map(({ batchIndex }) => batchIndex)).toEqual([1]);
        expect(answer.errorMessage).not.toBeNull();
      }
      const empty = buildBatch({ records: [keyed('')] });
      expect(await stored(client, { topic, records: empty })).toBe(0);
    },
  );
});

describe('sizes', () => {
  broker.scenario('max.message.bytes counts the whole batch, as it is compressed', async () => {
    const topic = await broker.topic({ configs: { 'max.message.bytes': 10_000 } });
    const client = await broker.connect();
    const [most, tooMuch] = [batchOfSize(10_000), batchOfSize(10_001)];
    expect([most.length, tooMuch.length]).toEqual([10_000, 10_001]);
    expect(await stored(client, { topic, records: most })).toBe(0);
    await expectRefused(client, { topic, records: tooMuch, errorCode: ErrorCode.MESSAGE_TOO_LARGE });
    const squeezed = batchOf(['x'.repeat(20_000)], { codec: Codec.gzip });
    expect(squeezed.length).toBeLessThan(10_000);
    expect(await stored(client, { topic, records: squeezed })).toBe(1);
    expect(await stored(client, { topic, records: batchOf(['small']) })).toBe(2);
  });

  broker.scenario('a batch must fit into a segment', async () => {
    const configs = { 'max.message.bytes': 3_000_000, 'segment.bytes': 1_048_576 };
    const topic = await broker.topic({ configs });
    const client = await broker.connect();
    await expectRefused(client, { topic, records: batchOfSize(1_100_000), errorCode: ErrorCode.RECORD_LIST_TOO_LARGE });
    expect(await stored(client, { topic, records: batchOfSize(1_048_576) })).toBe(0);
    expect(await stored(client, { topic, records: batchOf(['small']) })).toBe(1);
  });
});

describe('timestamps', () => {
  broker.scenario('LogAppendTime: the broker’s clock, in the answer, the batch and every record', async () => {
    const topic = await broker.topic({ configs: { 'message.timestamp.type': 'LogAppendTime' } });
    const client = await broker.connect();
    for (const codec of CODECS) {
      const before = Date.now();
      const old = [2, 5].map((timestamp) => ({ timestamp, key: null, value: Buffer.from('v') }));
      const { errorCode, baseOffset, logAppendTimeMs } = await produce(client, {
        topic,
        records: buildBatch({ records: old, codec }),
      });
      expect(errorCode).toBe(ErrorCode.NONE);
      expect(logAppendTimeMs).toBeGreaterThanOrEqual(before);
      expect(logAppendTimeMs).toBeLessThanOrEqual(Date.now());
      const batch = await fetchAll(client, { topic, offset: baseOffset });
      expect(batchHeader.timestampType(batch)).toBe('LogAppendTime');
      expect(batchHeader.maxTimestamp(batch)).toBe(logAppendTimeMs);
      expect(recordsIn(batch).map(({ timestamp }) => timestamp)).toEqual([logAppendTimeMs, logAppendTimeMs]);
    }
  });

  broker.scenario('CreateTime: no append time in the answer, and the client’s times are kept', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const records = [7, 3].map((timestamp) => ({ timestamp, key: null, value: Buffer.from('v') }));
    expect((await produce(client, { topic, records: buildBatch({ records }) })).logAppendTimeMs).toBe(-1);
    const batch = await fetchAll(client, { topic });
    expect(batchHeader.timestampType(batch)).toBe('CreateTime');
    expect(batchHeader.maxTimestamp(batch)).toBe(7);
    expect(recordsIn(batch).map(({ timestamp }) => timestamp)).toEqual([7, 3]);
  });

  broker.scenario('those too far from now are refused, and the record is named (KAFKA-14991)', async () => {
    const limits = { 'message.timestamp.after.max.ms': 60_000, 'message.timestamp.before.max.ms': 60_000 };
    const topic = await broker.topic({ configs: limits });
    const appended = await broker.topic({ configs: { ...limits, 'message.timestamp.type': 'LogAppendTime' } });
    const client = await broker.connect();
    const timed = (...offsetsMs: number[]): Buffer => {
      const now = Date.now();
      return buildBatch({
        records: offsetsMs.map((ms) => ({ timestamp: now + ms, key: null, value: Buffer.from('v') })),
      });
    };
    for (const records of [timed(0, 600_000), timed(0, -600_000)]) {
      await expectRefused(client, { topic, records, errorCode: ErrorCode.INVALID_TIMESTAMP });
      const answer = await produce(client, { topic, records, version: 8 });
      expect(answer.recordErrors.map(({ batchIndex }) => batchIndex)).toEqual([1]);
      await stored(client, { topic: appended, records });
    }
    const untimed = buildBatch({ records: [{ timestamp: -1, key: null, value: Buffer.from('v') }] });
    expect(await stored(client, { topic, records: untimed })).toBe(0);
    expect(await stored(client, { topic, records: timed(0, -30_000, 30_000) })).toBe(1);
  });
});

describe('codecs', () => {
  broker.scenario('zstd only from version 7 on (KIP-110)', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const records = batchOf(['x'], { codec: Codec.zstd });
    for (const version of [3, 6]) {
      await expectRefused(client, { topic, records, version, errorCode: ErrorCode.UNSUPPORTED_COMPRESSION_TYPE });
    }
    expect(await stored(client, { topic, records, version: 7 })).toBe(0);
  });

  broker.scenario(
    'a codec that is none, and bytes that no codec made, are not stored; the connection lives',
    async () => {
      const topic = await broker.topic();
      const client = await broker.connect();
      const plain = batchOf(['plain bytes, of some length, and no compression at all']);
      for (const codec of [5, 6, 7, Codec.gzip, Codec.snappy, Codec.lz4, Codec.zstd]) {
        const records = changed(plain, (copy) => batchHeader.patchAttributes(copy, 0, codec));
        await expectRefused(client, { topic, records });
      }
      const torn = batchOf(['x'.repeat(5000)], { codec: Codec.gzip });
      const cut = changed(torn.subarray(0, torn.length - 12), (copy) => {
        batchHeader.patchSizeInBytes(copy, 0, copy.length);
      });
      await expectRefused(client, { topic, records: cut });
      expect(await stored(client, { topic, records: plain })).toBe(0);
      expect(valuesIn(await fetchAll(client, { topic }))).toHaveLength(1);
    },
  );

  broker.scenario('a topic with a codec of its own stores all in it', async () => {
    const client = await broker.connect();
    for (const [name, codecWanted] of Object.entries({ uncompressed: Codec.none, lz4: Codec.lz4, zstd: Codec.zstd })) {
      const topic = await broker.topic({ configs: { 'compression.type': name } });
      for (const codec of CODECS) await stored(client, { topic, records: batchOf(['a', 'b'], { codec }) });
      const batches = splitBatches(await fetchAll(client, { topic }));
      expect(batches.map((batch) => batchHeader.codec(batch))).toEqual(CODECS.map(() => codecWanted));
      expect(batches.map((batch) => batchHeader.baseOffset(batch))).toEqual([0, 2, 4, 6, 8]);
      expect(valuesIn(Buffer.concat(batches))).toEqual(CODECS.flatMap(() => ['a', 'b']));
    }
  });
});

describe('large requests at once', () => {
  broker.scenario('each record is stored as it was sent, whatever came behind it and beside it', async () => {
    const topics = await Promise.all([0, 1, 2].map(() => broker.topic()));
    const sendAll = async (topic: string, acks: number): Promise<void> => {
      const client = await broker.connect();
      const value = (n: number): string => `${topic} ${n} `.padEnd(30_000 + 7919 * (n % 9), String(n));
      const numbers = Array.from({ length: 40 }, (_, n) => n);
      const sent = numbers.map((n) => client.call(produceCall([{ topic, records: batchOf([value(n)]) }], { acks })));
      for (const { responses } of await Promise.all(sent)) {
        expect(responses[0]!.partitionResponses[0]!.errorCode).toBe(ErrorCode.NONE);
      }
      const values = valuesIn(await fetchAll(client, { topic }));
      expect(values.map((text, n) => text === value(n))).toEqual(numbers.map(() => true));
    };
    await Promise.all(topics.map((topic, at) => sendAll(topic, at === 0 ? -1 : 1)));
  });
});
