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

/** Ownership by another way than a file lock, for processes that have none. */
export interface StandInLock {
  /** Owns `directory` for as long as this process lives, or says who does; `failed`: it cannot be owned so. */
  take(directory: string): Promise<StandInOutcome>;
  /** Who owns it that way, as far as anybody can tell. */
  owner(directory: string): Promise<StandInOutcome | undefined>;
}

export type StandInOutcome =
  | { readonly kind: 'locked'; release(): Promise<void> }
  | { readonly kind: 'held'; readonly pid: number | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

export interface LockOptions {
  /** Absolute and free of symbolic links: the same directory must always have the same name. It exists. */
  readonly directory: string;
  readonly standIn: StandInLock;
  readonly lockFile?: (path: string) => FileLockOutcome;
}

type Release = () => Promise<void> | void;

/** Directories owned within this process, as far as this thread knows. */
const owned = new Set<string>();

function held(pid: number | undefined): Result<never, string> {
  if (pid === process.pid) return err('is in use by another broker in this process');
  const owner = pid === undefined ? 'a process elsewhere, such as in another container' : `process ${pid}`;
  return err(`is in use by ${owner}`);
}

async function lock({ directory, standIn, lockFile = tryLockFile }: LockOptions): Promise<Result<Release, string>> {
  const file = lockFile(join(directory, '.lock'));
  if (file.kind === 'held') return held(file.pid);
  if (file.kind === 'failed') return err(`cannot be used: ${file.reason}`);
  // A process that cannot lock files does not see those that can; they look out for it.
  const other = file.kind === 'locked' ? await standIn.owner(directory) : await standIn.take(directory);
  if (other?.kind === 'locked') return ok(other.release);
  if (other === undefined && file.kind === 'locked') return ok(file.release);
  if (file.kind === 'locked') file.release();
  return other?.kind === 'held' ? held(other.pid) : err(`cannot be locked: ${other?.reason}`);
}

/** Becomes the owner of the directory; the error, to follow its name, tells who is or why nobody can be. */
export async function lockDirectory(options: LockOptions): Promise<Result<DirectoryLock, string>> {
  const { directory } = options;
  if (owned.has(directory)) return err('is in use by another broker in this process');
  owned.add(directory);
  let locked: Result<Release, string> | undefined;
  try {
    locked = await lock(options);
  } finally {
    if (!locked?.ok) owned.delete(directory);
  }
  if (!locked.ok) return locked;
  const release = locked.value;
  return ok({
    release: async () => {
      await release();
      owned.delete(directory);
    },
  });
}
