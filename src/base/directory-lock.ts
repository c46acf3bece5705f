/**
 * One owner per data directory: among processes by the operating system's lock on `.lock`, which Kafka takes as well,
 * or by another way where that is not available; within the process by a registry. A lock ends with its process
 * however that ends, so that a start after a kill is never held up.
 */
import { join } from 'node:path';
import { type FileLockOutcome, tryLockFile } from './native';
import { err, ok, type Result } from './result';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** Where file locks are not available: owns `name` for as long as this process lives, or says who does. */
export type StandInLock = (directory: string) => Promise<StandInOutcome>;
export type StandInOutcome =
  | { readonly kind: 'locked'; release(): Promise<void> }
  | { readonly kind: 'held'; readonly pid: number | undefined };

export interface LockOptions {
  /** Absolute and free of symbolic links: the same directory must always have the same name. It exists. */
  readonly directory: string;
  readonly standIn: StandInLock;
  readonly lockFile?: (path: string) => FileLockOutcome;
}

/** Directories owned within this process. */
const owned = new Set<string>();

function held(pid: number | undefined): Result<never, string> {
  return err(pid === undefined ? 'a process elsewhere, such as in another container' : `process ${pid}`);
}

/** Becomes the owner of the directory; the error tells who is, to follow "is in use by". */
export async function lockDirectory(options: LockOptions): Promise<Result<DirectoryLock, string>> {
  const { directory, standIn, lockFile = tryLockFile } = options;
  if (owned.has(directory)) return err('another broker in this process');
  owned.add(directory);
  let outcome: FileLockOutcome | StandInOutcome;
  try {
    outcome = lockFile(join(directory, '.lock'));
    if (outcome.kind === 'unavailable') outcome = await standIn(directory);
  } catch (error) {
    owned.delete(directory);
    throw error;
  }
  if (outcome.kind === 'held') {
    owned.delete(directory);
    return held(outcome.pid);
  }
  const { release } = outcome;
  return ok({
    release: async () => {
      await release();
      owned.delete(directory);
    },
  });
}
