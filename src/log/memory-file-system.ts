/**
 * Files in memory, for `storage: 'memory'` and for tests. Same contract as the disk; nothing survives the object.
 * Invariant: `#nodes` holds every parent directory of what it holds.
 */
import { dirname } from 'node:path';
import type { Clock } from '../base/clock';
import {
  type DirectoryEntry,
  type FileHandle,
  type FileStatus,
  type FileSystem,
  FileSystemError,
  type OpenMode,
} from './file-system';

const BLOCK_BYTES = 64 * 1024;
const SMALLEST_BLOCK_BYTES = 256;

/** Content as blocks: full ones of BLOCK_BYTES, the last one growing by doubling, so that small files stay small. */
class MemoryFile {
  readonly #blocks: Buffer[] = [];
  size = 0;
  modifiedMs: number;

  constructor(readonly clock: Clock) {
    this.modifiedMs = clock.nowMs();
  }

  read(target: Buffer, position: number): number {
    const end = Math.min(this.size, position + target.length);
    let at = position;
    while (at < end) {
      const within = at % BLOCK_BYTES;
      const count = Math.min(end - at, BLOCK_BYTES - within);
      this.#blocks[Math.floor(at / BLOCK_BYTES)]!.copy(target, at - position, within, within + count);
      at += count;
    }
    return Math.max(0, end - position);
  }

  write(data: Buffer, position: number): void {
    if (position > this.size) this.#fill(this.size, position);
    let done = 0;
    while (done < data.length) {
      const within = (position + done) % BLOCK_BYTES;
      const count = Math.min(data.length - done, BLOCK_BYTES - within);
      data.copy(this.#block(Math.floor((position + done) / BLOCK_BYTES), within + count), within, done, done + count);
      done += count;
    }
    this.size = Math.max(this.size, position + data.length);
    this.modifiedMs = this.clock.nowMs();
  }

  truncate(size: number): void {
    if (size > this.size) this.#fill(this.size, size);
    this.size = size;
    this.#blocks.length = Math.ceil(size / BLOCK_BYTES);
    this.modifiedMs = this.clock.nowMs();
  }

  /** Zeroes from `from` to `to` and makes that the end. */
  #fill(from: number, to: number): void {
    let at = from;
    while (at < to) {
      const within = at % BLOCK_BYTES;
      const count = Math.min(to - at, BLOCK_BYTES - within);
      this.#block(Math.floor(at / BLOCK_BYTES), within + count).fill(0, within, within + count);
      at += count;
    }
    this.size = to;
  }

  /** The block with at least `capacity` bytes; the blocks before it exist. */
  #block(index: number, capacity: number): Buffer {
    const present = this.#blocks[index];
    if (present && present.length >= capacity) return present;
    let length = SMALLEST_BLOCK_BYTES;
    while (length < capacity) length *= 2;
    const grown = Buffer.alloc(length);
    present?.copy(grown);
    this.#blocks[index] = grown;
    return grown;
  }
}

class MemoryFileHandle implements FileHandle {
  #open = true;

  constructor(
    readonly path: string,
    private readonly file: MemoryFile,
    private readonly writable: boolean,
  ) {}

  size(): number {
    this.#check(false);
    return this.file.size;
  }

  read(target: Buffer, position: number): number {
    this.#check(false);
    return this.file.read(target, position);
  }

  async readAsync(target: Buffer, position: number): Promise<number> {
    return this.read(target, position);
  }

  write(data: Buffer, position: number): void {
    this.#check(true);
    this.file.write(data, position);
  }

  async writeAsync(parts: readonly Buffer[], position: number): Promise<void> {
    let at = position;
    for (const part of parts) {
      this.write(part, at);
      at += part.length;
    }
  }

  truncate(size: number): void {
    this.#check(true);
    this.file.truncate(size);
  }

  async sync(): Promise<void> {
    this.#check(false);
  }

  close(): void {
    this.#check(false);
    this.#open = false;
  }

  #check(forWriting: boolean): void {
    if (!this.#open || (forWriting && !this.writable)) {
      throw new FileSystemError('EBADF', this.path, `EBADF: bad file descriptor, '${this.path}'`);
    }
  }
}

function failure(code: string, text: string, path: string): FileSystemError {
  return new FileSystemError(code, path, `${code}: ${text}, '${path}'`);
}

export class MemoryFileSystem implements FileSystem {
  readonly #clock: Clock;
  /** Files, and null for directories, by path. */
  readonly #nodes = new Map<string, MemoryFile | null>([['/', null]]);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(path: string, mode: OpenMode): FileHandle {
    if (mode === 'create' && this.#nodes.has(path)) throw failure('EEXIST', 'file already exists', path);
    const file = mode === 'read' ? this.#file(path) : this.#fileOrNew(path);
    return new MemoryFileHandle(path, file, mode !== 'read');
  }

  readFile(path: string): Buffer {
    const file = this.#file(path);
    const content = Buffer.alloc(file.size);
    file.read(content, 0);
    return content;
  }

  writeFile(path: string, data: Buffer): void {
    const file = this.#fileOrNew(path);
    file.truncate(0);
    file.write(data, 0);
  }

  async replaceFile(path: string, data: Buffer): Promise<void> {
    this.writeFile(`${path}.tmp`, data);
    this.rename(`${path}.tmp`, path);
  }

  stat(path: string): FileStatus | undefined {
    const node = this.#nodes.get(path);
    if (node === undefined) return undefined;
    return { size: node?.size ?? 0, isDirectory: node === null, modifiedMs: node?.modifiedMs ?? 0 };
  }

  list(path: string): DirectoryEntry[] {
    this.#requireDirectory(path);
    const prefix = path === '/' ? '/' : `${path}/`;
    const entries: DirectoryEntry[] = [];
    for (const [name, node] of this.#nodes) {
      if (name.length > prefix.length && name.startsWith(prefix) && !name.includes('/', prefix.length)) {
        entries.push({ name: name.slice(prefix.length), isDirectory: node === null });
      }
    }
    return entries;
  }

  createDirectory(path: string): void {
    if (this.#nodes.get(path)) throw failure('EEXIST', 'file already exists', path);
    if (this.#nodes.has(path)) return;
    this.createDirectory(dirname(path));
    this.#nodes.set(path, null);
  }

  rename(from: string, to: string): void {
    const node = this.#nodes.get(from);
    if (node === undefined) throw failure('ENOENT', 'no such file or directory', from);
    this.#requireDirectory(dirname(to));
    if (from === to) return;
    const target = this.#nodes.get(to);
    if (target === null && node !== null) throw failure('EISDIR', 'is a directory', to);
    if (target !== undefined && node === null) throw failure('ENOTEMPTY', 'directory not empty', to);
    this.#nodes.delete(from);
    this.#nodes.set(to, node);
    if (node !== null) return;
    for (const [name, inner] of [...this.#nodes]) {
      if (!name.startsWith(`${from}/`)) continue;
      this.#nodes.delete(name);
      this.#nodes.set(to + name.slice(from.length), inner);
    }
  }

  remove(path: string): void {
    if (this.#nodes.get(path) === null) throw failure('EISDIR', 'is a directory', path);
    this.#nodes.delete(path);
  }

  async removeAsync(path: string): Promise<void> {
    this.remove(path);
  }

  async removeDirectory(path: string): Promise<void> {
    this.#nodes.delete(path);
    for (const name of [...this.#nodes.keys()]) {
      if (name.startsWith(`${path}/`)) this.#nodes.delete(name);
    }
  }

  async syncDirectory(path: string): Promise<void> {
    this.#requireDirectory(path);
  }

  async volumeSpace(path: string): Promise<undefined> {
    this.#requireDirectory(path);
    return undefined;
  }

  #file(path: string): MemoryFile {
    const node = this.#nodes.get(path);
    if (node === undefined) throw failure('ENOENT', 'no such file or directory', path);
    if (node === null) throw failure('EISDIR', 'is a directory', path);
    return node;
  }

  #fileOrNew(path: string): MemoryFile {
    if (this.#nodes.has(path)) return this.#file(path);
    this.#requireDirectory(dirname(path));
    const file = new MemoryFile(this.#clock);
    this.#nodes.set(path, file);
    return file;
  }

  #requireDirectory(path: string): void {
    const node = this.#nodes.get(path);
    if (node === undefined) throw failure('ENOENT', 'no such file or directory', path);
    if (node !== null) throw failure('ENOTDIR', 'not a directory', path);
  }
}
