/**
 * The open files of the log layer: opened when first used, kept for the next use, the least recently used closed when
 * there are too many, so that ten thousand partitions need no ten thousand descriptors.
 * Invariant: a handle that is lent is never closed; it may outlive its file's name and the limit.
 */
import { dirname } from 'node:path';
import { LinkedMap } from '../base/linked-map';
import { type FileHandle, type FileSystem, FileSystemError, type OpenMode } from './file-system';

const OUT_OF_DESCRIPTORS = new Set(['EMFILE', 'ENFILE']);

/** An opening that failed because the process or the system has no descriptor left: that passes. */
export function isOutOfDescriptors(error: unknown): error is FileSystemError {
  return error instanceof FileSystemError && OUT_OF_DESCRIPTORS.has(error.code);
}

interface Entry {
  readonly handle: FileHandle;
  readonly writable: boolean;
  users: number;
  /** No longer under its path: closed when the last user lets go. */
  detached: boolean;
}

/** Tasks that lend several files each and may run at once; there are no more threads for their disk work anyway. */
const LENDING_TASKS = 16;

export interface LentFile {
  readonly handle: FileHandle;
  /** Exactly once. */
  release(): void;
}

export class OpenFiles {
  readonly fileSystem: FileSystem;
  readonly #limit: number;
  /** By path, the least recently used first. */
  readonly #entries = new LinkedMap<string, Entry>();
  /** The paths of `#entries` by their directories. */
  readonly #byDirectory = new Map<string, Set<string>>();

  #lent = 0;
  #lendingTasks = 0;
  readonly #waitingTasks: (() => void)[] = [];

  constructor(fileSystem: FileSystem, limit: number) {
    this.fileSystem = fileSystem;
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether so many files are lent that whoever can do without should. */
  get isLendingMany(): boolean {
    return this.#lent >= this.#limit;
  }

  /**
   * Runs a task that lends several files over time, when not too many such are under way: ten thousand logs that are
   * flushed together have no ten thousand descriptors. The task must not wait for another one.
   */
  async lendingTask<T>(task: () => Promise<T>): Promise<T> {
    if (this.#lendingTasks >= LENDING_TASKS) await new Promise<void>((resolve) => this.#waitingTasks.push(resolve));
    else this.#lendingTasks++;
    try {
      return await task();
    } finally {
      const next = this.#waitingTasks.shift();
      if (next) next();
      else this.#lendingTasks--;
    }
  }

  /** For use at once: the handle may be closed by the next call of this object. The file must exist. */
  forReading(path: string): FileHandle {
    return this.#entry(path, false).handle;
  }

  /** For use at once, as `forReading`; creates the file when it is missing. */
  forWriting(path: string): FileHandle {
    return this.#entry(path, true).handle;
  }

  /** For use over time; the file must exist. */
  lendForReading(path: string): LentFile {
    return this.#lend(path, this.#entry(path, false));
  }

  /**
   * As `lendForReading`, for a single use: a file that was not open before is closed afterwards. So how many are open
   * does not depend on what came by lately.
   */
  lendOnce(path: string): LentFile {
    const wasOpen = this.#entries.has(path);
    const lent = this.lendForReading(path);
    if (wasOpen) return lent;
    const release = (): void => {
      this.detach(path);
      lent.release();
    };
    return { handle: lent.handle, release };
  }

  /** For use over time; creates the file when it is missing. */
  lendForWriting(path: string): LentFile {
    return this.#lend(path, this.#entry(path, true));
  }

  /** Before a file is renamed or removed: the path will mean another file from now on. */
  detach(path: string): void {
    const entry = this.#entries.get(path);
    if (entry) this.#detach(path, entry);
  }

  /** The same for all files in a directory. */
  detachDirectory(directory: string): void {
    for (const path of [...(this.#byDirectory.get(directory) ?? [])]) this.detach(path);
  }

  /** Replaces a file that may be open (`FileSystem.replaceFile`): whoever opens it afterwards gets the new one. */
  async replaceFile(path: string, data: Buffer, options: { durable: boolean }): Promise<void> {
    await this.fileSystem.replaceFile(path, data, options);
    this.detach(path);
  }

  closeAll(): void {
    for (const { key, value } of this.#entries) this.#detach(key, value);
  }

  #entry(path: string, writable: boolean): Entry {
    const known = this.#entries.renew(path);
    if (known && (known.writable || !writable)) return known;
    if (known) this.#detach(path, known);
    this.#makeRoom();
    const handle = this.#open(path, writable ? 'write' : 'read');
    const entry: Entry = { handle, writable, users: 0, detached: false };
    this.#entries.set(path, entry);
    const directory = dirname(path);
    const paths = this.#byDirectory.get(directory) ?? new Set<string>();
    this.#byDirectory.set(directory, paths.add(path));
    return entry;
  }

  /** When the process has no descriptor left, those of idle files are given back first. */
  #open(path: string, mode: OpenMode): FileHandle {
    try {
      return this.fileSystem.open(path, mode);
    } catch (error) {
      if (!isOutOfDescriptors(error) || this.#entries.size === 0) throw error;
      for (const { key, value } of this.#entries) if (value.users === 0) this.#detach(key, value);
      return this.fileSystem.open(path, mode);
    }
  }

  #lend(path: string, entry: Entry): LentFile {
    entry.users++;
    this.#lent++;
    return {
      handle: entry.handle,
      release: () => {
        entry.users--;
        this.#lent--;
        if (entry.users > 0) return;
        if (entry.detached) entry.handle.close();
        else if (this.#entries.size > this.#limit) this.#detach(path, entry);
      },
    };
  }

  #detach(path: string, entry: Entry): void {
    this.#entries.delete(path);
    const directory = dirname(path);
    const paths = this.#byDirectory.get(directory);
    paths?.delete(path);
    if (paths?.size === 0) this.#byDirectory.delete(directory);
    entry.detached = true;
    if (entry.users === 0) entry.handle.close();
  }

  #makeRoom(): void {
    if (this.#entries.size < this.#limit) return;
    for (const { key, value } of this.#entries) {
      if (value.users > 0) continue;
      this.#detach(key, value);
      return;
    }
  }
}
