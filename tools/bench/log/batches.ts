/** The batches that the log's benchmarks append. */
import { buildBatch } from '../../../src/records/batch-builder';

/** A batch of one record without a key. */
export function singleRecordBatch(value: Buffer, timestamp = Date.now()): Buffer {
  return buildBatch({ records: [{ timestamp, key: null, value }] });
}
