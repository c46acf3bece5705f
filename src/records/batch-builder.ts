/**
 * Making record batches of format v2: from records, and from another batch with another codec.
 * Owns the order of the steps (records, header, CRC); field positions are batch-header.ts, records are record-codec.ts.
 * (Kafka: MemoryRecordsBuilder.)
 */
import { assert } from '../base/assert';
import { err, ok, type Result } from '../base/result';
import * as batchHeader from './batch-header';
import { recordBytes, walkRecords } from './batch-walk';
import { Codec, compress, MAX_INFLATED_BYTES } from './compression';
import { type RecordHeader, RecordWriter } from './record-codec';

export interface NewRecord {
  /** Milliseconds; -1 for none. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: readonly RecordHeader[];
  /** Absolute, rising within the batch; counted up from `baseOffset` when not given. */
  readonly offset?: number;
}

export interface BatchOptions {
  /** At least one. */
  readonly records: readonly NewRecord[];
  readonly baseOffset?: number;
  readonly codec?: Codec;
  readonly compressionLevel?: number;
  /** Makes the batch one of LogAppendTime: every record counts as appended then. */
  readonly logAppendTimeMs?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  readonly partitionLeaderEpoch?: number;
}

const NO_HEADERS: readonly RecordHeader[] = [];
/** More than the lengths and deltas of a record usually take. */
const RECORD_OVERHEAD_ESTIMATE = 24;

/** One batch that holds `options.records`, CRC included. */
export function buildBatch(options: BatchOptions): Buffer {
  const { records } = options;
  assert(records.length > 0, 'a batch holds at least one record');
  const baseOffset = options.baseOffset ?? records[0]!.offset ?? 0;
  const baseTimestamp = records[0]!.timestamp;
  let sizeEstimate = 0;
  for (const { key, value } of records)
    sizeEstimate += (key?.length ?? 0) + (value?.length ?? 0) + RECORD_OVERHEAD_ESTIMATE;
  const writer = new RecordWriter(sizeEstimate);
  let maxTimestamp = -1;
  let offsetDelta = -1;
  for (const record of records) {
    offsetDelta = record.offset === undefined ? offsetDelta + 1 : record.offset - baseOffset;
    maxTimestamp = Math.max(maxTimestamp, record.timestamp);
    writer.record({
      timestampDelta: record.timestamp - baseTimestamp,
      offsetDelta,
      key: record.key,
      value: record.value,
      headers: record.headers ?? NO_HEADERS,
    });
  }
  const codec = options.codec ?? Codec.none;
  const batch = assemble(compress(codec, writer.finish(), options.compressionLevel), records.length);
  batchHeader.patchBaseOffset(batch, 0, baseOffset);
  batchHeader.patchPartitionLeaderEpoch(batch, 0, options.partitionLeaderEpoch ?? -1);
  batchHeader.patchAttributes(
    batch,
    0,
    batchHeader.makeAttributes({
      codec,
      timestampType: options.logAppendTimeMs === undefined ? 'CreateTime' : 'LogAppendTime',
      isTransactional: options.isTransactional ?? false,
      isControl: options.isControl ?? false,
    }),
  );
  batchHeader.patchLastOffsetDelta(batch, 0, offsetDelta);
  batchHeader.patchBaseTimestamp(batch, 0, baseTimestamp);
  batchHeader.patchMaxTimestamp(batch, 0, options.logAppendTimeMs ?? maxTimestamp);
  batchHeader.patchProducer(batch, 0, {
    id: options.producerId ?? -1,
    epoch: options.producerEpoch ?? -1,
    baseSequence: options.baseSequence ?? -1,
  });
  batchHeader.recomputeCrc(batch);
  return batch;
}

/** A batch around `payload` with only its size, magic and count set. */
function assemble(payload: Buffer, recordCount: number): Buffer {
  const batch = Buffer.allocUnsafe(batchHeader.HEADER_SIZE + payload.length);
  payload.copy(batch, batchHeader.HEADER_SIZE);
  batchHeader.patchSizeInBytes(batch, 0, batch.length);
  batch.writeInt8(batchHeader.MAGIC_V2, batchHeader.MAGIC_POSITION);
  batchHeader.patchRecordCount(batch, 0, recordCount);
  return batch;
}

/** A batch with the header of the one at `position` around another `payload`; the CRC is for the caller to make. */
export function withPayload(batch: Buffer, position: number, payload: Buffer): Buffer {
  const made = Buffer.allocUnsafe(batchHeader.HEADER_SIZE + payload.length);
  batch.copy(made, 0, position, position + batchHeader.HEADER_SIZE);
  payload.copy(made, batchHeader.HEADER_SIZE);
  batchHeader.patchSizeInBytes(made, 0, made.length);
  return made;
}

export interface RecompressOptions {
  readonly codec: Codec;
  readonly level?: number;
  readonly maxInflatedBytes?: number;
}

/**
 * The same records under another codec (also from or to none), with offset deltas 0, 1, 2, …: the broker corrects
 * those of clients that got them wrong. The error says why the batch cannot be read.
 */
export function recompressBatch(batch: Buffer, position: number, options: RecompressOptions): Result<Buffer, string> {
  const bytes = recordBytes(batch, position, options.maxInflatedBytes ?? MAX_INFLATED_BYTES);
  if (!bytes.ok) return err(bytes.message ?? bytes.error);
  const recordCount = batchHeader.recordCount(batch, position);
  let inOrder = true;
  let walked = walkRecords(bytes.value, recordCount, (cursor) => {
    inOrder &&= cursor.offsetDelta === cursor.index;
  });
  let payload = bytes.value;
  if (walked.ok && !inOrder) {
    const writer = new RecordWriter(payload.length);
    walked = walkRecords(bytes.value, recordCount, (cursor) => writer.renumbered(cursor, cursor.index));
    payload = writer.finish();
  }
  if (!walked.ok) return err(walked.error);
  const made = withPayload(batch, position, compress(options.codec, payload, options.level));
  const attributes = batchHeader.makeAttributes({
    codec: options.codec,
    timestampType: batchHeader.timestampType(batch, position),
    isTransactional: batchHeader.isTransactional(batch, position),
    isControl: batchHeader.isControl(batch, position),
  });
  batchHeader.patchAttributes(made, 0, attributes);
  batchHeader.patchLastOffsetDelta(made, 0, recordCount - 1);
  batchHeader.recomputeCrc(made);
  return ok(made);
}
