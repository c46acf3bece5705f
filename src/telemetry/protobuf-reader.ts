/**
 * The wire format of Protocol Buffers, as far as metrics need it: fields one after the other. Everything is
 * bounds-checked; bad bytes throw `MalformedMessage`.
 */
import { MalformedMessage } from '../codec/malformed';

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;
const TWO_32 = 2 ** 32;
/** What bytes of UTF-8 have in common that begin no character. */
const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

export class ProtobufReader {
  readonly #bytes: Buffer;
  #at = 0;
  #wireType = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Calls `onField` with each field's number; one that it does not read is skipped. */
  fields(onField: (field: number) => void): void {
    while (this.#at < this.#bytes.length) {
      const key = this.#varint();
      this.#wireType = key & 7;
      const before = this.#at;
      onField(Math.floor(key / 8));
      if (this.#at === before) this.#skip();
    }
  }

  /** A nested message. */
  message(): ProtobufReader {
    return new ProtobufReader(this.bytes());
  }

  /** At most `mostBytes` of it, whole characters. */
  text(mostBytes = Number.POSITIVE_INFINITY): string {
    const bytes = this.bytes();
    let end = Math.min(bytes.length, mostBytes);
    while (end > 0 && end < bytes.length && (bytes[end]! & CONTINUATION_MASK) === CONTINUATION) end--;
    return bytes.toString('utf8', 0, end);
  }

  bytes(): Buffer {
    this.#expect(LENGTH_DELIMITED);
    const length = this.#varint();
    this.#need(length);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** An unsigned or enumerated value; beyond 2^53 the nearest number. */
  unsigned(): number {
    this.#expect(VARINT);
    return this.#varint();
  }

  bool(): boolean {
    return this.unsigned() !== 0;
  }

  double(): number {
    this.#expect(FIXED64);
    this.#need(8);
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  /** An unsigned 64-bit value of fixed size. */
  fixed64(): number {
    this.#expect(FIXED64);
    this.#need(8);
    this.#at += 8;
    return this.#bytes.readUInt32LE(this.#at - 8) + this.#bytes.readUInt32LE(this.#at - 4) * TWO_32;
  }

  /** A signed 64-bit value of fixed size. */
  sfixed64(): number {
    this.#expect(FIXED64);
    this.#need(8);
    this.#at += 8;
    return this.#bytes.readUInt32LE(this.#at - 8) + this.#bytes.readInt32LE(this.#at - 4) * TWO_32;
  }

  /** A signed value as `int64`: two's complement in ten bytes where it is negative. */
  int64(): number {
    const value = this.unsigned();
    return value >= 2 ** 63 ? value - 2 ** 64 : value;
  }

  #varint(): number {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      this.#need(1);
      const byte = this.#bytes[this.#at++]!;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
      if (shift >= 2 ** 63) throw new MalformedMessage('a varint has more than ten bytes');
    }
  }

  #skip(): void {
    switch (this.#wireType) {
      case VARINT:
        this.#varint();
        return;
      case FIXED64:
        this.#need(8);
        this.#at += 8;
        return;
      case LENGTH_DELIMITED:
        this.bytes();
        return;
      case FIXED32:
        this.#need(4);
        this.#at += 4;
        return;
      default:
        throw new MalformedMessage(`wire type ${this.#wireType}`);
    }
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType) throw new MalformedMessage(`wire type ${this.#wireType}, not ${wireType}`);
  }

  #need(count: number): void {
    if (count > this.#bytes.length - this.#at) throw new MalformedMessage('a field is longer than its message');
  }
}
