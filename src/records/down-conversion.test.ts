/** What old clients get. Kafka's own conversions of the same batches are in java-vectors.test.ts. */
import { ErrorCode } from '../codec/generated/errors';
import { buildBatch } from './batch-builder';
import { Codec } from './compression';
import { buildEndTransactionMarker } from './control-record';
import { convertDown } from './down-conversion';
import { convertUp } from './message-set';
import { decodeRecords } from './record-codec';

const records = ['a', null, ''].map((text, i) => ({
  timestamp: 1000 - i,
  key: text === null ? null : Buffer.from(text),
  value: i === 2 ? null : Buffer.from(`v${i}`.repeat(30)),
  headers: [{ key: 'lost', value: null }],
}));

const marker = buildEndTransactionMarker({
  isCommit: true,
  coordinatorEpoch: 0,
  producerId: 1,
  producerEpoch: 0,
  timestampMs: 1,
});

function converted(batches: Buffer, toMagic: 0 | 1, firstOffset = 0): Buffer {
  const set = convertDown(batches, { toMagic, firstOffset });
  if (!set.ok) throw new Error(set.message);
  return set.value;
}

/** Offset of each entry in a set. */
function offsets(set: Buffer): number[] {
  const found: number[] = [];
  for (let at = 0; at < set.length; at += 12 + set.readInt32BE(at + 8)) found.push(Number(set.readBigInt64BE(at)));
  return found;
}

describe('convertDown', () => {
  it.each([Codec.none, Codec.gzip, Codec.snappy, Codec.lz4])('converts there and back, codec %d', (codec) => {
    for (const magic of [0, 1] as const) {
      const batch = buildBatch({ records, codec, baseOffset: 50 });
      const set = converted(batch, magic);
      expect(offsets(set)).toEqual(codec === Codec.none ? [50, 51, 52] : [52]);
      const back = convertUp(set);
      if (!back.ok || back.value.batch === null) throw new Error('cannot be converted back');
      expect(back.value).toMatchObject({ magic, codec });
      const expected = records.map(({ timestamp, key, value }, offset) => ({
        offset,
        timestamp: magic === 0 ? -1 : timestamp,
        key,
        value,
        headers: [],
      }));
      expect(decodeRecords(back.value.batch)).toEqual({ ok: true, value: expected });
    }
  });

  it('leaves out records before the wanted offset, except inside a wrapper', () => {
    const plain = buildBatch({ records, baseOffset: 50 });
    expect(offsets(converted(plain, 1, 51))).toEqual([51, 52]);
    const packed = buildBatch({ records, baseOffset: 50, codec: Codec.gzip });
    const back = convertUp(converted(packed, 1, 51));
    expect(back.ok && back.value.batch && decodeRecords(back.value.batch)).toMatchObject({ value: { length: 3 } });
  });

  it('drops control batches', () => {
    const plain = buildBatch({ records, baseOffset: 50 });
    expect(offsets(converted(Buffer.concat([marker, plain, marker]), 1))).toEqual([50, 51, 52]);
  });

  it('gives an entry that is cut off where nothing is left', () => {
    const set = converted(marker, 1);
    expect(set.length).toBe(12);
    expect(set.readInt32BE(8)).toBeGreaterThan(0);
    expect(converted(Buffer.alloc(0), 1).length).toBe(0);
  });

  it('refuses zstd, or stops before it', () => {
    const plain = buildBatch({ records });
    const zstd = buildBatch({ records, codec: Codec.zstd, baseOffset: 3 });
    expect(convertDown(zstd, { toMagic: 1, firstOffset: 0 })).toMatchObject({
      error: ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
    });
    expect(offsets(converted(Buffer.concat([plain, zstd, plain]), 1))).toEqual([0, 1, 2]);
  });

  it('passes on the append time', () => {
    const batch = buildBatch({ records, logAppendTimeMs: 5000, codec: Codec.gzip });
    const set = converted(batch, 1);
    expect(set[17]! & 8).toBe(8);
    expect(set.readBigInt64BE(18)).toBe(5000n);
    expect(converted(batch, 0)[17]! & 8).toBe(0);
  });

  it('refuses what it cannot read', () => {
    const batch = buildBatch({ records });
    batch.writeInt32BE(9, 57);
    expect(convertDown(batch, { toMagic: 1, firstOffset: 0 })).toMatchObject({ error: ErrorCode.CORRUPT_MESSAGE });
  });
});
