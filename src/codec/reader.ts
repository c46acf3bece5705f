/**
 * Reads the primitive types of the wire from a buffer, front to back. Owns bounds: no read goes past the end, no
 * count is believed beyond the bytes that are left, null stands only where it is allowed. Every refusal is a
 * `MalformedMessage`. Buffers that it returns are slices: they keep the whole frame alive.
 */
import { isSafeInt64, saturatingInt64 } from './int64';
import { MalformedMessage } from './malformed';
import { readText, readUuid } from './text-cache';

/** Elements of all arrays of one message together: a bound on the memory that a frame can claim. */
const MAX_ELEMENTS = 2_000_000;
/** Strings are limited to what their classic length field can say. */
const MAX_STRING_BYTES = 0x7fff;

export class Reader {
  /** Where the next read starts, in bytes from the start of the buffer. */
  position: number;
  private readonly end: number;
  private elementsLeft = MAX_ELEMENTS;

  constructor(
    readonly buffer: Buffer,
    position = 0,
    end = buffer.length,
  ) {
    this.position = position;
    this.end = end;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  malformed(what: string): MalformedMessage {
    return new MalformedMessage(`${what} at byte ${this.position} of ${this.end}`);
  }

  unknownVersion(message: string, version: number): MalformedMessage {
    return new MalformedMessage(`${message} has no version ${version}`);
  }

  /** Moves over `size` bytes and returns where they start. */
  private take(size: number): number {
    const start = this.position;
    if (size > this.end - start) throw this.malformed(`${size} bytes needed, ${this.end - start} left`);
    this.position = start + size;
    return start;
  }

  bool(): boolean {
    return this.buffer[this.take(1)] !== 0;
  }

  int8(): number {
    return (this.buffer[this.take(1)]! << 24) >> 24;
  }

  int16(): number {
    const at = this.take(2);
    return ((this.buffer[at]! << 24) | (this.buffer[at + 1]! << 16)) >> 16;
  }

  uint16(): number {
    const at = this.take(2);
    return (this.buffer[at]! << 8) | this.buffer[at + 1]!;
  }

  int32(): number {
    return int32At(this.buffer, this.take(4));
  }

  /** `count` of them, one behind the other. Lists of replicas are short: literals are the fastest short arrays. */
  int32Array(count: number): number[] {
    const at = this.take(4 * count);
    const { buffer } = this;
    if (count === 0) return [];
    if (count === 1) return [int32At(buffer, at)];
    if (count === 2) return [int32At(buffer, at), int32At(buffer, at + 4)];
    if (count === 3) return [int32At(buffer, at), int32At(buffer, at + 4), int32At(buffer, at + 8)];
    const values = new Array<number>(count);
    for (let index = 0; index < count; index++) values[index] = int32At(buffer, at + 4 * index);
    return values;
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  /** Values beyond 2^53 become the nearest that a number can hold; see `MAX_INT64`. */
  int64(): number {
    const high = this.int32();
    return saturatingInt64(high, this.uint32());
  }

  /** For ids and epochs, where a rounded value would be another one. */
  exactInt64(): number {
    const high = this.int32();
    const low = this.uint32();
    if (!isSafeInt64(high, low)) throw this.malformed('an id or epoch beyond 2^53');
    return saturatingInt64(high, low);
  }

  float64(): number {
    return this.buffer.readDoubleBE(this.take(8));
  }

  /** 22 characters of URL-safe base64. */
  uuid(): string {
    return readUuid(this.buffer, this.take(16));
  }

  /** An unsigned varint of at most 32 bits. */
  uvarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.buffer[this.take(1)]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (shift === 28 && byte > 0x0f) break;
        return value >>> 0;
      }
    }
    throw this.malformed('a varint longer than 32 bits');
  }

  /** A zig-zag varint of at most 32 bits. */
  varint(): number {
    const value = this.uvarint();
    return (value >>> 1) ^ -(value & 1);
  }

  string(): string {
    const size = this.int16();
    if (size < 0) throw this.malformed('null where it is not allowed');
    const start = this.take(size);
    return readText(this.buffer, start, start + size);
  }

  nullableString(): string | null {
    const size = this.int16();
    return size < 0 ? null : this.text(size);
  }

  compactString(): string {
    return this.text(this.notNull(this.uvarint() - 1));
  }

  compactNullableString(): string | null {
    const size = this.uvarint() - 1;
    return size < 0 ? null : this.text(size);
  }

  bytes(): Buffer {
    return this.slice(this.notNull(this.int32()));
  }

  nullableBytes(): Buffer | null {
    const size = this.int32();
    return size < 0 ? null : this.slice(size);
  }

  compactBytes(): Buffer {
    return this.slice(this.notNull(this.uvarint() - 1));
  }

  compactNullableBytes(): Buffer | null {
    const size = this.uvarint() - 1;
    return size < 0 ? null : this.slice(size);
  }

  records(): Buffer {
    return this.bytes();
  }

  nullableRecords(): Buffer | null {
    return this.nullableBytes();
  }

  compactRecords(): Buffer {
    return this.compactBytes();
  }

  compactNullableRecords(): Buffer | null {
    return this.compactNullableBytes();
  }

  /** The number of elements that follow, each of at least `smallestSize` bytes. */
  arrayLength(smallestSize: number): number {
    return this.count(this.notNull(this.int32()), smallestSize);
  }

  /** -1 for null. */
  nullableArrayLength(smallestSize: number): number {
    const count = this.int32();
    return count < 0 ? -1 : this.count(count, smallestSize);
  }

  compactArrayLength(smallestSize: number): number {
    return this.count(this.notNull(this.uvarint() - 1), smallestSize);
  }

  /** -1 for null. */
  compactNullableArrayLength(smallestSize: number): number {
    const count = this.uvarint() - 1;
    return count < 0 ? -1 : this.count(count, smallestSize);
  }

  /** Reads the size of a tagged field; returns where the field ends. */
  tagEnd(): number {
    const size = this.uvarint();
    if (size > this.end - this.position) throw this.malformed(`a tagged field of ${size} bytes`);
    return this.position + size;
  }

  expectEnd(position: number): void {
    if (this.position !== position) throw this.malformed('a tagged field of another size than it says');
  }

  skipTo(position: number): void {
    this.position = position;
  }

  /** Skips a section of tagged fields of which none is known. */
  skipTags(): void {
    for (let tags = this.uvarint(); tags > 0; tags--) {
      this.uvarint();
      this.skipTo(this.tagEnd());
    }
  }

  /** The next `size` bytes, not copied. */
  slice(size: number): Buffer {
    const start = this.take(size);
    return this.buffer.subarray(start, start + size);
  }

  private text(size: number): string {
    if (size > MAX_STRING_BYTES) throw this.malformed(`a string of ${size} bytes`);
    const start = this.take(size);
    return readText(this.buffer, start, start + size);
  }

  private notNull(size: number): number {
    if (size < 0) throw this.malformed('null where it is not allowed');
    return size;
  }

  private count(count: number, smallestSize: number): number {
    if (count * smallestSize > this.end - this.position) throw this.malformed(`an array of ${count} elements`);
    this.elementsLeft -= count;
    if (this.elementsLeft < 0) throw this.malformed(`more than ${MAX_ELEMENTS} elements`);
    return count;
  }
}

function int32At(buffer: Buffer, at: number): number {
  return (buffer[at]! << 24) | (buffer[at + 1]! << 16) | (buffer[at + 2]! << 8) | buffer[at + 3]!;
}
