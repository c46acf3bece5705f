/** Batches as people read them. */
import { buildBatch } from './batch-builder';
import { batchesText } from './batch-text';
import { Codec } from './compression';
import { convertDown } from './down-conversion';

const utf8 = (text: string): Buffer => Buffer.from(text);
const records = [
  { timestamp: 5, key: utf8('k'), value: null },
  {
    timestamp: 6,
    key: null,
    value: utf8('v'),
    headers: [
      { key: 'h', value: utf8('x') },
      { key: 'n', value: null },
    ],
  },
];

describe('batchesText', () => {
  it('is a line a batch and a line a record', () => {
    const batch = buildBatch({ records, baseOffset: 7, codec: Codec.gzip });
    const told = { producerId: 4, producerEpoch: 0, baseSequence: 9, isTransactional: true, logAppendTimeMs: 99 };
    const other = buildBatch({ records: records.slice(0, 1), baseOffset: 9, ...told });
    expect(batchesText(Buffer.concat([batch, other]))).toEqual([
      `batch of format 2, gzip, ${batch.length} bytes, offsets 7 to 8, 2 records, leader epoch -1`,
      '  7 at 5: key "k", value null',
      '  8 at 6: key null, value "v", headers "h": "x", "n": null',
      `batch of format 2, none, ${other.length} bytes, offsets 9 to 9, 1 records, leader epoch -1, appended at 99, ` +
        'producer 4 epoch 0 from sequence 9, transactional',
      '  9 at 99: key "k", value null',
    ]);
  });

  it('shows some of many records', () => {
    const many = Array.from({ length: 25 }, () => records[0]!);
    const lines = batchesText(buildBatch({ records: many }));
    expect([lines.length, lines.at(-1)]).toEqual([22, '  and 5 more']);
  });

  it('says what is wrong', () => {
    const batch = buildBatch({ records, codec: Codec.gzip });
    batch[batch.length - 9]! ^= 0xff;
    expect(batchesText(batch)).toEqual([
      expect.stringMatching(/WRONG CHECKSUM$/),
      '  cannot be read: Invalid gzip data',
    ]);
    const unknown = buildBatch({ records });
    unknown[22] = 7;
    expect(batchesText(unknown)[0]).toContain('format 2, codec 7,');
    expect(batchesText(Buffer.alloc(70))).toEqual([
      'a message set that cannot be read: Message size 0 is less than the minimum',
    ]);
    expect(batchesText(Buffer.alloc(5))).toEqual(['5 bytes of a batch that is cut off or none']);
    const whole = buildBatch({ records });
    expect(batchesText(Buffer.concat([whole, whole.subarray(0, 62)])).at(-1)).toBe(
      '62 bytes of a batch that is cut off or none',
    );
  });

  it('reads message sets', () => {
    const set = convertDown(buildBatch({ records, codec: Codec.lz4 }), { toMagic: 1, firstOffset: 0 });
    if (!set.ok) throw new Error(set.message);
    expect(batchesText(set.value)).toEqual([
      'message set of format 1, lz4, 2 records, from 0 here',
      '  0 at 5: key "k", value null',
      '  1 at 6: key null, value "v"',
    ]);
    expect(batchesText(set.value.subarray(0, 20))).toEqual(['20 bytes of a message set that is cut off']);
  });
});
