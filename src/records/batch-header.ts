/**
 * The header of a record batch in format v2, read and patched in place: functions over (buffer, position of the batch).
 * Owns the field positions; knows nothing about the records behind the header. No objects are made: this is the hot
 * path. The caller has made sure that `HEADER_SIZE` bytes are there; `crc` functions also need the whole batch.
 * Offsets and timestamps are numbers, exact within 2^53. Base offset and leader epoch lie before what the CRC covers.
 * (Kafka: DefaultRecordBatch.)  Meant for `import * as batchHeader`.
 */
import { saturatingInt64 } from '../codec/int64';
import { crc32c } from './checksum';

/** Bytes of the header, up to the first record. */
export const HEADER_SIZE = 61;
/** Bytes before what `batchLength` counts: the base offset and the length itself. Also in the legacy formats. */
export const LOG_OVERHEAD = 12;
/** Where the magic byte is, in every format. */
export const MAGIC_POSITION = 16;
/** The current format. */
export const MAGIC_V2 = 2;

const LENGTH = 8;
const LEADER_EPOCH = 12;
const CRC = 17;
const ATTRIBUTES = 21;
const LAST_OFFSET_DELTA = 23;
const BASE_TIMESTAMP = 27;
const MAX_TIMESTAMP = 35;
const PRODUCER_ID = 43;
const PRODUCER_EPOCH = 51;
const BASE_SEQUENCE = 53;
const RECORD_COUNT = 57;

const CODEC_MASK = 0x07;
const LOG_APPEND_TIME_BIT = 0x08;
const TRANSACTIONAL_BIT = 0x10;
const CONTROL_BIT = 0x20;
const DELETE_HORIZON_BIT = 0x40;
const KNOWN_BITS = 0x7f;

const TWO_32 = 2 ** 32;
const MAX_SEQUENCE = 2 ** 31 - 1;

export type TimestampType = 'CreateTime' | 'LogAppendTime';

/** A big-endian signed 64-bit integer: the nearest number within 2^53. */
export function readInt64(buffer: Buffer, position: number): number {
  return saturatingInt64(buffer.readInt32BE(position), buffer.readUInt32BE(position + 4));
}

/** Writes `value`, an integer within 2^53, as a big-endian signed 64-bit integer. */
export function writeInt64(buffer: Buffer, position: number, value: number): void {
  const high = Math.floor(value / TWO_32);
  buffer.writeInt32BE(high, position);
  buffer.writeUInt32BE(value - high * TWO_32, position + 4);
}

export function baseOffset(buffer: Buffer, position = 0): number {
  return readInt64(buffer, position);
}

/** Bytes of the whole batch, header included. Negative or small values are possible in bad input. */
export function sizeInBytes(buffer: Buffer, position = 0): number {
  return buffer.readInt32BE(position + LENGTH) + LOG_OVERHEAD;
}

export function partitionLeaderEpoch(buffer: Buffer, position = 0): number {
  return buffer.readInt32BE(position + LEADER_EPOCH);
}

export function magic(buffer: Buffer, position = 0): number {
  return buffer.readInt8(position + MAGIC_POSITION);
}

/** The stored CRC-32C, unsigned. */
export function crc(buffer: Buffer, position = 0): number {
  return buffer.readUInt32BE(position + CRC);
}

export function attributes(buffer: Buffer, position = 0): number {
  return buffer.readInt16BE(position + ATTRIBUTES);
}

/** The codec bits of the attributes: see `Codec` in compression.ts; 5 to 7 are undefined. */
export function codec(buffer: Buffer, position = 0): number {
  return attributes(buffer, position) & CODEC_MASK;
}

export function timestampType(buffer: Buffer, position = 0): TimestampType {
  return attributes(buffer, position) & LOG_APPEND_TIME_BIT ? 'LogAppendTime' : 'CreateTime';
}

export function isTransactional(buffer: Buffer, position = 0): boolean {
  return (attributes(buffer, position) & TRANSACTIONAL_BIT) !== 0;
}

export function isControl(buffer: Buffer, position = 0): boolean {
  return (attributes(buffer, position) & CONTROL_BIT) !== 0;
}

export function lastOffsetDelta(buffer: Buffer, position = 0): number {
  return buffer.readInt32BE(position + LAST_OFFSET_DELTA);
}

export function lastOffset(buffer: Buffer, position = 0): number {
  return baseOffset(buffer, position) + lastOffsetDelta(buffer, position);
}

export function baseTimestamp(buffer: Buffer, position = 0): number {
  return readInt64(buffer, position + BASE_TIMESTAMP);
}

export function maxTimestamp(buffer: Buffer, position = 0): number {
  return readInt64(buffer, position + MAX_TIMESTAMP);
}

/**
 * When compaction may remove the batch's tombstones, or its transaction marker: it stands in place of the base
 * timestamp, to which the records' times stay relative. Undefined when none was set yet. (KIP-534)
 */
export function deleteHorizonMs(buffer: Buffer, position = 0): number | undefined {
  return attributes(buffer, position) & DELETE_HORIZON_BIT ? baseTimestamp(buffer, position) : undefined;
}

/** -1 for a producer that is neither idempotent nor transactional. */
export function producerId(buffer: Buffer, position = 0): number {
  return readInt64(buffer, position + PRODUCER_ID);
}

export function producerEpoch(buffer: Buffer, position = 0): number {
  return buffer.readInt16BE(position + PRODUCER_EPOCH);
}

export function baseSequence(buffer: Buffer, position = 0): number {
  return buffer.readInt32BE(position + BASE_SEQUENCE);
}

/** `sequence + increment`, going on with 0 after 2^31 - 1. */
export function incrementSequence(sequence: number, increment: number): number {
  return sequence > MAX_SEQUENCE - increment ? sequence + increment - MAX_SEQUENCE - 1 : sequence + increment;
}

/** The sequence of the last record, -1 where there are no sequences. */
export function lastSequence(buffer: Buffer, position = 0): number {
  const first = baseSequence(buffer, position);
  return first < 0 ? -1 : incrementSequence(first, lastOffsetDelta(buffer, position));
}

export function recordCount(buffer: Buffer, position = 0): number {
  return buffer.readInt32BE(position + RECORD_COUNT);
}

/** Outside of what the CRC covers. */
export function patchBaseOffset(buffer: Buffer, position: number, value: number): void {
  writeInt64(buffer, position, value);
}

/** Outside of what the CRC covers. */
export function patchPartitionLeaderEpoch(buffer: Buffer, position: number, value: number): void {
  buffer.writeInt32BE(value, position + LEADER_EPOCH);
}

/** Makes the length field say `totalSize` bytes for the whole batch. Outside of what the CRC covers. */
export function patchSizeInBytes(buffer: Buffer, position: number, totalSize: number): void {
  buffer.writeInt32BE(totalSize - LOG_OVERHEAD, position + LENGTH);
}

/** Covered by the CRC: `recomputeCrc` must follow. */
export function patchAttributes(buffer: Buffer, position: number, value: number): void {
  buffer.writeInt16BE(value, position + ATTRIBUTES);
}

/** Covered by the CRC: `recomputeCrc` must follow. */
export function patchBaseTimestamp(buffer: Buffer, position: number, value: number): void {
  writeInt64(buffer, position + BASE_TIMESTAMP, value);
}

/** Covered by the CRC: `recomputeCrc` must follow. */
export function patchMaxTimestamp(buffer: Buffer, position: number, value: number): void {
  writeInt64(buffer, position + MAX_TIMESTAMP, value);
}

/** Covered by the CRC: `recomputeCrc` must follow. */
export function patchLastOffsetDelta(buffer: Buffer, position: number, value: number): void {
  buffer.writeInt32BE(value, position + LAST_OFFSET_DELTA);
}

/** Covered by the CRC: `recomputeCrc` must follow. */
export function patchRecordCount(buffer: Buffer, position: number, value: number): void {
  buffer.writeInt32BE(value, position + RECORD_COUNT);
}

/** Sets or removes the delete horizon's mark. Covered by the CRC: `recomputeCrc` must follow. */
export function patchHasDeleteHorizon(buffer: Buffer, position: number, value: boolean): void {
  const others = attributes(buffer, position) & ~DELETE_HORIZON_BIT;
  patchAttributes(buffer, position, value ? others | DELETE_HORIZON_BIT : others);
}

/**
 * Makes the batch one whose records were all appended at `timestampMs`, and its CRC right again. Attributes that mean
 * nothing go.
 */
export function patchLogAppendTime(buffer: Buffer, position: number, timestampMs: number): void {
  patchAttributes(buffer, position, (attributes(buffer, position) & KNOWN_BITS) | LOG_APPEND_TIME_BIT);
  patchMaxTimestamp(buffer, position, timestampMs);
  recomputeCrc(buffer, position);
}

/** Writes id, epoch and first sequence of a producer; covered by the CRC: `recomputeCrc` must follow. */
export function patchProducer(
  buffer: Buffer,
  position: number,
  producer: { id: number; epoch: number; baseSequence: number },
): void {
  writeInt64(buffer, position + PRODUCER_ID, producer.id);
  buffer.writeInt16BE(producer.epoch, position + PRODUCER_EPOCH);
  buffer.writeInt32BE(producer.baseSequence, position + BASE_SEQUENCE);
}

/** The CRC-32C of what follows the CRC field; the whole batch must be in `buffer`. */
export function computeCrc(buffer: Buffer, position = 0): number {
  return crc32c(buffer.subarray(position + ATTRIBUTES, position + sizeInBytes(buffer, position)));
}

export function isCrcValid(buffer: Buffer, position = 0): boolean {
  return computeCrc(buffer, position) === crc(buffer, position);
}

export function recomputeCrc(buffer: Buffer, position = 0): void {
  buffer.writeUInt32BE(computeCrc(buffer, position), position + CRC);
}

/** The attributes of a batch, put together. */
export function makeAttributes(parts: {
  codec: number;
  timestampType: TimestampType;
  isTransactional: boolean;
  isControl: boolean;
}): number {
  return (
    parts.codec |
    (parts.timestampType === 'LogAppendTime' ? LOG_APPEND_TIME_BIT : 0) |
    (parts.isTransactional ? TRANSACTIONAL_BIT : 0) |
    (parts.isControl ? CONTROL_BIT : 0)
  );
}
