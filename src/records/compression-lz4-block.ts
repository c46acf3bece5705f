/**
 * LZ4's raw block format in plain JavaScript, bounds-checked throughout, and the xxHash32 that its frames use.
 * Owns one block; frames are compression-lz4.ts. (The format: lz4/doc/lz4_Block_format.md.)
 */

const HASH_BITS = 14;
const MIN_MATCH = 4;
/** The format demands that the last bytes are literals, and that no match starts in the last twelve. */
const LAST_LITERALS = 5;
const MATCH_START_MARGIN = 12;
const MAX_OFFSET = 65535;
/** Up to this, a loop copies faster than a call does. */
const LOOP_COPY_BYTES = 24;

/** The most bytes that encoding `size` bytes can take. */
export function lz4EncodedBound(size: number): number {
  return size + Math.ceil(size / 255) + 16;
}

/**
 * Decodes `block` into `out`; returns how many bytes were written, or -1 when the block is malformed or has more
 * content than fits.
 */
export function lz4DecodeBlock(block: Buffer, out: Buffer): number {
  const end = block.length;
  const limit = out.length;
  let at = 0;
  let to = 0;
  while (at < end) {
    const token = block[at++]!;
    let length = token >> 4;
    if (length === 15) {
      let byte = 255;
      while (byte === 255) {
        if (at >= end) return -1;
        byte = block[at++]!;
        length += byte;
      }
    }
    if (at + length > end || to + length > limit) return -1;
    if (length > LOOP_COPY_BYTES) block.copy(out, to, at, at + length);
    else for (let i = 0; i < length; i++) out[to + i] = block[at + i]!;
    at += length;
    to += length;
    if (at === end) return to;
    if (at + 2 > end) return -1;
    const offset = block[at]! | (block[at + 1]! << 8);
    at += 2;
    length = token & 15;
    if (length === 15) {
      let byte = 255;
      while (byte === 255) {
        if (at >= end) return -1;
        byte = block[at++]!;
        length += byte;
      }
    }
    length += MIN_MATCH;
    if (offset === 0 || offset > to || to + length > limit) return -1;
    // Where the ranges overlap, the bytes repeat.
    if (length > LOOP_COPY_BYTES && offset >= length) out.copyWithin(to, to - offset, to - offset + length);
    else for (let i = to; i < to + length; i++) out[i] = out[i - offset]!;
    to += length;
  }
  // A block ends with literals: running out of input after a match is malformed, and so is an empty block.
  return -1;
}

function read32(data: Buffer, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
}

/** Encodes `data` into `out`, which has `lz4EncodedBound(data.length)` bytes; returns how many were written. */
export function lz4EncodeBlock(data: Buffer, out: Buffer): number {
  const encoder = new BlockEncoder(data, out);
  const table = new Int32Array(1 << HASH_BITS).fill(-1);
  const matchLimit = data.length - LAST_LITERALS;
  const startLimit = data.length - MATCH_START_MARGIN;
  let literalStart = 0;
  let at = 0;
  let misses = 64;
  while (at < startLimit) {
    const word = read32(data, at);
    const hash = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
    const candidate = table[hash]!;
    table[hash] = at;
    if (candidate < 0 || at - candidate > MAX_OFFSET || read32(data, candidate) !== word) {
      // The longer nothing matches, the larger the steps: what cannot be compressed costs little time.
      at += misses++ >> 6;
      continue;
    }
    misses = 64;
    let length = MIN_MATCH;
    while (at + length < matchLimit && data[at + length] === data[candidate + length]) length++;
    encoder.literals(literalStart, at, length - MIN_MATCH);
    encoder.match(at - candidate, length - MIN_MATCH);
    at += length;
    literalStart = at;
  }
  encoder.literals(literalStart, data.length, 0);
  return encoder.to;
}

class BlockEncoder {
  readonly #data: Buffer;
  readonly #out: Buffer;
  to = 0;

  constructor(data: Buffer, out: Buffer) {
    this.#data = data;
    this.#out = out;
  }

  /** A token and its literals; `matchExtra` is the match length of the same token, less the minimum. */
  literals(from: number, until: number, matchExtra: number): void {
    const count = until - from;
    this.#out[this.to++] = (Math.min(count, 15) << 4) | Math.min(matchExtra, 15);
    if (count >= 15) this.#length(count - 15);
    this.to += this.#data.copy(this.#out, this.to, from, until);
  }

  match(offset: number, extra: number): void {
    this.#out[this.to++] = offset & 0xff;
    this.#out[this.to++] = offset >> 8;
    if (extra >= 15) this.#length(extra - 15);
  }

  #length(length: number): void {
    let rest = length;
    while (rest >= 255) {
      this.#out[this.to++] = 255;
      rest -= 255;
    }
    this.#out[this.to++] = rest;
  }
}

const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function round(lane: number, input: number): number {
  return Math.imul(rotateLeft((lane + Math.imul(input, PRIME_2)) | 0, 13), PRIME_1);
}

/** xxHash32 of `data[start, end)` with seed 0, unsigned. */
export function xxHash32(data: Buffer, start: number, end: number): number {
  let at = start;
  let hash = PRIME_5 | 0;
  if (end - start >= 16) {
    let a = (PRIME_1 + PRIME_2) | 0;
    let b = PRIME_2 | 0;
    let c = 0;
    let d = -PRIME_1 | 0;
    for (; at <= end - 16; at += 16) {
      a = round(a, read32(data, at));
      b = round(b, read32(data, at + 4));
      c = round(c, read32(data, at + 8));
      d = round(d, read32(data, at + 12));
    }
    hash = (rotateLeft(a, 1) + rotateLeft(b, 7) + rotateLeft(c, 12) + rotateLeft(d, 18)) | 0;
  }
  hash = (hash + (end - start)) | 0;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(rotateLeft((hash + Math.imul(read32(data, at), PRIME_3)) | 0, 17), PRIME_4);
  }
  for (; at < end; at++) {
    hash = Math.imul(rotateLeft((hash + Math.imul(data[at]!, PRIME_5)) | 0, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}
