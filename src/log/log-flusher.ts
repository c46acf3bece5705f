/**
 * Makes a log durable: fsync of what was written since the last time, off the loop. At most one flush is under way;
 * those who ask meanwhile share the next one. A flush takes one thread of the pool at a time: an fsync may last, and
 * large appends and cold reads need threads as well. Owns the recovery point. After a failed fsync nothing is known
 * about the file, so none is tried again, the log goes offline and the next start is told (failed-sync.ts). (Kafka:
 * UnifiedLog.flush.)
 */
import { join } from 'node:path';
import { err, ok, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import { PARTITION_METADATA_FILE } from './checkpoint-file';
import { markFailedSync } from './failed-sync';
import { FileSystemError } from './file-system';
import { LOG_SUFFIX } from './log-file-name';
import { isPassing, type LogState } from './log-state';
import { isOutOfDescriptors } from './open-files';

export class LogFlusher {
  readonly #state: LogState;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  /** The name of the partition's directory is durable, and so is its metadata. */
  #isDirectoryDurable = false;
  /** Base offset of the newest segment whose name is durable. */
  #durableNames = -1;
  /** Nothing follows: the active segment is closed, too. */
  #isEnding = false;
  #isInTurn = false;

  constructor(state: LogState) {
    this.#state = state;
  }

  /** Resolves when all that was written before the call is durable. */
  async flush(): Promise<Result<void, ErrorCode>> {
    const isDurable = await (this.#running === undefined ? this.#start() : this.#afterRunning(this.#running));
    return isDurable ? ok(undefined) : err(ErrorCode.KAFKA_STORAGE_ERROR, 'The log could not be flushed');
  }

  /** Flushes for nobody who waits, when those that were asked for before in the same directory have ended. */
  flushInTurn(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    void this.#state.environment.flushTurns.run(() => {
      this.#isInTurn = false;
      return this.flush();
    });
  }

  /**
   * Before a clean stop: after it no start looks for what is missing, so the indexes of the active segment and the
   * snapshot at the end must be durable as well. Nothing else may touch the log meanwhile.
   */
  async flushAll(): Promise<void> {
    const state = this.#state;
    // One that waits for its turn does it, too.
    this.#isEnding = true;
    await this.settled();
    if (state.settledEnd !== state.nextOffset || state.recoveryPoint < state.nextOffset) await this.#start();
    this.#isEnding = false;
  }

  /** Makes a truncation durable, or what was cut could come back with a power cut and mix with what follows. */
  async flushTruncation(): Promise<void> {
    await this.settled();
    this.#durableNames = -1;
    this.#state.settledEnd = -1;
    await this.#start(true);
  }

  /** Resolves when no flush is under way. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #afterRunning(running: Promise<boolean>): Promise<boolean> {
    this.#next ??= running.then(() => {
      this.#next = undefined;
      return this.#start();
    });
    return this.#next;
  }

  #start(isForced = false): Promise<boolean> {
    const running = this.#run(isForced).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  /**
   * Whether all that was written before is durable. Also where all records are, the indexes of a closed segment may not
   * be, nor that room which was taken ahead was given back.
   */
  async #run(isForced: boolean): Promise<boolean> {
    const state = this.#state;
    if (state.isOffline || state.isClosed) return false;
    const { nextOffset, recoveryPoint, unsyncedFrom, settledEnd } = state;
    const isSettled = settledEnd === nextOffset || !this.#isEnding;
    if (nextOffset <= recoveryPoint && unsyncedFrom >= nextOffset && isSettled && !isForced) return true;
    const { clock, flushTimes } = state.environment;
    const sinceMs = clock.monotonicMs();
    try {
      await state.environment.files.lendingTask(() => this.#makeDurable());
      state.lastFlushMs = clock.monotonicMs();
      flushTimes.record(clock.monotonicMs() - sinceMs, clock.monotonicMs());
      return true;
    } catch (error) {
      if (!isOutOfDescriptors(error)) this.#giveUp(error);
      else state.environment.logger.warn('A flush must wait', { log: state.directory, error: error.message });
      return false;
    }
  }

  /** All that is written when it begins, which may be later than it was asked for. */
  async #makeDurable(): Promise<void> {
    const state = this.#state;
    const upTo = state.nextOffset;
    const { baseOffset } = state.active;
    const isEnding = this.#isEnding;
    await this.#syncAll(Math.min(state.unsyncedFrom, state.recoveryPoint));
    const areEpochsDurable = await this.#epochsAreDurable();
    // What was closed meanwhile begins where the active segment did.
    state.unsyncedFrom = state.active.baseOffset > baseOffset ? baseOffset : Number.POSITIVE_INFINITY;
    if (isEnding) state.settledEnd = upTo;
    if (areEpochsDurable) state.recoveryPoint = Math.max(state.recoveryPoint, Math.min(upTo, state.nextOffset));
  }

  #giveUp(error: unknown): void {
    const { environment, directory, safeRecoveryPoint: recoveryPoint, isClosed } = this.#state;
    this.#state.takeOffline(error);
    if (isClosed) return;
    try {
      markFailedSync(environment.files.fileSystem, directory, recoveryPoint);
    } catch (failure) {
      if (!(failure instanceof FileSystemError)) throw failure;
      const what = 'A failed fsync could not be noted: the next start will trust what it reads of the log';
      environment.logger.error(what, { log: directory, error: failure.message });
    }
  }

  async #syncAll(from: number): Promise<void> {
    const state = this.#state;
    const first = state.segmentIndexOf(from);
    const dirty = state.segments.slice(first);
    const newest = dirty.at(-1)!.baseOffset;
    const logs: string[] = [];
    const others: string[] = [];
    for (const [index, segment] of dirty.entries()) {
      const isActive = index === dirty.length - 1 && !this.#isEnding;
      for (const path of segment.paths()) {
        if (path.endsWith(LOG_SUFFIX)) logs.push(path);
        // Those of the active segment are rebuilt after a crash, as the recovery point lies within it.
        else if (!isActive) others.push(path);
      }
      // One that says nothing is not missed.
      if (!isActive && state.snapshots.has(state.endOffsetOf(first + index)))
        others.push(state.snapshots.path(state.endOffsetOf(first + index)));
    }
    if (!this.#isDirectoryDurable) others.push(join(state.directory, PARTITION_METADATA_FILE));
    const failures: unknown[] = [];
    // Records first: small files would otherwise be waited for while the system is busy with the large ones.
    for (const path of [...logs, ...others]) {
      await this.#syncFile(path).catch((failure: unknown) => void failures.push(failure));
    }
    // One that does not pass must not hide behind one that does.
    if (failures.length > 0) throw failures.find((failure) => !isOutOfDescriptors(failure)) ?? failures[0];
    await this.#syncNames(newest);
  }

  /**
   * False where there is no room for their file, which is no reason to give up the log: the records are durable, and a
   * recovery finds the epochs in them as long as the recovery point stays behind.
   */
  async #epochsAreDurable(): Promise<boolean> {
    try {
      await this.#state.writeEpochs({ durable: true });
      return true;
    } catch (error) {
      if (!isPassing(error)) throw error;
      const { environment, directory } = this.#state;
      environment.logger.warn('Leader epochs could not be written', { log: directory, error: String(error) });
      return false;
    }
  }

  async #syncNames(newest: number): Promise<void> {
    if (this.#durableNames === newest && this.#isDirectoryDurable && !this.#isEnding) return;
    const { fileSystem } = this.#state.environment.files;
    await fileSystem.syncDirectory(this.#state.directory);
    if (!this.#isDirectoryDurable) await this.#state.environment.syncLogDirectory();
    this.#isDirectoryDurable = true;
    this.#durableNames = newest;
  }

  /**
   * A file that does not exist needs no sync: most segments have no transaction index, and retention may have come
   * by.
   */
  async #syncFile(path: string): Promise<void> {
    try {
      const { handle, release } = this.#state.environment.files.lendOnce(path);
      try {
        await handle.sync();
      } finally {
        release();
      }
    } catch (error) {
      if (!(error instanceof FileSystemError && error.code === 'ENOENT')) throw error;
    }
  }
}
