/**
 * The elements of a long JSON array one by one, so that a text of megabytes is never in memory as a whole, nor what it
 * says. For texts that JSON.stringify made of `{"name":value,...,"last":[element,...]}` with objects or arrays as
 * elements; anything else throws. Owns the cutting; JSON.parse reads the elements.
 */
import { assert } from '../base/assert';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, and `]` and `}`, with the bit in which they differ. */
const OPENING = 0x7b;
const CLOSING = 0x7d;
const BRACKET_BIT = 0x20;
/** Within the object and the array. */
const ELEMENT_DEPTH = 2;

export interface ElementVisitor {
  /** The object without the elements; false: they are not wanted. */
  head(value: unknown): boolean;
  element(value: unknown): void;
}

class Cutter {
  readonly #visitor: ElementVisitor;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isHead = true;
  isUnwanted = false;
  /** What came before the present piece of the part that is wanted. */
  #before: Buffer[] = [];
  /** Where that part begins in the present piece; -1 while nothing is wanted. */
  #from = 0;

  constructor(visitor: ElementVisitor) {
    this.#visitor = visitor;
  }

  get isAtEnd(): boolean {
    return this.#depth === 0 && !this.#isHead;
  }

  take(piece: Buffer): void {
    for (let at = 0; at < piece.length && !this.isUnwanted; at++) {
      const byte = piece[at]!;
      if (this.#isInText) this.#passText(byte);
      else if (byte === QUOTE) this.#isInText = true;
      else if ((byte | BRACKET_BIT) === OPENING) this.#open(piece, at);
      else if ((byte | BRACKET_BIT) === CLOSING) this.#close(piece, at);
    }
    if (this.#from < 0) return;
    // A copy, since the piece's buffer is used again.
    this.#before.push(Buffer.from(piece.subarray(this.#from)));
    this.#from = 0;
  }

  #passText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  #open(piece: Buffer, at: number): void {
    if (!this.#isHead && this.#depth === ELEMENT_DEPTH) this.#from = at;
    this.#depth++;
    if (!this.#isHead || this.#depth < ELEMENT_DEPTH) return;
    this.#isHead = false;
    this.isUnwanted = !this.#visitor.head(JSON.parse(`${this.#cut(piece, at + 1)}]}`));
  }

  #close(piece: Buffer, at: number): void {
    this.#depth--;
    if (!this.#isHead && this.#depth === ELEMENT_DEPTH) this.#visitor.element(JSON.parse(this.#cut(piece, at + 1)));
  }

  #cut(piece: Buffer, end: number): string {
    const here = piece.subarray(this.#from, end);
    const text = this.#before.length > 0 ? Buffer.concat([...this.#before, here]) : here;
    this.#before = [];
    this.#from = -1;
    return text.toString('utf8');
  }
}

/** The pieces may share one buffer. */
export function visitElements(pieces: Iterable<Buffer>, visitor: ElementVisitor): void {
  const cutter = new Cutter(visitor);
  for (const piece of pieces) {
    cutter.take(piece);
    if (cutter.isUnwanted) return;
  }
  assert(cutter.isAtEnd, 'JSON text of one object that ends in an array');
}
