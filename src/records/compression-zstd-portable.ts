/**
 * Inflates a frame of Zstandard in plain JavaScript: blocks, literals, sequences. Owns the content that has come out so
 * far, which is also the window of what follows. Memory grows with that content, never with what a header claims, and
 * time with the bytes read and made. Checksums are not looked at: record batches have one of their own.
 * (The format: RFC 8878, section 3. Dictionaries are not used by Kafka.)
 */
import {
  BackwardBits,
  corrupt,
  type HuffmanOutput,
  type HuffmanTable,
  readHuffmanStream,
  readHuffmanTable,
  readStateTable,
  type StateTable,
  singleSymbol,
  stateTable,
} from './compression-zstd-entropy';

export class TooLargeContent extends Error {
  override readonly name = 'TooLargeContent';
}

const LARGEST_BLOCK = 128 * 1024;
const FIRST_CONTENT_BYTES = 4096;

const LITERAL_LENGTH_COUNTS = [
  4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
];
const MATCH_LENGTH_COUNTS = [
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];
const OFFSET_COUNTS = [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1];

/** Bits that follow each code, from the first that has any. */
const LITERAL_LENGTH_BITS = [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const MATCH_LENGTH_BITS = [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/** A kind of number in sequences: its codes and tables, and where it stands in the section's byte of modes. */
interface NumberKind {
  readonly predefined: StateTable;
  readonly mostAccuracy: number;
  readonly bits: readonly number[];
  readonly bases: readonly number[];
  readonly modeShift: number;
}

function numberKind(o: {
  counts: readonly number[];
  most: number;
  shift: number;
  first: number;
  bits: number[];
}): NumberKind {
  const plain = o.counts.length - o.bits.length;
  const bits = [...new Array<number>(plain).fill(0), ...o.bits];
  const bases: number[] = [];
  let base = o.first;
  for (const count of bits) {
    bases.push(base);
    base += 2 ** count;
  }
  const accuracy = Math.log2(o.counts.reduce((sum, count) => sum + Math.abs(count), 0));
  return { predefined: stateTable(o.counts, accuracy), mostAccuracy: o.most, bits, bases, modeShift: o.shift };
}

const LITERAL_LENGTH = numberKind({
  counts: LITERAL_LENGTH_COUNTS,
  most: 9,
  shift: 6,
  first: 0,
  bits: LITERAL_LENGTH_BITS,
});
const MATCH_LENGTH = numberKind({ counts: MATCH_LENGTH_COUNTS, most: 9, shift: 2, first: 3, bits: MATCH_LENGTH_BITS });
/** Offsets have a rule in place of tables: code n is n bits above 2^n. */
const OFFSET_CODES = 32;
const OFFSET: NumberKind = {
  predefined: stateTable(OFFSET_COUNTS, 5),
  mostAccuracy: 8,
  bits: Array.from({ length: OFFSET_CODES }, (_, code) => code),
  bases: Array.from({ length: OFFSET_CODES }, (_, code) => 2 ** code),
  modeShift: 4,
};

type Tables = Record<'literalLength' | 'offset' | 'matchLength', StateTable | undefined>;

class FrameInflater {
  private content = Buffer.allocUnsafe(FIRST_CONTENT_BYTES);
  private length = 0;
  private huffman: HuffmanTable | undefined;
  private readonly tables: Tables = { literalLength: undefined, offset: undefined, matchLength: undefined };
  /** The last three offsets, newest first. */
  private recent: [number, number, number] = [1, 4, 8];
  private literals: Uint8Array = new Uint8Array(0);

  constructor(
    private readonly bytes: Buffer,
    private readonly maxBytes: number,
  ) {}

  inflate(blocksAt: number): Buffer {
    let at = blocksAt;
    for (let isLast = false; !isLast; ) {
      if (at + 3 > this.bytes.length) corrupt('a block cut off');
      const header = this.bytes.readUIntLE(at, 3);
      isLast = (header & 1) !== 0;
      at = this.block((header >> 1) & 3, { start: at + 3, size: header >> 3 });
    }
    return this.content.subarray(0, this.length);
  }

  /** Returns where the block ends. */
  private block(type: number, { start, size }: { start: number; size: number }): number {
    const end = start + (type === 1 ? 1 : size);
    if (size > LARGEST_BLOCK || end > this.bytes.length) corrupt('a block that is too large');
    if (type === 0) {
      this.reserve(size);
      this.length += this.bytes.copy(this.content, this.length, start, end);
    } else if (type === 1) {
      this.reserve(size);
      this.content.fill(this.bytes[start]!, this.length, this.length + size);
      this.length += size;
    } else if (type === 2) this.compressed(start, end);
    else corrupt('a block of no known type');
    return end;
  }

  private compressed(start: number, end: number): void {
    const before = this.length;
    const sequencesAt = this.readLiterals(start, end);
    this.sequences(sequencesAt, end);
    if (this.length - before > LARGEST_BLOCK) corrupt('a block with too much content');
  }

  /** Makes room for `size` bytes more. */
  private reserve(size: number): void {
    const needed = this.length + size;
    if (needed > this.maxBytes) throw new TooLargeContent('more than allowed');
    if (needed <= this.content.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.content.length));
    this.content.copy(larger, 0, 0, this.length);
    this.content = larger;
  }

  /** Returns where the literals end. */
  private readLiterals(start: number, end: number): number {
    if (start >= end) corrupt('no literals');
    const first = this.bytes[start]!;
    const type = first & 3;
    const format = (first >> 2) & 3;
    if (type < 2) return this.plainLiterals({ start, end, isRepeated: type === 1, format });
    const headerBytes = [3, 3, 4, 5][format]!;
    if (start + headerBytes > end) corrupt('literals cut off');
    // Sizes of 10, 14 or 18 bits, each above the four bits of type and format.
    const sizeBits = [10, 10, 14, 18][format]!;
    const header = this.bytes.readUIntLE(start, headerBytes);
    const mask = 2 ** sizeBits;
    const size = Math.floor(header / 16) % mask;
    const packed = Math.floor(header / 16 / mask) % mask;
    const from = start + headerBytes;
    if (size > LARGEST_BLOCK || from + packed > end) corrupt('literals that are too large');
    this.huffmanLiterals({ from, to: from + packed, size, hasTree: type === 2, streams: format === 0 ? 1 : 4 });
    return from + packed;
  }

  private plainLiterals(o: { start: number; end: number; isRepeated: boolean; format: number }): number {
    const headerBytes = [1, 2, 1, 3][o.format]!;
    if (o.start + headerBytes > o.end) corrupt('literals cut off');
    const size = this.bytes.readUIntLE(o.start, headerBytes) >> (headerBytes === 1 ? 3 : 4);
    const from = o.start + headerBytes;
    const to = from + (o.isRepeated ? 1 : size);
    if (size > LARGEST_BLOCK || to > o.end) corrupt('literals that are too large');
    this.literals = o.isRepeated ? new Uint8Array(size).fill(this.bytes[from]!) : this.bytes.subarray(from, to);
    return to;
  }

  private huffmanLiterals(o: { from: number; to: number; size: number; hasTree: boolean; streams: 1 | 4 }): void {
    let at = o.from;
    if (o.hasTree) {
      const tree = readHuffmanTable(this.bytes, at, o.to);
      this.huffman = tree.table;
      at = tree.next;
    }
    const { huffman: table } = this;
    if (table === undefined) corrupt('literals without a tree');
    const out = new Uint8Array(o.size);
    this.literals = out;
    if (o.streams === 1) readHuffmanStream(this.bytes, { start: at, end: o.to }, { table, out, from: 0, to: o.size });
    else this.fourStreams(at, o.to, { table, out, from: 0, to: o.size });
  }

  /** The sizes of the first three stand in front. */
  private fourStreams(at: number, limit: number, { table, out, to: size }: HuffmanOutput): void {
    if (at + 6 > limit) corrupt('streams cut off');
    const part = (size + 3) >> 2;
    let start = at + 6;
    for (let index = 0; index < 4; index++) {
      const end = index === 3 ? limit : start + this.bytes.readUInt16LE(at + 2 * index);
      const from = index * part;
      const to = index === 3 ? size : from + part;
      if (end > limit || to > size) corrupt('streams that do not fit');
      readHuffmanStream(this.bytes, { start, end }, { table, out, from, to });
      start = end;
    }
  }

  private sequences(start: number, end: number): void {
    const { bytes } = this;
    let at = start;
    if (at >= end) corrupt('no sequences');
    let count = bytes[at++]!;
    if (count >= 128) {
      const isLong = count === 255;
      if (at + (isLong ? 2 : 1) > end) corrupt('sequences cut off');
      count = isLong ? bytes.readUInt16LE(at) + 0x7f00 : ((count - 128) << 8) | bytes[at]!;
      at += isLong ? 2 : 1;
    }
    if (count > 0) this.run(count, this.readTables(at, end), end);
    else if (at === end) this.copyLiterals(0, this.literals.length);
    else corrupt('bytes behind the literals');
  }

  private readTables(modesAt: number, end: number): number {
    if (modesAt >= end) corrupt('sequences cut off');
    const modes = this.bytes[modesAt]!;
    if ((modes & 3) !== 0) corrupt('reserved bits of sequences');
    let at = modesAt + 1;
    for (const [name, kind] of [
      ['literalLength', LITERAL_LENGTH],
      ['offset', OFFSET],
      ['matchLength', MATCH_LENGTH],
    ] as const) {
      const mode = (modes >> kind.modeShift) & 3;
      if (mode === 0) this.tables[name] = kind.predefined;
      else if (mode === 1) {
        if (at >= end || this.bytes[at]! >= kind.bits.length) corrupt('a code that does not exist');
        this.tables[name] = singleSymbol(this.bytes[at++]!);
      } else if (mode === 2) {
        const limits = { mostAccuracy: kind.mostAccuracy, mostSymbols: kind.bits.length };
        const read = readStateTable(this.bytes, { start: at, end }, limits);
        this.tables[name] = read.table;
        at = read.next;
      } else if (this.tables[name] === undefined) corrupt('a table that was not there before');
    }
    return at;
  }

  /** Takes literals and earlier content by turns, as `count` sequences say. */
  private run(count: number, start: number, end: number): void {
    const literalLengths = this.tables.literalLength!;
    const offsets = this.tables.offset!;
    const matchLengths = this.tables.matchLength!;
    const stream = new BackwardBits(this.bytes, start, end);
    let literalState = stream.take(literalLengths.accuracy);
    let offsetState = stream.take(offsets.accuracy);
    let matchState = stream.take(matchLengths.accuracy);
    let literalAt = 0;
    for (let left = count; left > 0; left--) {
      const offsetCode = offsets.symbols[offsetState]!;
      const matchCode = matchLengths.symbols[matchState]!;
      const literalCode = literalLengths.symbols[literalState]!;
      const offsetValue = 2 ** offsetCode + stream.take(offsetCode);
      const matchLength = MATCH_LENGTH.bases[matchCode]! + stream.take(MATCH_LENGTH.bits[matchCode]!);
      const literalLength = LITERAL_LENGTH.bases[literalCode]! + stream.take(LITERAL_LENGTH.bits[literalCode]!);
      literalAt = this.copyLiterals(literalAt, literalAt + literalLength);
      this.copyMatch(this.offset(offsetValue, literalLength), matchLength);
      if (left > 1) {
        literalState = literalLengths.bases[literalState]! + stream.take(literalLengths.bits[literalState]!);
        matchState = matchLengths.bases[matchState]! + stream.take(matchLengths.bits[matchState]!);
        offsetState = offsets.bases[offsetState]! + stream.take(offsets.bits[offsetState]!);
      }
      if (stream.left < 0) corrupt('sequences that are too short');
    }
    if (stream.left !== 0) corrupt('sequences that are too long');
    this.copyLiterals(literalAt, this.literals.length);
  }

  private copyLiterals(from: number, to: number): number {
    if (to > this.literals.length) corrupt('more literals than there are');
    this.reserve(to - from);
    this.content.set(this.literals.subarray(from, to), this.length);
    this.length += to - from;
    return to;
  }

  /** Values up to 3 stand for the offsets of before. */
  private offset(value: number, literalLength: number): number {
    const { recent } = this;
    if (value > 3) {
      this.recent = [value - 3, recent[0], recent[1]];
      return value - 3;
    }
    const nth = value - 1 + (literalLength === 0 ? 1 : 0);
    if (nth === 0) return recent[0];
    const offset = nth === 3 ? recent[0] - 1 : recent[nth as 1 | 2];
    if (offset === 0) corrupt('an offset of 0');
    this.recent = [offset, recent[0], nth === 1 ? recent[2] : recent[1]];
    return offset;
  }

  private copyMatch(offset: number, size: number): void {
    if (offset > this.length) corrupt('an offset before the content');
    this.reserve(size);
    const { content } = this;
    let at = this.length;
    this.length += size;
    if (offset >= size) content.copyWithin(at, at - offset, at - offset + size);
    else for (let from = at - offset; at < this.length; ) content[at++] = content[from++]!;
  }
}

/**
 * The content of the frame whose blocks start at `blocksAt`. Throws `TooLargeContent` when that is more than
 * `maxBytes`, `CorruptZstd` when it is no frame.
 */
export function inflateZstdFrame(bytes: Buffer, blocksAt: number, maxBytes: number): Buffer {
  const inflater = new FrameInflater(bytes, maxBytes);
  return inflater.inflate(blocksAt);
}
