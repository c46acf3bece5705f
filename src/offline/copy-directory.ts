/** Copies a directory of directories of files, durably, in a constant amount of memory. */
import { join } from 'node:path';
import type { FileSystem } from '../log/file-system';

/** Told of bytes that are copied, and all that there are. */
export type CopyProgress = (at: { readonly bytes: number; readonly totalBytes: number }) => void;

export interface CopyOptions {
  readonly from: string;
  /** Made if it is missing. */
  readonly to: string;
  readonly onProgress?: CopyProgress | undefined;
}

const PIECE_BYTES = 1024 * 1024;
/** The thread pool has no more threads. */
const PARALLEL_FILES = 4;

interface FileToCopy {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

/** `isWanted` is asked about the entries of `from`; all files of a directory that is wanted are copied. */
export async function copyDirectory(
  fileSystem: FileSystem,
  { from, to, onProgress }: CopyOptions,
  isWanted: (name: string, isDirectory: boolean) => boolean,
): Promise<void> {
  const files: FileToCopy[] = [];
  const directories = [to];
  const add = (source: string, target: string): void => {
    const bytes = fileSystem.stat(source)?.size ?? 0;
    files.push({ from: source, to: target, bytes });
  };
  for (const { name, isDirectory } of fileSystem.list(from)) {
    if (!isWanted(name, isDirectory)) continue;
    if (!isDirectory) add(join(from, name), join(to, name));
    else {
      directories.push(join(to, name));
      for (const inner of fileSystem.list(join(from, name)))
        if (!inner.isDirectory) add(join(from, name, inner.name), join(to, name, inner.name));
    }
  }
  for (const directory of directories) fileSystem.createDirectory(directory);
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let bytes = 0;
  const progress = (more: number): void => {
    bytes += more;
    onProgress?.({ bytes, totalBytes });
  };
  await inParallel(files, async (file, piece) => copyFile(fileSystem, file, { piece, progress }));
  await inParallel(directories, (directory) => fileSystem.syncDirectory(directory));
}

/** Runs `work` over `items`, a few at a time, each with a buffer of its own: many small files wait for the disk. */
async function inParallel<T>(items: readonly T[], work: (item: T, piece: Buffer) => Promise<void>): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: PARALLEL_FILES }, async () => {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (const item of queue) await work(item, piece);
  });
  await Promise.all(workers);
}

async function copyFile(
  fileSystem: FileSystem,
  { from, to, bytes }: FileToCopy,
  { piece, progress }: { piece: Buffer; progress: (bytes: number) => void },
): Promise<void> {
  const source = fileSystem.open(from, 'read');
  try {
    const target = fileSystem.open(to, 'create');
    try {
      for (let position = 0; ; ) {
        const count = await source.readAsync(piece, position);
        if (count === 0) break;
        await target.writeAsync([piece.subarray(0, count)], position);
        position += count;
        progress(count);
      }
      // An empty file is its name, and that is made durable with its directory.
      if (bytes > 0) await target.sync();
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}
