/**
 * Batches and message sets that Kafka's own classes made (protocol/vectors/records/batches.txt; the maker is
 * compat-tests/java/RecordVectors.java): all of them are read, and converted down as Kafka does it.
 */
import { readFileSync } from 'node:fs';
import * as batchHeader from './batch-header';
import { codecByName } from './compression';
import { endTransactionMarkerOf } from './control-record';
import { convertDown } from './down-conversion';
import { convertUp } from './message-set';
import { decodeRecords, type LogRecord } from './record-codec';

const vectors = new Map(
  readFileSync('protocol/vectors/records/batches.txt', 'utf8')
    .trim()
    .split('\n')
    .map((line) => [line.split(' ')[0]!, Buffer.from(line.split(' ')[1]!, 'hex')]),
);

function vector(name: string): Buffer {
  const bytes = vectors.get(name);
  if (bytes === undefined) throw new Error(`no vector ${name}`);
  return bytes;
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

  it('v2 with append time', () => {
    const value = expected({ baseOffset: 7, headers: true, timestamp: APPEND_TIME });
    expect(decodeRecords(vector('v2-append-time'))).toEqual({ ok: true, value });
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
    const up = convertUp(vector('v1-append-time'));
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
