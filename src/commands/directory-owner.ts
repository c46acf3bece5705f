/**
 * Data directories in the hands of a tool: owned as a broker owns them, so that none starts meanwhile, and none that
 * runs is written to. Owns the words about it.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { lockDirectory } from '../base/directory-lock';
import { StartFailure } from '../base/start-failure';
import { diskLocking } from '../disk-locking';
import { type FileSystem, FileSystemError } from '../log/file-system';

export interface OwnedDirectories {
  /** Absolute, free of symbolic links. */
  readonly paths: readonly string[];
  release(): Promise<void>;
}

/**
 * For a tool that writes (`exclusively`): throws `StartFailure` where a broker runs. For one that reads: says so on
 * standard error and goes on.
 */
export async function ownDirectories(
  names: readonly string[],
  { exclusively }: { exclusively: boolean },
): Promise<OwnedDirectories> {
  const { realPath, standIn } = diskLocking();
  const { nodeFileSystem } = require('../log/node-file-system') as typeof import('../log/node-file-system');
  const paths: string[] = [];
  const releases: (() => Promise<void>)[] = [];
  for (const name of names) {
    const path = pathOf(name, realPath);
    if (paths.includes(path)) throw new StartFailure(`${name} is named twice`);
    paths.push(path);
    // A directory that no broker ever had is not given a lock file by those who only read.
    if (!nodeFileSystem.stat(path)?.isDirectory) continue;
    if (!exclusively && !nodeFileSystem.stat(join(path, '.lock'))) continue;
    const locked = await lockDirectory({ directory: path, standIn });
    if (locked.ok) releases.push(() => locked.value.release());
    else if (exclusively) throw new StartFailure(`${path} ${locked.error}: stop the broker first`);
    else process.stderr.write(`${path} ${locked.error}: what is being written may look damaged\n`);
  }
  return {
    paths,
    release: async () => {
      for (const release of releases) await release();
    },
  };
}

/**
 * The one name of a directory that may not be there yet: of what there is of its path, without symbolic links. Throws
 * `StartFailure` where the path leads nowhere.
 */
export function placeOf(name: string): string {
  const { realPath } = diskLocking();
  const { nodeFileSystem } = require('../log/node-file-system') as typeof import('../log/node-file-system');
  const missing: string[] = [];
  let path = resolve(name);
  while (!isThere(nodeFileSystem, path)) {
    missing.unshift(basename(path));
    path = dirname(path);
  }
  return join(pathOf(path, realPath), ...missing);
}

/** Also of a link that leads nowhere: it is in the way. */
function isThere(fileSystem: FileSystem, path: string): boolean {
  try {
    return path === dirname(path) || fileSystem.list(dirname(path)).some(({ name }) => name === basename(path));
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return false;
    if (error instanceof FileSystemError) throw new StartFailure(`cannot use ${path}: ${error.message}`);
    throw error;
  }
}

function pathOf(name: string, realPath: (path: string) => string): string {
  try {
    return realPath(name);
  } catch (error) {
    if (error instanceof FileSystemError) throw new StartFailure(`cannot use ${name}: ${error.message}`);
    throw error;
  }
}
