/**
 * The segments that compaction writes in place of a group: `.cleaned` files with their indexes, durable when they are
 * finished. Owns writing them and taking them away again; putting them in place is segment-swap.ts.
 */
import * as batchHeader from '../records/batch-header';
import { FileSystemError } from './file-system';
import { CLEANED_SUFFIX } from './log-file-name';
import type { LogState } from './log-state';
import type { AbortedTransactionEntry } from './producer-state';
import { Segment } from './segment';
import { segmentOptions } from './segment-options';
import * as storedBatch from './stored-batch';

/** Positions in a segment are int32. */
const LARGEST_SEGMENT = 2 ** 31 - 1;

export class CleanedSegments {
  /** In order; at least one. */
  readonly segments: Segment[];
  readonly #state: LogState;
  /** Batches on their way to the file of the newest segment. */
  readonly #buffer: Buffer;
  #buffered = 0;

  /** `baseOffset`: that of the first segment of the group. */
  constructor(state: LogState, options: { baseOffset: number; bufferBytes: number }) {
    this.#state = state;
    this.#buffer = Buffer.allocUnsafe(options.bufferBytes);
    this.segments = [this.#create(options.baseOffset)];
  }

  get #newest(): Segment {
    return this.segments.at(-1)!;
  }

  /** Adds a whole batch, which is copied. Gives the bytes that went to the disk on the way. */
  async add(batch: Buffer): Promise<number> {
    const lastOffset = storedBatch.lastOffset(batch, 0);
    const { sizeInBytes, offsetIndex } = this.#newest;
    let written = 0;
    if (sizeInBytes > 0 && (sizeInBytes + batch.length > LARGEST_SEGMENT || !offsetIndex.canHold(lastOffset))) {
      written += await this.#complete();
      this.segments.push(this.#create(batchHeader.baseOffset(batch)));
    }
    if (this.#buffered + batch.length > this.#buffer.length) written += await this.#flush();
    const segment = this.#newest;
    if (batch.length > this.#buffer.length) {
      await this.#write(batch);
      written += batch.length;
    } else {
      this.#buffered += batch.copy(this.#buffer, this.#buffered);
    }
    const maxTimestampMs = storedBatch.maxTimestamp(batch, 0);
    segment.noteAppended({ sizeInBytes: batch.length, lastOffset, maxTimestampMs });
    return written;
  }

  /** Keeps an aborted transaction, whose marker was added last. */
  keepAborted(entry: AbortedTransactionEntry): void {
    this.#newest.transactionIndex.append(entry);
  }

  /** Makes all files complete and durable. Gives the bytes that went to the disk. */
  finish(): Promise<number> {
    return this.#complete();
  }

  /** Removes all files; nothing is left of them, or the next start removes it. */
  discard(): void {
    const { files, logger } = this.#state.environment;
    for (const path of this.segments.flatMap((segment) => segment.paths())) {
      files.detach(path);
      try {
        files.fileSystem.remove(path);
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error;
        logger.warn('Could not remove a file of an unfinished compaction', { path, error: error.message });
      }
    }
  }

  #create(baseOffset: number): Segment {
    const options = segmentOptions(this.#state.environment, this.#state);
    const own = { ...options, nameSuffix: CLEANED_SUFFIX, preallocatedBytes: undefined };
    const segment = Segment.create(own, baseOffset);
    // Index entries of an attempt whose files could not be removed would mix with ours.
    const { files } = this.#state.environment;
    for (const path of segment.paths().filter((path) => path !== segment.logPath)) files.fileSystem.remove(path);
    return segment;
  }

  async #complete(): Promise<number> {
    const written = await this.#flush();
    const segment = this.#newest;
    segment.becomeInactive();
    const { files } = this.#state.environment;
    for (const path of segment.paths()) {
      if (!files.fileSystem.stat(path)) continue;
      const { handle, release } = files.lendForWriting(path);
      try {
        await handle.sync();
      } finally {
        release();
      }
    }
    return written;
  }

  async #flush(): Promise<number> {
    const bytes = this.#buffered;
    if (bytes === 0) return 0;
    await this.#write(this.#buffer.subarray(0, bytes));
    this.#buffered = 0;
    // Piece by piece: those of a large segment are megabytes.
    if (this.#newest.isIndexWriteDue) this.#newest.writeIndexes();
    return bytes;
  }

  /** Writes what comes behind the batches that are in the file. */
  async #write(bytes: Buffer): Promise<void> {
    const { handle, release } = this.#state.environment.files.lendForWriting(this.#newest.logPath);
    try {
      await handle.writeAsync([bytes], handle.size());
    } finally {
      release();
    }
  }
}
