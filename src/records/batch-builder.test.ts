/** Batches made from records, from other codecs and from fewer records. */
import { buildBatch, emptiedBatch, recompressBatch, retainRecords } from './batch-builder';
import * as batchHeader from './batch-header';
import type { RecordCursor } from './batch-walk';
import { Codec } from './compression';
import { decodeRecords, RecordWriter } from './record-codec';

const records = ['a', 'b', 'c', 'd'].map((key, i) => ({
  timestamp: 1000 + ((i * 7) % 4),
  key: Buffer.from(key),
  value: Buffer.from(key.repeat(100)),
  headers: [{ key: 'h', value: null }],
}));

function keys(batch: Buffer): unknown {
  const decoded = decodeRecords(batch);
  return decoded.ok ? decoded.value.map(({ offset, key }) => `${offset}${key}`) : decoded.error;
}

const producer = { producerId: 12, producerEpoch: 3, baseSequence: 40, partitionLeaderEpoch: 6 };

describe('buildBatch', () => {
  it('has plain defaults', () => {
    const batch = buildBatch({ records });
    expect([batchHeader.baseOffset(batch), batchHeader.lastOffsetDelta(batch)]).toEqual([0, 3]);
    expect([batchHeader.producerId(batch), batchHeader.producerEpoch(batch)]).toEqual([-1, -1]);
    expect([batchHeader.baseSequence(batch), batchHeader.partitionLeaderEpoch(batch)]).toEqual([-1, -1]);
    expect(batchHeader.attributes(batch)).toBe(0);
  });

  it('takes offsets with gaps', () => {
    const batch = buildBatch({
      records: [
        { ...records[0]!, offset: 10 },
        { ...records[1]!, offset: 15 },
      ],
    });
    expect([batchHeader.baseOffset(batch), batchHeader.lastOffset(batch), keys(batch)]).toEqual([
      10,
      15,
      ['10a', '15b'],
    ]);
  });

  it('refuses to hold nothing', () => {
    expect(() => buildBatch({ records: [] })).toThrow(/at least one/);
  });
});

describe('recompressBatch', () => {
  it.each([
    [Codec.none, Codec.gzip],
    [Codec.gzip, Codec.none],
    [Codec.snappy, Codec.zstd],
    [Codec.lz4, Codec.lz4],
  ])('turns codec %d into %d and keeps the rest', (from, to) => {
    const batch = buildBatch({ records, codec: from, baseOffset: 100, isTransactional: true, ...producer });
    const made = recompressBatch(Buffer.concat([Buffer.alloc(3), batch]), 3, { codec: to });
    if (!made.ok) throw new Error(made.error);
    expect(batchHeader.codec(made.value)).toBe(to);
    expect(batchHeader.isCrcValid(made.value)).toBe(true);
    expect(batchHeader.sizeInBytes(made.value)).toBe(made.value.length);
    expect(keys(made.value)).toEqual(['100a', '101b', '102c', '103d']);
    expect([batchHeader.producerId(made.value), batchHeader.baseSequence(made.value)]).toEqual([12, 40]);
    expect([batchHeader.isTransactional(made.value), batchHeader.maxTimestamp(made.value)]).toEqual([true, 1003]);
    expect(decodeRecords(made.value)).toEqual(decodeRecords(batch));
  });

  it('corrects offset deltas', () => {
    const writer = new RecordWriter(0);
    for (const offsetDelta of [0, 0, 5]) {
      writer.record({ timestampDelta: 0, offsetDelta, key: null, value: null, headers: [] });
    }
    const batch = buildBatch({ records: records.slice(0, 3) });
    const wrong = Buffer.concat([batch.subarray(0, batchHeader.HEADER_SIZE), writer.finish()]);
    batchHeader.patchSizeInBytes(wrong, 0, wrong.length);
    const made = recompressBatch(wrong, 0, { codec: Codec.gzip });
    expect(made.ok && keys(made.value)).toEqual(['0null', '1null', '2null']);
  });

  it('says why it cannot', () => {
    const batch = buildBatch({ records, codec: Codec.gzip });
    expect(recompressBatch(batch, 0, { codec: Codec.none, maxInflatedBytes: 10 })).toMatchObject({ ok: false });
    batchHeader.patchRecordCount(batch, 0, 9);
    expect(recompressBatch(batch, 0, { codec: Codec.none })).toMatchObject({
      error: expect.stringMatching(/premature/),
    });
  });
});

describe('retainRecords', () => {
  const keep = (...wanted: string[]) => {
    return (cursor: RecordCursor): boolean => wanted.includes(String.fromCharCode(cursor.bytes[cursor.keyPosition]!));
  };

  it.each([Codec.none, Codec.gzip])('keeps offsets and offset range, codec %d', (codec) => {
    const batch = buildBatch({ records, codec, baseOffset: 100, ...producer });
    const made = retainRecords(Buffer.concat([batch, batch]), batch.length, keep('b', 'c'));
    if (!made.ok || made.value === null) throw new Error('nothing was made');
    expect(keys(made.value)).toEqual(['101b', '102c']);
    expect([batchHeader.baseOffset(made.value), batchHeader.lastOffset(made.value)]).toEqual([100, 103]);
    expect([batchHeader.recordCount(made.value), batchHeader.codec(made.value)]).toEqual([2, codec]);
    expect([batchHeader.producerId(made.value), batchHeader.lastSequence(made.value)]).toEqual([12, 43]);
    expect([batchHeader.isCrcValid(made.value), batchHeader.maxTimestamp(made.value)]).toEqual([true, 1003]);
  });

  it('gives the batch itself when all stay, and null when none does', () => {
    const batch = buildBatch({ records });
    expect(retainRecords(batch, 0, () => true)).toEqual({ ok: true, value: batch });
    expect(retainRecords(batch, 0, () => false)).toEqual({ ok: true, value: null });
  });

  it('fails for a batch that cannot be read', () => {
    const batch = buildBatch({ records });
    batchHeader.patchAttributes(batch, 0, Codec.lz4);
    expect(retainRecords(batch, 0, () => true)).toMatchObject({ ok: false });
  });
});

describe('emptiedBatch', () => {
  it('keeps the offset range and the producer state', () => {
    const batch = emptiedBatch(buildBatch({ records, codec: Codec.gzip, baseOffset: 100, ...producer }), 0);
    expect([batchHeader.baseOffset(batch), batchHeader.lastOffset(batch)]).toEqual([100, 103]);
    expect([batchHeader.recordCount(batch), batchHeader.codec(batch), keys(batch)]).toEqual([0, 0, []]);
    expect([batchHeader.lastSequence(batch), batchHeader.isCrcValid(batch)]).toEqual([43, true]);
  });
});
