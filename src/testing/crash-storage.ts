/**
 * Files in memory for the metadata journal's tests: they know which bytes were synced, can lose or tear the rest as a
 * power cut does, and fail on demand. Owns nothing of the journal's format.
 */
import type { JournalFile, JournalStorage } from '../cluster/journal-storage';

interface CrashFile {
  content: Buffer;
  synced: Buffer;
}

export class CrashStorage implements JournalStorage {
  readonly files = new Map<string, CrashFile>();
  failNextWrite = false;
  /** No file becomes larger, as on a disk that is full. */
  capacityBytes = Number.POSITIVE_INFINITY;
  failNextSync = false;
  failNextRename = false;
  syncCount = 0;

  open(path: string): JournalFile {
    let file = this.files.get(path);
    if (!file) {
      file = { content: Buffer.alloc(0), synced: Buffer.alloc(0) };
      this.files.set(path, file);
    }
    return this.#handle(file);
  }

  readFile(path: string): Buffer {
    const file = this.files.get(path);
    if (!file) throw new Error(`no file ${path}`);
    return Buffer.from(file.content);
  }

  stat(path: string): { size: number } | undefined {
    const file = this.files.get(path);
    return file && { size: file.content.length };
  }

  createDirectory(): void {}

  rename(from: string, to: string): void {
    if (this.failNextRename) {
      this.failNextRename = false;
      throw new Error('rename failed on demand');
    }
    this.files.set(to, this.files.get(from)!);
    this.files.delete(from);
  }

  async syncDirectory(): Promise<void> {}

  /** What is left after a power cut: synced bytes and, of what was changed since, the first `kept` bytes. */
  afterPowerCut(kept: number): CrashStorage {
    const left = new CrashStorage();
    for (const [path, file] of this.files) {
      const from = file.content.findIndex((byte, at) => byte !== file.synced[at]);
      const end = from < 0 ? 0 : from + kept;
      const rest = file.synced.subarray(end);
      const content = Buffer.concat([kept === 0 ? file.synced.subarray(0, end) : file.content.subarray(0, end), rest]);
      left.files.set(path, { content, synced: Buffer.from(content) });
    }
    return left;
  }

  #handle(file: CrashFile): JournalFile {
    return {
      size: () => file.content.length,
      read: (target, position) => file.content.copy(target, 0, position),
      writeAsync: async (parts, position) => {
        const data = Buffer.concat(parts);
        const isFailing = this.failNextWrite || position + data.length > this.capacityBytes;
        const written = isFailing ? data.subarray(0, Math.min(data.length >> 1, this.capacityBytes - position)) : data;
        const end = position + written.length;
        file.content = Buffer.concat([file.content.subarray(0, position), written, file.content.subarray(end)]);
        this.failNextWrite = false;
        if (isFailing) throw new Error('write failed on demand');
      },
      truncate: (size) => {
        file.content = file.content.subarray(0, size);
      },
      sync: async () => {
        if (this.failNextSync) {
          this.failNextSync = false;
          throw new Error('sync failed on demand');
        }
        this.syncCount++;
        file.synced = Buffer.from(file.content);
      },
      close: () => undefined,
    };
  }
}
