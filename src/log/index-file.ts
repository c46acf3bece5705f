/**
 * A file of entries of one size, only appended and cut: what the offset and time indexes have in common. New entries
 * gather in memory and reach the file in blocks, so that an append of records costs no write of eight bytes; what a
 * crash loses of an index is rebuilt from the log.
 * Invariant: entries 0..#stored-1 are in the file, the rest in `#tail`.
 */
import type { OpenFiles } from './open-files';

/** Entries gathered before they are written. */
const TAIL_ENTRIES = 512;
/** A range this small is read in one go and searched in memory. */
const BLOCK_ENTRIES = 512;

/** Compares the entry at `at` in `buffer` with what is looked for: true while the entry is not beyond it. */
export type EntryTest = (buffer: Buffer, at: number) => boolean;

export class IndexFile {
  readonly #files: OpenFiles;
  readonly #path: string;
  readonly #entryBytes: number;
  #stored: number;
  #tail: Buffer | undefined;
  #tailCount = 0;

  /** `storedBytes`: size of the file, 0 when it does not exist. A torn last entry does not count. */
  constructor(files: OpenFiles, path: string, layout: { entryBytes: number; storedBytes: number }) {
    this.#files = files;
    this.#path = path;
    this.#entryBytes = layout.entryBytes;
    this.#stored = Math.floor(layout.storedBytes / layout.entryBytes);
  }

  get count(): number {
    return this.#stored + this.#tailCount;
  }

  get sizeInBytes(): number {
    return this.count * this.#entryBytes;
  }

  /** A place for one more entry, which the caller fills at once: [buffer, position]. */
  append(): [Buffer, number] {
    const needed = (this.#tailCount + 1) * this.#entryBytes;
    if (!this.#tail || this.#tail.length < needed) {
      const usual = TAIL_ENTRIES * this.#entryBytes;
      // Beyond the usual only where the disk is full and nothing can be written.
      const grown = Buffer.alloc(needed > usual ? 2 * needed : Math.min(2 * needed, usual));
      this.#tail?.copy(grown);
      this.#tail = grown;
    }
    this.#tailCount++;
    return [this.#tail, needed - this.#entryBytes];
  }

  /** Whether enough entries have gathered to be worth a write. */
  get isWriteDue(): boolean {
    return this.#tailCount >= TAIL_ENTRIES;
  }

  get hasUnwritten(): boolean {
    return this.#tailCount > 0;
  }

  /** Brings the file up to date; creates it when it is missing. Not synced. */
  writeOut(): void {
    const handle = this.#files.forWriting(this.#path);
    if (this.#tail && this.#tailCount > 0) {
      const bytes = this.#tailCount * this.#entryBytes;
      handle.write(this.#tail.subarray(0, bytes), this.#stored * this.#entryBytes);
      this.#stored += this.#tailCount;
    }
    this.#tail = undefined;
    this.#tailCount = 0;
  }

  /** The entry at `index`, which exists: [buffer, position], valid until the next call. */
  entry(index: number): [Buffer, number] {
    if (index >= this.#stored && this.#tail) return [this.#tail, (index - this.#stored) * this.#entryBytes];
    const buffer = Buffer.allocUnsafe(this.#entryBytes);
    this.#read(buffer, index);
    return [buffer, 0];
  }

  /**
   * The index of the last entry that is `notBeyond`, -1 for none; `notBeyond` holds for a first part of the entries.
   */
  search(notBeyond: EntryTest): number {
    let low = 0;
    let high = this.count;
    if (this.#tailCount > 0) {
      if (notBeyond(this.#tail!, 0)) low = this.#stored;
      else high = this.#stored;
    }
    while (high - low > BLOCK_ENTRIES && high <= this.#stored) {
      const middle = (low + high) >>> 1;
      const [buffer, at] = this.entry(middle);
      if (notBeyond(buffer, at)) low = middle;
      else high = middle;
    }
    return this.#searchInMemory(low, high, notBeyond);
  }

  /** Keeps the first `count` entries. */
  truncate(count: number): void {
    if (count >= this.#stored) {
      this.#tailCount = Math.min(this.#tailCount, count - this.#stored);
      return;
    }
    this.#tail = undefined;
    this.#tailCount = 0;
    this.#stored = count;
    this.#files.forWriting(this.#path).truncate(count * this.#entryBytes);
  }

  /** Starts again without entries, whatever is in the file. */
  reset(): void {
    this.#tail = undefined;
    this.#tailCount = 0;
    this.#stored = 0;
    this.#files.forWriting(this.#path).truncate(0);
  }

  #searchInMemory(low: number, high: number, notBeyond: EntryTest): number {
    let buffer = this.#tail!;
    let first = this.#stored;
    if (low < this.#stored) {
      buffer = Buffer.allocUnsafe((high - low) * this.#entryBytes);
      this.#read(buffer, low);
      first = low;
    }
    let below = low;
    let above = high;
    while (below < above) {
      const middle = (below + above) >>> 1;
      if (notBeyond(buffer, (middle - first) * this.#entryBytes)) below = middle + 1;
      else above = middle;
    }
    return below - 1;
  }

  #read(target: Buffer, index: number): void {
    const count = this.#files.forReading(this.#path).read(target, index * this.#entryBytes);
    // A file that was cut behind our back reads as zeros; the caller sees positions that cannot be and rebuilds.
    target.fill(0, count);
  }
}
