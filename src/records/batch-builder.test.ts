/** Batches made from records, and from batches of other codecs. */
import { buildBatch, recompressBatch } from './batch-builder';
import * as batchHeader from './batch-header';
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
