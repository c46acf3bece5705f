/**
 * What the compactor knows a record's key by: 128 bits that two keys have in common as seldom as they have their MD5.
 * HalfSipHash-2-4 begun with 128 secret bits and with all of its state as the result. The secret keeps a client from
 * making a key that is taken for another's; a digest never leaves the process. MD5 takes five times as long in
 * JavaScript, and in `node:crypto` an object for each digest. (Aumasson, Bernstein: SipHash; Kafka: SkimpyOffsetMap.)
 */
import type { Random } from '../base/random';

const SECRET_BYTES = 16;
const ROUNDS_A_WORD = 2;
const LAST_ROUNDS = 4;
/** Tells the end from one more word. */
const END = 0xff;

export class KeyDigest {
  /** The digest that was taken last, as int32. */
  a = 0;
  b = 0;
  c = 0;
  d = 0;
  readonly #a: number;
  readonly #b: number;
  readonly #c: number;
  readonly #d: number;

  constructor(random: Random) {
    const secret = random.bytes(SECRET_BYTES);
    this.#a = secret.readInt32LE(0);
    this.#b = secret.readInt32LE(4);
    this.#c = secret.readInt32LE(8);
    this.#d = secret.readInt32LE(12);
  }

  /** Takes the digest of `bytes[from, to)`. */
  take(bytes: Buffer, from: number, to: number): void {
    this.a = this.#a;
    this.b = this.#b;
    this.c = this.#c;
    this.d = this.#d;
    let at = from;
    for (; at + 4 <= to; at += 4) {
      this.#absorb(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    }
    // The length keeps keys apart that differ in zeroes at the end.
    let last = (to - from) << 24;
    for (let shift = 0; at < to; at++, shift += 8) last |= bytes[at]! << shift;
    this.#absorb(last);
    this.c ^= END;
    this.#mix(LAST_ROUNDS);
    // Whoever keeps digests may mark a free place by zero.
    this.a ||= 1;
  }

  #absorb(word: number): void {
    this.d ^= word;
    this.#mix(ROUNDS_A_WORD);
    this.a ^= word;
  }

  #mix(rounds: number): void {
    let { a, b, c, d } = this;
    for (let round = 0; round < rounds; round++) {
      a = (a + b) | 0;
      b = ((b << 5) | (b >>> 27)) ^ a;
      a = (a << 16) | (a >>> 16);
      c = (c + d) | 0;
      d = ((d << 8) | (d >>> 24)) ^ c;
      a = (a + d) | 0;
      d = ((d << 7) | (d >>> 25)) ^ a;
      c = (c + b) | 0;
      b = ((b << 13) | (b >>> 19)) ^ c;
      c = (c << 16) | (c >>> 16);
    }
    this.a = a;
    this.b = b;
    this.c = c;
    this.d = d;
  }
}
