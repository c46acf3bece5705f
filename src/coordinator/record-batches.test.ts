/** How changes become batches: together where they fit, in pieces only where they must. */
import { err } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from '../records/batch-header';
import { ManualClock } from '../testing/manual-clock';
import { MemoryPartition } from '../testing/memory-partition';
import { type EncodedChange, recordBytesOf, recordSizeBytes, writeBatches } from './record-batches';

const partition = { topic: 't', partition: 0 };
const record = (size: number) => ({ key: Buffer.alloc(1), value: Buffer.alloc(size) });
const OVERHEAD = recordSizeBytes(record(0));

function limits(writer: MemoryPartition, records: number) {
  const maxBatchBytes = records + 61;
  expect(recordBytesOf(maxBatchBytes)).toBe(records);
  return { writer, clock: new ManualClock(), compressionCodec: 0 as const, maxBatchBytes };
}

function changes(...sizes: number[][]): EncodedChange[] {
  let firstOffset = 0;
  return sizes.map((records) => {
    const change = { firstOffset, records: records.map(record) };
    firstOffset += records.length;
    return change;
  });
}

const counts = (writer: MemoryPartition): number[] => writer.batches.map((batch) => batchHeader.recordCount(batch));

describe('writeBatches', () => {
  it('puts changes together', async () => {
    const writer = new MemoryPartition();
    const result = await writeBatches(limits(writer, 10_000), { partition, changes: changes([1, 1], [1], [1, 1, 1]) });
    expect(result.ok).toBe(true);
    expect(counts(writer)).toEqual([6]);
  });

  it('does not split a change that fits into a batch of its own', async () => {
    const writer = new MemoryPartition();
    const size = 100 - OVERHEAD;
    await writeBatches(limits(writer, 300), { partition, changes: changes([size, size], [size, size], [size]) });
    expect(counts(writer)).toEqual([2, 3]);
  });

  it('splits one that fits nowhere', async () => {
    const writer = new MemoryPartition();
    const size = 100 - OVERHEAD;
    await writeBatches(limits(writer, 200), { partition, changes: changes([size], [size, size, size, size, size]) });
    expect(counts(writer)).toEqual([1, 2, 2, 1]);
    expect(writer.batches.every((batch) => batch.length <= 261)).toBe(true);
  });

  it('stops at the first failure', async () => {
    const writer = new MemoryPartition();
    writer.appendFailures.push(err(ErrorCode.KAFKA_STORAGE_ERROR));
    const size = 100 - OVERHEAD;
    const result = await writeBatches(limits(writer, 100), { partition, changes: changes([size], [size]) });
    expect(result).toEqual(err(ErrorCode.KAFKA_STORAGE_ERROR));
    expect(counts(writer)).toEqual([]);
  });

  it('fails when somebody else has written', async () => {
    const writer = new MemoryPartition();
    await writeBatches(limits(writer, 100), { partition, changes: changes([1]) });
    const result = await writeBatches(limits(writer, 100), { partition, changes: changes([1]) });
    expect(result).toEqual(err(ErrorCode.UNKNOWN_SERVER_ERROR));
  });

  it('compresses where it is told to', async () => {
    const writer = new MemoryPartition();
    await writeBatches({ ...limits(writer, 10_000), compressionCodec: 1 }, { partition, changes: changes([5000]) });
    expect(batchHeader.codec(writer.batches[0]!)).toBe(1);
    expect(writer.records()[0]).toHaveLength(1);
  });
});
