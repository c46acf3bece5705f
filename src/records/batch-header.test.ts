/** Every field at its place, patches, and the CRC. The bytes of Kafka's own classes are java-vectors.test.ts. */
import { buildBatch } from './batch-builder';
import * as batchHeader from './batch-header';

const record = { timestamp: 1000, key: Buffer.from('k'), value: Buffer.from('v') };

function sample(): Buffer {
  const batch = buildBatch({
    records: [record, { ...record, timestamp: 5000 }, { ...record, timestamp: 3000 }],
    baseOffset: 2 ** 40 + 7,
    producerId: 2 ** 45 + 1,
    producerEpoch: 9,
    baseSequence: 2 ** 31 - 2,
    isTransactional: true,
    partitionLeaderEpoch: 3,
  });
  // Not at the start of a buffer, to see that positions are used.
  return Buffer.concat([Buffer.alloc(10, 0xff), batch]);
}

describe('batch header', () => {
  it('reads every field', () => {
    const batch = sample();
    expect(batchHeader.baseOffset(batch, 10)).toBe(2 ** 40 + 7);
    expect(batchHeader.lastOffset(batch, 10)).toBe(2 ** 40 + 9);
    expect(batchHeader.sizeInBytes(batch, 10)).toBe(batch.length - 10);
    expect(batchHeader.partitionLeaderEpoch(batch, 10)).toBe(3);
    expect(batchHeader.magic(batch, 10)).toBe(2);
    expect(batchHeader.attributes(batch, 10)).toBe(0x10);
    expect(batchHeader.codec(batch, 10)).toBe(0);
    expect(batchHeader.timestampType(batch, 10)).toBe('CreateTime');
    expect(batchHeader.isTransactional(batch, 10)).toBe(true);
    expect(batchHeader.isControl(batch, 10)).toBe(false);
    expect(batchHeader.lastOffsetDelta(batch, 10)).toBe(2);
    expect(batchHeader.baseTimestamp(batch, 10)).toBe(1000);
    expect(batchHeader.maxTimestamp(batch, 10)).toBe(5000);
    expect(batchHeader.producerId(batch, 10)).toBe(2 ** 45 + 1);
    expect(batchHeader.producerEpoch(batch, 10)).toBe(9);
    expect(batchHeader.baseSequence(batch, 10)).toBe(2 ** 31 - 2);
    expect(batchHeader.recordCount(batch, 10)).toBe(3);
    expect(batchHeader.isCrcValid(batch, 10)).toBe(true);
  });

  it('counts sequences on from 0 after the largest', () => {
    expect(batchHeader.lastSequence(sample(), 10)).toBe(0);
    expect(batchHeader.incrementSequence(2 ** 31 - 1, 1)).toBe(0);
    expect(batchHeader.incrementSequence(2 ** 31 - 1, 0)).toBe(2 ** 31 - 1);
    expect(batchHeader.incrementSequence(5, 2)).toBe(7);
    expect(batchHeader.lastSequence(buildBatch({ records: [record, record] }))).toBe(-1);
  });

  it('keeps the CRC right when offset and leader epoch are assigned', () => {
    const batch = sample();
    batchHeader.patchBaseOffset(batch, 10, 123456789012);
    batchHeader.patchPartitionLeaderEpoch(batch, 10, 44);
    expect([batchHeader.baseOffset(batch, 10), batchHeader.partitionLeaderEpoch(batch, 10)]).toEqual([
      123456789012, 44,
    ]);
    expect(batchHeader.isCrcValid(batch, 10)).toBe(true);
  });

  it('makes a batch one of append time', () => {
    const batch = sample();
    batchHeader.patchLogAppendTime(batch, 10, 77_000);
    expect(batchHeader.timestampType(batch, 10)).toBe('LogAppendTime');
    expect(batchHeader.maxTimestamp(batch, 10)).toBe(77_000);
    expect(batchHeader.isTransactional(batch, 10)).toBe(true);
    expect(batchHeader.isCrcValid(batch, 10)).toBe(true);
  });

  it('sees damage', () => {
    const batch = sample();
    batch[batch.length - 2]! ^= 1;
    expect(batchHeader.isCrcValid(batch, 10)).toBe(false);
    expect(batchHeader.computeCrc(batch, 10)).not.toBe(batchHeader.crc(batch, 10));
    batchHeader.recomputeCrc(batch, 10);
    expect(batchHeader.isCrcValid(batch, 10)).toBe(true);
  });

  it.each([0, 1, -1, 2 ** 31, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, 2 ** 53 - 1, 1 - 2 ** 53])(
    'keeps int64 %d',
    (value) => {
      const bytes = Buffer.alloc(8);
      batchHeader.writeInt64(bytes, 0, value);
      expect(bytes.readBigInt64BE()).toBe(BigInt(value));
      expect(batchHeader.readInt64(bytes, 0)).toBe(value);
    },
  );

  it('reads what is beyond 2^53 as the nearest', () => {
    const bytes = Buffer.alloc(8, 0xff);
    bytes[0] = 0x7f;
    expect(batchHeader.readInt64(bytes, 0)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
