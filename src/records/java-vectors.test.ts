/**
 * Batches and message sets that Kafka's own classes made, with Kafka's reading of them (the maker is
 * compat-tests/java/RecordVectors.java): all of them are read as Kafka reads them, made again byte for byte where no
 * compressor is in between, and converted down as Kafka does it.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type BatchOptions, buildBatch } from './batch-builder';
import * as batchHeader from './batch-header';
import { codecByName } from './compression';
import { endTransactionMarkerOf } from './control-record';
import { convertDown } from './down-conversion';
import { convertUp } from './message-set';
import { decodeRecords, type LogRecord } from './record-codec';

interface KafkaRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: readonly { readonly key: string; readonly value: string | null }[];
}

interface KafkaBatch {
  readonly magic: number;
  readonly codec: string;
  readonly sizeInBytes: number;
  readonly timestampType: string;
  readonly maxTimestamp: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  readonly deleteHorizonMs?: number;
  readonly records: readonly KafkaRecord[];
}

interface Vector {
  readonly name: string;
  readonly hex: string;
  readonly batches: readonly KafkaBatch[];
}

const vectors = new Map(
  gunzipSync(readFileSync('protocol/vectors/batches.jsonl.gz'))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector)
    .map((one) => [one.name, { ...one, bytes: Buffer.from(one.hex, 'hex') }]),
);

function vector(name: string): Buffer {
  const found = vectors.get(name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found.bytes;
}

function base64(bytes: Buffer | null): string | null {
  return bytes?.toString('base64') ?? null;
}

/** Our records in the form of Kafka's reading. */
function told(records: readonly LogRecord[]): KafkaRecord[] {
  return records.map(({ offset, timestamp, key, value, headers }) => ({
    ...{ offset, timestamp, key: base64(key), value: base64(value) },
    headers: headers.map((header) => ({ key: header.key, value: base64(header.value) })),
  }));
}

function plain({ offset, timestamp, key, value, headers }: KafkaRecord): KafkaRecord {
  return { offset, timestamp, key, value, headers };
}

/** What our view of a v2 header says, under Kafka's names. */
function headerOf(bytes: Buffer, at: number): Omit<KafkaBatch, 'records'> & Record<string, unknown> {
  return {
    magic: batchHeader.magic(bytes, at),
    sizeInBytes: batchHeader.sizeInBytes(bytes, at),
    codec: ['none', 'gzip', 'snappy', 'lz4', 'zstd'][batchHeader.codec(bytes, at)]!,
    timestampType: batchHeader.timestampType(bytes, at),
    maxTimestamp: batchHeader.maxTimestamp(bytes, at),
    baseOffset: batchHeader.baseOffset(bytes, at),
    lastOffset: batchHeader.lastOffset(bytes, at),
    producerId: batchHeader.producerId(bytes, at),
    producerEpoch: batchHeader.producerEpoch(bytes, at),
    baseSequence: batchHeader.baseSequence(bytes, at),
    lastSequence: batchHeader.lastSequence(bytes, at),
    isTransactional: batchHeader.isTransactional(bytes, at),
    isControl: batchHeader.isControl(bytes, at),
    partitionLeaderEpoch: batchHeader.partitionLeaderEpoch(bytes, at),
    deleteHorizonMs: batchHeader.deleteHorizonMs(bytes, at) ?? -1,
  };
}

/** The v2 batch at `at`, made again from what we read of it. */
function madeAgain(bytes: Buffer, at: number, records: readonly LogRecord[]): Buffer {
  const options: BatchOptions = {
    records,
    baseOffset: batchHeader.baseOffset(bytes, at),
    producerId: batchHeader.producerId(bytes, at),
    producerEpoch: batchHeader.producerEpoch(bytes, at),
    baseSequence: batchHeader.baseSequence(bytes, at),
    isTransactional: batchHeader.isTransactional(bytes, at),
    isControl: batchHeader.isControl(bytes, at),
    partitionLeaderEpoch: batchHeader.partitionLeaderEpoch(bytes, at),
  };
  return buildBatch(options);
}

const BASE = 1_700_000_000_000;
const APPEND_TIME = BASE + 99;
const utf8 = (text: string): Buffer => Buffer.from(text);
const HEADERS = [
  { key: 'h1', value: utf8('x') },
  { key: 'h1', value: null },
  { key: 'é', value: utf8('') },
];

/** The records that the maker writes. */
function expected(o: { baseOffset: number; headers: boolean; timestamp?: number }): LogRecord[] {
  const rows: [number, Buffer | null, Buffer | null][] = [
    [BASE, utf8('k0'), utf8('v0')],
    [BASE + 70_000, null, utf8('')],
    [BASE - 5, utf8(''), null],
    [BASE + 1, utf8('k3'), utf8('abcdefghij'.repeat(30))],
  ];
  return rows.map(([timestamp, key, value], i) => ({
    offset: o.baseOffset + i,
    timestamp: o.timestamp ?? timestamp,
    key,
    value,
    headers: o.headers && i === 0 ? HEADERS : [],
  }));
}

const LEGACY_CODECS = ['none', 'gzip', 'snappy', 'lz4'] as const;

describe("Kafka's own bytes", () => {
  it.each([...LEGACY_CODECS, 'zstd'] as const)('v2, %s', (name) => {
    const batch = vector(`v2-${name}`);
    expect(batchHeader.isCrcValid(batch)).toBe(true);
    expect(batchHeader.codec(batch)).toBe(codecByName(name));
    expect(batchHeader.sizeInBytes(batch)).toBe(batch.length);
    expect([batchHeader.producerId(batch), batchHeader.producerEpoch(batch)]).toEqual([4711, 3]);
    expect([batchHeader.baseSequence(batch), batchHeader.lastSequence(batch)]).toEqual([17, 20]);
    expect([batchHeader.partitionLeaderEpoch(batch), batchHeader.maxTimestamp(batch)]).toEqual([5, BASE + 70_000]);
    expect(decodeRecords(batch)).toEqual({ ok: true, value: expected({ baseOffset: 100, headers: true }) });
  });

  it.each(LEGACY_CODECS)('v0 and v1, %s', (name) => {
    for (const magic of [0, 1]) {
      const up = convertUp(vector(`v${magic}-${name}`));
      if (!up.ok || up.value.batch === null) throw new Error('not converted');
      expect(up.value).toMatchObject({ magic, codec: codecByName(name) });
      const value = expected({ baseOffset: 0, headers: false, ...(magic === 0 ? { timestamp: -1 } : {}) });
      expect(decodeRecords(up.value.batch)).toEqual({ ok: true, value });
    }
  });

  it('v1 with append time', () => {
    const up = convertUp(vector('v1-append-time-gzip'));
    if (!up.ok || up.value.batch === null) throw new Error('not converted');
    const value = expected({ baseOffset: 0, headers: false, timestamp: APPEND_TIME });
    expect(decodeRecords(up.value.batch)).toEqual({ ok: true, value });
  });

  it.each(LEGACY_CODECS)('conversion down, %s', (name) => {
    for (const toMagic of [0, 1] as const) {
      const ours = convertDown(vector(`v2-${name}`), { toMagic, firstOffset: 102 });
      if (!ours.ok) throw new Error(ours.message);
      const theirs = vector(`down-v${toMagic}-${name}`);
      if (name === 'none') {
        expect(ours.value.equals(theirs)).toBe(true);
      } else {
        // Compressors differ in their output: compare what is inside, and the wrapper's offset, attributes and time.
        expect(convertUp(ours.value)).toEqual(convertUp(theirs));
        expect(ours.value.subarray(0, 8)).toEqual(theirs.subarray(0, 8));
        const end = toMagic === 1 ? 26 : 18;
        expect(ours.value.subarray(16, end)).toEqual(theirs.subarray(16, end));
      }
    }
  });

  it('transaction markers', () => {
    for (const isCommit of [true, false]) {
      const batch = vector(isCommit ? 'commit-marker' : 'abort-marker');
      expect(endTransactionMarkerOf(batch)).toEqual({ isCommit, coordinatorEpoch: 12 });
      expect([batchHeader.isControl(batch), batchHeader.baseOffset(batch)]).toEqual([true, 50]);
    }
  });
});

describe("Kafka's reading", () => {
  const all = [...vectors.values()];

  it.each(all.filter(({ batches }) => batches[0]!.magic === 2))('$name', ({ bytes, batches }) => {
    let at = 0;
    for (const { records, ...header } of batches) {
      expect(headerOf(bytes, at)).toEqual(header);
      expect(batchHeader.isCrcValid(bytes, at)).toBe(true);
      const ours = decodeRecords(bytes, at);
      if (!ours.ok) throw new Error(ours.error);
      expect(told(ours.value)).toEqual(records.map(plain));
      const isPlain = header.codec === 'none' && header.timestampType === 'CreateTime' && header.deleteHorizonMs === -1;
      if (isPlain && records.length > 0) {
        const original = bytes.subarray(at, at + header.sizeInBytes);
        expect(madeAgain(bytes, at, ours.value).toString('hex')).toBe(original.toString('hex'));
      }
      at += header.sizeInBytes;
    }
    expect(at).toBe(bytes.length);
  });

  it.each(all.filter(({ batches }) => batches[0]!.magic < 2))('$name', ({ name, bytes, batches }) => {
    const up = convertUp(bytes);
    if (!up.ok || up.value.batch === null) throw new Error('not converted');
    const ours = decodeRecords(up.value.batch);
    if (!ours.ok) throw new Error(ours.error);
    // Message sets converted down keep their offsets; what producers send is numbered anew.
    const firstOffset = name.startsWith('down-') ? batches[0]!.records[0]!.offset : 0;
    const theirs = batches.flatMap(({ records }) => records).map(plain);
    expect(told(ours.value)).toEqual(theirs.map((record) => ({ ...record, offset: record.offset - firstOffset })));
  });
});
