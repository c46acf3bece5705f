/** Batches that lose records: what stays the same, and what is left. */
import fc from 'fast-check';
import { buildBatch } from './batch-builder';
import { emptiedBatch, filteredBatch, KeptRecords } from './batch-filter';
import * as batchHeader from './batch-header';
import { recordBytes, walkRecords } from './batch-walk';
import { Codec } from './compression';
import { decodeRecords } from './record-codec';

const record = fc.record({
  timestamp: fc.integer({ min: 0, max: 2 ** 42 }),
  key: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  value: fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))),
  headers: fc.constantFrom([], [{ key: 'ключ', value: Buffer.from('v') }]),
  stays: fc.boolean(),
});

function headOf(batch: Buffer): unknown[] {
  return [
    batchHeader.baseOffset(batch),
    batchHeader.lastOffset(batch),
    batchHeader.partitionLeaderEpoch(batch),
    batchHeader.producerId(batch),
    batchHeader.producerEpoch(batch),
    batchHeader.baseSequence(batch),
    batchHeader.lastSequence(batch),
    batchHeader.timestampType(batch),
    batchHeader.isTransactional(batch),
  ];
}

describe('filteredBatch', () => {
  it('keeps offsets, times, keys, values and headers of what stays', () => {
    const form = fc.record({
      codec: fc.constantFrom(Codec.none, Codec.gzip, Codec.lz4),
      due: fc.option(fc.integer({ min: 0, max: 2 ** 42 }), { nil: undefined }),
      at: fc.option(fc.integer({ min: 1, max: 2 ** 42 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 12 }), form, (given, { codec, due, at }) => {
        const batch = buildBatch({
          records: given,
          codec,
          baseOffset: 700,
          producerId: 9,
          producerEpoch: 3,
          baseSequence: 2 ** 31 - 3,
          partitionLeaderEpoch: 4,
          isTransactional: true,
          ...(at === undefined ? {} : { logAppendTimeMs: at }),
        });
        const before = decodeRecords(batch);
        const bytes = recordBytes(batch);
        if (!before.ok || !bytes.ok) throw new Error('cannot be read');
        const kept = new KeptRecords();
        walkRecords(bytes.value, given.length, (cursor) => {
          if (given[cursor.index]!.stays) kept.add(cursor);
        });
        fc.pre(kept.count > 0);
        const made = filteredBatch(Buffer.concat([Buffer.alloc(5), batch]), 5, {
          bytes: bytes.value,
          kept,
          deleteHorizonMs: due,
        });
        const wanted = before.value.filter((_, i) => given[i]!.stays);
        const after = decodeRecords(made);
        expect(after.ok && after.value).toEqual(wanted);
        expect(headOf(made)).toEqual(headOf(batch));
        expect([batchHeader.isCrcValid(made), batchHeader.codec(made), batchHeader.sizeInBytes(made)]).toEqual([
          true,
          codec,
          made.length,
        ]);
        expect(batchHeader.maxTimestamp(made)).toBe(Math.max(...wanted.map(({ timestamp }) => timestamp)));
        expect([batchHeader.deleteHorizonMs(made), kept.hasTombstones]).toEqual([
          due,
          wanted.some(({ value }) => value === null),
        ]);
      }),
    );
  });

  it('leaves a delete horizon that is there', () => {
    const batch = buildBatch({
      records: [10, 20].map((timestamp) => ({ timestamp, key: Buffer.from('k'), value: null })),
    });
    const keep = (from: Buffer, index: number, deleteHorizonMs?: number): Buffer => {
      const bytes = recordBytes(from);
      if (!bytes.ok) throw new Error('cannot be read');
      const kept = new KeptRecords();
      walkRecords(bytes.value, batchHeader.recordCount(from), (cursor) => {
        if (cursor.index >= index) kept.add(cursor);
      });
      return filteredBatch(from, 0, { bytes: bytes.value, kept, deleteHorizonMs });
    };
    const again = keep(keep(batch, 0, 5000), 1);
    const records = decodeRecords(again);
    expect([
      batchHeader.deleteHorizonMs(again),
      records.ok && records.value.map((r) => [r.offset, r.timestamp]),
    ]).toEqual([5000, [[1, 20]]]);
  });
});

describe('emptiedBatch', () => {
  it('is a header with the offsets and the sequence of the batch', () => {
    const batch = buildBatch({
      records: [{ timestamp: 10, key: null, value: Buffer.from('v') }],
      codec: Codec.gzip,
      baseOffset: 30,
      producerId: 1,
      producerEpoch: 2,
      baseSequence: 3,
    });
    batchHeader.patchHasDeleteHorizon(batch, 0, true);
    const empty = emptiedBatch(batch, 0);
    expect(headOf(empty)).toEqual(headOf(batch));
    expect([empty.length, batchHeader.recordCount(empty), batchHeader.codec(empty)]).toEqual([61, 0, Codec.none]);
    expect([batchHeader.baseTimestamp(empty), batchHeader.maxTimestamp(empty)]).toEqual([-1, 10]);
    expect([batchHeader.deleteHorizonMs(empty), batchHeader.isCrcValid(empty)]).toEqual([undefined, true]);
  });
});
