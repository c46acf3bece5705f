/**
 * Moves partitions between log directories while they are produced to and read (KIP-113): a stretch of each in turn, no
 * faster than `replica.alter.log.dirs.io.max.bytes.per.second`, leaving the loop to others in between; then the
 * exchange. Owns when what is copied and what clients are told; files and their order are log/future-logs.ts.
 * Invariant: one stretch or one exchange at a time, whatever the number of partitions. (Kafka:
 * ReplicaManager.alterReplicaLogDirs, ReplicaAlterLogDirsThread.)
 */
import { dirname } from 'node:path';
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Result } from '../base/result';
import { SerialQueue } from '../base/serial-queue';
import { partitionKey, type TopicPartition } from '../base/topic-partition';
import { ErrorCode } from '../codec/generated/errors';
import { CleanerPace } from '../log/cleaner-pace';
import { FileSystemError } from '../log/file-system';
import type { LogDirectory } from '../log/log-directory';
import { canHaveFuture } from '../log/log-file-name';
import type { LogManager } from '../log/log-manager';
import type { Partition } from './partition';

export interface LogDirMovesOptions {
  readonly logManager: Pick<LogManager, 'get' | 'placement' | 'futures'>;
  /** Log directories that cannot be used since the start. */
  readonly failed?: readonly string[];
  /** Rejects where the volume of a log directory does not answer. */
  readonly checkDirectory: (path: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Bytes a second that all moves together may copy, asked each time. */
  readonly maxBytesPerSecond: () => number;
  /** Whether a log directory takes no new partitions (KIP-1066). */
  readonly isCordoned: (path: string) => boolean;
}

/** Copied at one go. */
const STRETCH_BYTES = 1024 * 1024;
/** After an exchange that the log could not take part in. */
const RETRY_MS = 1000;

export class LogDirMoves {
  readonly #options: LogDirMovesOptions;
  readonly #pace: CleanerPace;
  readonly #requests = new SerialQueue();
  readonly #moving = new Map<string, Partition>();
  #running: Promise<void> | undefined;
  #changing: Partition | undefined;
  #retry: { readonly timer: Timer; readonly wake: () => void } | undefined;
  #isClosed = false;

  constructor(options: LogDirMovesOptions) {
    this.#options = options;
    this.#pace = new CleanerPace(options.clock, options.maxBytesPerSecond);
  }

  /** The partition whose log is being exchanged at this moment. */
  get changing(): Partition | undefined {
    return this.#changing;
  }

  /**
   * What AlterReplicaLogDirs asks of one partition: a move to `path`, another target for one under way, or, by naming
   * the directory that it is in, the end of it. A partition that is not here yet shall be made there.
   */
  alter(wanted: TopicPartition, path: string, find: () => Result<Partition, ErrorCode>): Promise<ErrorCode> {
    return this.#requests.run(async () => {
      const key = partitionKey(wanted.topic, wanted.partition);
      const { logManager, isCordoned, failed = [] } = this.#options;
      if (!canHaveFuture(key)) return ErrorCode.INVALID_TOPIC_EXCEPTION;
      const directory = logManager.placement.directory(path);
      if (!directory) return failed.includes(path) ? ErrorCode.KAFKA_STORAGE_ERROR : ErrorCode.LOG_DIR_NOT_FOUND;
      if (!(await this.#works(directory))) return ErrorCode.KAFKA_STORAGE_ERROR;
      if (isCordoned(path)) return ErrorCode.INVALID_REPLICA_ASSIGNMENT;
      const found = find();
      if (found.ok) return found.value.hasFailed ? ErrorCode.KAFKA_STORAGE_ERROR : this.#alter(found.value, directory);
      if (found.error === ErrorCode.KAFKA_STORAGE_ERROR) return found.error;
      logManager.placement.wish(key, directory);
      return found.error === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION ? found.error : ErrorCode.REPLICA_NOT_AVAILABLE;
    });
  }

  /** Goes on with a move that an earlier run of the broker began, if there is one. */
  resume(partition: Partition): void {
    if (this.#options.logManager.futures.has(partition.key)) this.#begin(partition);
  }

  /** The partition is going; its copy goes with its log. */
  forget(key: string): void {
    this.#moving.delete(key);
  }

  /** Other settings may allow another speed. */
  wake(): void {
    this.#pace.wake();
  }

  /** Ends all copying; what is copied stays for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#moving.clear();
    this.#pace.wake();
    this.#retry?.wake();
    await this.#running;
  }

  async #works({ path }: LogDirectory): Promise<boolean> {
    try {
      await this.#options.checkDirectory(path);
      return true;
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      return false;
    }
  }

  async #alter(partition: Partition, directory: LogDirectory): Promise<ErrorCode> {
    const { logManager } = this.#options;
    const { futures } = logManager;
    const { key, topicPartition } = partition;
    const target = futures.targetOf(key);
    if (target !== undefined && target !== directory.path) {
      this.forget(key);
      const dropped = await futures.drop(key);
      if (!dropped.ok) return dropped.error;
    }
    // As the log manager has it: an exchange may just have come to its end.
    const log = logManager.get(topicPartition.topic, topicPartition.partition);
    if (!log || !partition.isOn(log)) return ErrorCode.REPLICA_NOT_AVAILABLE;
    if (dirname(log.directory) === directory.path) return ErrorCode.NONE;
    if (!futures.has(key)) {
      const created = await futures.create(key, directory);
      if (!created.ok) return created.error;
    }
    // Not where the topic was deleted meanwhile; one of the same name begins by itself.
    if (partition.isLeader) this.#begin(partition);
    return ErrorCode.NONE;
  }

  #begin(partition: Partition): void {
    if (this.#isClosed) return;
    this.#moving.set(partition.key, partition);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#moving.size > 0) {
      for (const partition of [...this.#moving.values()]) {
        if (this.#moving.get(partition.key) !== partition) continue;
        try {
          await this.#advance(partition);
        } catch (error) {
          const fields = { ...partition.topicPartition, error };
          this.#options.logger.error('the move of a partition to another log directory met a bug', fields);
          this.#end(partition);
        }
      }
    }
    // In the turn in which nothing was left to do: whoever begins in the next one must not rely on this run.
    this.#running = undefined;
  }

  async #advance(partition: Partition): Promise<void> {
    const { futures } = this.#options.logManager;
    const stretchBytes = Math.max(1, Math.min(STRETCH_BYTES, this.#options.maxBytesPerSecond()));
    const progress = await futures.copy(partition.key, stretchBytes);
    if (!progress.ok || !progress.value) {
      this.#end(partition);
      return;
    }
    const { copiedBytes, remainingBytes } = progress.value;
    if (copiedBytes > 0) await this.#pace.spend(copiedBytes);
    if (this.#pace.isDue) await this.#pace.rest();
    // Little enough to be copied while producers wait for the exchange.
    if (remainingBytes <= stretchBytes && this.#moving.get(partition.key) === partition)
      await this.#exchange(partition);
  }

  async #exchange(partition: Partition): Promise<void> {
    const { futures } = this.#options.logManager;
    this.#changing = partition;
    try {
      await partition.changeLog(async (present) => {
        const exchanged = await futures.exchange(partition.key, present);
        return exchanged.ok ? exchanged.value : undefined;
      });
    } finally {
      this.#changing = undefined;
    }
    if (!futures.has(partition.key)) this.#end(partition);
    else if (!this.#isClosed && this.#moving.get(partition.key) === partition) await this.#wait(RETRY_MS);
  }

  #end(partition: Partition): void {
    if (this.#moving.get(partition.key) === partition) this.#moving.delete(partition.key);
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#retry?.timer.cancel();
        this.#retry = undefined;
        resolve();
      };
      this.#retry = { timer: this.#options.clock.schedule(delayMs, wake), wake };
    });
  }
}
