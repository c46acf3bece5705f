/** One pass over the records says what a walk with the cursor says, of good bytes and of all others. */
import fc from 'fast-check';
import { buildBatch } from './batch-builder';
import * as batchHeader from './batch-header';
import { recordBytes, walkRecords } from './batch-walk';
import { scanRecords } from './record-scan';

function scanned(bytes: Buffer, recordCount: number): unknown {
  const result = scanRecords(bytes, recordCount);
  return result.ok ? result.value : result.error;
}

function walkedFacts(bytes: Buffer, recordCount: number): unknown {
  const facts = {
    minTimestampDelta: Number.POSITIVE_INFINITY,
    maxTimestampDelta: Number.NEGATIVE_INFINITY,
    isDense: true,
    hasNullKey: false,
  };
  const walked = walkRecords(bytes, recordCount, ({ index, timestampDelta, offsetDelta, keyLength }) => {
    facts.minTimestampDelta = Math.min(facts.minTimestampDelta, timestampDelta);
    facts.maxTimestampDelta = Math.max(facts.maxTimestampDelta, timestampDelta);
    if (offsetDelta !== index) facts.isDense = false;
    if (keyLength < 0) facts.hasNullKey = true;
  });
  return walked.ok ? facts : walked.error;
}

const blob = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.nat(20_000).map((size) => new Uint8Array(size)),
);
const buffer = blob.map((bytes) => Buffer.from(bytes));
const record = fc.record({
  timestamp: fc.oneof(
    fc.nat(100),
    fc.nat(2 ** 31 - 1),
    fc.maxSafeNat().map((time) => Math.floor(time / 2)),
  ),
  key: fc.option(buffer),
  value: fc.option(buffer),
  headers: fc.array(fc.record({ key: fc.string({ maxLength: 5 }), value: fc.option(buffer) }), { maxLength: 3 }),
});

function bytesOf(batch: Buffer): Buffer {
  const bytes = recordBytes(batch);
  if (!bytes.ok) throw new Error(bytes.error);
  return Buffer.from(bytes.value);
}

describe('scanRecords', () => {
  it('says of good records what a walk says, also where a byte is another or is missing', () => {
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 8 }),
        fc.array(fc.record({ at: fc.nat(400), byte: fc.nat(255) }), { maxLength: 2 }),
        fc.option(fc.nat(400)),
        (records, changes, cut) => {
          const batch = buildBatch({ records });
          const count = batchHeader.recordCount(batch);
          const bytes = bytesOf(batch);
          expect(scanned(bytes, count)).toEqual(walkedFacts(bytes, count));
          expect(typeof scanned(bytes, count)).toBe('object');
          for (const { at, byte } of changes) if (at < bytes.length) bytes[at] = byte;
          const changed = cut === null ? bytes : bytes.subarray(0, cut);
          for (const claimed of [count - 1, count, count + 1]) {
            expect(scanned(changed, claimed)).toEqual(walkedFacts(changed, claimed));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('says of any bytes what a walk says', () => {
    const byte = fc.oneof({ weight: 3, arbitrary: fc.nat(24) }, { weight: 1, arbitrary: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 40 }), fc.nat(4), (values, count) => {
        const bytes = Buffer.from(values);
        expect(scanned(bytes, count)).toEqual(walkedFacts(bytes, count));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['a header that is not there', [12, 0, 0, 0, 1, 1, 2]],
    ['a header whose value goes beyond the record', [18, 0, 0, 0, 1, 1, 2, 2, 97, 60]],
    ['a key that goes beyond the record', [14, 0, 0, 0, 60, 1, 0, 0]],
    ['a size of nothing', [0]],
    ['a size below nothing', [1, 0, 0, 0, 1, 1, 0]],
    ['a number of headers below nothing', [12, 0, 0, 0, 1, 1, 1]],
  ])('refuses %s, as a walk does', (_what, values) => {
    const bytes = Buffer.from([...values, ...new Array<number>(40).fill(0)]);
    const failure = scanned(bytes, 1);
    expect(typeof failure).toBe('string');
    expect(failure).toBe(walkedFacts(bytes, 1));
  });

  it('takes a record whose sizes are written longer than they need be, as a walk does', () => {
    const bytes = Buffer.from([0x92, 0x80, 0x00, 0, 0x80, 0x00, 0x80, 0x00, 1, 0x81, 0x00, 0]);
    const facts = { minTimestampDelta: 0, maxTimestampDelta: 0, isDense: true, hasNullKey: true };
    expect([scanned(bytes, 1), walkedFacts(bytes, 1)]).toEqual([facts, facts]);
  });

  it('stops at the first gap where the records are more than anybody renumbers', () => {
    const gap = Buffer.from([12, 0, 0, 2, 1, 1, 0]);
    expect(scanned(gap, 1)).toMatchObject({ isDense: false });
    expect(scanned(gap, 1_000_001)).toBe('The offsets of 1000001 records are not 0, 1, 2, …');
  });
});
