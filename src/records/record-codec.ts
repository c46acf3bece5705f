/**
 * Records of format v2 as objects, for those who handle few of them: coordinators, tools, conversions. The hot path
 * walks batches with batch-walk.ts instead. Null and empty stay apart in keys, values and header values.
 */
import { err, ok, type Result } from '../base/result';
import * as batchHeader from './batch-header';
import { type RecordCursor, recordBytes, walkRecords } from './batch-walk';
import { MAX_INFLATED_BYTES } from './compression';

export interface RecordHeader {
  readonly key: string;
  readonly value: Buffer | null;
}

export interface LogRecord {
  readonly offset: number;
  /** Milliseconds; -1 for none. The batch's append time where it has one. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/**
 * The records of the batch at `position`; the error says what is wrong with it. Keys and values are slices of the
 * batch, or of its inflated bytes.
 */
export function decodeRecords(batch: Buffer, position = 0, maxBytes = MAX_INFLATED_BYTES): Result<LogRecord[], string> {
  const bytes = recordBytes(batch, position, maxBytes);
  if (!bytes.ok) return err(bytes.message ?? bytes.error);
  const baseOffset = batchHeader.baseOffset(batch, position);
  const baseTimestamp = batchHeader.baseTimestamp(batch, position);
  const appendTime =
    batchHeader.timestampType(batch, position) === 'LogAppendTime'
      ? batchHeader.maxTimestamp(batch, position)
      : undefined;
  const records: LogRecord[] = [];
  const walked = walkRecords(bytes.value, batchHeader.recordCount(batch, position), (cursor) => {
    records.push({
      offset: baseOffset + cursor.offsetDelta,
      timestamp: appendTime ?? baseTimestamp + cursor.timestampDelta,
      key: keyAt(cursor),
      value: valueAt(cursor),
      headers: headersAt(cursor),
    });
  });
  return walked.ok ? ok(records) : err(walked.error);
}

/** The key of the record under the cursor, a slice. */
export function keyAt(cursor: RecordCursor): Buffer | null {
  return cursor.keyLength < 0 ? null : slice(cursor, cursor.keyPosition, cursor.keyLength);
}

/** The value of the record under the cursor, a slice. */
export function valueAt(cursor: RecordCursor): Buffer | null {
  return cursor.valueLength < 0 ? null : slice(cursor, cursor.valuePosition, cursor.valueLength);
}

function slice(cursor: RecordCursor, start: number, length: number): Buffer {
  return cursor.bytes.subarray(start, start + length);
}

/** The headers of the record under the cursor, which has found them well-formed. */
export function headersAt(cursor: RecordCursor): RecordHeader[] {
  const headers: RecordHeader[] = [];
  const { bytes } = cursor;
  let at = cursor.headersPosition;
  const varint = (): number => {
    let raw = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      raw |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (raw >>> 1) ^ -(raw & 1);
    }
  };
  for (let i = 0; i < cursor.headerCount; i++) {
    const keyLength = varint();
    const key = bytes.toString('utf8', at, at + keyLength);
    at += keyLength;
    const valueLength = varint();
    if (valueLength < 0) {
      headers.push({ key, value: null });
    } else {
      headers.push({ key, value: bytes.subarray(at, at + valueLength) });
      at += valueLength;
    }
  }
  return headers;
}

export interface RecordFields {
  readonly timestampDelta: number;
  readonly offsetDelta: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/** Bytes of the longest 32-bit varint, as which a record's own length is written. */
const LONGEST_LENGTH = 5;
/** Below it, zigzag fits into the integers that are fast. */
const LARGEST_PLAIN = 2 ** 30;
/** Up to here a copy byte by byte is faster than a call. */
const SHORT_COPY = 24;

/** Writes records of format v2 one behind the other into a buffer that grows. */
export class RecordWriter {
  #buffer: Buffer;
  #at = 0;

  constructor(sizeEstimate: number) {
    this.#buffer = Buffer.allocUnsafe(Math.max(64, sizeEstimate));
  }

  /** What was written; a view that further writes may leave behind. */
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  record(fields: RecordFields): void {
    const headers = fields.headers.map((header) => ({ key: Buffer.from(header.key, 'utf8'), value: header.value }));
    let size = 1 + varintSize(fields.timestampDelta) + varintSize(fields.offsetDelta) + varintSize(headers.length);
    size += nullableSize(fields.key) + nullableSize(fields.value);
    for (const header of headers) size += nullableSize(header.key) + nullableSize(header.value);
    this.#reserve(size + LONGEST_LENGTH);
    this.#varint(size);
    this.#buffer[this.#at++] = 0;
    this.#varint(fields.timestampDelta);
    this.#varint(fields.offsetDelta);
    this.#nullable(fields.key);
    this.#nullable(fields.value);
    this.#varint(headers.length);
    for (const header of headers) {
      this.#nullable(header.key);
      this.#nullable(header.value);
    }
  }

  /** Records as they are encoded already. */
  encoded(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#at += bytes.copy(this.#buffer, this.#at);
  }

  /** The record under the cursor with another time, all else byte for byte. */
  restamped(cursor: RecordCursor, timestampDelta: number): void {
    const { bytes, start, end } = cursor;
    const attributesAt = afterVarint(bytes, start);
    const rest = bytes.subarray(afterVarint(bytes, attributesAt + 1), end);
    const size = 1 + varintSize(timestampDelta) + rest.length;
    this.#reserve(size + LONGEST_LENGTH);
    this.#varint(size);
    this.#buffer[this.#at++] = bytes[attributesAt]!;
    this.#varint(timestampDelta);
    this.#at += rest.copy(this.#buffer, this.#at);
  }

  /** The record under the cursor with another offset, all else byte for byte. */
  renumbered(cursor: RecordCursor, offsetDelta: number): void {
    const { bytes, start, end } = cursor;
    const attributesAt = afterVarint(bytes, start);
    const offsetDeltaAt = afterVarint(bytes, attributesAt + 1);
    const restAt = afterVarint(bytes, offsetDeltaAt);
    const size = offsetDeltaAt - attributesAt + varintSize(offsetDelta) + (end - restAt);
    this.#reserve(size + LONGEST_LENGTH);
    this.#varint(size);
    this.#copy(bytes, attributesAt, offsetDeltaAt);
    this.#varint(offsetDelta);
    this.#copy(bytes, restAt, end);
  }

  #copy(bytes: Buffer, from: number, to: number): void {
    if (to - from > SHORT_COPY) {
      this.#at += bytes.copy(this.#buffer, this.#at, from, to);
      return;
    }
    for (let at = from; at < to; at++) this.#buffer[this.#at++] = bytes[at]!;
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + size));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }

  #nullable(bytes: Buffer | null): void {
    if (bytes === null) {
      this.#varint(-1);
    } else {
      this.#varint(bytes.length);
      this.#at += bytes.copy(this.#buffer, this.#at);
    }
  }

  #varint(value: number): void {
    if (value >= -LARGEST_PLAIN && value < LARGEST_PLAIN) {
      let raw = (value << 1) ^ (value >> 31);
      for (; raw > 0x7f; raw >>>= 7) this.#buffer[this.#at++] = raw | 0x80;
      this.#buffer[this.#at++] = raw;
      return;
    }
    // Zigzag, the sign bit apart: twice the value may be beyond 2^53.
    const magnitude = value >= 0 ? value : -value - 1;
    let byte = (magnitude % 64) * 2 + (value < 0 ? 1 : 0);
    let rest = Math.floor(magnitude / 64);
    while (rest > 0) {
      this.#buffer[this.#at++] = byte | 0x80;
      byte = rest % 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#at++] = byte;
  }
}

function afterVarint(bytes: Buffer, at: number): number {
  let end = at;
  while (bytes[end]! >= 0x80) end++;
  return end + 1;
}

function varintSize(value: number): number {
  let size = 1;
  if (value >= -LARGEST_PLAIN && value < LARGEST_PLAIN) {
    for (let raw = (value << 1) ^ (value >> 31); raw > 0x7f; raw >>>= 7) size++;
    return size;
  }
  const magnitude = value >= 0 ? value : -value - 1;
  for (let rest = Math.floor(magnitude / 64); rest > 0; rest = Math.floor(rest / 128)) size++;
  return size;
}

function nullableSize(bytes: Buffer | null): number {
  return bytes === null ? 1 : varintSize(bytes.length) + bytes.length;
}
