/**
 * A copy of one partition's files in another directory, made while the log goes on: segment by segment, in stretches of
 * whole batches, byte for byte, so that the copy has the same segments, indexes, snapshots and epochs. Owns the copy's
 * files and how far they are; when to copy and what becomes of the copy is decided elsewhere (future-logs.ts).
 * Invariant: a segment's copy begins only when all older ones are complete and durable; so after a crash all but the
 * newest one can be relied on, and that one is made again.
 */
import { join } from 'node:path';
import { LEADER_EPOCH_CHECKPOINT, PARTITION_METADATA_FILE, writeTopicId } from './checkpoint-file';
import { FileSystemError } from './file-system';
import { LOG_SUFFIX, offsetOfFileName, SEGMENT_SUFFIXES, SNAPSHOT_SUFFIX, segmentFilePath } from './log-file-name';
import type { LogState } from './log-state';
import type { Segment } from './segment';

/** Memory that a copy takes. */
const PIECE_BYTES = 1024 * 1024;

/** The segment that is being copied. */
interface OpenSegment {
  readonly segment: Segment;
  /** Bytes that are copied, a batch border. */
  position: number;
  /** The offset after the last batch that is copied. */
  nextOffset: number;
}

export class LogCopy {
  readonly directory: string;
  readonly #state: LogState;
  /** Sizes of complete segments, by base offset. */
  readonly #complete = new Map<number, number>();
  #open: OpenSegment | undefined;
  #truncations: number;

  private constructor(state: LogState, directory: string) {
    this.#state = state;
    this.directory = directory;
    this.#truncations = state.truncations;
  }

  /** Begins a copy in `directory`, or goes on with the one that is there. Throws on a disk error. */
  static start(state: LogState, directory: string, topicId: string): LogCopy {
    const copy = new LogCopy(state, directory);
    const { files } = state.environment;
    files.fileSystem.createDirectory(directory);
    writeTopicId(files, directory, topicId);
    copy.#takeWhatIsThere();
    return copy;
  }

  /** The offset after the last batch that is copied. */
  get logEndOffset(): number {
    const { segments, nextOffset } = this.#state;
    if (this.#open) return this.#open.nextOffset;
    return segments.find(({ baseOffset }) => !this.#complete.has(baseOffset))?.baseOffset ?? nextOffset;
  }

  get sizeInBytes(): number {
    let size = this.#open?.position ?? 0;
    for (const bytes of this.#complete.values()) size += bytes;
    return size;
  }

  /** Bytes of batches that are still to be copied. */
  get remainingBytes(): number {
    let remaining = -(this.#open?.position ?? 0);
    for (const { baseOffset, sizeInBytes } of this.#state.segments) {
      if (!this.#complete.has(baseOffset)) remaining += sizeInBytes;
    }
    return Math.max(0, remaining);
  }

  /**
   * Copies the next batches: about `maxBytes`, at least one batch, of one segment. Gives the number of bytes, 0 when
   * nothing is left for now. Rejects on a disk error, of either directory.
   */
  async copy(maxBytes: number): Promise<number> {
    if (this.#state.truncations !== this.#truncations) this.#startAgain();
    const open = this.#current();
    if (!open) return 0;
    const copied = await this.#copyBatches(open, maxBytes);
    const { segment, position } = open;
    const isRolled = segment !== this.#state.active && this.#state.segments.includes(segment);
    if (isRolled && position === segment.sizeInBytes) await this.#finish(open);
    return copied;
  }

  /**
   * Makes the copy whole and durable. Nothing may be appended meanwhile, and the files of the log are up to date.
   * Rejects on a disk error.
   */
  async complete(): Promise<void> {
    const state = this.#state;
    while (state.segments.some(({ baseOffset }) => !this.#complete.has(baseOffset))) {
      await this.copy(PIECE_BYTES);
      const open = this.#open;
      if (open && open.segment === state.active && open.position === open.segment.sizeInBytes) await this.#finish(open);
    }
    this.#removeSegments((baseOffset) => !state.segments.some((segment) => segment.baseOffset === baseOffset));
    for (const offset of state.snapshots.offsets) await this.#copyFile(state.snapshots.path(offset));
    for (const name of [LEADER_EPOCH_CHECKPOINT, PARTITION_METADATA_FILE]) {
      await this.#copyFile(join(state.directory, name));
    }
    await state.environment.files.fileSystem.syncDirectory(this.directory);
  }

  /** The segment to go on with; opens the next one where there is none, or where retention took it. */
  #current(): OpenSegment | undefined {
    const { segments } = this.#state;
    if (this.#open && !segments.includes(this.#open.segment)) {
      const { baseOffset } = this.#open.segment;
      this.#open = undefined;
      this.#removeSegments((offset) => offset === baseOffset);
    }
    if (!this.#open) {
      const segment = segments.find(({ baseOffset }) => !this.#complete.has(baseOffset));
      if (!segment) return undefined;
      const { files } = this.#state.environment;
      const handle = files.forWriting(segmentFilePath(this.directory, segment.baseOffset, LOG_SUFFIX));
      if (handle.size() > 0) handle.truncate(0);
      this.#open = { segment, position: 0, nextOffset: segment.baseOffset };
    }
    return this.#open;
  }

  async #copyBatches(open: OpenSegment, maxBytes: number): Promise<number> {
    const { segment, position } = open;
    const limit = segment.sizeInBytes;
    if (position >= limit) return 0;
    const state = this.#state;
    const endOffset = state.endOffsetOf(state.segments.indexOf(segment));
    const found = segment.read({ offset: open.nextOffset, maxBytes, limit, minOneBatch: true });
    const end = found && found.sizeInBytes > 0 ? found.position + found.sizeInBytes : limit;
    await this.#copyBytes(segment.logPath, { from: position, to: end });
    // A truncation may have come in between: then all is made again.
    open.position = end;
    open.nextOffset = found?.nextOffset ?? endOffset;
    return end - position;
  }

  /** Completes the copy of a segment to which nothing is added any more. */
  async #finish({ segment }: OpenSegment): Promise<void> {
    const { baseOffset } = segment;
    const { snapshots, environment } = this.#state;
    if (segment.hasUnwrittenIndexes) segment.writeIndexes();
    await this.#sync(segmentFilePath(this.directory, baseOffset, LOG_SUFFIX));
    for (const path of segment.paths()) if (path !== segment.logPath) await this.#copyFile(path);
    if (snapshots.has(baseOffset)) await this.#copyFile(snapshots.path(baseOffset));
    await environment.files.fileSystem.syncDirectory(this.directory);
    this.#complete.set(baseOffset, segment.sizeInBytes);
    this.#open = undefined;
  }

  /** Copies a small file as it is and makes it durable; one that does not exist has no copy. */
  async #copyFile(path: string): Promise<void> {
    const { files } = this.#state.environment;
    const copyPath = this.#pathOf(path);
    const size = files.fileSystem.stat(path)?.size;
    if (size === undefined) {
      files.detach(copyPath);
      files.fileSystem.remove(copyPath);
      return;
    }
    const target = files.forWriting(copyPath);
    if (target.size() > 0) target.truncate(0);
    await this.#copyBytes(path, { from: 0, to: size });
    await this.#sync(copyPath);
  }

  /**
   * In pieces, so that whatever the size of a batch or a file little memory is used. The source is opened once:
   * retention may take its name away meanwhile.
   */
  async #copyBytes(path: string, { from, to }: { readonly from: number; readonly to: number }): Promise<void> {
    if (from === to) return;
    const source = this.#state.environment.files.lendForReading(path);
    try {
      for (let at = from; at < to; at += PIECE_BYTES) {
        const bytes = Buffer.allocUnsafe(Math.min(PIECE_BYTES, to - at));
        const count = await source.handle.readAsync(bytes, at);
        if (count < bytes.length) throw new FileSystemError('EIO', path, `EIO: ${path} ends early, at ${at + count}`);
        await this.#writePiece(this.#pathOf(path), bytes, at);
      }
    } finally {
      source.release();
    }
  }

  async #writePiece(path: string, bytes: Buffer, position: number): Promise<void> {
    const { handle, release } = this.#state.environment.files.lendForWriting(path);
    try {
      await handle.writeAsync([bytes], position);
    } finally {
      release();
    }
  }

  async #sync(path: string): Promise<void> {
    const { handle, release } = this.#state.environment.files.lendForReading(path);
    try {
      await handle.sync();
    } finally {
      release();
    }
  }

  #pathOf(path: string): string {
    return join(this.directory, path.slice(this.#state.directory.length + 1));
  }

  /** After a start: segments whose copies are known to be whole count, all others go. */
  #takeWhatIsThere(): void {
    const present = this.#presentOffsets();
    const newest = Math.max(...present);
    const { segments, active } = this.#state;
    for (const segment of segments) {
      const { baseOffset, sizeInBytes } = segment;
      if (baseOffset >= newest || segment === active || !this.#isSame(segment)) break;
      this.#complete.set(baseOffset, sizeInBytes);
    }
    this.#removeSegments((offset) => !this.#complete.has(offset));
  }

  #presentOffsets(): number[] {
    return this.#state.environment.files.fileSystem
      .list(this.directory)
      .map(({ name }) => offsetOfFileName(name, LOG_SUFFIX))
      .filter((offset) => offset !== undefined);
  }

  #isSame(segment: Segment): boolean {
    const { fileSystem } = this.#state.environment.files;
    return segment.paths().every((path) => fileSystem.stat(path)?.size === fileSystem.stat(this.#pathOf(path))?.size);
  }

  #startAgain(): void {
    this.#truncations = this.#state.truncations;
    this.#open = undefined;
    this.#complete.clear();
    this.#removeSegments(() => true);
  }

  /** Removes what the copy has of the segments with such base offsets; newest first, so that no hole can stay. */
  #removeSegments(isUnwanted: (baseOffset: number) => boolean): void {
    const { files } = this.#state.environment;
    for (const baseOffset of this.#presentOffsets().sort((a, b) => b - a)) {
      if (!isUnwanted(baseOffset)) continue;
      this.#complete.delete(baseOffset);
      for (const suffix of [...SEGMENT_SUFFIXES, SNAPSHOT_SUFFIX]) {
        const path = segmentFilePath(this.directory, baseOffset, suffix);
        files.detach(path);
        files.fileSystem.remove(path);
      }
    }
  }
}
