/** What each version of Produce may carry. */
import { ErrorCode } from '../codec/generated/errors';
import { buildBatch } from '../records/batch-builder';
import * as batchHeader from '../records/batch-header';
import { Codec } from '../records/compression';
import { convertDown } from '../records/down-conversion';
import { checkProducedRecords, isTransactionalBatch } from './produced-records';

const record = { timestamp: 1, key: null, value: Buffer.from('v') };
const batch = buildBatch({ records: [record] });
const converted = convertDown(batch, { toMagic: 1, firstOffset: 0 });
const messageSet = converted.ok ? converted.value : Buffer.alloc(0);

function changed(change: (bytes: Buffer) => void): Buffer {
  const copy = Buffer.from(batch);
  change(copy);
  return copy;
}

describe('records of a Produce request', () => {
  it.each([0, 2, 3, 9, 13])('may be one batch, version %d', (version) => {
    expect(checkProducedRecords(batch, version)).toEqual({ ok: true, value: batch });
  });

  it('may be a message set up to version 2 only', () => {
    for (const version of [0, 1, 2]) {
      expect(checkProducedRecords(messageSet, version)).toEqual({ ok: true, value: messageSet });
      expect(checkProducedRecords(Buffer.alloc(0), version).ok).toBe(true);
    }
    expect(checkProducedRecords(messageSet, 3)).toMatchObject({ error: ErrorCode.INVALID_RECORD });
  });

  it.each([
    ['null', null, ErrorCode.INVALID_RECORD],
    ['nothing', Buffer.alloc(0), ErrorCode.INVALID_RECORD],
    ['two batches', Buffer.concat([batch, batch]), ErrorCode.INVALID_RECORD],
    ['half a batch', batch.subarray(0, 40), ErrorCode.INVALID_RECORD],
    ['an unknown magic', changed((bytes) => bytes.writeInt8(3, 16)), ErrorCode.CORRUPT_MESSAGE],
    ['a negative length', changed((bytes) => bytes.writeInt32BE(-5, 8)), ErrorCode.CORRUPT_MESSAGE],
    ['a length of 0', changed((bytes) => bytes.writeInt32BE(0, 8)), ErrorCode.CORRUPT_MESSAGE],
    ['less than a header', changed((bytes) => bytes.writeInt32BE(20, 8)), ErrorCode.CORRUPT_MESSAGE],
  ])('are not %s', (_what, records, code) => {
    for (const version of [3, 13]) expect(checkProducedRecords(records, version)).toMatchObject({ error: code });
  });

  it('leave out a piece of another batch at the end', () => {
    const records = Buffer.concat([batch, batch.subarray(0, 50)]);
    expect(checkProducedRecords(records, 9)).toEqual({ ok: true, value: batch });
  });

  it('are of codec zstd from version 7 on', () => {
    const zstd = buildBatch({ records: [record], codec: Codec.zstd });
    for (const version of [2, 3, 6]) {
      expect(checkProducedRecords(zstd, version)).toMatchObject({ error: ErrorCode.UNSUPPORTED_COMPRESSION_TYPE });
    }
    expect(checkProducedRecords(zstd, 7).ok).toBe(true);
  });
});

describe('isTransactionalBatch', () => {
  it('looks at v2 batches alone', () => {
    expect(isTransactionalBatch(batch)).toBe(false);
    expect(isTransactionalBatch(messageSet)).toBe(false);
    expect(isTransactionalBatch(Buffer.alloc(10))).toBe(false);
    const transactional = Buffer.from(batch);
    batchHeader.patchAttributes(transactional, 0, 0x10);
    expect(isTransactionalBatch(transactional)).toBe(true);
  });
});
