/**
 * Cuts a stream of bytes into length-prefixed frames. Pure: knows no socket and no API.
 * A frame that lies in one chunk is a slice of it, uncopied. What is kept is proportional to the bytes that came,
 * never to the length that a peer claims: a claimed length is checked as soon as its four bytes are there, and
 * nothing is allocated for it.
 */

const LENGTH_BYTES = 4;

/**
 * A chunk below this size is copied into a shared block, so that a dribbled frame does not become a million buffers.
 */
const SMALL_CHUNK_BYTES = 4096;
const BLOCK_BYTES = 16384;

export class FrameReader {
  readonly #maxFrameBytes: number;
  /** What has come and is not yet part of a returned frame; all but the first begin at their own start. */
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  /** The bytes used of the last chunk if that is a block of ours with room; else 0. */
  #blockUsed = 0;
  #block: Buffer | undefined;
  /** The length of the frame that is coming in, or -1 while its prefix is not complete. */
  #frameBytes = -1;
  #invalidLength: number | undefined;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** The bytes that came in and belong to no returned frame. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** How many bytes the frame that is coming in still lacks; 0 between frames or where its length is not known yet. */
  get missingBytes(): number {
    return this.#frameBytes < 0 ? 0 : this.#frameBytes - this.#bufferedBytes;
  }

  /** The length that was refused; nothing can be read from this stream any more. */
  get invalidLength(): number | undefined {
    return this.#invalidLength;
  }

  /** Takes the next bytes of the stream. The chunk belongs to the reader from now on. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#bufferedBytes += chunk.length;
    if (this.#chunks.length > 0 && chunk.length < SMALL_CHUNK_BYTES) this.#copyIntoBlock(chunk);
    else {
      this.#endBlock();
      this.#chunks.push(chunk);
    }
  }

  /** The next whole frame without its prefix; undefined until more bytes come (for ever, after an invalid length). */
  next(): Buffer | undefined {
    if (this.#frameBytes < 0 && !this.#readLength()) return undefined;
    if (this.#bufferedBytes < this.#frameBytes) return undefined;
    const frame = this.#take(this.#frameBytes);
    this.#frameBytes = -1;
    return frame;
  }

  #readLength(): boolean {
    if (this.#invalidLength !== undefined || this.#bufferedBytes < LENGTH_BYTES) return false;
    const length = this.#take(LENGTH_BYTES).readInt32BE(0);
    if (length < 0 || length > this.#maxFrameBytes) {
      this.#invalidLength = length;
      this.#chunks = [];
      this.#bufferedBytes = 0;
      return false;
    }
    this.#frameBytes = length;
    return true;
  }

  #take(count: number): Buffer {
    this.#bufferedBytes -= count;
    this.#endBlock();
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= count) {
      if (first.length === count) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    return this.#join(count);
  }

  #join(count: number): Buffer {
    const joined = Buffer.allocUnsafe(count);
    let filled = 0;
    let index = 0;
    while (filled < count) {
      const chunk = this.#chunks[index]!;
      const used = Math.min(chunk.length, count - filled);
      chunk.copy(joined, filled, 0, used);
      filled += used;
      if (used === chunk.length) index++;
      else this.#chunks[index] = chunk.subarray(used);
    }
    this.#chunks.splice(0, index);
    return joined;
  }

  #copyIntoBlock(chunk: Buffer): void {
    let copied = 0;
    while (copied < chunk.length) {
      if (this.#block === undefined) {
        this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
        this.#blockUsed = 0;
        this.#chunks.push(this.#block);
      }
      const count = chunk.copy(this.#block, this.#blockUsed, copied);
      this.#blockUsed += count;
      copied += count;
      if (this.#blockUsed === BLOCK_BYTES) this.#block = undefined;
    }
  }

  /** Cuts the last block to what it holds: no more is written to it. */
  #endBlock(): void {
    if (this.#block === undefined) return;
    this.#chunks[this.#chunks.length - 1] = this.#block.subarray(0, this.#blockUsed);
    this.#block = undefined;
  }
}
