/**
 * A file of entries of one size, only appended and cut: what the offset and time indexes have in common. New entries
 * gather in memory and reach the file in blocks, so that an append of records costs no write of eight bytes; what a
 * crash loses of an index is rebuilt from the log. A search looks into the first entries of blocks, which are kept once
 * they were seen, and then into one block: however large the file is, that is one read when it is in use.
 * Invariant: entries 0..#stored-1 are in the file, the rest in `#tail`; what is kept of blocks is what the file says.
 */
import type { OpenFiles } from './open-files';

/** Entries gathered before they are written. */
const TAIL_ENTRIES = 512;
/** So many are read in one go and searched in memory. */
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
  /** First entries of blocks, and which of them were read. */
  #heads: Buffer | undefined;
  #areHeadsKnown: Uint8Array | undefined;
  /** Holds the entries of the block that was read last. */
  #block: Buffer | undefined;
  #blockNumber = -1;
  #blockCount = 0;

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
    const inBlock = index - this.#blockNumber * BLOCK_ENTRIES;
    if (this.#block && inBlock >= 0 && inBlock < this.#blockCount) return [this.#block, inBlock * this.#entryBytes];
    const buffer = Buffer.allocUnsafe(this.#entryBytes);
    this.#read(buffer, index);
    return [buffer, 0];
  }

  /**
   * The index of the last entry that is `notBeyond`, -1 for none; `notBeyond` holds for a first part of the entries.
   */
  search(notBeyond: EntryTest): number {
    if (this.#tail && this.#tailCount > 0 && notBeyond(this.#tail, 0)) {
      return this.#stored + this.#countNotBeyond(this.#tail, this.#tailCount, notBeyond) - 1;
    }
    let low = 0;
    let high = Math.ceil(this.#stored / BLOCK_ENTRIES);
    if (high === 0) return -1;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const [buffer, at] = this.#head(middle);
      if (notBeyond(buffer, at)) low = middle;
      else high = middle;
    }
    const block = this.#readBlock(low);
    return low * BLOCK_ENTRIES + this.#countNotBeyond(block, this.#blockCount, notBeyond) - 1;
  }

  /** Keeps the first `count` entries. */
  truncate(count: number): void {
    if (count >= this.#stored) {
      this.#tailCount = Math.min(this.#tailCount, count - this.#stored);
      return;
    }
    this.#tail = undefined;
    this.#tailCount = 0;
    this.#forgetBlocks();
    this.#stored = count;
    this.#files.forWriting(this.#path).truncate(count * this.#entryBytes);
  }

  /** Starts again without entries, whatever is in the file. */
  reset(): void {
    this.#tail = undefined;
    this.#tailCount = 0;
    this.#forgetBlocks();
    this.#stored = 0;
    this.#files.forWriting(this.#path).truncate(0);
  }

  /** How many of the first `count` entries in `buffer` are `notBeyond`. */
  #countNotBeyond(buffer: Buffer, count: number, notBeyond: EntryTest): number {
    let below = 0;
    let above = count;
    while (below < above) {
      const middle = (below + above) >>> 1;
      if (notBeyond(buffer, middle * this.#entryBytes)) below = middle + 1;
      else above = middle;
    }
    return below;
  }

  /** The first entry of a block. */
  #head(block: number): [Buffer, number] {
    const blocks = Math.ceil(this.#stored / BLOCK_ENTRIES);
    if (!this.#heads || !this.#areHeadsKnown || this.#areHeadsKnown.length < blocks) {
      this.#heads = Buffer.alloc(blocks * this.#entryBytes);
      this.#areHeadsKnown = new Uint8Array(blocks);
    }
    const at = block * this.#entryBytes;
    if (this.#areHeadsKnown[block] === 0) {
      this.#read(this.#heads.subarray(at, at + this.#entryBytes), block * BLOCK_ENTRIES);
      this.#areHeadsKnown[block] = 1;
    }
    return [this.#heads, at];
  }

  #readBlock(block: number): Buffer {
    const count = Math.min(BLOCK_ENTRIES, this.#stored - block * BLOCK_ENTRIES);
    if (this.#block && this.#blockNumber === block && this.#blockCount === count) return this.#block;
    const bytes = count * this.#entryBytes;
    const buffer = this.#block && this.#block.length >= bytes ? this.#block : Buffer.allocUnsafe(bytes);
    this.#forgetBlock();
    this.#read(buffer.subarray(0, bytes), block * BLOCK_ENTRIES);
    this.#block = buffer;
    this.#blockNumber = block;
    this.#blockCount = count;
    return buffer;
  }

  #forgetBlock(): void {
    this.#block = undefined;
    this.#blockNumber = -1;
    this.#blockCount = 0;
  }

  #forgetBlocks(): void {
    this.#forgetBlock();
    this.#heads = undefined;
    this.#areHeadsKnown = undefined;
  }

  #read(target: Buffer, index: number): void {
    const count = this.#files.forReading(this.#path).read(target, index * this.#entryBytes);
    // A file that was cut behind our back reads as zeros; the caller sees positions that cannot be and rebuilds.
    target.fill(0, count);
  }
}
