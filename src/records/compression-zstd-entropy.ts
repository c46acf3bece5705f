/**
 * The entropy coders of Zstandard in plain JavaScript, reading only: streams of bits from back to front, tables of
 * finite state entropy, Huffman trees. Owns tables and bits; what the numbers mean is `compression-zstd-portable.ts`.
 * Invariant: no read goes outside the bytes given, no table is larger than the format allows; anything else is a
 * `CorruptZstd`. (The format: RFC 8878, sections 4.1 and 4.2.)
 */

export class CorruptZstd extends Error {
  override readonly name = 'CorruptZstd';
}

export function corrupt(what: string): never {
  throw new CorruptZstd(what);
}

export function highestBit(value: number): number {
  return 31 - Math.clz32(value);
}

/** Bits from the end of a stretch of bytes to its start; the highest set bit of the last byte only marks the end. */
export class BackwardBits {
  /** Bits that are left; below 0 when more were taken than there are. */
  left: number;
  private readonly startBit: number;

  constructor(
    private readonly bytes: Buffer,
    start: number,
    end: number,
  ) {
    const last = end > start ? bytes[end - 1]! : 0;
    if (last === 0) corrupt('a stream of bits without its end');
    this.startBit = start * 8;
    this.left = (end - start - 1) * 8 + highestBit(last);
  }

  /** At most 31 bits; bits before the start are 0. */
  take(count: number): number {
    this.left -= count;
    return this.window(this.left, count);
  }

  /** What `take` would give. */
  peek(count: number): number {
    return this.window(this.left - count, count);
  }

  private window(from: number, count: number): number {
    if (count > 16) return this.window(from + 16, count - 16) * 0x10000 + this.window(from, 16);
    // Where it begins before the stream, the missing low bits are 0.
    if (from < 0) return from + count <= 0 ? 0 : this.window(0, from + count) << -from;
    const { bytes } = this;
    const at = (this.startBit + from) >>> 3;
    const word = bytes[at]! | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return (word >>> ((this.startBit + from) & 7)) & ((1 << count) - 1);
  }
}

/** A decoding table: state → symbol, and the way to the next state. */
export interface StateTable {
  readonly accuracy: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

/** A table that gives one symbol for ever and takes no bits. */
export function singleSymbol(symbol: number): StateTable {
  return { accuracy: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), bases: new Uint16Array(1) };
}

/** From how often each symbol occurs in 2^accuracy; -1 is less than once. */
export function stateTable(counts: readonly number[], accuracy: number): StateTable {
  const size = 1 << accuracy;
  const symbols = new Uint8Array(size);
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  const next = new Uint16Array(counts.length);
  let end = size;
  for (const [symbol, count] of counts.entries()) {
    if (count === -1) symbols[--end] = symbol;
    next[symbol] = Math.abs(count);
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  for (const [symbol, count] of counts.entries())
    for (let left = count; left > 0; left--) {
      symbols[position] = symbol;
      do position = (position + step) & (size - 1);
      while (position >= end);
    }
  if (position !== 0) corrupt('probabilities that do not fill their table');
  for (let state = 0; state < size; state++) {
    const nth = next[symbols[state]!]!++;
    bits[state] = accuracy - highestBit(nth);
    bases[state] = (nth << bits[state]!) - size;
  }
  return { accuracy, symbols, bits, bases };
}

export interface TableLimits {
  readonly mostAccuracy: number;
  readonly mostSymbols: number;
}

/** Reads a table's description from `start` on, front to back; `end` bounds it. */
export function readStateTable(
  bytes: Buffer,
  range: { start: number; end: number },
  limits: TableLimits,
): { table: StateTable; next: number } {
  let bit = range.start * 8;
  const endBit = range.end * 8;
  const peek = (count: number): number => {
    const at = bit >>> 3;
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return (word >>> (bit & 7)) & ((1 << count) - 1);
  };
  const accuracy = peek(4) + 5;
  bit += 4;
  if (accuracy > limits.mostAccuracy) corrupt('a table that is too large');
  const counts: number[] = [];
  let remaining = 1 << accuracy;
  while (remaining > 0 && counts.length < limits.mostSymbols && bit < endBit) {
    const count = countOf(peek, remaining);
    bit += count.bits;
    counts.push(count.value);
    remaining -= Math.abs(count.value);
    if (count.value !== 0) continue;
    let repeat: number;
    do {
      repeat = peek(2);
      bit += 2;
      for (let left = repeat; left > 0; left--) counts.push(0);
    } while (repeat === 3 && bit < endBit);
  }
  if (remaining !== 0 || counts.length > limits.mostSymbols || bit > endBit) corrupt('a table that does not add up');
  return { table: stateTable(counts, accuracy), next: (bit + 7) >>> 3 };
}

/** The next probability: small values take a bit less. */
function countOf(peek: (count: number) => number, remaining: number): { value: number; bits: number } {
  const bits = highestBit(remaining + 1) + 1;
  const value = peek(bits);
  const low = value & ((1 << (bits - 1)) - 1);
  const spare = (1 << bits) - 1 - (remaining + 1);
  if (low < spare) return { value: low - 1, bits: bits - 1 };
  return { value: (value >= 1 << (bits - 1) ? value - spare : value) - 1, bits };
}

/** Bits → symbol and the number of bits that it has. */
export interface HuffmanTable {
  readonly mostBits: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

const MOST_HUFFMAN_BITS = 11;
const WEIGHT_LIMITS: TableLimits = { mostAccuracy: 6, mostSymbols: MOST_HUFFMAN_BITS + 2 };
/** A size byte from here on is a number of weights of four bits each. */
const DIRECT_WEIGHTS = 128;
const MOST_WEIGHTS = 255;

/** Reads a tree's description at `start`. */
export function readHuffmanTable(bytes: Buffer, start: number, end: number): { table: HuffmanTable; next: number } {
  if (start >= end) corrupt('no Huffman tree');
  const size = bytes[start]!;
  const direct = size - DIRECT_WEIGHTS + 1;
  const next = start + 1 + (size >= DIRECT_WEIGHTS ? (direct + 1) >> 1 : size);
  if (next > end) corrupt('a Huffman tree cut off');
  if (size < DIRECT_WEIGHTS) return { table: huffmanTable(codedWeights(bytes, start + 1, next)), next };
  const weights = Array.from({ length: direct }, (_, index) => {
    const pair = bytes[start + 1 + (index >> 1)]!;
    return index % 2 === 0 ? pair >> 4 : pair & 15;
  });
  return { table: huffmanTable(weights), next };
}

/** Weights by two states that take turns on one stream. */
function codedWeights(bytes: Buffer, start: number, end: number): number[] {
  const { table, next } = readStateTable(bytes, { start, end }, WEIGHT_LIMITS);
  const stream = new BackwardBits(bytes, next, end);
  let state = stream.take(table.accuracy);
  let other = stream.take(table.accuracy);
  if (stream.left < 0) corrupt('weights cut off');
  const weights: number[] = [];
  while (weights.length <= MOST_WEIGHTS) {
    weights.push(table.symbols[state]!);
    const following = table.bases[state]! + stream.take(table.bits[state]!);
    if (stream.left < 0) {
      weights.push(table.symbols[other]!);
      return weights;
    }
    state = other;
    other = following;
  }
  return corrupt('too many weights');
}

/** The last weight is not written: it is what fills the table. */
function huffmanTable(written: readonly number[]): HuffmanTable {
  let sum = 0;
  for (const weight of written) sum += weight === 0 ? 0 : 1 << (weight - 1);
  if (sum === 0 || written.length > MOST_WEIGHTS) corrupt('a Huffman tree without leaves');
  const mostBits = highestBit(sum) + 1;
  const rest = (1 << mostBits) - sum;
  if (mostBits > MOST_HUFFMAN_BITS || (rest & (rest - 1)) !== 0) corrupt('a Huffman tree that does not add up');
  const weights = [...written, highestBit(rest) + 1];
  const symbols = new Uint8Array(1 << mostBits);
  const bits = new Uint8Array(1 << mostBits);
  let at = 0;
  for (let weight = 1; weight <= mostBits; weight++)
    for (const [symbol, own] of weights.entries()) {
      if (own !== weight) continue;
      const end = at + (1 << (weight - 1));
      symbols.fill(symbol, at, end);
      bits.fill(mostBits + 1 - weight, at, end);
      at = end;
    }
  return { mostBits, symbols, bits };
}

/** Fills `out` with what the stream in [start, end) says; the stream must be used up by that. */
export function readHuffmanStream(bytes: Buffer, range: { start: number; end: number }, o: HuffmanOutput): void {
  const { table, out } = o;
  const { mostBits, symbols, bits } = table;
  const stream = new BackwardBits(bytes, range.start, range.end);
  for (let at = o.from; at < o.to; at++) {
    const code = stream.peek(mostBits);
    out[at] = symbols[code]!;
    stream.left -= bits[code]!;
    if (stream.left < 0) corrupt('a Huffman stream that is too short');
  }
  if (stream.left !== 0) corrupt('a Huffman stream that is too long');
}

export interface HuffmanOutput {
  readonly table: HuffmanTable;
  readonly out: Uint8Array;
  readonly from: number;
  readonly to: number;
}
