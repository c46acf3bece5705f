/**
 * Message sets of formats 0 and 1, from before record batches: reading them and converting them up to one v2 batch.
 * Owns their layout; the other direction is down-conversion.ts.
 *
 *   set     = entries: offset int64, size int32, message
 *   message = CRC-32 of what follows, magic int8, attributes int8 (codec in bits 0 to 2; LogAppendTime is bit 3),
 *             timestamp int64 (format 1 only), key and value (int32 length, -1 is null)
 *
 * A compressed message holds a compressed set as its value; its inner offsets are absolute in format 0 and relative in
 * format 1. Producers get them wrong, so they are not looked at: records are numbered in order.
 * (Kafka: LegacyRecord, AbstractLegacyRecordBatch, LogValidator.)
 */
import { err, ok, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import { buildBatch } from './batch-builder';
import { LOG_OVERHEAD, MAGIC_POSITION, readInt64 } from './batch-header';
import { crc32 } from './checksum';
import { Codec, decompress, decompressFormat0, isCodec, MAX_INFLATED_BYTES } from './compression';

/** Bytes of a message without key and value. */
const SMALLEST_MESSAGE = 14;
const CRC = 0;
const CRC_COVERS_FROM = 4;
const MAGIC = 4;
const ATTRIBUTES = 5;
const AFTER_ATTRIBUTES = 6;
const CODEC_MASK = 0x07;
const LOG_APPEND_TIME_BIT = 0x08;

export type LegacyMagic = 0 | 1;

interface LegacyMessage {
  readonly magic: LegacyMagic;
  readonly codec: Codec;
  readonly isLogAppendTime: boolean;
  /** -1 in format 0. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** Whether what a producer sent is of format 0 or 1. */
export function isLegacyMessageSet(records: Buffer): boolean {
  return records.length > MAGIC_POSITION && records[MAGIC_POSITION]! < 2;
}

export interface UpConversion {
  /** Null when the set holds no whole message. */
  readonly batch: Buffer | null;
  /** The format that the messages had. */
  readonly magic: LegacyMagic;
  /** The codec that they had, and that the batch has. */
  readonly codec: Codec;
}

/**
 * One v2 batch, base offset 0, with the messages of `set` in order. A cut-off message at the end is left out, as in
 * Kafka.
 * Errors: CORRUPT_MESSAGE for lengths and checksums, INVALID_RECORD for sets that no client may send.
 */
export function convertUp(set: Buffer, maxInflatedBytes = MAX_INFLATED_BYTES): Result<UpConversion, ErrorCode> {
  const outer = parseEntries(set);
  if (!outer.ok) return outer;
  const first = outer.value[0];
  if (first === undefined) return ok({ batch: null, magic: 0, codec: Codec.none });
  const compressed = outer.value.find((message) => message.codec !== Codec.none);
  if (compressed !== undefined && outer.value.length > 1) {
    return err(ErrorCode.INVALID_RECORD, 'Compressed outer record has more than one batch');
  }
  let messages = outer.value;
  if (compressed !== undefined) {
    const inner = unwrap(compressed, maxInflatedBytes);
    if (!inner.ok) return inner;
    messages = inner.value;
  }
  if (messages.some((message) => message.magic !== first.magic)) {
    return err(ErrorCode.INVALID_RECORD, 'Messages of different formats in one set');
  }
  return ok({ batch: batchOf(messages, compressed), magic: first.magic, codec: compressed?.codec ?? Codec.none });
}

function batchOf(messages: readonly LegacyMessage[], wrapper: LegacyMessage | undefined): Buffer {
  const timed = wrapper?.isLogAppendTime ? wrapper : messages.find((message) => message.isLogAppendTime);
  return buildBatch({
    baseOffset: 0,
    codec: wrapper?.codec ?? Codec.none,
    records: messages.map(({ timestamp, key, value }) => ({ timestamp, key, value })),
    ...(timed === undefined ? {} : { logAppendTimeMs: timed.timestamp }),
  });
}

function unwrap(wrapper: LegacyMessage, maxInflatedBytes: number): Result<LegacyMessage[], ErrorCode> {
  if (wrapper.codec === Codec.zstd) return err(ErrorCode.INVALID_RECORD, 'zstd in a message format without it');
  if (wrapper.value === null) return err(ErrorCode.INVALID_RECORD, 'Compressed message set with null value');
  const inflate = wrapper.magic === 0 ? decompressFormat0 : decompress;
  const bytes = inflate(wrapper.codec, wrapper.value, maxInflatedBytes);
  if (!bytes.ok) return err(ErrorCode.INVALID_RECORD, bytes.message ?? 'Compressed message set is too large');
  const inner = parseEntries(bytes.value);
  if (!inner.ok) return inner;
  if (inner.value.length === 0) return err(ErrorCode.INVALID_RECORD, 'Compressed message set with no inner messages');
  if (inner.value.some((message) => message.codec !== Codec.none)) {
    return err(ErrorCode.INVALID_RECORD, 'Inner messages must not be compressed');
  }
  return inner;
}

function parseEntries(set: Buffer): Result<LegacyMessage[], ErrorCode> {
  const messages: LegacyMessage[] = [];
  let at = 0;
  while (at + LOG_OVERHEAD <= set.length) {
    const size = set.readInt32BE(at + LOG_OVERHEAD - 4);
    if (size < SMALLEST_MESSAGE) return err(ErrorCode.CORRUPT_MESSAGE, `Message size ${size} is less than the minimum`);
    const start = at + LOG_OVERHEAD;
    if (start + size > set.length) break;
    const message = parseMessage(set.subarray(start, start + size));
    if (!message.ok) return message;
    messages.push(message.value);
    at = start + size;
  }
  return ok(messages);
}

function parseMessage(bytes: Buffer): Result<LegacyMessage, ErrorCode> {
  const magic = bytes.readInt8(MAGIC);
  if (magic !== 0 && magic !== 1) {
    // Anything else is a newer format among old ones when it is known at all.
    const known = magic === 2;
    return err(known ? ErrorCode.INVALID_RECORD : ErrorCode.CORRUPT_MESSAGE, `Invalid magic ${magic} in a message set`);
  }
  const stored = bytes.readUInt32BE(CRC);
  const computed = crc32(bytes.subarray(CRC_COVERS_FROM));
  if (stored !== computed) {
    return err(ErrorCode.CORRUPT_MESSAGE, `Record is corrupt (stored crc = ${stored}, computed crc = ${computed})`);
  }
  const attributes = bytes[ATTRIBUTES]!;
  const codec = attributes & CODEC_MASK;
  if (!isCodec(codec)) return err(ErrorCode.INVALID_RECORD, `Unknown compression codec ${codec}`);
  const keyAt = AFTER_ATTRIBUTES + (magic === 1 ? 8 : 0);
  const key = nullableBytes(bytes, keyAt);
  const value = key && nullableBytes(bytes, key.next);
  if (value?.next !== bytes.length) return err(ErrorCode.CORRUPT_MESSAGE, 'Message size does not fit key and value');
  return ok({
    magic,
    codec,
    isLogAppendTime: magic === 1 && (attributes & LOG_APPEND_TIME_BIT) !== 0,
    timestamp: magic === 1 ? readInt64(bytes, AFTER_ATTRIBUTES) : -1,
    key: key!.bytes,
    value: value.bytes,
  });
}

/** What is at `at`, and where it ends; undefined when it does not fit. */
function nullableBytes(bytes: Buffer, at: number): { bytes: Buffer | null; next: number } | undefined {
  if (at + 4 > bytes.length) return undefined;
  const length = bytes.readInt32BE(at);
  const start = at + 4;
  if (length < 0) return { bytes: null, next: start };
  return start + length > bytes.length
    ? undefined
    : { bytes: bytes.subarray(start, start + length), next: start + length };
}
