/**
 * A line of the journal or the snapshot: a checksum (16 hex digits of SHA-256), a space and JSON. Made and read in
 * pieces of some ten kilobytes, however long it is: a large buffer takes memory that the allocator keeps when it is
 * gone, and a large text makes garbage that outlives a start. Owns the format; not what the lines mean.
 */
import { createHash } from 'node:crypto';
import type { ByteSource } from './byte-source';

const CHECKSUM_LENGTH = 16;
const PREFIX_LENGTH = CHECKSUM_LENGTH + 1;
const PIECE_BYTES = 32 * 1024;
const NEWLINE = 0x0a;

export interface EncodedLine {
  readonly parts: readonly Buffer[];
  readonly sizeInBytes: number;
}

/** The line of `{"number":number,"name":[...items]}`. */
export function encodeLine(number: number, name: string, items: Iterable<unknown>): EncodedLine {
  const hash = createHash('sha256');
  const prefix = Buffer.alloc(PREFIX_LENGTH);
  const parts = [prefix];
  let sizeInBytes = PREFIX_LENGTH;
  const add = (text: string): void => {
    const part = Buffer.from(text);
    if (text !== '\n') hash.update(part);
    parts.push(part);
    sizeInBytes += part.length;
  };
  let text = `{"number":${number},${JSON.stringify(name)}:[`;
  let separator = '';
  for (const item of items) {
    text += separator + JSON.stringify(item);
    separator = ',';
    if (text.length < PIECE_BYTES) continue;
    add(text);
    text = '';
  }
  add(`${text}]}`);
  add('\n');
  prefix.write(`${hash.digest('hex').slice(0, CHECKSUM_LENGTH)} `, 'latin1');
  return { parts, sizeInBytes };
}

/** The lines of a file. */
export class JournalLines {
  readonly #source: ByteSource;
  readonly #window = Buffer.allocUnsafe(PIECE_BYTES);
  #windowStart = 0;
  #windowBytes = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Where the newline of the line lies that begins at `start`; -1 for none. */
  endOf(start: number): number {
    for (let position = start; ; ) {
      const bytes = this.#from(position);
      if (bytes.length === 0) return -1;
      const newline = bytes.indexOf(NEWLINE);
      if (newline >= 0) return position + newline;
      position += bytes.length;
    }
  }

  /** Whether the line from `start` to its newline at `end` is what was written. */
  isWhole(start: number, end: number): boolean {
    let prefix = '';
    for (const piece of this.pieces(start, Math.min(end, start + PREFIX_LENGTH))) prefix += piece.toString('latin1');
    const hash = createHash('sha256');
    for (const piece of this.json(start, end)) hash.update(piece);
    return prefix === `${hash.digest('hex').slice(0, CHECKSUM_LENGTH)} `;
  }

  /** The JSON of a line, as `pieces`. */
  json(start: number, end: number): Iterable<Buffer> {
    return this.pieces(start + PREFIX_LENGTH, end);
  }

  /** What lies between two positions; each piece is valid until the next one, or the next call. */
  *pieces(from: number, to: number): Iterable<Buffer> {
    for (let position = from; position < to; ) {
      const bytes = this.#from(position).subarray(0, to - position);
      if (bytes.length === 0) return;
      yield bytes;
      position += bytes.length;
    }
  }

  /** As much from `position` on as the window holds; nothing at the end of the file. */
  #from(position: number): Buffer {
    const isHere = position >= this.#windowStart && position < this.#windowStart + this.#windowBytes;
    if (!isHere) {
      this.#windowBytes = this.#source.read(this.#window, position);
      this.#windowStart = position;
    }
    return this.#window.subarray(position - this.#windowStart, this.#windowBytes);
  }
}
