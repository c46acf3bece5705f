/**
 * The records of a stored message of format 0 or 1, for those who print or check them: one, or those of the set that a
 * compressed message holds, with the offsets that readers give them. Reads what is there, wrong checksums included.
 * (Kafka: AbstractLegacyRecordBatch.DeepRecordsIterator, LegacyRecord.)
 */
import { err, ok, type Result } from '../base/result';
import * as batchHeader from '../records/batch-header';
import { crc32 } from '../records/checksum';
import { Codec, decompress, decompressFormat0, MAX_INFLATED_BYTES } from '../records/compression';

export interface LegacyRecord {
  readonly offset: number;
  /** -1 in format 0. */
  readonly timestamp: number;
  readonly crc: number;
  readonly isValid: boolean;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

export type LegacyTimestampType = batchHeader.TimestampType | 'NoTimestampType';

/** Where the parts of an entry begin, counted from its offset field. */
const CRC = batchHeader.LOG_OVERHEAD;
const CRC_COVERS_FROM = CRC + 4;
const ATTRIBUTES = CRC + 5;
const AFTER_ATTRIBUTES = CRC + 6;
const SMALLEST_ENTRY = CRC + 14;
const CODEC_MASK = 0x07;
const LOG_APPEND_TIME_BIT = 0x08;

export function legacyCrc(entry: Buffer): number {
  return entry.readUInt32BE(CRC);
}

/** `entry` is the whole message with its offset and size in front. */
export function isLegacyCrcValid(entry: Buffer): boolean {
  return crc32(entry.subarray(CRC_COVERS_FROM)) === legacyCrc(entry);
}

export function legacyCodec(entry: Buffer): number {
  return entry[ATTRIBUTES]! & CODEC_MASK;
}

export function legacyTimestampType(entry: Buffer): LegacyTimestampType {
  if (batchHeader.magic(entry) === 0) return 'NoTimestampType';
  return entry[ATTRIBUTES]! & LOG_APPEND_TIME_BIT ? 'LogAppendTime' : 'CreateTime';
}

/** The records of one stored message; the error says what is wrong with it. */
export function legacyRecords(entry: Buffer): Result<LegacyRecord[], string> {
  const outer = recordOf(entry);
  if (!outer.ok) return outer;
  const codec = legacyCodec(entry);
  if (codec === Codec.none) return ok([outer.value]);
  if (outer.value.value === null) return err('a compressed message without a value');
  const magic = batchHeader.magic(entry);
  const inflate = magic === 0 ? decompressFormat0 : decompress;
  const inflated = inflate(codec, outer.value.value, MAX_INFLATED_BYTES);
  if (!inflated.ok) return err(inflated.message ?? inflated.error);
  const inner = entriesOf(inflated.value);
  if (!inner.ok) return inner;
  const last = inner.value.at(-1);
  if (!last) return err('a compressed message that holds none');
  // Relative in format 1; the message around them has the offset of the last.
  const shift = magic === 0 ? 0 : outer.value.offset - last.offset;
  const appendTime = legacyTimestampType(entry) === 'LogAppendTime' ? outer.value.timestamp : undefined;
  return ok(
    inner.value.map((record) => ({
      ...record,
      offset: record.offset + shift,
      timestamp: appendTime ?? record.timestamp,
    })),
  );
}

function entriesOf(set: Buffer): Result<LegacyRecord[], string> {
  const records: LegacyRecord[] = [];
  for (let at = 0; at < set.length; ) {
    const left = set.length - at;
    const size = left < SMALLEST_ENTRY ? left : batchHeader.sizeInBytes(set, at);
    if (size < SMALLEST_ENTRY || size > left) return err('an inner message that is cut off');
    const record = recordOf(set.subarray(at, at + size));
    if (!record.ok) return record;
    records.push(record.value);
    at += size;
  }
  return ok(records);
}

function recordOf(entry: Buffer): Result<LegacyRecord, string> {
  const magic = batchHeader.magic(entry);
  if (magic !== 0 && magic !== 1) return err(`a message of format ${magic} in a set of format 0 or 1`);
  const key = nullableBytes(entry, AFTER_ATTRIBUTES + (magic === 1 ? 8 : 0));
  const value = key && nullableBytes(entry, key.end);
  if (value?.end !== entry.length) return err('message size does not fit key and value');
  return ok({
    offset: batchHeader.baseOffset(entry),
    timestamp: magic === 1 ? batchHeader.readInt64(entry, AFTER_ATTRIBUTES) : -1,
    crc: legacyCrc(entry),
    isValid: isLegacyCrcValid(entry),
    key: key!.bytes,
    value: value.bytes,
  });
}

/** What is at `at`, and where it ends; undefined when it does not fit. */
function nullableBytes(entry: Buffer, at: number): { bytes: Buffer | null; end: number } | undefined {
  const start = at + 4;
  if (start > entry.length) return undefined;
  const length = entry.readInt32BE(at);
  if (length < 0) return { bytes: null, end: start };
  const end = start + length;
  return end > entry.length ? undefined : { bytes: entry.subarray(start, end), end };
}
