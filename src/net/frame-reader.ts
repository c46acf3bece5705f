/**
 * Cuts a stream of bytes into length-prefixed frames. Knows no socket and no API.
 * The bytes are copied once, into memory of the frame's own, so that the buffer they came in can be filled again. What
 * is taken is proportional to the bytes that came, never to the length that a peer claims: a claimed length is checked
 * as soon as its four bytes are there, and memory for it grows with what follows.
 */
import type { SlabMemory } from '../base/slab-memory';

const LENGTH_BYTES = 4;
/** What a frame gets at least, if it is not smaller itself. */
const FIRST_BYTES = 4096;
/** How much more memory than bytes a frame gets that has not come in whole. */
const GROWTH = 2;

const EMPTY = Buffer.alloc(0);

export class FrameReader {
  readonly #maxFrameBytes: number;
  readonly #memory: SlabMemory;
  /** Frames that are whole and were not asked for yet. */
  #ready: Buffer[] = [];
  #readyBytes = 0;
  /** What came of a length prefix that is not complete. */
  #prefix = 0;
  #prefixBytes = 0;
  /** The length of the frame that is coming in, or -1 while its prefix is not complete. */
  #frameBytes = -1;
  #frame: Buffer = EMPTY;
  #filledBytes = 0;
  #invalidLength: number | undefined;

  constructor(maxFrameBytes: number, memory: SlabMemory) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#memory = memory;
  }

  /** The bytes that came in and belong to no returned frame. */
  get bufferedBytes(): number {
    return this.#readyBytes + this.#prefixBytes + this.#filledBytes;
  }

  /** How many bytes the frame that is coming in still lacks; 0 between frames or where its length is not known yet. */
  get missingBytes(): number {
    return this.#frameBytes < 0 ? 0 : this.#frameBytes - this.#filledBytes;
  }

  /** The length that was refused; nothing can be read from this stream any more. */
  get invalidLength(): number | undefined {
    return this.#invalidLength;
  }

  /** Takes the next bytes of the stream; `chunk` is the caller's again afterwards. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.#invalidLength === undefined) {
      at += this.#frameBytes < 0 ? this.#readLength(chunk, at) : this.#readBody(chunk, at);
      if (this.#filledBytes === this.#frameBytes) this.#endFrame();
    }
  }

  /**
   * The next whole frame without its prefix; undefined until more bytes come (for ever, after an invalid length). It
   * may be given back to the frame memory when nobody needs it any more.
   */
  next(): Buffer | undefined {
    const frame = this.#ready.shift();
    if (frame !== undefined) this.#readyBytes -= frame.length;
    return frame;
  }

  /** Nothing more will be read: lets go of what came in of a frame. */
  drop(): void {
    this.#memory.giveBack(this.#frame);
    this.#frame = EMPTY;
    this.#filledBytes = 0;
    this.#frameBytes = -1;
  }

  /** Returns how many bytes of `chunk` it took. */
  #readLength(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length && this.#prefixBytes < LENGTH_BYTES; at++, this.#prefixBytes++) {
      this.#prefix = (this.#prefix << 8) | chunk[at]!;
    }
    if (this.#prefixBytes < LENGTH_BYTES) return at - from;
    this.#prefixBytes = 0;
    if (this.#prefix < 0 || this.#prefix > this.#maxFrameBytes) this.#invalidLength = this.#prefix;
    else this.#frameBytes = this.#prefix;
    this.#prefix = 0;
    return at - from;
  }

  #readBody(chunk: Buffer, from: number): number {
    const count = Math.min(chunk.length - from, this.#frameBytes - this.#filledBytes);
    this.#makeRoom(this.#filledBytes + count);
    chunk.copy(this.#frame, this.#filledBytes, from, from + count);
    this.#filledBytes += count;
    return count;
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#frame.length) return;
    const wantedBytes = Math.min(this.#frameBytes, Math.max(FIRST_BYTES, GROWTH * bytes));
    const larger = this.#memory.take(wantedBytes);
    this.#frame.copy(larger, 0, 0, this.#filledBytes);
    this.#memory.giveBack(this.#frame);
    this.#frame = larger;
  }

  #endFrame(): void {
    const isFilled = this.#frame.length === this.#frameBytes;
    this.#ready.push(isFilled ? this.#frame : this.#frame.subarray(0, this.#frameBytes));
    this.#readyBytes += this.#frameBytes;
    this.#frame = EMPTY;
    this.#filledBytes = 0;
    this.#frameBytes = -1;
  }
}
