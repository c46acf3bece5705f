/** Sets of formats 0 and 1 as producers send them, good and bad, made by a maker of the test's own. */
import { gzipSync } from 'node:zlib';
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from './batch-header';
import { crc32 } from './checksum';
import { Codec, compress, compressFormat0 } from './compression';
import { convertUp, isLegacyMessageSet } from './message-set';
import { decodeRecords } from './record-codec';

interface Message {
  magic?: number;
  attributes?: number;
  timestamp?: number;
  key?: string | null;
  value?: string | Buffer | null;
  offset?: number;
  crcXor?: number;
}

function sized(value: string | Buffer | null): Buffer {
  if (value === null) return Buffer.from([255, 255, 255, 255]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(value.length);
  return Buffer.concat([length, Buffer.from(value)]);
}

function entry(message: Message): Buffer {
  const { magic = 1, attributes = 0, timestamp = 7, key = null, value = null, offset = 0, crcXor = 0 } = message;
  const time = Buffer.alloc(magic === 1 ? 8 : 0);
  if (magic === 1) time.writeBigInt64BE(BigInt(timestamp));
  const covered = Buffer.concat([Buffer.from([magic, attributes]), time, sized(key), sized(value)]);
  const head = Buffer.alloc(16);
  head.writeBigInt64BE(BigInt(offset));
  head.writeInt32BE(covered.length + 4, 8);
  head.writeUInt32BE((crc32(covered) ^ crcXor) >>> 0, 12);
  return Buffer.concat([head, covered]);
}

const setOf = (...messages: Message[]): Buffer => Buffer.concat(messages.map(entry));

function shown(set: Buffer): unknown {
  const converted = convertUp(set);
  if (!converted.ok) return converted.error;
  if (converted.value.batch === null) return null;
  expect(batchHeader.isCrcValid(converted.value.batch)).toBe(true);
  const records = decodeRecords(converted.value.batch);
  if (!records.ok) throw new Error(records.error);
  return records.value.map((r) => [r.offset, r.timestamp, r.key?.toString() ?? null, r.value?.toString() ?? null]);
}

const three: Message[] = [
  { key: 'a', value: '1', timestamp: 11 },
  { key: null, value: '', timestamp: 22 },
  { key: '', value: null, timestamp: 5 },
];
const converted = [
  [0, 11, 'a', '1'],
  [1, 22, null, ''],
  [2, 5, '', null],
];

describe('convertUp', () => {
  it('makes one batch of a set, numbering in order', () => {
    const set = setOf(...three.map((message, i) => ({ ...message, offset: 3 * i })));
    expect(isLegacyMessageSet(set)).toBe(true);
    expect(shown(set)).toEqual(converted);
    expect(convertUp(set)).toMatchObject({ value: { magic: 1, codec: Codec.none } });
  });

  it('has no timestamps in format 0', () => {
    const set = setOf(...three.map((message) => ({ ...message, magic: 0 })));
    expect(shown(set)).toEqual(converted.map(([offset, , key, value]) => [offset, -1, key, value]));
    const made = convertUp(set);
    expect(made.ok && made.value.batch && batchHeader.maxTimestamp(made.value.batch)).toBe(-1);
  });

  it.each([Codec.gzip, Codec.snappy, Codec.lz4])('opens wrappers of codec %d, whatever the offsets', (codec) => {
    for (const magic of [0, 1]) {
      for (const offsets of [
        [0, 1, 2],
        [0, 0, 0],
        [100, 101, 102],
        [9, 8, 7],
      ]) {
        const inner = setOf(...three.map((message, i) => ({ ...message, magic, offset: offsets[i]! })));
        const value = magic === 0 ? compressFormat0(codec, inner) : compress(codec, inner);
        const set = entry({ magic, attributes: codec, value, offset: 2 });
        expect(shown(set)).toEqual(magic === 0 ? converted.map(([o, , k, v]) => [o, -1, k, v]) : converted);
        const made = convertUp(set);
        expect(made).toMatchObject({ value: { magic, codec } });
        expect(made.ok && made.value.batch && batchHeader.codec(made.value.batch)).toBe(codec);
      }
    }
  });

  it('leaves out what is cut off at the end, as Kafka does', () => {
    const set = setOf(...three);
    expect(shown(set.subarray(0, set.length - 3))).toEqual(converted.slice(0, 2));
    expect(shown(set.subarray(0, 10))).toBeNull();
    expect(shown(Buffer.alloc(0))).toBeNull();
  });

  it('keeps the mark of append time', () => {
    const set = entry({ attributes: Codec.gzip | 8, timestamp: 500, value: gzipSync(setOf(...three)) });
    const made = convertUp(set);
    expect(made.ok && made.value.batch && batchHeader.timestampType(made.value.batch)).toBe('LogAppendTime');
    expect(shown(set)).toEqual(converted.map(([offset, , key, value]) => [offset, 500, key, value]));
  });

  const wrapped = (inner: Buffer, attributes: number = Codec.gzip): Buffer =>
    entry({ attributes, value: compress((attributes & 7) as Codec, inner) });

  it.each([
    ['a wrong CRC', setOf(three[0]!, { crcXor: 1 }), ErrorCode.CORRUPT_MESSAGE],
    [
      'a wrong CRC of a wrapper',
      entry({ attributes: 1, value: gzipSync(setOf({})), crcXor: 4 }),
      ErrorCode.CORRUPT_MESSAGE,
    ],
    ['a wrong CRC inside', wrapped(setOf(three[0]!, { crcXor: 1 })), ErrorCode.CORRUPT_MESSAGE],
    ['a size that is too small', Buffer.concat([setOf({}), Buffer.alloc(12)]), ErrorCode.CORRUPT_MESSAGE],
    ['an unknown format', setOf({ magic: 9 }), ErrorCode.CORRUPT_MESSAGE],
    ['a newer format among old ones', setOf({}, { magic: 2 }), ErrorCode.INVALID_RECORD],
    ['two formats', setOf({}, { magic: 0 }), ErrorCode.INVALID_RECORD],
    ['two formats inside', wrapped(setOf({}, { magic: 0 })), ErrorCode.INVALID_RECORD],
    ['a wrapper among others', Buffer.concat([wrapped(setOf({})), setOf({})]), ErrorCode.INVALID_RECORD],
    ['a wrapper in a wrapper', wrapped(wrapped(setOf({}))), ErrorCode.INVALID_RECORD],
    ['an empty wrapper', wrapped(Buffer.alloc(0)), ErrorCode.INVALID_RECORD],
    ['a wrapper of null', setOf({ attributes: 1 }), ErrorCode.INVALID_RECORD],
    ['zstd', wrapped(setOf({}), Codec.zstd), ErrorCode.INVALID_RECORD],
    ['garbage in a wrapper', setOf({ attributes: 1, value: 'garbage' }), ErrorCode.INVALID_RECORD],
    ['an unknown codec', setOf({ attributes: 6, value: 'x' }), ErrorCode.INVALID_RECORD],
  ])('refuses %s', (_what, set, code) => {
    expect(shown(set)).toBe(code);
  });

  it('refuses key and value that do not fill the message', () => {
    const good = entry({ key: 'kk', value: 'v' });
    for (const length of [1, 3, 50]) {
      const bad = Buffer.from(good);
      bad.writeInt32BE(length, 26);
      bad.writeUInt32BE(crc32(bad.subarray(16)), 12);
      expect(shown(bad)).toBe(ErrorCode.CORRUPT_MESSAGE);
    }
  });

  it('stops inflating at the limit', () => {
    const set = wrapped(setOf({ value: Buffer.alloc(100_000) }));
    expect(convertUp(set, 1000)).toMatchObject({ ok: false, error: ErrorCode.INVALID_RECORD });
  });
});
