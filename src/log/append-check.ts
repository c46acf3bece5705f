/**
 * Whether what a producer sent may be stored, and in which form: sizes, CRC, counts, attributes, and a walk over the
 * records for keys and times. Pure: knows the topic's settings and the time, not the log; offsets and sequences come
 * later. The result is one v2 batch that is right in itself (counts, offset deltas, largest timestamp, CRC). Error
 * codes and their order are Kafka's. (Kafka: UnifiedLog.analyzeAndValidateRecords, LogValidator.)
 */
import { assert } from '../base/assert';
import { err, ok, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import type { LogConfig } from '../config/log-config';
import { recompressBatch } from '../records/batch-builder';
import * as batchHeader from '../records/batch-header';
import { passingRecordBytes, walkRecords } from '../records/batch-walk';
import { Codec, codecByName, isCodec, MAX_INFLATED_BYTES } from '../records/compression';
import { convertUp, isLegacyMessageSet } from '../records/message-set';
import { scanRecords } from '../records/record-scan';
import type { AppendFailure, AppendOrigin, RecordError } from './log-append';

export interface CheckContext {
  readonly config: LogConfig;
  readonly nowMs: number;
  readonly origin: Exclude<AppendOrigin, 'replication'>;
}

/** The smallest message of an old format, behind offset and size. */
const SMALLEST_MESSAGE = 14;
/** A batch may inflate to this many times the size limit of batches, if that is more than the general limit. */
const INFLATION_ALLOWED = 50;
const LOG_APPEND_TIME_BIT = 0x08;
const NO_RECORD_ERRORS: readonly RecordError[] = [];

function failure(code: ErrorCode, message: string, recordErrors = NO_RECORD_ERRORS): Result<never, AppendFailure> {
  return err({ code, message, recordErrors });
}

/** The batch to store, null when `records` holds no whole message (old versions may send that). */
export function checkAppend(records: Buffer, context: CheckContext): Result<Buffer | null, AppendFailure> {
  if (isLegacyMessageSet(records)) return checkLegacy(records, context);
  const framed = checkFrame(records, context);
  if (!framed.ok || framed.value === null) return framed;
  const batch = framed.value;
  if (context.origin === 'coordinator') return ok(batch);
  const invalid = checkHeader(batch);
  if (invalid !== undefined) return failure(ErrorCode.INVALID_RECORD, invalid);
  const walked = walk(batch, context);
  if (!walked.ok) return walked;
  return finish(batch, walked.value, context);
}

/** Size, format and checksum of the one batch that `records` may hold; a cut-off rest behind it is left out. */
function checkFrame(records: Buffer, { config, origin }: CheckContext): Result<Buffer | null, AppendFailure> {
  if (records.length < batchHeader.LOG_OVERHEAD) return ok(null);
  const size = batchHeader.sizeInBytes(records);
  if (size < batchHeader.LOG_OVERHEAD + SMALLEST_MESSAGE) {
    return failure(ErrorCode.CORRUPT_MESSAGE, `Record size ${size} is less than the smallest possible`);
  }
  if (size > records.length) return ok(null);
  const magic = batchHeader.magic(records);
  if (magic !== batchHeader.MAGIC_V2) {
    return failure(ErrorCode.CORRUPT_MESSAGE, `Invalid magic ${magic} of a record batch`);
  }
  if (size < batchHeader.HEADER_SIZE) {
    return failure(ErrorCode.CORRUPT_MESSAGE, `Record batch of ${size} bytes is smaller than its header`);
  }
  if (origin === 'client' && batchHeader.baseOffset(records) !== 0) {
    return failure(
      ErrorCode.INVALID_RECORD,
      `The base offset of the record batch should be 0, but it is ${batchHeader.baseOffset(records)}`,
    );
  }
  if (size > config.maxMessageBytes) return tooLarge(size, config);
  const batch = size === records.length ? records : records.subarray(0, size);
  if (!batchHeader.isCrcValid(batch)) {
    return failure(ErrorCode.CORRUPT_MESSAGE, `Record is corrupt (stored crc = ${batchHeader.crc(batch)})`);
  }
  return hasFurtherBatch(records, size)
    ? failure(ErrorCode.INVALID_RECORD, 'The record batch is followed by another one')
    : ok(batch);
}

/** Bytes that the records of one batch may take in memory: the topic's limit, which is very high unless it is set. */
function inflatedLimit(config: LogConfig): number {
  const sensible = Math.max(MAX_INFLATED_BYTES, INFLATION_ALLOWED * config.maxMessageBytes);
  return Math.min(config.maxDecompressedMessageBytes, sensible);
}

function tooLarge(size: number, config: LogConfig): Result<never, AppendFailure> {
  return failure(
    ErrorCode.MESSAGE_TOO_LARGE,
    `The record batch size is ${size} bytes, which exceeds the maximum of ${config.maxMessageBytes}`,
  );
}

function hasFurtherBatch(records: Buffer, position: number): boolean {
  return (
    records.length - position >= batchHeader.LOG_OVERHEAD &&
    position + batchHeader.sizeInBytes(records, position) <= records.length
  );
}

/** What is wrong with the header of a client's batch. */
function checkHeader(batch: Buffer): string | undefined {
  const count = batchHeader.recordCount(batch);
  const lastOffsetDelta = batchHeader.lastOffsetDelta(batch);
  if (count <= 0 || lastOffsetDelta + 1 !== count) {
    return `Inconsistent last offset delta ${lastOffsetDelta} and count of records ${count}`;
  }
  if (batchHeader.isControl(batch)) return 'Clients are not allowed to write control records';
  const producerId = batchHeader.producerId(batch);
  const baseSequence = batchHeader.baseSequence(batch);
  if (producerId >= 0 && baseSequence < 0) {
    return `Invalid sequence number ${baseSequence} in record batch with producerId ${producerId}`;
  }
  return isCodec(batchHeader.codec(batch)) ? undefined : `Unknown compression codec ${batchHeader.codec(batch)}`;
}

interface Walked {
  readonly maxTimestampMs: number;
  /** Whether the offset deltas are 0, 1, 2, … */
  readonly isDense: boolean;
}

function walk(batch: Buffer, context: CheckContext): Result<Walked, AppendFailure> {
  const { config } = context;
  const maxBytes = batchHeader.codec(batch) === Codec.none ? batch.length : inflatedLimit(config);
  const bytes = passingRecordBytes(batch, maxBytes);
  if (!bytes.ok) {
    // A producer splits a batch that is too large and sends the parts, which is the way out here too.
    return bytes.error === 'too-large'
      ? failure(ErrorCode.MESSAGE_TOO_LARGE, `The record batch is larger than ${maxBytes} bytes once inflated`)
      : failure(ErrorCode.INVALID_RECORD, bytes.message ?? `Records cannot be inflated: ${bytes.error}`);
  }
  const scanned = scanRecords(bytes.value, batchHeader.recordCount(batch));
  if (!scanned.ok) return failure(ErrorCode.INVALID_RECORD, scanned.error);
  const { minTimestampDelta, maxTimestampDelta, isDense, hasNullKey } = scanned.value;
  const isStamped = batchHeader.timestampType(batch) === 'LogAppendTime';
  const baseTimestamp = batchHeader.baseTimestamp(batch);
  const limits = timestampLimits(context);
  const isRefused =
    isStamped ||
    baseTimestamp + minTimestampDelta < limits.earliestMs ||
    baseTimestamp + maxTimestampDelta > limits.latestMs ||
    (config.cleanupCompact && hasNullKey);
  const refused = isRefused ? refuseRecords(batch, bytes.value, context) : undefined;
  if (refused !== undefined) return err(refused);
  const maxTimestampMs = isStamped ? batchHeader.maxTimestamp(batch) : baseTimestamp + maxTimestampDelta;
  return ok({ maxTimestampMs, isDense });
}

/** Of records; without bounds where the broker's own time is what counts. */
function timestampLimits({ config, nowMs }: CheckContext): { earliestMs: number; latestMs: number } {
  if (config.messageTimestampType !== 'CreateTime') {
    return { earliestMs: Number.NEGATIVE_INFINITY, latestMs: Number.POSITIVE_INFINITY };
  }
  return {
    earliestMs: nowMs - config.messageTimestampBeforeMaxMs,
    latestMs: nowMs + config.messageTimestampAfterMaxMs,
  };
}

/** What is wrong with each of the records, which are well-formed; undefined where nothing is. */
function refuseRecords(batch: Buffer, bytes: Buffer, context: CheckContext): AppendFailure | undefined {
  const { config } = context;
  const isCreateTime = config.messageTimestampType === 'CreateTime';
  const isStamped = batchHeader.timestampType(batch) === 'LogAppendTime';
  const baseTimestamp = batchHeader.baseTimestamp(batch);
  const stampMs = batchHeader.maxTimestamp(batch);
  const { earliestMs, latestMs } = timestampLimits(context);
  let hasBadTimestamp = false;
  const recordErrors: RecordError[] = [];
  const refuse = (batchIndex: number, message: string): void => {
    recordErrors.push({ batchIndex, message });
  };
  const walked = walkRecords(bytes, batchHeader.recordCount(batch), (record) => {
    const timestampMs = isStamped ? stampMs : baseTimestamp + record.timestampDelta;
    if (config.cleanupCompact && record.keyLength < 0) {
      refuse(record.index, 'Compacted topic cannot accept message without key');
    } else if (isCreateTime && timestampMs !== -1) {
      if (timestampMs < earliestMs || timestampMs > latestMs) {
        hasBadTimestamp = true;
        refuse(record.index, `Timestamp ${timestampMs} is out of range [${earliestMs}, ${latestMs}]`);
      }
    } else if (isStamped) {
      hasBadTimestamp = true;
      refuse(record.index, 'Producer should not set timestamp type to LogAppendTime');
    }
  });
  assert(walked.ok, 'records that were found well-formed before');
  if (recordErrors.length === 0) return undefined;
  return hasBadTimestamp
    ? {
        code: ErrorCode.INVALID_TIMESTAMP,
        message: 'One or more records have been rejected due to invalid timestamp',
        recordErrors,
      }
    : { code: ErrorCode.INVALID_RECORD, message: 'One or more records have been rejected', recordErrors };
}

/** Brings the batch into the topic's form: codec, dense offsets, its true largest timestamp, timestamp type. */
function finish(batch: Buffer, walked: Walked, { config }: CheckContext): Result<Buffer, AppendFailure> {
  const target = targetCodec(batch, config);
  let finished = batch;
  if (target.codec !== batchHeader.codec(batch) || !walked.isDense) {
    const made = recompressBatch(batch, 0, target);
    if (!made.ok) return failure(ErrorCode.INVALID_RECORD, made.error);
    finished = made.value;
    if (finished.length > config.maxMessageBytes) return tooLarge(finished.length, config);
  }
  const attributes = batchHeader.attributes(finished);
  const isStamped = (attributes & LOG_APPEND_TIME_BIT) !== 0;
  if (isStamped || batchHeader.maxTimestamp(finished) !== walked.maxTimestampMs) {
    batchHeader.patchAttributes(finished, 0, attributes & ~LOG_APPEND_TIME_BIT);
    // Beyond 2^53 a sum of base and delta is not exact; the producer's own value then stands.
    if (Number.isSafeInteger(walked.maxTimestampMs)) batchHeader.patchMaxTimestamp(finished, 0, walked.maxTimestampMs);
    batchHeader.recomputeCrc(finished);
  }
  return ok(finished);
}

function targetCodec(batch: Buffer, config: LogConfig): { codec: Codec; level?: number; maxInflatedBytes: number } {
  const maxInflatedBytes = inflatedLimit(config);
  const bits = batchHeader.codec(batch);
  const current = isCodec(bits) ? bits : Codec.none;
  switch (config.compressionType) {
    case 'producer':
      return { codec: current, maxInflatedBytes, ...levelOf(current, config) };
    case 'uncompressed':
      return { codec: Codec.none, maxInflatedBytes };
    default: {
      const codec = codecByName(config.compressionType) ?? current;
      return { codec, maxInflatedBytes, ...levelOf(codec, config) };
    }
  }
}

function levelOf(codec: Codec, config: LogConfig): { level?: number } {
  if (codec === Codec.gzip) return { level: config.compressionGzipLevel };
  if (codec === Codec.lz4) return { level: config.compressionLz4Level };
  return codec === Codec.zstd ? { level: config.compressionZstdLevel } : {};
}

function checkLegacy(records: Buffer, context: CheckContext): Result<Buffer | null, AppendFailure> {
  const { config } = context;
  // Each message is a batch of its own in the old formats: the limit applies to each.
  for (let at = 0; at + batchHeader.LOG_OVERHEAD <= records.length; ) {
    const size = batchHeader.sizeInBytes(records, at);
    if (size < batchHeader.LOG_OVERHEAD + SMALLEST_MESSAGE || at + size > records.length) break;
    if (size > config.maxMessageBytes) return tooLarge(size, config);
    at += size;
  }
  const converted = convertUp(records, inflatedLimit(config));
  if (!converted.ok) return failure(converted.error, converted.message ?? 'Invalid message set');
  const { batch } = converted.value;
  if (batch === null) return ok(null);
  const walked = walk(batch, context);
  if (!walked.ok) return walked;
  const finished = finish(batch, walked.value, context);
  if (finished.ok && finished.value.length > config.maxMessageBytes) return tooLarge(finished.value.length, config);
  return finished;
}

/**
 * What a leader sent: whole v2 batches with rising offsets and right checksums; a cut-off one at the end is left out.
 * Null when there is no whole batch.
 */
export function checkReplicated(records: Buffer): Result<Buffer | null, AppendFailure> {
  let at = 0;
  let previousOffset = -1;
  while (records.length - at >= batchHeader.HEADER_SIZE) {
    const size = batchHeader.sizeInBytes(records, at);
    if (size < batchHeader.HEADER_SIZE || batchHeader.magic(records, at) !== batchHeader.MAGIC_V2) {
      return failure(ErrorCode.CORRUPT_MESSAGE, 'A replicated batch is not a record batch');
    }
    if (at + size > records.length) break;
    if (!batchHeader.isCrcValid(records, at)) {
      return failure(ErrorCode.CORRUPT_MESSAGE, 'The checksum of a replicated batch is wrong');
    }
    if (batchHeader.baseOffset(records, at) <= previousOffset) {
      return failure(ErrorCode.CORRUPT_MESSAGE, 'The offsets of replicated batches do not rise');
    }
    previousOffset = batchHeader.lastOffset(records, at);
    at += size;
  }
  return ok(at === 0 ? null : records.subarray(0, at));
}
