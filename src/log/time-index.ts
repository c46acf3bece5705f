/**
 * The sparse map of a segment from times to offsets: (timestamp: int64, offset relative to the base: int32). An entry
 * says that the largest timestamp up to the offset is the timestamp, and that the batch ending at the offset was the
 * first to reach it. Timestamps rise from entry to entry. (Kafka: TimeIndex.)
 */
import { readInt64, writeInt64 } from '../records/batch-header';
import { IndexFile } from './index-file';
import type { OpenFiles } from './open-files';

const ENTRY_BYTES = 12;

export interface TimeIndexEntry {
  /** -1 for none. */
  readonly timestampMs: number;
  readonly offset: number;
}

export class TimeIndex {
  readonly baseOffset: number;
  readonly #file: IndexFile;
  /** Undefined while it was not looked at. */
  #last: TimeIndexEntry | undefined;

  constructor(files: OpenFiles, path: string, segment: { baseOffset: number; storedBytes: number }) {
    this.baseOffset = segment.baseOffset;
    this.#file = new IndexFile(files, path, { entryBytes: ENTRY_BYTES, storedBytes: segment.storedBytes });
  }

  get count(): number {
    return this.#file.count;
  }

  /** The newest entry, (-1, base offset) without entries. */
  get last(): TimeIndexEntry {
    this.#last ??= this.#entry(this.#file.count - 1);
    return this.#last;
  }

  get sizeInBytes(): number {
    return this.#file.sizeInBytes;
  }

  /** The first entry; (-1, base offset) without entries. */
  get first(): TimeIndexEntry {
    return this.#entry(Math.min(0, this.count - 1));
  }

  get isWriteDue(): boolean {
    return this.#file.isWriteDue;
  }

  get hasUnwritten(): boolean {
    return this.#file.hasUnwritten;
  }

  /** Whether an index file of `maxBytes` is full; one place stays free for the entry made at the roll. */
  isFull(maxBytes: number, pendingEntries = 0): boolean {
    return this.count + pendingEntries >= Math.floor(maxBytes / ENTRY_BYTES) - 1;
  }

  /** Adds an entry if its timestamp is beyond the last one's. */
  maybeAppend(timestampMs: number, offset: number): void {
    if (timestampMs <= this.last.timestampMs) return;
    const [buffer, at] = this.#file.append();
    writeInt64(buffer, at, timestampMs);
    buffer.writeInt32BE(offset - this.baseOffset, at + 8);
    this.#last = { timestampMs, offset };
  }

  /** The last entry at or below `timestampMs`, (-1, base offset) when there is none. */
  floor(timestampMs: number): TimeIndexEntry {
    if (this.last.timestampMs <= timestampMs) return this.last;
    return this.#entry(this.#file.search((buffer, at) => readInt64(buffer, at) <= timestampMs));
  }

  /** Drops the entries from `offset` on. */
  truncateTo(offset: number): void {
    const relative = offset - this.baseOffset;
    this.#file.truncate(this.#file.search((buffer, at) => buffer.readInt32BE(at + 8) < relative) + 1);
    this.#last = undefined;
  }

  reset(): void {
    this.#file.reset();
    this.#last = undefined;
  }

  writeOut(): void {
    this.#file.writeOut();
  }

  #entry(index: number): TimeIndexEntry {
    if (index < 0) return { timestampMs: -1, offset: this.baseOffset };
    const [buffer, at] = this.#file.entry(index);
    return { timestampMs: readInt64(buffer, at), offset: this.baseOffset + buffer.readInt32BE(at + 8) };
  }
}
