/**
 * In which log directory a partition lies that is not here yet. A new one: where somebody asked for it before it
 * existed, else where there are the fewest partitions, those on their way there included. Directories in which logs
 * failed come last, and cordoned ones only where there are no others. One that was in a directory which failed lies
 * there still: a new, empty log elsewhere would be in the way when the disk comes back. (Kafka:
 * LogManager.nextLogDirs, maybeUpdatePreferredLogDir.)
 */
import type { LogDirectory } from './log-directory';

/** Wishes that are kept; a client may have any number. */
const MOST_WISHES = 10_000;

export class LogPlacement {
  readonly #directories: readonly LogDirectory[];
  readonly #arriving: (directory: LogDirectory) => number;
  readonly #isCordoned: (path: string) => boolean;
  /** Directories by partition key. */
  readonly #wishes = new Map<string, LogDirectory>();
  /** Keys of partitions in directories that failed before the start. */
  readonly #lost = new Set<string>();

  constructor(
    directories: readonly LogDirectory[],
    o: { readonly arriving: (directory: LogDirectory) => number; readonly isCordoned: (path: string) => boolean },
  ) {
    this.#directories = directories;
    this.#arriving = o.arriving;
    this.#isCordoned = o.isCordoned;
  }

  /** The log directory at `path`; undefined where there is none. */
  directory(path: string): LogDirectory | undefined {
    return this.#directories.find((directory) => directory.path === path);
  }

  /** The partition lies in a directory that failed. */
  lose(key: string): void {
    this.#lost.add(key);
  }

  isLost(key: string): boolean {
    return this.#lost.has(key);
  }

  /** The partition is deleted: one of the same name may lie anywhere. */
  forget(key: string): void {
    this.#lost.delete(key);
  }

  /** The partition shall lie in `directory` once it exists. */
  wish(key: string, directory: LogDirectory): void {
    if (this.#wishes.size >= MOST_WISHES && !this.#wishes.has(key)) return;
    this.#wishes.set(key, directory);
  }

  /** The directories to try, the best first. */
  candidates(key: string): readonly LogDirectory[] {
    const wished = this.#wishes.get(key);
    if (wished) return [wished];
    if (this.#directories.length === 1) return this.#directories;
    const open = this.#directories.filter(({ path }) => !this.#isCordoned(path));
    if (open.length === 0) return this.#directories.slice(0, 1);
    return open
      .map((directory) => ({ directory, rank: hasFailed(directory), count: this.#countOf(directory) }))
      .sort((a, b) => a.rank - b.rank || a.count - b.count)
      .map(({ directory }) => directory);
  }

  /** The partition exists now. */
  fulfilled(key: string): void {
    this.#wishes.delete(key);
  }

  #countOf(directory: LogDirectory): number {
    return directory.logs.size + directory.unusable.size + this.#arriving(directory);
  }
}

function hasFailed({ logs, unusable }: LogDirectory): 0 | 1 {
  if (unusable.size > 0) return 1;
  for (const log of logs) if (log.isOffline) return 1;
  return 0;
}
