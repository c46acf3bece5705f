/**
 * Writes the primitive types of the wire into a growing buffer. Owns that values fit their types (a bug of the caller
 * otherwise) and that record bytes pass through uncopied: the result is a list of chunks, small parts joined.
 */
import { assert } from '../base/assert';
import { type Chunk, isFileRegion } from '../base/chunk';
import { MAX_INT64, MIN_INT64, type Records } from './field-values';
import type { Int64Halves } from './int64';
import { type Arena, FIRST_SIZE, giveBackArena, takeArena } from './writer-arena';

/** Record bytes up to this size are cheaper to copy than to send as a chunk of their own. */
const COPIED_RECORDS = 1024;
/** Texts up to this length are copied character by character, which is faster than asking the engine. */
const SHORT_TEXT = 64;
const TWO_32 = 4294967296;

/** Character code → digit of URL-safe base64; 0xff for characters that are none. */
const base64Digits = new Uint8Array(128).fill(0xff);
for (const [digit, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries())
  base64Digits[character.charCodeAt(0)] = digit;

export class Writer {
  private buffer: Buffer;
  /** Start of the part that is not in `chunks` yet. */
  private start = 0;
  private position = 0;
  private readonly chunks: Chunk[] = [];
  /** Bytes in `chunks`. */
  private chunkBytes = 0;
  private openTags = 0;
  private readonly arena: Arena | undefined;

  /** With `firstSize`, it writes into a buffer of its own, of so many bytes at first. */
  constructor(firstSize?: number) {
    if (firstSize === undefined) {
      this.arena = takeArena();
      this.buffer = this.arena.bytes;
      this.start = this.arena.at;
      this.position = this.arena.at;
    } else {
      this.buffer = Buffer.allocUnsafe(firstSize);
    }
  }

  /** Bytes written so far. */
  get length(): number {
    return this.chunkBytes + this.position - this.start;
  }

  /** The parts of what was written, in order. The writer must not be used afterwards. */
  finish(): Chunk[] {
    this.closePart();
    const { arena } = this;
    if (arena?.bytes === this.buffer) arena.at = this.position;
    if (arena !== undefined) giveBackArena(arena);
    return this.chunks;
  }

  /** For messages without file regions: everything as one buffer. */
  finishBuffer(): Buffer {
    const buffers = this.finish().map((chunk) => {
      assert(!isFileRegion(chunk), 'a file region cannot be joined into a buffer');
      return chunk;
    });
    return buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers);
  }

  /** Like `finish`, with the length of all that follows put into the first four bytes, a placeholder so far. */
  finishFrame(): Chunk[] {
    const size = this.length - 4;
    const chunks = this.finish();
    const first = chunks[0]!;
    assert(!isFileRegion(first), 'a frame starts with its length');
    first.writeInt32BE(size, 0);
    return chunks;
  }

  bool(value: boolean): void {
    this.put8(value ? 1 : 0);
  }

  int8(value: number): void {
    assert((value << 24) >> 24 === value, 'not an int8');
    this.put8(value);
  }

  int16(value: number): void {
    assert((value << 16) >> 16 === value, 'not an int16');
    this.put16(value);
  }

  uint16(value: number): void {
    assert((value & 0xffff) === value, 'not a uint16');
    this.put16(value);
  }

  int32(value: number): void {
    assert((value | 0) === value, 'not an int32');
    this.put32(value);
  }

  uint32(value: number): void {
    assert(value >>> 0 === value, 'not a uint32');
    this.put32(value);
  }

  int64(value: number | Int64Halves): void {
    if (typeof value !== 'number') this.put64(value.high, value.low);
    else if (value === MAX_INT64) this.put64(0x7fffffff, -1);
    else if (value === MIN_INT64) this.put64(-0x80000000, 0);
    else {
      assert(Number.isSafeInteger(value), 'not an int64');
      this.put64(Math.floor(value / TWO_32), value | 0);
    }
  }

  float64(value: number): void {
    const at = this.take(8);
    this.buffer.writeDoubleBE(value, at);
  }

  /** 22 characters of URL-safe base64. */
  uuid(value: string): void {
    assert(value.length === 22, 'not a uuid');
    const at = this.take(16);
    const { buffer } = this;
    let bits = 0;
    for (let index = 0, byte = 0; index < 22; index++) {
      const digit = base64Digits[value.charCodeAt(index)];
      assert(digit !== undefined && digit !== 0xff, 'not a uuid');
      bits = (bits << 6) | digit;
      // Every four digits make three bytes; the last two digits make one and have four bits left over.
      if ((index & 3) === 3) {
        buffer[at + byte] = bits >> 16;
        buffer[at + byte + 1] = bits >> 8;
        buffer[at + byte + 2] = bits;
        byte += 3;
      }
    }
    buffer[at + 15] = bits >> 4;
  }

  uvarint(value: number): void {
    let left = value;
    while (left > 0x7f) {
      this.put8((left & 0x7f) | 0x80);
      left >>>= 7;
    }
    this.put8(left);
  }

  /** Zig-zag. */
  varint(value: number): void {
    this.uvarint(((value << 1) ^ (value >> 31)) >>> 0);
  }

  string(value: string): void {
    if (value.length <= SHORT_TEXT) {
      const mark = this.position - this.start;
      this.put16(value.length);
      if (this.ascii(value)) return;
      this.position = this.start + mark;
    }
    const size = textSize(value);
    this.put16(size);
    this.text(value, size);
  }

  nullableString(value: string | null): void {
    if (value === null) this.put16(-1);
    else this.string(value);
  }

  compactString(value: string): void {
    if (value.length <= SHORT_TEXT) {
      const mark = this.position - this.start;
      this.uvarint(value.length + 1);
      if (this.ascii(value)) return;
      this.position = this.start + mark;
    }
    const size = textSize(value);
    this.uvarint(size + 1);
    this.text(value, size);
  }

  compactNullableString(value: string | null): void {
    if (value === null) this.uvarint(0);
    else this.compactString(value);
  }

  bytes(value: Buffer): void {
    this.put32(value.length);
    this.raw(value);
  }

  nullableBytes(value: Buffer | null): void {
    if (value === null) this.put32(-1);
    else this.bytes(value);
  }

  compactBytes(value: Buffer): void {
    this.uvarint(value.length + 1);
    this.raw(value);
  }

  compactNullableBytes(value: Buffer | null): void {
    if (value === null) this.uvarint(0);
    else this.compactBytes(value);
  }

  records(value: Records): void {
    this.put32(recordsSize(value));
    this.pieces(value);
  }

  nullableRecords(value: Records | null): void {
    if (value === null) this.put32(-1);
    else this.records(value);
  }

  compactRecords(value: Records): void {
    this.uvarint(recordsSize(value) + 1);
    this.pieces(value);
  }

  compactNullableRecords(value: Records | null): void {
    if (value === null) this.uvarint(0);
    else this.compactRecords(value);
  }

  arrayLength(value: readonly unknown[]): void {
    this.put32(value.length);
  }

  nullableArrayLength(value: readonly unknown[] | null): void {
    this.put32(value === null ? -1 : value.length);
  }

  compactArrayLength(value: readonly unknown[]): void {
    this.uvarint(value.length + 1);
  }

  compactNullableArrayLength(value: readonly unknown[] | null): void {
    this.uvarint(value === null ? 0 : value.length + 1);
  }

  /** The byte in front of a struct that may be null; returns whether the struct follows. */
  presence<T>(value: T | null): value is T {
    this.put8(value === null ? 0xff : 1);
    return value !== null;
  }

  /** The same inside a tagged field, where Kafka has another byte for null. */
  tagPresence<T>(value: T | null): value is T {
    this.put8(value === null ? 0 : 1);
    return value !== null;
  }

  /** Starts a tagged field; its size is filled in by `endTag`, which takes the mark that this returns. */
  beginTag(tag: number): number {
    this.uvarint(tag);
    this.openTags++;
    this.take(1);
    return this.position - this.start;
  }

  endTag(mark: number): void {
    // Marks count from the start of the part: the buffer may have been replaced meanwhile, the part has not.
    const content = this.start + mark;
    const size = this.position - content;
    this.openTags--;
    if (size < 0x80) {
      this.buffer[content - 1] = size;
      return;
    }
    const extra = size < 0x4000 ? 1 : size < 0x200000 ? 2 : 3;
    assert(size < 0x10000000, 'a tagged field too large');
    this.take(extra);
    const end = this.position;
    const moved = this.start + mark;
    this.buffer.copyWithin(moved + extra, moved, moved + size);
    this.position = moved - 1;
    this.uvarint(size);
    this.position = end;
  }

  /** Bytes as they are, copied. */
  raw(value: Buffer): void {
    const at = this.take(value.length);
    value.copy(this.buffer, at);
  }

  /** Bytes as they are, uncopied where they are many: they must not change until they are sent. */
  uncopied(value: Buffer): void {
    this.piece(value);
  }

  private pieces(value: Records): void {
    if (Buffer.isBuffer(value)) this.piece(value);
    else for (const chunk of value) this.piece(chunk);
  }

  private piece(chunk: Chunk): void {
    if (!isFileRegion(chunk) && chunk.length <= COPIED_RECORDS) {
      this.raw(chunk);
      return;
    }
    assert(this.openTags === 0, 'records inside a tagged field');
    this.closePart();
    this.chunks.push(chunk);
    this.chunkBytes += chunk.length;
  }

  private closePart(): void {
    if (this.position === this.start) return;
    this.chunks.push(this.buffer.subarray(this.start, this.position));
    this.chunkBytes += this.position - this.start;
    this.start = this.position;
  }

  /** Makes room for `size` bytes, moves over them, returns where they start. May replace `buffer`. */
  private take(size: number): number {
    const at = this.position;
    if (at + size > this.buffer.length) return this.grow(size);
    this.position = at + size;
    return at;
  }

  private grow(size: number): number {
    const pending = this.position - this.start;
    const larger = Buffer.allocUnsafe(Math.max(2 * pending, pending + size, FIRST_SIZE));
    if (this.arena?.bytes === this.buffer) this.arena.at = this.start;
    this.buffer.copy(larger, 0, this.start, this.position);
    this.buffer = larger;
    this.start = 0;
    this.position = pending + size;
    return pending;
  }

  private put8(value: number): void {
    const at = this.take(1);
    this.buffer[at] = value;
  }

  private put16(value: number): void {
    const at = this.take(2);
    this.buffer[at] = value >> 8;
    this.buffer[at + 1] = value;
  }

  private put32(value: number): void {
    const at = this.take(4);
    const { buffer } = this;
    buffer[at] = value >> 24;
    buffer[at + 1] = value >> 16;
    buffer[at + 2] = value >> 8;
    buffer[at + 3] = value;
  }

  private put64(high: number, low: number): void {
    this.put32(high);
    this.put32(low);
  }

  /** Writes ASCII characters; false, leaving bytes without meaning behind, where another character is among them. */
  private ascii(value: string): boolean {
    const at = this.take(value.length);
    const { buffer } = this;
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code >= 0x80) return false;
      buffer[at + index] = code;
    }
    return true;
  }

  private text(value: string, size: number): void {
    const at = this.take(size);
    this.buffer.write(value, at, size, 'utf8');
  }
}

function textSize(value: string): number {
  const size = Buffer.byteLength(value);
  assert(size <= 0x7fff, 'a string longer than 32767 bytes');
  return size;
}

function recordsSize(value: Records): number {
  if (Buffer.isBuffer(value)) return value.length;
  let size = 0;
  for (const chunk of value) size += chunk.length;
  return size;
}
