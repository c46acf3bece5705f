/**
 * Clients from before record batches: message sets of formats 0 and 1 are taken and stored as batches, and what is
 * stored is handed to old versions of Fetch in the format of their time, within hard limits.
 */
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import * as batchHeader from '../../src/records/batch-header';
import { Codec } from '../../src/records/compression';
import {
  batchOf,
  gzippedSet,
  type LegacyMessage,
  legacyMessagesIn,
  legacySet,
  recordsIn,
  splitBatches,
} from './batches';
import { endOffset, fetchAll, fetchOne, produce, recordsOf, stored } from './data-calls';
import { useBroker } from './fixture';

const broker = useBroker();

const NEEDS_OLD_PRODUCE = { needs: [[apis.Produce, 0]], kafkaDiffers: 'from 4.0 on it serves no old clients' } as const;
const NEEDS_OLD_FETCH = { needs: [[apis.Fetch, 0]] } as const;

/** Three messages: one without a key, one with both, one without a value. Their offsets are the client's business. */
function threeMessages(magic: 0 | 1, offsets: readonly number[]): LegacyMessage[] {
  const time = magic === 1 ? { timestamp: 1_600_000_000_000 } : {};
  return [
    { magic, offset: offsets[0]!, key: null, value: 'one', ...time },
    { magic, offset: offsets[1]!, key: 'k', value: 'two', ...time },
    { magic, offset: offsets[2]!, key: 'k', value: null, ...time },
  ];
}

function told(batches: Buffer): unknown[] {
  return recordsIn(batches).map(({ offset, timestamp, key, value }) => [
    offset,
    timestamp,
    key?.toString() ?? null,
    value?.toString() ?? null,
  ]);
}

describe('old producers', () => {
  for (const magic of [0, 1] as const) {
    broker.scenario(
      `message sets of format ${magic} become batches with offsets one after the other`,
      async () => {
        const topic = await broker.topic();
        const client = await broker.connect();
        const version = magic === 0 ? 0 : 2;
        const sets = [
          legacySet(threeMessages(magic, [0, 1, 2])),
          legacySet(threeMessages(magic, [0, 0, 0])),
          gzippedSet(threeMessages(magic, [0, 1, 2])),
          gzippedSet(threeMessages(magic, [0, 0, 0])),
          gzippedSet(threeMessages(magic, [7, 3, 5])),
        ];
        for (const [at, records] of sets.entries()) {
          expect(await stored(client, { topic, records, version, acks: 1 })).toBe(at * 3);
        }
        const batches = await fetchAll(client, { topic });
        expect(splitBatches(batches).every((batch) => batchHeader.magic(batch) === 2)).toBe(true);
        const time = magic === 0 ? -1 : 1_600_000_000_000;
        expect(told(batches)).toEqual(
          sets.flatMap((_, at) => [
            [at * 3, time, null, 'one'],
            [at * 3 + 1, time, 'k', 'two'],
            [at * 3 + 2, time, 'k', null],
          ]),
        );
      },
      NEEDS_OLD_PRODUCE,
    );
  }

  broker.scenario(
    'a message with a wrong checksum spoils its set',
    async () => {
      const topic = await broker.topic();
      const client = await broker.connect();
      for (const records of [legacySet(threeMessages(0, [0, 1, 2])), gzippedSet(threeMessages(1, [0, 1, 2]))]) {
        records[records.length - 1]! ^= 0x01;
        const answer = await produce(client, { topic, records, version: 2, acks: 1 });
        expect([answer.errorCode, answer.baseOffset]).toEqual([ErrorCode.CORRUPT_MESSAGE, -1]);
      }
      expect(await endOffset(client, topic)).toBe(0);
    },
    NEEDS_OLD_PRODUCE,
  );
});

describe('old consumers', () => {
  broker.scenario(
    'get the message format of their version',
    async () => {
      const topic = await broker.topic();
      const client = await broker.connect();
      const timestamp = Date.now();
      for (const value of ['one', 'two']) await stored(client, { topic, records: batchOf([value]) });
      for (const version of [0, 1, 2, 3]) {
        const data = await fetchOne(client, { topic, version });
        expect(data.errorCode).toBe(ErrorCode.NONE);
        const messages = legacyMessagesIn(recordsOf(data));
        expect(messages.map(({ magic, offset, value }) => [magic, offset, value?.toString()])).toEqual([
          [version < 2 ? 0 : 1, 0, 'one'],
          [version < 2 ? 0 : 1, 1, 'two'],
        ]);
        if (version >= 2) expect(messages[0]!.timestamp).toBeGreaterThanOrEqual(timestamp);
      }
    },
    NEEDS_OLD_FETCH,
  );

  broker.scenario(
    'keep the hard limit of their version: a message that is cut off, not more bytes and no error',
    async () => {
      const topic = await broker.topic();
      const client = await broker.connect();
      await stored(client, { topic, records: batchOf(['x'.repeat(500_000)]) });
      for (const version of [0, 1, 2]) {
        const data = await fetchOne(client, { topic, version, partitionMaxBytes: 1000 });
        expect(data.errorCode).toBe(ErrorCode.NONE);
        const set = recordsOf(data);
        expect(set.length).toBeGreaterThan(0);
        expect(set.length).toBeLessThanOrEqual(1000);
        // It says that there is more of it than came, so the reader asks for more.
        expect(set.readInt32BE(8)).toBeGreaterThan(set.length - 12);
        const whole = legacyMessagesIn(recordsOf(await fetchOne(client, { topic, version })));
        expect(whole[0]!.value?.length).toBe(500_000);
      }
    },
    NEEDS_OLD_FETCH,
  );

  broker.scenario(
    'are not given zstd, which they cannot read (KIP-110)',
    async () => {
      const topic = await broker.topic();
      const client = await broker.connect();
      await stored(client, { topic, records: batchOf(['x'], { codec: Codec.zstd }) });
      for (const version of [0, 2, 3]) {
        const data = await fetchOne(client, { topic, version });
        expect(data.errorCode).toBe(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
        expect(recordsOf(data)).toHaveLength(0);
      }
      expect(recordsOf(await fetchOne(client, { topic, version: 10 })).length).toBeGreaterThan(0);
    },
    NEEDS_OLD_FETCH,
  );
});
