/**
 * The files beneath the log, the metadata journal and the checkpoints, as one interface: a disk, memory, or a faulty
 * disk in a test. Owns the contract only. Small calls are synchronous (a page-cache call costs less than a turn through
 * the thread pool); what may be large or slow also has, or only has, an asynchronous form.
 *
 * Contract, checked by one suite for every implementation:
 * - paths are absolute and normalized; a missing parent directory is an ENOENT;
 * - every failure is a thrown (or rejected) `FileSystemError`; reads and writes never stop short silently;
 * - a handle stays usable after its file was renamed or removed, until it is closed;
 * - bytes survive a power cut after `sync` of the file, names after `syncDirectory` of their directory;
 *   without these they survive the end of the process, not of the machine.
 */
import type { Around } from '../base/mapped-writes';

/** A failed file operation; `code` is the system's name for the cause (ENOENT, EEXIST, ENOSPC, EIO, EMFILE, ...). */
export class FileSystemError extends Error {
  override readonly name = 'FileSystemError';

  constructor(
    readonly code: string,
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * `read`: must exist. `write`: read and write, created when missing. `create`: as write, but must not exist (EEXIST).
 */
export type OpenMode = 'read' | 'write' | 'create';

export interface DirectoryEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

export interface FileStatus {
  /** Bytes; 0 for a directory. */
  readonly size: number;
  readonly isDirectory: boolean;
  /** Last change of the content, in milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** Of the volume that a path lies on. */
export interface VolumeSpace {
  readonly totalBytes: number;
  /** What this process may still fill. */
  readonly usableBytes: number;
}

export interface FileHandle {
  readonly path: string;
  size(): number;
  /** Fills `target` from `position`; returns the bytes read, fewer than asked only at the end of the file. */
  read(target: Buffer, position: number): number;
  readAsync(target: Buffer, position: number): Promise<number>;
  /** As far as it needs no waiting, where that can be known: fewer bytes or none say nothing of the file. No errors. */
  readAtOnce?(target: Buffer, position: number): number;
  /**
   * Sends to a socket's descriptor, off the loop, and tells how many bytes went, as `base/send-file.ts` does; false
   * where that cannot be done. The handle must stay open until then.
   */
  sendTo?(socket: number, stretch: { position: number; count: number }, then: (sent: number) => void): boolean;
  /**
   * Writes from the file to a socket's descriptor at once, as far as it needs no waiting; tells how many bytes the
   * socket took, as `base/mapped-writes.ts` does.
   */
  writeTo?(socket: number, stretch: { position: number; count: number; around: Around }): number;
  /** Writes all of `data` at `position`, growing the file. After a failure some of the bytes may be there. */
  write(data: Buffer, position: number): void;
  /** As `write`, off the loop, the parts one behind the other. The parts must not change until it settles. */
  writeAsync(parts: readonly Buffer[], position: number): Promise<void>;
  truncate(size: number): void;
  /** Makes the content durable, off the loop. After a failure nothing is known about unsynced bytes: do not retry. */
  sync(): Promise<void>;
  close(): void;
}

export interface FileSystem {
  open(path: string, mode: OpenMode): FileHandle;
  /** The whole content; ENOENT when missing. For small files. */
  readFile(path: string): Buffer;
  /** Creates or overwrites; neither atomic nor durable. */
  writeFile(path: string, data: Buffer): void;
  /** Atomic: a reader, also after a crash, sees the old or the new content. With `durable`, synced when it resolves. */
  replaceFile(path: string, data: Buffer, options: { durable: boolean }): Promise<void>;
  /** Undefined when there is nothing at `path`. */
  stat(path: string): FileStatus | undefined;
  /** The entries of a directory in no particular order. */
  list(path: string): DirectoryEntry[];
  /** Creates the directory and missing parents; harmless when it is there. */
  createDirectory(path: string): void;
  /** Atomic; replaces an existing file at `to`. */
  rename(from: string, to: string): void;
  /** Removes a file; harmless when it is gone. */
  remove(path: string): void;
  /** As `remove`, off the loop: the disk gives a large file's room back in milliseconds. */
  removeAsync(path: string): Promise<void>;
  /** Removes a directory with all that is in it; harmless when it is gone. */
  removeDirectory(path: string): Promise<void>;
  /** Makes the names in a directory durable: creations, renames, removals. */
  syncDirectory(path: string): Promise<void>;
  /** Undefined where there is no volume with a size. */
  volumeSpace(path: string): Promise<VolumeSpace | undefined>;
}
