/**
 * The file system of the machine. The only file of `src` that touches node:fs.
 * Owns the translation of system errors and the completion of short reads and writes; keeps no state.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type Around, unmapAll, writeMapped } from '../base/mapped-writes';
import { readAtOnce } from '../base/read-at-once';
import { sendFile } from '../base/send-file';
import {
  type DirectoryEntry,
  type FileHandle,
  type FileStatus,
  type FileSystem,
  FileSystemError,
  type OpenMode,
  type VolumeSpace,
} from './file-system';

const OPEN_FLAGS: Readonly<Record<OpenMode, number>> = {
  read: fs.constants.O_RDONLY,
  write: fs.constants.O_RDWR | fs.constants.O_CREAT,
  create: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL,
};

/** Directories cannot be opened for syncing on Windows, where a rename is durable with the next flush of the volume. */
const CANNOT_SYNC_DIRECTORIES = process.platform === 'win32';

/** By shape and not by class: under Jest the errors of node:fs come from another realm. */
function translated(error: unknown, path: string): unknown {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return error;
  return new FileSystemError(String(error.code), path, String(error.message));
}

/** Runs a call of node:fs with its errors translated. */
function translating<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translated(error, path);
  }
}

/** The same for a call that answers by a callback. */
function calling<T>(path: string, start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(translated(error, path)) : resolve(value)));
  });
}

function skip(parts: readonly Buffer[], bytes: number): Buffer[] {
  const rest: Buffer[] = [];
  let left = bytes;
  for (const part of parts) {
    if (left < part.length) rest.push(left > 0 ? part.subarray(left) : part);
    left = Math.max(0, left - part.length);
  }
  return rest;
}

class NodeFileHandle implements FileHandle {
  constructor(
    readonly path: string,
    private readonly fd: number,
  ) {}

  size(): number {
    return translating(this.path, () => fs.fstatSync(this.fd).size);
  }

  read(target: Buffer, position: number): number {
    return translating(this.path, () => {
      let done = 0;
      while (done < target.length) {
        const count = fs.readSync(this.fd, target, done, target.length - done, position + done);
        if (count === 0) break;
        done += count;
      }
      return done;
    });
  }

  async readAsync(target: Buffer, position: number): Promise<number> {
    let done = 0;
    while (done < target.length) {
      const from = done;
      const count = await calling<number>(this.path, (then) =>
        fs.read(this.fd, target, from, target.length - from, position + from, then),
      );
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  readAtOnce(target: Buffer, position: number): number {
    return readAtOnce(this.fd, target, position);
  }

  sendTo(socket: number, stretch: { position: number; count: number }, then: (sent: number) => void): boolean {
    return sendFile(socket, { file: this.fd, ...stretch }, then);
  }

  writeTo(socket: number, stretch: { position: number; count: number; around: Around }): number {
    return writeMapped(socket, { owner: this, descriptor: this.fd }, stretch);
  }

  write(data: Buffer, position: number): void {
    translating(this.path, () => {
      let done = 0;
      while (done < data.length) {
        done += fs.writeSync(this.fd, data, done, data.length - done, position + done);
      }
    });
  }

  async writeAsync(parts: readonly Buffer[], position: number): Promise<void> {
    let rest = parts;
    let at = position;
    while (rest.length > 0) {
      const now = rest;
      const from = at;
      const count = await calling<number>(this.path, (then) => fs.writev(this.fd, now, from, then));
      at += count;
      rest = skip(rest, count);
    }
  }

  truncate(size: number): void {
    translating(this.path, () => fs.ftruncateSync(this.fd, size));
  }

  sync(): Promise<void> {
    return calling<void>(this.path, (then) => fs.fdatasync(this.fd, (error) => then(error, undefined)));
  }

  close(): void {
    unmapAll(this);
    translating(this.path, () => fs.closeSync(this.fd));
  }
}

function open(path: string, mode: OpenMode): FileHandle {
  return translating(path, () => new NodeFileHandle(path, fs.openSync(path, OPEN_FLAGS[mode], 0o644)));
}

/**
 * Small files share memory: a start reads some of each of ten thousand partitions, and an own allocation for each would
 * leave the heap in pieces.
 */
const smallFile = Buffer.allocUnsafeSlow(4096);

function readWhole(path: string): Buffer {
  const fd = fs.openSync(path, fs.constants.O_RDONLY);
  try {
    const count = fs.readSync(fd, smallFile, 0, smallFile.length, 0);
    if (count < smallFile.length) return Buffer.from(smallFile.subarray(0, count));
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (CANNOT_SYNC_DIRECTORIES) return;
  const fd = translating(path, () => fs.openSync(path, fs.constants.O_RDONLY));
  try {
    await calling<void>(path, (then) => fs.fsync(fd, (error) => then(error, undefined)));
  } finally {
    fs.closeSync(fd);
  }
}

async function replaceFile(path: string, data: Buffer, options: { durable: boolean }): Promise<void> {
  const temporary = `${path}.tmp`;
  translating(temporary, () => fs.writeFileSync(temporary, data));
  if (options.durable) {
    const handle = open(temporary, 'write');
    try {
      await handle.sync();
    } finally {
      handle.close();
    }
  }
  translating(path, () => fs.renameSync(temporary, path));
  if (options.durable) await syncDirectory(dirname(path));
}

async function volumeSpace(path: string): Promise<VolumeSpace> {
  const { bsize, blocks, bavail } = await calling<fs.StatsFs>(path, (then) => fs.statfs(path, then));
  return { totalBytes: bsize * blocks, usableBytes: bsize * bavail };
}

function stat(path: string): FileStatus | undefined {
  const status = translating(path, () => fs.statSync(path, { throwIfNoEntry: false }));
  if (!status) return undefined;
  const isDirectory = status.isDirectory();
  return { size: isDirectory ? 0 : status.size, isDirectory, modifiedMs: Math.floor(status.mtimeMs) };
}

function list(path: string): DirectoryEntry[] {
  return translating(path, () => fs.readdirSync(path, { withFileTypes: true })).map((entry) => ({
    name: entry.name,
    isDirectory: entry.isDirectory() || (entry.isSymbolicLink() && isDirectory(join(path, entry.name))),
  }));
}

/** Of a link that leads nowhere, or in a circle, too: then not. */
function isDirectory(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The one name of what is at `path`: absolute, free of symbolic links. */
export function realPath(path: string): string {
  return translating(path, () => fs.realpathSync(path));
}

/** How many descriptors this process may have; undefined where the system does not say (Linux does). */
export function descriptorLimit(): number | undefined {
  const path = '/proc/self/limits';
  if (!fs.existsSync(path)) return undefined;
  const limits = fs.readFileSync(path, 'latin1');
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

export const nodeFileSystem: FileSystem = {
  open,
  readFile: (path) => translating(path, () => readWhole(path)),
  writeFile: (path, data) => translating(path, () => fs.writeFileSync(path, data)),
  replaceFile,
  stat,
  list,
  createDirectory: (path) => {
    translating(path, () => fs.mkdirSync(path, { recursive: true }));
  },
  rename: (from, to) => translating(from, () => fs.renameSync(from, to)),
  remove: (path) => translating(path, () => fs.rmSync(path, { force: true })),
  removeAsync: (path) => calling<void>(path, (then) => fs.rm(path, { force: true }, (error) => then(error, undefined))),
  removeDirectory: (path) =>
    calling<void>(path, (then) => fs.rm(path, { recursive: true, force: true }, (error) => then(error, undefined))),
  syncDirectory,
  volumeSpace,
};
