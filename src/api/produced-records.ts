/**
 * What a Produce request may carry for one partition, as far as it shows before the log looks at it.
 * (Kafka: ProduceRequest.validateRecords, ByteBufferLogInputStream.)
 */
import { err, ok, type Result } from '../base/result';
import type { Records } from '../codec/field-values';
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from '../records/batch-header';
import { Codec } from '../records/compression';
import { isLegacyMessageSet } from '../records/message-set';

const FIRST_VERSION_WITH_BATCHES = 3;
const FIRST_VERSION_WITH_ZSTD = 7;
/** The smallest size that Kafka takes for a length field that makes sense. */
const SMALLEST_ENTRY = 14;

/**
 * The one batch or message set in `records`. What lies behind a batch, and is less than another one, is left out.
 * The error's message says what the version allows.
 */
export function checkProducedRecords(records: Records | null, version: number): Result<Buffer, ErrorCode> {
  if (!Buffer.isBuffer(records)) return err(ErrorCode.INVALID_RECORD, 'Records are null');
  if (version < FIRST_VERSION_WITH_BATCHES && (records.length === 0 || isLegacyMessageSet(records))) return ok(records);
  const size = batchSize(records);
  if (!size.ok) return size;
  if (size.value === 0) {
    return err(
      ErrorCode.INVALID_RECORD,
      `Produce requests with version ${version} must have at least one record batch`,
    );
  }
  if (batchHeader.magic(records) !== batchHeader.MAGIC_V2) {
    const message = `Produce requests with version ${version} are only allowed to contain record batches with magic 2`;
    return err(ErrorCode.INVALID_RECORD, message);
  }
  if (version < FIRST_VERSION_WITH_ZSTD && batchHeader.codec(records) === Codec.zstd) {
    const message = `Produce requests with version ${version} are not allowed to use ZStandard compression`;
    return err(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, message);
  }
  if (size.value < batchHeader.HEADER_SIZE)
    return err(ErrorCode.CORRUPT_MESSAGE, 'Record batch is shorter than its header');
  if (size.value === records.length) return ok(records);
  const next = batchSize(records.subarray(size.value));
  if (!next.ok) return next;
  if (next.value > 0) {
    const message = `Produce requests with version ${version} must contain exactly one record batch for each partition`;
    return err(ErrorCode.INVALID_RECORD, message);
  }
  return ok(records.subarray(0, size.value));
}

/** Bytes of the batch or message at the start of `records`; 0 when there is no whole one. */
function batchSize(records: Buffer): Result<number, ErrorCode> {
  if (records.length <= batchHeader.MAGIC_POSITION) return ok(0);
  const size = batchHeader.sizeInBytes(records);
  if (size < batchHeader.LOG_OVERHEAD + SMALLEST_ENTRY) {
    return err(ErrorCode.CORRUPT_MESSAGE, `Record size ${size} is smaller than any record`);
  }
  const magic = batchHeader.magic(records);
  if (magic < 0 || magic > batchHeader.MAGIC_V2) {
    return err(ErrorCode.CORRUPT_MESSAGE, `Invalid magic ${magic} in a record batch`);
  }
  return ok(size > records.length ? 0 : size);
}

/** Whether `records` start with a batch of a transaction. */
export function isTransactionalBatch(records: Buffer): boolean {
  return (
    records.length >= batchHeader.HEADER_SIZE &&
    batchHeader.magic(records) === batchHeader.MAGIC_V2 &&
    batchHeader.isTransactional(records)
  );
}
