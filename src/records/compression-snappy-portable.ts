/**
 * Snappy's raw block format in plain JavaScript: what stands in where the native package has no binary.
 * Owns encoding and decoding of one block, bounds-checked throughout; framing is compression-snappy.ts.
 * (The format: google/snappy, format_description.txt.)
 */

/** The encoder works in stretches of this size, so that every match fits a two-byte offset. */
const FRAGMENT_BYTES = 65536;
const HASH_BITS = 14;
/** Up to this, a loop copies faster than a call does. */
const LOOP_COPY_BYTES = 24;
/** No match is looked for in the last bytes of a fragment, so that four bytes can always be read. */
const MARGIN_BYTES = 15;

/** The size that `block` says its content has, and where the content starts; undefined when malformed. */
export function snappyPreamble(block: Buffer): { size: number; next: number } | undefined {
  let size = 0;
  for (let i = 0; i < 5; i++) {
    if (i >= block.length) return undefined;
    const byte = block[i]!;
    size += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return size <= 0xffffffff ? { size, next: i + 1 } : undefined;
  }
  return undefined;
}

/** Decodes `block`, preamble included, into `out`; false when it is malformed or does not fill `out` exactly. */
export function snappyDecode(block: Buffer, out: Buffer): boolean {
  const preamble = snappyPreamble(block);
  if (preamble === undefined || preamble.size !== out.length) return false;
  let at = preamble.next;
  let to = 0;
  while (at < block.length) {
    const tag = block[at++]!;
    const kind = tag & 3;
    if (kind === 0) {
      let length = (tag >> 2) + 1;
      if (length > 60) {
        const extra = length - 60;
        if (at + extra > block.length) return false;
        length = block.readUIntLE(at, extra) + 1;
        at += extra;
      }
      if (at + length > block.length || to + length > out.length) return false;
      if (length > LOOP_COPY_BYTES) block.copy(out, to, at, at + length);
      else for (let i = 0; i < length; i++) out[to + i] = block[at + i]!;
      at += length;
      to += length;
      continue;
    }
    const offsetBytes = kind === 3 ? 4 : kind;
    if (at + offsetBytes > block.length) return false;
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const offset = kind === 1 ? ((tag >> 5) << 8) | block[at]! : block.readUIntLE(at, offsetBytes);
    at += offsetBytes;
    if (offset === 0 || offset > to || to + length > out.length) return false;
    // Where the ranges overlap, the bytes repeat.
    if (length > LOOP_COPY_BYTES && offset >= length) out.copyWithin(to, to - offset, to - offset + length);
    else for (let i = to; i < to + length; i++) out[i] = out[i - offset]!;
    to += length;
  }
  return to === out.length;
}

/** One block holding `data`, preamble included. */
export function snappyEncode(data: Buffer): Buffer {
  const encoder = new BlockEncoder(data);
  for (let start = 0; start < data.length; start += FRAGMENT_BYTES) {
    encoder.fragment(start, Math.min(start + FRAGMENT_BYTES, data.length));
  }
  return encoder.finish();
}

function read32(data: Buffer, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
}

class BlockEncoder {
  readonly #data: Buffer;
  readonly #out: Buffer;
  readonly #table = new Uint16Array(1 << HASH_BITS);
  #to = 0;

  constructor(data: Buffer) {
    this.#data = data;
    this.#out = Buffer.allocUnsafe(32 + data.length + Math.ceil(data.length / 6));
    let rest = data.length;
    while (rest > 0x7f) {
      this.#out[this.#to++] = (rest & 0x7f) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#out[this.#to++] = rest;
  }

  finish(): Buffer {
    return this.#out.subarray(0, this.#to);
  }

  fragment(start: number, end: number): void {
    const data = this.#data;
    const table = this.#table.fill(0);
    const limit = end - MARGIN_BYTES;
    let literalStart = start;
    let at = start + 1;
    let misses = 32;
    while (at < limit) {
      const word = read32(data, at);
      const hash = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS);
      const candidate = start + table[hash]!;
      table[hash] = at - start;
      if (candidate >= at || read32(data, candidate) !== word) {
        // The longer nothing matches, the larger the steps: what cannot be compressed costs little time.
        at += misses++ >> 5;
        continue;
      }
      misses = 32;
      if (at > literalStart) this.#literal(literalStart, at);
      let length = 4;
      while (at + length < end && data[at + length] === data[candidate + length]) length++;
      this.#copies(at - candidate, length);
      at += length;
      literalStart = at;
    }
    if (literalStart < end) this.#literal(literalStart, end);
  }

  #literal(from: number, until: number): void {
    const out = this.#out;
    const last = until - from - 1;
    if (last < 60) {
      out[this.#to++] = last << 2;
    } else if (last < 256) {
      out[this.#to++] = 60 << 2;
      out[this.#to++] = last;
    } else {
      out[this.#to++] = 61 << 2;
      out[this.#to++] = last & 0xff;
      out[this.#to++] = last >> 8;
    }
    this.#to += this.#data.copy(out, this.#to, from, until);
  }

  #copies(offset: number, matchLength: number): void {
    const out = this.#out;
    for (let length = matchLength; length > 0; ) {
      // A rest of 1 to 3 bytes would not fit the short form, and is no worse in the long one.
      const part = Math.min(length, 64);
      if (part >= 4 && part <= 11 && offset < 2048) {
        out[this.#to++] = 1 | ((part - 4) << 2) | ((offset >> 8) << 5);
        out[this.#to++] = offset & 0xff;
      } else {
        out[this.#to++] = 2 | ((part - 1) << 2);
        out[this.#to++] = offset & 0xff;
        out[this.#to++] = offset >> 8;
      }
      length -= part;
    }
  }
}
