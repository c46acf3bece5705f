/** What is written is read back: every mixture of null, empty and bytes. */
import fc from 'fast-check';
import { buildBatch } from './batch-builder';
import * as batchHeader from './batch-header';
import { Codec } from './compression';
import { decodeRecords, RecordWriter } from './record-codec';

const bytes = fc.option(fc.uint8Array({ maxLength: 200 }).map((data) => Buffer.from(data)));
const records = fc.array(
  fc.record({
    timestamp: fc.oneof(fc.integer({ min: -1, max: 2 ** 45 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    key: bytes,
    value: bytes,
    headers: fc.array(fc.record({ key: fc.string(), value: bytes }), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 20 },
);

describe('record codec', () => {
  it('reads back what was written, with every codec', () => {
    fc.assert(
      fc.property(records, fc.constantFrom(0, 1, 2, 3, 4), fc.nat(1e9), (list, codec, baseOffset) => {
        const batch = buildBatch({ records: list, codec: codec as Codec, baseOffset });
        expect(batchHeader.isCrcValid(batch)).toBe(true);
        const decoded = decodeRecords(batch);
        expect(decoded).toEqual({ ok: true, value: list.map((record, i) => ({ ...record, offset: baseOffset + i })) });
      }),
      { numRuns: 60 },
    );
  });

  it('gives every record the append time of its batch', () => {
    const batch = buildBatch({ records: [{ timestamp: 5, key: null, value: null }], logAppendTimeMs: 900 });
    const decoded = decodeRecords(batch);
    expect(decoded.ok && decoded.value.map((record) => record.timestamp)).toEqual([900]);
  });

  it('says what is wrong', () => {
    const batch = buildBatch({ records: [{ timestamp: 5, key: null, value: null }] });
    batchHeader.patchRecordCount(batch, 0, 2);
    expect(decodeRecords(batch)).toMatchObject({ ok: false, error: expect.stringMatching(/premature/) });
    batchHeader.patchAttributes(batch, 0, Codec.gzip);
    expect(decodeRecords(batch)).toMatchObject({ ok: false, error: 'Invalid gzip data' });
  });

  it('grows', () => {
    const fields = { timestampDelta: 0, key: null, value: Buffer.alloc(100), headers: [] };
    const [small, large] = [new RecordWriter(0), new RecordWriter(10_000)];
    for (let offsetDelta = 0; offsetDelta < 10; offsetDelta++) {
      small.record({ ...fields, offsetDelta });
      large.record({ ...fields, offsetDelta });
    }
    expect(small.finish()).toEqual(large.finish());
  });
});
