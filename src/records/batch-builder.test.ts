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

  it('leaves all but the offset of such records as it is, byte for byte', () => {
    // Attributes 0x55, a time delta of -2, offset delta 7; key, value and a header that is no UTF-8.
    const rest = Buffer.concat([Buffer.from([2, 0x6b, 60]), Buffer.alloc(30, 0x76), Buffer.from([2, 2, 0xff, 1])]);
    const record = (offset: number[]): Buffer => {
      const body = Buffer.concat([Buffer.from([0x55, 3, ...offset]), rest]);
      return Buffer.concat([Buffer.from([body.length * 2]), body]);
    };
    const made = (offsets: number[][]): Buffer => {
      const { length } = offsets;
      const header = buildBatch({ records: Array.from({ length }, () => records[0]!) }).subarray(
        0,
        batchHeader.HEADER_SIZE,
      );
      const batch = Buffer.concat([header, ...offsets.map(record)]);
      batchHeader.patchSizeInBytes(batch, 0, batch.length);
      batchHeader.recomputeCrc(batch);
      return batch;
    };
    const numbers = Array.from({ length: 70 }, (_, i) => (i < 64 ? [2 * i] : [0x80 | ((2 * i) & 0x7f), 1]));
    const corrected = recompressBatch(made(numbers.map(() => [14])), 0, { codec: Codec.none });
    expect(corrected.ok && corrected.value.equals(made(numbers))).toBe(true);
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
