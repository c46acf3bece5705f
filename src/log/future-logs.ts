/**
 * Partitions on their way to another log directory (KIP-113): a copy under the name `TOPIC-PARTITION.UNIQUE-future`
 * grows in the target, and when it is whole takes the place of the log. Owns these directories, their names and the
 * exchange; who asks for a move, and when the next stretch is copied, is decided elsewhere.
 * Invariants: at most one copy of a partition; what was acknowledged is in the log or, from the exchange on, in the
 * copy, and whichever of the renames a crash prevents, the next start knows which one counts (interrupted-moves.ts).
 * (Kafka: LogManager.replaceCurrentWithFutureLog, ReplicaAlterLogDirsThread.)
 */
import { dirname, join } from 'node:path';
import type { Logger } from '../base/logger';
import type { Random } from '../base/random';
import { err, ok, type Result } from '../base/result';
import { SerialQueue } from '../base/serial-queue';
import type { TopicPartition } from '../base/topic-partition';
import { ErrorCode } from '../codec/generated/errors';
import type { DeferredRemovals } from './deferred-removals';
import { type FileSystem, FileSystemError } from './file-system';
import type { LogCopy } from './log-copy';
import type { LogDirectory } from './log-directory';
import { DELETED_DIRECTORY_SUFFIX, FUTURE_DIRECTORY_SUFFIX, retiredDirectoryName } from './log-file-name';
import type { LogEnvironment, LogState } from './log-state';
import type { OpenFiles } from './open-files';
import { PartitionLog } from './partition-log';

export interface PlacedLog {
  readonly log: PartitionLog;
  readonly directory: LogDirectory;
}

/** What of the log manager is needed here. */
export interface FutureLogsOptions {
  readonly fileSystem: FileSystem;
  readonly files: OpenFiles;
  readonly random: Random;
  readonly logger: Logger;
  readonly removals: DeferredRemovals;
  readonly environment: (directory: LogDirectory) => LogEnvironment;
  readonly placed: (key: string) => PlacedLog | undefined;
  /** Ends the compaction of a log, if it is under way. */
  readonly leaveCompaction: (log: PartitionLog) => Promise<void>;
  /** Puts a log in the place of another one of the same partition. */
  readonly replace: (former: PlacedLog, next: PlacedLog) => void;
}

export interface FutureLogDescription extends TopicPartition {
  readonly logDir: string;
  readonly sizeInBytes: number;
  /** Records that are in the log and not yet in the copy. */
  readonly offsetLag: number;
}

/** What became of an attempt to copy: bytes, and what is left; undefined where there is no such copy any more. */
export interface CopyProgress {
  readonly copiedBytes: number;
  readonly remainingBytes: number;
}

interface FutureLog {
  readonly key: string;
  readonly path: string;
  readonly directory: LogDirectory;
  /** Undefined until its directory is made. */
  copy: LogCopy | undefined;
  /** Copying, exchanging and dropping: one at a time. */
  readonly queue: SerialQueue;
  isCancelled: boolean;
}

export class FutureLogs {
  readonly #options: FutureLogsOptions;
  readonly #futures = new Map<string, FutureLog>();
  /** Logs that took the place of others after those had been retired, until whoever retired them asks. */
  readonly #orphans = new Map<string, PlacedLog>();

  constructor(options: FutureLogsOptions) {
    this.#options = options;
  }

  /** Whether the partition is on its way. */
  has(key: string): boolean {
    return this.#futures.has(key);
  }

  /** Where the partition is on its way to. */
  targetOf(key: string): string | undefined {
    return this.#futures.get(key)?.directory.path;
  }

  /** How many copies are made in a directory: they count as partitions of it. */
  countIn(directory: LogDirectory): number {
    let count = 0;
    for (const future of this.#futures.values()) if (future.directory === directory) count++;
    return count;
  }

  *describe(): Iterable<FutureLogDescription> {
    for (const { key, directory, copy } of this.#futures.values()) {
      const log = this.#options.placed(key)?.log;
      if (!log || log.isOffline) continue;
      const offsetLag = log.logEndOffset - (copy?.logEndOffset ?? log.logStartOffset);
      const sizeInBytes = copy?.sizeInBytes ?? 0;
      yield { ...log.topicPartition, logDir: directory.path, sizeInBytes, offsetLag: Math.max(0, offsetLag) };
    }
  }

  /**
   * Takes a copy that was found at the start, as far as it is the log's; it waits until it is gone on with. This comes
   * before anything is appended: what is the same now stays the same.
   */
  found(key: string, path: string, directory: LogDirectory): void {
    const future = newFuture(key, path, directory);
    this.#futures.set(key, future);
    try {
      future.copy = this.#options.placed(key)?.log.startCopy(path);
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      this.#options.logger.warn('A copy of a partition cannot be gone on with', { path, error: error.message });
      this.#futures.delete(key);
      this.#options.removals.directory(path, 0);
    }
  }

  /** Begins a copy in `directory`. */
  async create(key: string, directory: LogDirectory): Promise<Result<void, ErrorCode>> {
    const { random } = this.#options;
    const name = retiredDirectoryName(key, random.bytes(16).toString('hex'), FUTURE_DIRECTORY_SUFFIX);
    const future = newFuture(key, join(directory.path, name), directory);
    this.#futures.set(key, future);
    return future.queue.run(() => this.#start(future));
  }

  /** Copies the next stretch. An error is one of the disk; then the copy is gone, and the log is what it was. */
  copy(key: string, maxBytes: number): Promise<Result<CopyProgress | undefined, ErrorCode>> {
    return this.#step(key, async (future) => {
      const copiedBytes = await future.copy!.copy(maxBytes);
      return { copiedBytes, remainingBytes: future.copy!.remainingBytes };
    });
  }

  /**
   * Completes the copy and puts it in the place of `present`, while nothing is appended; gives the new log. Undefined
   * where the partition has another log by now: its topic was deleted and made anew.
   */
  exchange(key: string, present: PartitionLog): Promise<Result<PartitionLog | undefined, ErrorCode>> {
    return this.#step(key, async (future, current) => {
      if (current.log !== present) return undefined;
      const next = await current.log.handOver((state) => this.#takeOver(future, current, state));
      if (next) this.#futures.delete(key);
      return next?.log;
    });
  }

  /** Ends a move: the copy is out of the way, durably, when it resolves. */
  async drop(key: string): Promise<Result<void, ErrorCode>> {
    const future = this.#futures.get(key);
    if (!future) return ok(undefined);
    future.isCancelled = true;
    return future.queue.run(() => (this.#futures.get(key) === future ? this.#remove(future) : ok(undefined)));
  }

  /**
   * For a log that is going and is no longer placed: ends its move. Where the exchange came first, gives the log that
   * is in its place.
   */
  async retire(key: string): Promise<PlacedLog | undefined> {
    await this.drop(key);
    const orphan = this.#orphans.get(key);
    this.#orphans.delete(key);
    return orphan;
  }

  /** Ends all copying; the copies stay for the next start. */
  async close(): Promise<void> {
    const futures = [...this.#futures.values()];
    for (const future of futures) future.isCancelled = true;
    await Promise.all(futures.map(({ queue }) => queue.idle()));
  }

  async #start(future: FutureLog): Promise<Result<void, ErrorCode>> {
    const current = this.#options.placed(future.key);
    try {
      if (future.isCancelled || !current) return ok(undefined);
      await this.#options.leaveCompaction(current.log);
      future.copy = current.log.startCopy(future.path);
      await this.#options.fileSystem.syncDirectory(future.directory.path);
      return ok(undefined);
    } catch (error) {
      return this.#failed(future, error);
    }
  }

  async #step<T>(
    key: string,
    run: (future: FutureLog, current: PlacedLog) => Promise<T | undefined>,
  ): Promise<Result<T | undefined, ErrorCode>> {
    const future = this.#futures.get(key);
    if (!future) return ok(undefined);
    return future.queue.run(async () => {
      const current = this.#options.placed(key);
      if (future.isCancelled || !future.copy || !current || current.log.isOffline) return ok(undefined);
      try {
        return ok(await run(future, current));
      } catch (error) {
        return this.#failed(future, error);
      }
    });
  }

  /** A disk error ends the move; the log is not touched by it. */
  async #failed(future: FutureLog, error: unknown): Promise<Result<never, ErrorCode>> {
    if (!(error instanceof FileSystemError)) throw error;
    const fields = { log: future.path, error: error.message };
    this.#options.logger.error('A partition cannot move to another log directory; it stays where it is', fields);
    const directory = this.#options.placed(future.key)?.log.directory;
    // A log that did not get its name back is removed by the next start: then the copy is all that there is.
    if (directory === undefined || this.#options.fileSystem.stat(directory)) await this.#remove(future);
    else this.#futures.delete(future.key);
    return err(ErrorCode.KAFKA_STORAGE_ERROR, error.message);
  }

  async #remove(future: FutureLog): Promise<Result<void, ErrorCode>> {
    const { fileSystem, files, random, removals, logger } = this.#options;
    const { key, path, directory } = future;
    future.isCancelled = true;
    this.#futures.delete(key);
    files.detachDirectory(path);
    const renamed = join(
      directory.path,
      retiredDirectoryName(key, random.bytes(16).toString('hex'), DELETED_DIRECTORY_SUFFIX),
    );
    try {
      if (fileSystem.stat(path)) {
        fileSystem.rename(path, renamed);
        removals.directory(renamed, 0);
      }
      await fileSystem.syncDirectory(directory.path);
      return ok(undefined);
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      logger.error('A copy of a partition could not be removed', { log: path, error: error.message });
      return err(ErrorCode.KAFKA_STORAGE_ERROR, error.message);
    }
  }

  /** Runs while nothing is appended to the log and all of it is durable. Undefined: the log stays. */
  async #takeOver(future: FutureLog, former: PlacedLog, state: LogState): Promise<PlacedLog | undefined> {
    const { directory } = future;
    await future.copy!.complete();
    // The log's offsets hold for the copy: from the rename on the target's checkpoints say so, whoever writes them.
    directory.logs.add(former.log);
    try {
      await directory.writeLogStarts();
      await Promise.all([
        directory.writeHighWatermarks(),
        directory.writeRecoveryPoints(),
        directory.writeCleanOffsets(),
      ]);
      return future.isCancelled ? undefined : await this.#putInPlace(future, former, state);
    } finally {
      directory.leave(former.log.key, former.log);
    }
  }

  async #putInPlace(future: FutureLog, former: PlacedLog, state: LogState): Promise<PlacedLog> {
    const { logger, removals } = this.#options;
    const { key, directory } = future;
    const renames = this.#renames(future, former);
    let next: PlacedLog;
    try {
      await renames.run();
      next = { log: await this.#open(future, state, former.log.topicId), directory };
    } catch (error) {
      await renames.undo();
      throw error;
    }
    if (this.#options.placed(key) === former) this.#options.replace(former, next);
    else this.#orphans.set(key, next);
    await this.#forget(former);
    removals.directory(renames.retiredPath, state.config.fileDeleteDelayMs);
    logger.info('A partition moved to another log directory', { from: former.log.directory, to: next.log.directory });
    return next;
  }

  /**
   * First the log makes place, then the copy takes it: a crash in between leaves no partition twice, which no start
   * could decide, but one whose only whole log is a copy.
   */
  #renames(future: FutureLog, former: PlacedLog) {
    const { fileSystem, files, random, logger } = this.#options;
    const { key, directory, path } = future;
    const retiredName = retiredDirectoryName(key, random.bytes(16).toString('hex'), DELETED_DIRECTORY_SUFFIX);
    const retiredPath = join(former.directory.path, retiredName);
    const done: [from: string, to: string][] = [];
    const rename = (from: string, to: string): void => {
      files.detachDirectory(from);
      fileSystem.rename(from, to);
      done.push([from, to]);
    };
    return {
      retiredPath,
      run: async () => {
        rename(former.log.directory, retiredPath);
        await fileSystem.syncDirectory(former.directory.path);
        rename(path, join(directory.path, key));
        await fileSystem.syncDirectory(directory.path);
      },
      // Durably, too: what is appended from now on must not lie in a directory that the next start removes.
      undo: async () => {
        for (const [from, to] of done.reverse()) {
          try {
            files.detachDirectory(to);
            fileSystem.rename(to, from);
            await fileSystem.syncDirectory(dirname(from));
          } catch (error) {
            if (!(error instanceof FileSystemError)) throw error;
            logger.error('A directory could not be renamed back', { from: to, to: from, error: error.message });
          }
        }
      },
    };
  }

  /** What is known of the log in memory holds for what is opened in its place. */
  async #open({ key, directory }: FutureLog, state: LogState, topicId: string): Promise<PartitionLog> {
    const environment = this.#options.environment(directory);
    const { topicPartition, config, recoveryPoint, logStartOffset, highWatermark, cleanOffset } = state;
    const path = join(directory.path, key);
    const { recoverLog } = require('./recovery') as typeof import('./recovery');
    const loaded = await recoverLog(environment, {
      topicPartition,
      directory: path,
      config,
      hadCleanShutdown: true,
      recoveryPoint,
      logStartOffset,
      highWatermark,
      cleanOffset: cleanOffset < 0 ? undefined : cleanOffset,
    });
    if (loaded.nextOffset !== state.nextOffset) {
      const message = `EIO: the copy ends at offset ${loaded.nextOffset}, the log at ${state.nextOffset}`;
      throw new FileSystemError('EIO', path, message);
    }
    const { producers, epochs } = state;
    return new PartitionLog(environment, { ...loaded, producers, epochs }, topicId);
  }

  /** The former directory no longer speaks of the partition. */
  async #forget({ directory }: PlacedLog): Promise<void> {
    try {
      await Promise.all([directory.writeRecoveryPoints(), directory.writeLogStarts(), directory.writeCleanOffsets()]);
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      this.#options.logger.warn('A checkpoint could not be written', { error: error.message });
    }
  }
}

function newFuture(key: string, path: string, directory: LogDirectory): FutureLog {
  return { key, path, directory, copy: undefined, queue: new SerialQueue(), isCancelled: false };
}
