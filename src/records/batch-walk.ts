/**
 * Walking the records of a v2 batch without making an object for each: a cursor over the inflated bytes, as strict as
 * Kafka's own reader. Owns the layout of a record; `record-codec.ts` turns records into objects on top of it.
 * Invariant: a record whose parts do not add up to its declared length is a failure, never a guess.
 * (Kafka: DefaultRecord.readFrom, DefaultRecordBatch's iterators, ByteUtils.)
 */
import { err, ok, type Result } from '../base/result';
import * as batchHeader from './batch-header';
import { inflate, MAX_INFLATED_BYTES } from './compression';
import type { InflateFailure } from './inflate-failure';
import { passingRoom } from './inflate-room';

/** What is wrong where the records are more, or fewer, than the header says. */
export const COUNT_TOO_LARGE = 'Incorrect declared batch size, records still remaining in file';
export const COUNT_TOO_SMALL = 'Incorrect declared batch size, premature EOF reached';

/** The bytes behind the header of the batch at `position`, inflated; a slice of `batch` when it is not compressed. */
export function recordBytes(
  batch: Buffer,
  position = 0,
  maxBytes = MAX_INFLATED_BYTES,
): Result<Buffer, InflateFailure> {
  return inflate(batchHeader.codec(batch, position), payload(batch, position), { maxBytes, room: Buffer.allocUnsafe });
}

/** `recordBytes` for those who are done with them before anybody else can ask: the next call may overwrite them. */
export function passingRecordBytes(batch: Buffer, maxBytes: number): Result<Buffer, InflateFailure> {
  return inflate(batchHeader.codec(batch), payload(batch, 0), { maxBytes, room: passingRoom });
}

function payload(batch: Buffer, position: number): Buffer {
  const end = position + batchHeader.sizeInBytes(batch, position);
  return batch.subarray(position + batchHeader.HEADER_SIZE, end);
}

/**
 * Stands on one record after the other. Positions are within `bytes`; a length of -1 is null, 0 is empty.
 * Reuse is fine: `reset` starts over with other bytes.
 */
export class RecordCursor {
  bytes: Buffer = Buffer.alloc(0);
  /** Index of the record that the cursor stands on; -1 before the first. */
  index = -1;
  /** Where the record begins (its length field) and ends. */
  start = 0;
  end = 0;
  timestampDelta = 0;
  offsetDelta = 0;
  keyPosition = 0;
  keyLength = -1;
  valuePosition = 0;
  valueLength = -1;
  headerCount = 0;
  /** Where the first header begins. */
  headersPosition = 0;
  /** Why `next` returned false; undefined at the orderly end. */
  failure: string | undefined;

  #at = 0;
  #limit = 0;

  /** Stands before the first record of `bytes`, the inflated records of a batch. */
  reset(bytes: Buffer): this {
    this.bytes = bytes;
    this.index = -1;
    this.start = 0;
    this.end = 0;
    this.failure = undefined;
    this.#at = 0;
    this.#limit = bytes.length;
    return this;
  }

  /** Goes to the next record; false at the end of the bytes, or at a record that is not well-formed (`failure`). */
  next(): boolean {
    const limit = this.bytes.length;
    if (this.failure !== undefined || this.end >= limit) return false;
    this.start = this.end;
    this.#at = this.start;
    this.#limit = limit;
    const length = this.#varint();
    if (this.failure !== undefined) return false;
    if (length < 0 || this.#at + length > limit) {
      return this.#fail(
        `Invalid record size: expected ${length} bytes in record payload, but there are ${limit - this.#at}`,
      );
    }
    this.end = this.#at + length;
    this.#limit = this.end;
    this.index++;
    return this.#body();
  }

  /** Goes to the record that begins at `start`; the index is then of no use. False as with `next`. */
  readAt(start: number): boolean {
    this.end = start;
    return this.next();
  }

  #body(): boolean {
    // One byte of attributes, unused in this format.
    this.#at++;
    this.timestampDelta = this.#at < this.#limit && this.bytes[this.#at]! < 0x80 ? this.#varint() : this.#varlong();
    this.offsetDelta = this.#varint();
    this.keyLength = this.#nullableLength();
    this.keyPosition = this.#at;
    if (this.keyLength > 0) this.#at += this.keyLength;
    this.valueLength = this.#nullableLength();
    this.valuePosition = this.#at;
    if (this.valueLength > 0) this.#at += this.valueLength;
    this.headerCount = this.#varint();
    this.headersPosition = this.#at;
    if (this.failure !== undefined) return false;
    if (this.headerCount < 0 || this.headerCount > this.#limit - this.#at) {
      return this.#fail(`Found invalid number of record headers ${this.headerCount}`);
    }
    for (let left = this.headerCount; left > 0; ) {
      left = this.#shortHeaders(left);
      if (left === 0) break;
      const keyLength = this.#varint();
      if (keyLength < 0) return this.#fail(`Invalid negative header key size ${keyLength}`);
      this.#at += keyLength;
      const valueLength = this.#varint();
      if (valueLength > 0) this.#at += valueLength;
      if (this.failure !== undefined) return false;
      left--;
    }
    if (this.#at === this.end) return true;
    return this.#fail(`Invalid record size: expected to read ${this.end - this.start} bytes in record payload`);
  }

  /**
   * Passes headers whose two sizes take a byte each, up to the first that is not so; how many of `count` are left. A
   * record can have tens of millions of headers, so this one is quick.
   */
  #shortHeaders(count: number): number {
    const { bytes } = this;
    const limit = this.#limit;
    let at = this.#at;
    let left = count;
    for (; left > 0; left--) {
      // Beyond the record these are bytes of others, or none: the end tells.
      const key = bytes[at] ?? 0xff;
      const valueAt = at + 1 + (key >> 1);
      const value = bytes[valueAt] ?? 0xff;
      const end = valueAt + 1 + (value & 1 ? 0 : value >> 1);
      if (key >= 0x80 || key & 1 || value >= 0x80 || end > limit) break;
      at = end;
    }
    this.#at = at;
    return left;
  }

  #fail(reason: string): false {
    this.failure ??= reason;
    return false;
  }

  /** A length whose negative values all stand for null; the bytes that it counts must be there. */
  #nullableLength(): number {
    const length = this.#varint();
    if (length > this.#limit - this.#at) this.#fail('Record ends within its key or value');
    return length < 0 ? -1 : length;
  }

  /** A zigzag varint of 32 bits, at most 5 bytes long. */
  #varint(): number {
    const { bytes } = this;
    // Most are one byte long.
    if (this.#at < this.#limit && bytes[this.#at]! < 0x80) {
      const byte = bytes[this.#at++]!;
      return (byte >>> 1) ^ -(byte & 1);
    }
    let raw = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.#at >= this.#limit) {
        this.#fail('Record ends within a varint');
        return 0;
      }
      const byte = bytes[this.#at++]!;
      raw |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (raw >>> 1) ^ -(raw & 1);
    }
    this.#fail('Varint is too long');
    return 0;
  }

  /** A zigzag varint of 64 bits, at most 10 bytes long: exact within 2^53, approximate beyond. */
  #varlong(): number {
    const { bytes } = this;
    let sign = 0;
    // The zigzag value without its sign bit, so that it stays within 2^53.
    let magnitude = 0;
    let factor = 0.5;
    for (let i = 0; i < 10; i++) {
      if (this.#at >= this.#limit) {
        this.#fail('Record ends within a varint');
        return 0;
      }
      const byte = bytes[this.#at++]!;
      if (i === 0) sign = byte & 1;
      magnitude += (byte & (i === 0 ? 0x7e : 0x7f)) * factor;
      if (byte < 0x80) return sign === 0 ? magnitude : -magnitude - 1;
      factor *= 128;
    }
    this.#fail('Varint is too long');
    return 0;
  }
}

/**
 * Calls `visit` for each record of the inflated `bytes`, which must be `recordCount` well-formed ones and nothing more;
 * otherwise the error says what is wrong. The cursor is the same object each time.
 */
export function walkRecords(
  bytes: Buffer,
  recordCount: number,
  visit: (cursor: RecordCursor) => void,
): Result<void, string> {
  const cursor = new RecordCursor().reset(bytes);
  while (cursor.next()) {
    if (cursor.index >= recordCount) {
      return err(COUNT_TOO_LARGE);
    }
    visit(cursor);
  }
  if (cursor.failure !== undefined) return err(cursor.failure);
  if (cursor.index + 1 !== recordCount) return err(COUNT_TOO_SMALL);
  return ok(undefined);
}
