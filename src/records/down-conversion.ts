/**
 * Record batches as message sets of format 0 or 1, for clients that fetch with versions from before record batches.
 * What those formats cannot hold goes: headers, control batches, producer ids. Codecs stay.
 * (Kafka up to 3.9: RecordsUtil.downConvert, LazyDownConversionRecords. Reading these formats is message-set.ts.)
 */
import { err, ok, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from './batch-header';
import { crc32 } from './checksum';
import { Codec, compress, compressFormat0 } from './compression';
import type { LegacyMagic } from './message-set';
import { decodeRecords, type LogRecord } from './record-codec';

const LOG_APPEND_TIME_BIT = 0x08;
/** Without key and value: size of an entry's header, and of a message. */
const MESSAGE_BYTES: Record<LegacyMagic, number> = { 0: 14, 1: 22 };

export interface DownConversionOptions {
  readonly toMagic: LegacyMagic;
  /**
   * Where the client reads: records of uncompressed batches before it are left out, since in the old formats each would
   * be a batch of its own.
   */
  readonly firstOffset: number;
}

/**
 * The whole v2 batches in `batches` as a message set. Where nothing is left of them, an entry that declares more bytes
 * than it has, which clients take for a message cut off.
 * Errors: UNSUPPORTED_COMPRESSION_TYPE for zstd (behind other batches it ends the set: the next fetch meets it first);
 * CORRUPT_MESSAGE for a batch that cannot be read.
 */
export function convertDown(batches: Buffer, options: DownConversionOptions): Result<Buffer, ErrorCode> {
  const parts: Buffer[] = [];
  let position = 0;
  while (position < batches.length) {
    const end = position + batchHeader.sizeInBytes(batches, position);
    if (!batchHeader.isControl(batches, position)) {
      if (batchHeader.codec(batches, position) === Codec.zstd) {
        if (parts.length > 0) break;
        return err(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, 'zstd batches cannot be converted to older formats');
      }
      const set = convertBatch(batches, position, options);
      if (!set.ok) return set;
      if (set.value.length > 0) parts.push(set.value);
    }
    position = end;
  }
  if (parts.length === 0 && batches.length > 0) return ok(cutOffEntry());
  return ok(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
}

function cutOffEntry(): Buffer {
  const entry = Buffer.alloc(batchHeader.LOG_OVERHEAD);
  batchHeader.writeInt64(entry, 0, -1);
  entry.writeInt32BE(batchHeader.HEADER_SIZE, 8);
  return entry;
}

function convertBatch(batches: Buffer, position: number, options: DownConversionOptions): Result<Buffer, ErrorCode> {
  const { toMagic, firstOffset } = options;
  const decoded = decodeRecords(batches, position);
  if (!decoded.ok) return err(ErrorCode.CORRUPT_MESSAGE, decoded.error);
  const codec = batchHeader.codec(batches, position) as Codec;
  const isLogAppendTime = batchHeader.timestampType(batches, position) === 'LogAppendTime';
  const timeBit = isLogAppendTime && toMagic === 1 ? LOG_APPEND_TIME_BIT : 0;
  if (codec === Codec.none) {
    const records = decoded.value.filter((record) => record.offset >= firstOffset);
    return ok(messageSet(records, { magic: toMagic, attributes: timeBit, relativeTo: 0 }));
  }
  const records = decoded.value;
  const last = records.at(-1);
  if (last === undefined) return ok(Buffer.alloc(0));
  const relativeTo = toMagic === 1 ? records[0]!.offset : 0;
  const inner = messageSet(records, { magic: toMagic, attributes: timeBit, relativeTo });
  const wrapper: LogRecord = {
    offset: last.offset,
    timestamp: isLogAppendTime ? last.timestamp : records.reduce((max, record) => Math.max(max, record.timestamp), -1),
    key: null,
    value: toMagic === 0 ? compressFormat0(codec, inner) : compress(codec, inner),
    headers: [],
  };
  return ok(messageSet([wrapper], { magic: toMagic, attributes: codec | timeBit, relativeTo: 0 }));
}

interface SetOptions {
  readonly magic: LegacyMagic;
  readonly attributes: number;
  /** Subtracted from every offset. */
  readonly relativeTo: number;
}

function messageSet(records: readonly LogRecord[], options: SetOptions): Buffer {
  const overhead = batchHeader.LOG_OVERHEAD + MESSAGE_BYTES[options.magic];
  const size = records.reduce((sum, { key, value }) => sum + overhead + (key?.length ?? 0) + (value?.length ?? 0), 0);
  const set = Buffer.allocUnsafe(size);
  let at = 0;
  for (const record of records) at = writeEntry(set, at, { record, ...options });
  return set;
}

function writeEntry(set: Buffer, start: number, entry: SetOptions & { record: LogRecord }): number {
  const { record, magic } = entry;
  const message = start + batchHeader.LOG_OVERHEAD;
  let at = message + 4;
  set[at++] = magic;
  set[at++] = entry.attributes;
  if (magic === 1) {
    batchHeader.writeInt64(set, at, record.timestamp);
    at += 8;
  }
  at = writeNullable(set, at, record.key);
  at = writeNullable(set, at, record.value);
  batchHeader.writeInt64(set, start, record.offset - entry.relativeTo);
  set.writeInt32BE(at - message, start + 8);
  set.writeUInt32BE(crc32(set.subarray(message + 4, at)), message);
  return at;
}

function writeNullable(set: Buffer, at: number, bytes: Buffer | null): number {
  set.writeInt32BE(bytes === null ? -1 : bytes.length, at);
  return at + 4 + (bytes === null ? 0 : bytes.copy(set, at + 4));
}
