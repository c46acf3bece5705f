/** How data directories on the disk are owned: by a lock of the operating system, else by a socket. */
import type { StandInLock } from './base/directory-lock';
import { lockBySocket, socketOwner } from './net/socket-lock';

export interface DiskLocking {
  /** The one name of a directory, free of symbolic links. */
  realPath(path: string): string;
  readonly standIn: StandInLock;
}

export function diskLocking(): DiskLocking {
  // Loaded late, when the command line is known to be right.
  const { nodeFileSystem, realPath } = require('./log/node-file-system') as typeof import('./log/node-file-system');
  const take: StandInLock['take'] = (directory) => lockBySocket(directory, (path) => nodeFileSystem.remove(path));
  return { realPath, standIn: { take, owner: socketOwner } };
}
