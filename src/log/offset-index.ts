/**
 * The sparse map of a segment from offsets to file positions: (offset relative to the base: int32, position: int32),
 * where the offset is the last one of the batch that begins at the position. Both rise from entry to entry.
 * (Kafka: OffsetIndex.)
 */
import { assert } from '../base/assert';
import { IndexFile } from './index-file';
import type { OpenFiles } from './open-files';

const ENTRY_BYTES = 8;
const LARGEST_INT32 = 2 ** 31 - 1;

export interface OffsetPosition {
  readonly offset: number;
  readonly position: number;
}

export class OffsetIndex {
  readonly baseOffset: number;
  readonly #file: IndexFile;
  /** Undefined while it was not looked at. */
  #last: OffsetPosition | undefined;

  constructor(files: OpenFiles, path: string, segment: { baseOffset: number; storedBytes: number }) {
    this.baseOffset = segment.baseOffset;
    this.#file = new IndexFile(files, path, { entryBytes: ENTRY_BYTES, storedBytes: segment.storedBytes });
  }

  get count(): number {
    return this.#file.count;
  }

  /** The newest entry, (base offset, 0) without entries. */
  get last(): OffsetPosition {
    this.#last ??= this.#entry(this.#file.count - 1);
    return this.#last;
  }

  get sizeInBytes(): number {
    return this.#file.sizeInBytes;
  }

  get isWriteDue(): boolean {
    return this.#file.isWriteDue;
  }

  get hasUnwritten(): boolean {
    return this.#file.hasUnwritten;
  }

  /** Whether an index file of `maxBytes` has no room for one more entry. */
  isFull(maxBytes: number, pendingEntries = 0): boolean {
    return this.count + pendingEntries >= Math.floor(maxBytes / ENTRY_BYTES);
  }

  /** Whether `offset` fits into an entry. */
  canHold(offset: number): boolean {
    return offset >= this.baseOffset && offset - this.baseOffset <= LARGEST_INT32;
  }

  append(offset: number, position: number): void {
    assert(
      this.count === 0 || (offset > this.last.offset && position > this.last.position),
      'offset index entries must rise',
    );
    const [buffer, at] = this.#file.append();
    buffer.writeInt32BE(offset - this.baseOffset, at);
    buffer.writeInt32BE(position, at + 4);
    this.#last = { offset, position };
  }

  /** The last entry at or below `offset`, (base offset, 0) when there is none. */
  floorByOffset(offset: number): OffsetPosition {
    if (this.last.offset <= offset) return this.last;
    const relative = offset - this.baseOffset;
    return this.#entry(this.#file.search((buffer, at) => buffer.readInt32BE(at) <= relative));
  }

  /** The last entry at or below a file position, (base offset, 0) when there is none. */
  floorByPosition(position: number): OffsetPosition {
    if (this.last.position <= position) return this.last;
    return this.#entry(this.#file.search((buffer, at) => buffer.readInt32BE(at + 4) <= position));
  }

  /** Drops the entries from `offset` on. */
  truncateTo(offset: number): void {
    const relative = offset - this.baseOffset;
    this.#file.truncate(this.#file.search((buffer, at) => buffer.readInt32BE(at) < relative) + 1);
    this.#last = undefined;
  }

  reset(): void {
    this.#file.reset();
    this.#last = undefined;
  }

  writeOut(): void {
    this.#file.writeOut();
  }

  /** The first entry; (base offset, 0) without entries. */
  get first(): OffsetPosition {
    return this.#entry(Math.min(0, this.count - 1));
  }

  #entry(index: number): OffsetPosition {
    if (index < 0) return { offset: this.baseOffset, position: 0 };
    const [buffer, at] = this.#file.entry(index);
    return { offset: this.baseOffset + buffer.readInt32BE(at), position: buffer.readInt32BE(at + 4) };
  }
}
