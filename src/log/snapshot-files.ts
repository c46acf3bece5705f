/**
 * The producer snapshots of a partition's directory: which there are, writing, reading and removing them. A damaged
 * one is removed and the next older one taken, since the batches after it say the rest. (Kafka:
 * ProducerStateManager.)
 */
import type { Logger } from '../base/logger';
import { readIfPresent } from './checkpoint-file';
import { offsetOfFileName, SNAPSHOT_SUFFIX, segmentFilePath } from './log-file-name';
import type { OpenFiles } from './open-files';
import type { ProducerEntry } from './producer-entry';
import { decodeSnapshot, encodeSnapshot } from './producer-snapshot';

export interface LoadedSnapshot {
  /** The state is that before this offset. */
  readonly offset: number;
  readonly entries: ProducerEntry[];
}

/** Of the many logs that have none. */
const NONE: readonly number[] = [];

export class SnapshotFiles {
  readonly #files: OpenFiles;
  readonly #directory: string;
  readonly #logger: Logger;
  /** Ascending. */
  #offsets: readonly number[];

  /** `names`: of the files in the directory. */
  constructor(files: OpenFiles, directory: string, context: { names: Iterable<string>; logger: Logger }) {
    this.#files = files;
    this.#directory = directory;
    this.#logger = context.logger;
    const offsets = Array.from(context.names, (name) => offsetOfFileName(name, SNAPSHOT_SUFFIX))
      .filter((offset) => offset !== undefined)
      .sort((a, b) => a - b);
    this.#offsets = offsets.length > 0 ? offsets : NONE;
  }

  get offsets(): readonly number[] {
    return this.#offsets;
  }

  path(offset: number): string {
    return segmentFilePath(this.#directory, offset, SNAPSHOT_SUFFIX);
  }

  has(offset: number): boolean {
    return this.#offsets.includes(offset);
  }

  /** Not synced. A failed write leaves no file behind. */
  write(offset: number, entries: Iterable<ProducerEntry>): void {
    const path = this.path(offset);
    try {
      this.#files.fileSystem.writeFile(path, encodeSnapshot(entries));
    } catch (error) {
      this.remove(offset);
      throw error;
    }
    if (this.has(offset)) return;
    this.#offsets = this.#offsets.concat(offset).sort((a, b) => a - b);
  }

  /** The newest undamaged snapshot at or below `offset`. */
  loadAtOrBelow(offset: number): LoadedSnapshot | undefined {
    for (const candidate of this.#offsets.filter((known) => known <= offset).reverse()) {
      const content = readIfPresent(this.#files.fileSystem, this.path(candidate));
      const entries = content && decodeSnapshot(content);
      if (entries) return { offset: candidate, entries };
      this.#logger.warn('Removing a damaged producer snapshot', { path: this.path(candidate) });
      this.remove(candidate);
    }
    return undefined;
  }

  remove(offset: number): void {
    // A flush may have left it open, and another one of its name may come.
    this.#files.detach(this.path(offset));
    this.#files.fileSystem.remove(this.path(offset));
    this.#offsets = this.#offsets.filter((known) => known !== offset);
  }

  removeAbove(offset: number): void {
    for (const known of this.#offsets.filter((candidate) => candidate > offset)) this.remove(known);
  }

  /** Keeps what belongs to a segment, and of the others the newest if it is beyond all segments' starts. */
  removeStray(segmentBaseOffsets: readonly number[]): void {
    const lastBase = segmentBaseOffsets.at(-1) ?? 0;
    const bases = new Set(segmentBaseOffsets);
    const stray = this.#offsets.filter((offset) => !bases.has(offset));
    const newest = stray.at(-1);
    for (const offset of stray) {
      if (offset !== newest || offset < lastBase) this.remove(offset);
    }
  }

  /** Leaves the file to whoever renames it away. */
  forget(offset: number): void {
    this.#offsets = this.#offsets.filter((known) => known !== offset);
  }
}
