/**
 * Batches of format v2 with fewer records, as compaction leaves them. What the others of a partition rely on stays:
 * base offset, last offset delta, leader epoch, producer and sequence, codec, the records' offsets and times. Owns how
 * a batch is put together again; which records go is the compactor's decision.
 * (Kafka: MemoryRecords.filterTo, DefaultRecordBatch.writeEmptyHeader.)
 */
import { withPayload } from './batch-builder';
import * as batchHeader from './batch-header';
import { RecordCursor } from './batch-walk';
import { Codec, compress } from './compression';
import { RecordWriter } from './record-codec';

const NO_TIMESTAMP = -1;

/** Which records of a batch stay. */
export class KeptRecords {
  count = 0;
  /** Largest time of a kept record, by its delta. */
  maxTimestampDelta = Number.NEGATIVE_INFINITY;
  hasTombstones = false;
  /** Begin and end of stretches of kept records. */
  readonly stretches: number[] = [];

  add(cursor: RecordCursor): void {
    this.count++;
    if (cursor.timestampDelta > this.maxTimestampDelta) this.maxTimestampDelta = cursor.timestampDelta;
    if (cursor.valueLength < 0) this.hasTombstones = true;
    const { stretches } = this;
    if (stretches.at(-1) === cursor.start) stretches[stretches.length - 1] = cursor.end;
    else stretches.push(cursor.start, cursor.end);
  }
}

export interface FilterOptions {
  /** The inflated records of the batch. */
  readonly bytes: Buffer;
  /** At least one. */
  readonly kept: KeptRecords;
  /** Gives a batch that has none yet its delete horizon. */
  readonly deleteHorizonMs?: number | undefined;
}

/** The batch at `position` with only its kept records. */
export function filteredBatch(batch: Buffer, position: number, options: FilterOptions): Buffer {
  const { kept, deleteHorizonMs } = options;
  const payload = deleteHorizonMs === undefined ? joined(options) : restamped(batch, position, options);
  const made = withPayload(batch, position, compress(batchHeader.codec(batch, position) as Codec, payload));
  batchHeader.patchRecordCount(made, 0, kept.count);
  if (batchHeader.timestampType(batch, position) === 'CreateTime') {
    batchHeader.patchMaxTimestamp(made, 0, batchHeader.baseTimestamp(batch, position) + kept.maxTimestampDelta);
  }
  if (deleteHorizonMs !== undefined) {
    batchHeader.patchHasDeleteHorizon(made, 0, true);
    batchHeader.patchBaseTimestamp(made, 0, deleteHorizonMs);
  }
  batchHeader.recomputeCrc(made);
  return made;
}

/** The header of the batch at `position` without records: it keeps its offsets and its producer's last sequence. */
export function emptiedBatch(batch: Buffer, position: number): Buffer {
  const made = withPayload(batch, position, Buffer.alloc(0));
  batchHeader.patchAttributes(made, 0, batchHeader.attributes(made) - batchHeader.codec(made) + Codec.none);
  batchHeader.patchHasDeleteHorizon(made, 0, false);
  batchHeader.patchBaseTimestamp(made, 0, NO_TIMESTAMP);
  batchHeader.patchRecordCount(made, 0, 0);
  batchHeader.recomputeCrc(made);
  return made;
}

function joined({ bytes, kept }: FilterOptions): Buffer {
  const { stretches } = kept;
  const writer = new RecordWriter(bytes.length);
  for (let i = 0; i < stretches.length; i += 2) writer.encoded(bytes.subarray(stretches[i], stretches[i + 1]));
  return writer.finish();
}

/** The kept records with their times relative to the delete horizon. */
function restamped(batch: Buffer, position: number, { bytes, kept, deleteHorizonMs = 0 }: FilterOptions): Buffer {
  const { stretches } = kept;
  const shiftMs = batchHeader.baseTimestamp(batch, position) - deleteHorizonMs;
  const writer = new RecordWriter(bytes.length);
  const cursor = new RecordCursor();
  for (let i = 0; i < stretches.length; i += 2) {
    cursor.reset(bytes.subarray(stretches[i], stretches[i + 1]));
    while (cursor.next()) writer.restamped(cursor, cursor.timestampDelta + shiftMs);
  }
  return writer.finish();
}
