/**
 * Reads the batches of a segment whole, one after the other, with large reads off the loop: for recovery, replays and
 * whoever needs more than headers. The buffer is reused: what it shows is valid until the next step.
 */
import * as batchHeader from '../records/batch-header';
import type { FileHandle } from './file-system';
import * as storedBatch from './stored-batch';

const READ_BYTES = 1024 * 1024;

export class BatchScanner {
  /** Holds the current batch at `at`. */
  buffer: Buffer;
  at = 0;
  /** Bytes of the current batch. */
  sizeInBytes = 0;
  /** Where the current batch begins in the file; after the end, where the next one would. */
  position: number;
  readonly #handle: FileHandle;
  readonly #to: number;
  #bufferStart = 0;
  #bufferBytes = 0;

  /** `from` is a batch border; larger batches than `readBytes` are read whole, too. */
  constructor(handle: FileHandle, range: { from: number; to: number; readBytes?: number }) {
    this.#handle = handle;
    this.#to = range.to;
    this.position = range.from;
    this.buffer = Buffer.allocUnsafe(Math.max(0, Math.min(range.readBytes ?? READ_BYTES, range.to - range.from)));
  }

  /** Goes to the next batch; false at the end, or where no whole batch follows. */
  async next(): Promise<boolean> {
    this.position += this.sizeInBytes;
    this.sizeInBytes = 0;
    if (this.position >= this.#to) return false;
    if (this.position + storedBatch.PEEK_BYTES > this.#bufferStart + this.#bufferBytes) await this.#fill(0);
    this.at = this.position - this.#bufferStart;
    if (!storedBatch.isPlausible(this.buffer, this.at, this.#bufferBytes - this.at)) return false;
    const size = batchHeader.sizeInBytes(this.buffer, this.at);
    if (this.position + size > this.#to) return false;
    if (this.at + size > this.#bufferBytes) await this.#fill(size);
    this.at = this.position - this.#bufferStart;
    if (this.at + size > this.#bufferBytes) return false;
    this.sizeInBytes = size;
    return true;
  }

  /** The current batch alone, a slice of the buffer. */
  batch(): Buffer {
    return this.buffer.subarray(this.at, this.at + this.sizeInBytes);
  }

  async #fill(needed: number): Promise<void> {
    if (needed > this.buffer.length) this.buffer = Buffer.allocUnsafe(needed);
    const wanted = Math.min(this.buffer.length, this.#to - this.position);
    this.#bufferBytes = await this.#handle.readAsync(this.buffer.subarray(0, wanted), this.position);
    this.#bufferStart = this.position;
  }
}
