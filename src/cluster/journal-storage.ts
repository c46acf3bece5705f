/** The part of a file system that the embedded control store needs; the log layer's file systems fit it as they are. */

export interface JournalFile {
  size(): number;
  read(target: Buffer, position: number): number;
  writeAsync(parts: readonly Buffer[], position: number): Promise<void>;
  truncate(size: number): void;
  /** After a failure nothing is known about unsynced bytes. */
  sync(): Promise<void>;
  close(): void;
}

export interface JournalStorage {
  /** Read and write; created when missing. */
  open(path: string, mode: 'write'): JournalFile;
  /** Undefined when there is nothing at `path`. */
  stat(path: string): { readonly size: number } | undefined;
  createDirectory(path: string): void;
  /** Atomic; replaces what is at `to`. Durable with the next `syncDirectory`. */
  rename(from: string, to: string): void;
  syncDirectory(path: string): Promise<void>;
}
