/**
 * All logs of a broker: finds and recovers them at start, creates and deletes them, runs their background work
 * (retention, flush, checkpoints) and closes them. Does not know topics beyond directory names, nor leadership.
 * Invariant: at most one log per partition, over all log directories. (Kafka: LogManager.)
 */
import { join } from 'node:path';
import type { Logger } from '../base/logger';
import { type Random, ZERO_UUID } from '../base/random';
import { err, ok, type Result } from '../base/result';
import { TimeHistogram } from '../base/time-histogram';
import { partitionKey, type TopicPartition } from '../base/topic-partition';
import { ErrorCode } from '../codec/generated/errors';
import type { CleanerSettings } from '../config/derived-settings';
import type { LogConfig } from '../config/log-config';
import { Codec, prepareCodec } from '../records/compression';
import { BackgroundWork } from './background-work';
import { readTopicId, writeTopicId } from './checkpoint-file';
import { DeferredRemovals } from './deferred-removals';
import { type FileSystem, FileSystemError } from './file-system';
import { FutureLogs, type PlacedLog } from './future-logs';
import { inParallel } from './in-parallel';
import { completeExchanges, refuseDuplicates } from './interrupted-moves';
import { type CleanerNumbers, LogCleaner } from './log-cleaner';
import { type FoundDirectory, LogDirectory, type UnusableLog } from './log-directory';
import { LogEnvironments } from './log-environments';
import { DELETED_DIRECTORY_SUFFIX, retiredDirectoryName, STRAY_DIRECTORY_SUFFIX } from './log-file-name';
import { LogPlacement } from './log-placement';
import { OpenFiles } from './open-files';
import { PartitionLog } from './partition-log';
import { type LogWorkIntervals, scheduleLogWork } from './periodic-log-work';
import type * as recovery from './recovery';

export interface LogManagerOptions extends LogWorkIntervals {
  readonly fileSystem: FileSystem;
  /** Absolute paths, existing or not; partition directories lie directly in them. */
  readonly logDirs: readonly string[];
  /** The config of a topic's logs, at load and at creation; changes come by `PartitionLog.updateConfig`. */
  readonly topicConfig: (topic: string) => LogConfig;
  readonly random: Random;
  readonly logger: Logger;
  /** The settings of compaction, read anew each time; nothing is compacted without. */
  readonly cleaner?: (() => CleanerSettings) | undefined;
  /** Whether a log directory takes no new partitions (KIP-1066), asked each time. */
  readonly isCordoned?: ((path: string) => boolean) | undefined;
  /** Upper bound of simultaneously open files of the log layer (handles lent to readers come on top). */
  readonly maxOpenFiles?: number;
}

export interface CloseOptions {
  /** Flush and write checkpoints, snapshots and the clean-shutdown mark; otherwise just let go of the files. */
  readonly clean: boolean;
  readonly onProgress?: (closed: number, total: number) => void;
}

const DEFAULT_MAX_OPEN_FILES = 500;
/** Enough that the disk always has something to do, and that a flush which waits for its turn knows it is the last. */
const CLOSING_LOGS = 64;
const PROGRESS_INTERVAL_MS = 5000;

/** A log on its way out; without `log` it is one that could not be used. */
interface RetiredLog {
  readonly topicPartition: TopicPartition;
  readonly key: string;
  readonly path: string;
  readonly directory: LogDirectory;
  readonly log: PartitionLog | undefined;
}

export class LogManager {
  /** How long flushes of logs took. */
  readonly flushTimes = new TimeHistogram();
  readonly #options: LogManagerOptions;
  readonly #files: OpenFiles;
  readonly #removals: DeferredRemovals;
  readonly #directories: LogDirectory[];
  readonly #cleaner: LogCleaner | undefined;
  /** Where partitions lie that are not here yet. */
  readonly placement: LogPlacement;
  readonly #logs = new Map<string, PlacedLog>();
  /** Partitions on their way to another log directory. */
  readonly futures: FutureLogs;
  readonly #environments: LogEnvironments;
  readonly #background: BackgroundWork;
  /** Deletions under way: their directories are still in place. */
  readonly #deleting = new Map<string, Promise<unknown>>();
  #isClosed = false;

  private constructor(options: LogManagerOptions) {
    const { clock, random, logger, cleaner } = options;
    this.#options = options;
    this.#files = new OpenFiles(options.fileSystem, options.maxOpenFiles ?? DEFAULT_MAX_OPEN_FILES);
    this.#removals = new DeferredRemovals(options.fileSystem, options);
    const shared = { files: this.#files, removals: this.#removals, flushTimes: this.flushTimes };
    this.#environments = new LogEnvironments({ clock, random, logger, ...shared });
    this.#background = new BackgroundWork(options);
    this.#directories = options.logDirs.map((path) => new LogDirectory(options.fileSystem, path));
    this.futures = this.#makeFutures();
    this.placement = new LogPlacement(this.#directories, {
      arriving: (directory) => this.futures.countIn(directory),
      isCordoned: (path) => options.isCordoned?.(path) === true,
    });
    if (cleaner) {
      const writeCheckpoint = async (log: PartitionLog): Promise<void> =>
        this.#logs.get(log.key)?.directory.writeCleanOffsets();
      this.#cleaner = new LogCleaner({
        clock,
        random: options.random,
        logger,
        settings: cleaner,
        logs: () => this.logs(),
        // A log that moves is left alone: its copy could not tell what compaction changed.
        isCompactable: (log) => this.#logs.get(log.key)?.log === log && !this.futures.has(log.key),
        writeCheckpoint,
      });
    }
  }

  /** Recovers every log found and starts the background work. */
  static async open(options: LogManagerOptions): Promise<LogManager> {
    const manager = new LogManager(options);
    const opened = new Map<LogDirectory, FoundDirectory>();
    for (const directory of manager.#directories) opened.set(directory, await directory.open());
    const found = await completeExchanges(opened, options);
    refuseDuplicates(found);
    for (const [directory, content] of found) await manager.#load(directory, content);
    for (const [directory, { futures }] of found) manager.#takeFutures(directory, futures);
    scheduleLogWork(manager.#background, options, { logs: () => manager.logs(), directories: manager.#directories });
    manager.#cleaner?.start();
    return manager;
  }

  get(topic: string, partition: number): PartitionLog | undefined {
    return this.#logs.get(partitionKey(topic, partition))?.log;
  }

  /** The log of the partition, made if missing. INCONSISTENT_TOPIC_ID when there is one of another id. */
  async create(topic: string, partition: number, topicId: string): Promise<Result<PartitionLog, ErrorCode>> {
    const config = this.#options.topicConfig(topic);
    await prepareFor(config);
    const key = partitionKey(topic, partition);
    await this.#deleting.get(key);
    for (const directory of this.#directories) await directory.forget(key);
    const unusable = this.#unusable(key);
    if (unusable) return err(ErrorCode.KAFKA_STORAGE_ERROR, `${unusable.path} cannot be used: ${unusable.reason}`);
    if (this.placement.isLost(key)) {
      return err(ErrorCode.KAFKA_STORAGE_ERROR, 'It lies in a log directory that failed');
    }
    try {
      const present = this.get(topic, partition);
      return present ? adopt(present, topicId) : ok(await this.#make({ topic, partition }, topicId, config));
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      return err(ErrorCode.KAFKA_STORAGE_ERROR, error.message);
    }
  }

  /** Gone for `get` at once, durably renamed away when it resolves; the files go after file.delete.delay.ms. */
  async delete(topic: string, partition: number): Promise<Result<void, ErrorCode>> {
    const { fileDeleteDelayMs } = this.get(topic, partition)?.config ?? this.#options.topicConfig(topic);
    const renamed = await this.#retire({ topic, partition }, DELETED_DIRECTORY_SUFFIX);
    if (!renamed.ok) return renamed;
    if (!this.#isClosed) this.#removals.directory(renamed.value, fileDeleteDelayMs);
    return ok(undefined);
  }

  /**
   * Takes logs that belong to nobody out of use: their directories stay under another name, for an operator to look
   * at. Otherwise they would be in the way of topics to come. (Kafka: LogManager.addStrayLog.)
   */
  async setStraysAside(isKnown: (log: PartitionLog) => boolean): Promise<void> {
    for (const log of [...this.logs()]) {
      if (isKnown(log)) continue;
      const renamed = await this.#retire(log.topicPartition, STRAY_DIRECTORY_SUFFIX);
      const fields = { log: log.directory, topicId: log.topicId };
      if (renamed.ok) this.#options.logger.warn('Set a log of no known topic aside', { ...fields, to: renamed.value });
      else this.#options.logger.error('A log of no known topic is in the way', { ...fields, error: renamed.message });
    }
  }

  /** Gone for `get` at once; renamed when it resolves, with the new path. */
  #retire(topicPartition: TopicPartition, suffix: string): Promise<Result<string, ErrorCode>> {
    const key = partitionKey(topicPartition.topic, topicPartition.partition);
    const entry = this.#logs.get(key);
    const directory = entry?.directory ?? this.#directories.find(({ unusable }) => unusable.has(key));
    const path = entry?.log.directory ?? directory?.unusable.get(key)?.path;
    this.placement.forget(key);
    if (!directory || path === undefined) return Promise.resolve(err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
    this.#logs.delete(key);
    directory.leave(key, entry?.log);
    const retired: RetiredLog = { topicPartition, key, path, directory, log: entry?.log };
    const retiring = this.#moveAway(retired, suffix).finally(() => this.#deleting.delete(key));
    this.#deleting.set(key, retiring);
    return retiring;
  }

  async #moveAway(retired: RetiredLog, suffix: string): Promise<Result<string, ErrorCode>> {
    const { topicPartition, key } = retired;
    // It may have moved to another directory in the last moment.
    const moved = await this.futures.retire(key);
    const { log, directory, path } = moved ? { ...moved, path: moved.log.directory } : retired;
    const { fileSystem, random } = this.#options;
    try {
      if (log) {
        await this.#cleaner?.leave(log);
        if (log.cleanOffset >= 0) await directory.writeCleanOffsets();
        await log.close({ clean: false });
      }
      this.#files.detachDirectory(path);
      const renamed = join(directory.path, retiredDirectoryName(key, random.bytes(16).toString('hex'), suffix));
      fileSystem.rename(path, renamed);
      directory.unusable.delete(key);
      await directory.sync();
      return ok(renamed);
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      // What is left there must not become part of a new log.
      if (fileSystem.stat(path)) {
        if (log) directory.remember(log);
        this.#setUnusable(directory, { topicPartition, path, reason: error.message });
      }
      return err(ErrorCode.KAFKA_STORAGE_ERROR, error.message);
    }
  }

  #unusable(key: string): UnusableLog | undefined {
    for (const { unusable } of this.#directories) if (unusable.has(key)) return unusable.get(key);
    return undefined;
  }

  #setUnusable(directory: LogDirectory, { topicPartition, path, reason }: UnusableLog): void {
    const key = partitionKey(topicPartition.topic, topicPartition.partition);
    directory.unusable.set(key, { topicPartition, path, reason });
    this.#options.logger.error('A log cannot be used before the next start', { log: path, error: reason });
  }

  /** What the cleaner has done; undefined where nothing is compacted. */
  get cleanerNumbers(): CleanerNumbers | undefined {
    return this.#cleaner;
  }

  *logs(): Iterable<PartitionLog> {
    for (const { log } of this.#logs.values()) yield log;
  }

  #makeFutures(): FutureLogs {
    return new FutureLogs({
      ...this.#options,
      files: this.#files,
      removals: this.#removals,
      environment: (directory) => this.#environments.of(directory),
      placed: (key) => this.#logs.get(key),
      leaveCompaction: async (log) => this.#cleaner?.leave(log),
      replace: (former, next) => {
        former.directory.leave(former.log.key, former.log);
        this.#register(next.directory, next.log);
      },
    });
  }

  /** A copy that belongs to no log of this topic is of no use. */
  #takeFutures(directory: LogDirectory, futures: FoundDirectory['futures']): void {
    const { fileSystem } = this.#options;
    for (const { topicPartition, path } of futures) {
      const key = partitionKey(topicPartition.topic, topicPartition.partition);
      const isOurs = this.#logs.get(key)?.log.topicId === readTopicId(fileSystem, path);
      if (isOurs && !this.futures.has(key)) this.futures.found(key, path, directory);
      else if (!this.#unusable(key)) this.#removals.directory(path, 0);
    }
  }

  async close(options: CloseOptions): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#background.close(), this.#cleaner?.close(), this.futures.close()]);
    await Promise.all(this.#deleting.values());
    const logs = [...this.logs()];
    let closed = 0;
    const unclean = new Set<PartitionLog>();
    const close = async (log: PartitionLog): Promise<void> => {
      if (!(await log.close(options))) unclean.add(log);
      closed++;
      options.onProgress?.(closed, logs.length);
    };
    await inParallel(logs, close, CLOSING_LOGS);
    await this.#removals.close();
    if (options.clean) for (const directory of this.#directories) await this.#markClean(directory, unclean);
    this.#files.closeAll();
  }

  async #markClean(directory: LogDirectory, unclean: ReadonlySet<PartitionLog>): Promise<void> {
    try {
      await Promise.all([directory.writeRecoveryPoints(), directory.writeLogStarts(), directory.writeHighWatermarks()]);
      // Without the mark the next start scans, which is what a log with a disk error needs.
      const isClean = directory.unusable.size === 0 && ![...directory.logs].some((log) => unclean.has(log));
      if (isClean) await directory.writeCleanShutdownMark();
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      this.#options.logger.error('The clean shutdown could not be noted', { error: error.message });
    }
  }

  /** Tries one directory after the other. */
  async #make(topicPartition: TopicPartition, topicId: string, config: LogConfig): Promise<PartitionLog> {
    const key = partitionKey(topicPartition.topic, topicPartition.partition);
    const candidates = this.placement.candidates(key);
    for (const [i, directory] of candidates.entries()) {
      try {
        const log = await this.#makeIn(directory, topicPartition, { topicId, config });
        this.placement.fulfilled(key);
        return log;
      } catch (error) {
        if (!(error instanceof FileSystemError) || i === candidates.length - 1) throw error;
        this.#options.logger.error('A log cannot be made here', { logDir: directory.path, error: error.message });
      }
    }
    throw new Error('there is always a log directory');
  }

  /** A directory that cannot be completed does not stay. */
  async #makeIn(
    directory: LogDirectory,
    topicPartition: TopicPartition,
    { topicId, config }: { readonly topicId: string; readonly config: LogConfig },
  ): Promise<PartitionLog> {
    const environment = this.#environments.of(directory);
    const key = partitionKey(topicPartition.topic, topicPartition.partition);
    directory.refuseFormer(key);
    const path = join(directory.path, key);
    const { fileSystem } = this.#options;
    const isNew = fileSystem.stat(path) === undefined;
    try {
      const { newLog } = require('./recovery') as typeof recovery;
      const loaded = newLog(environment, { topicPartition, directory: path, config });
      writeTopicId(this.#files, path, topicId);
      return this.#register(directory, new PartitionLog(environment, loaded, topicId));
    } catch (error) {
      this.#files.detachDirectory(path);
      if (isNew) await fileSystem.removeDirectory(path);
      throw error;
    }
  }

  #register(directory: LogDirectory, log: PartitionLog): PartitionLog {
    this.#logs.set(log.key, { log, directory });
    directory.logs.add(log);
    return log;
  }

  async #load(directory: LogDirectory, found: FoundDirectory): Promise<void> {
    const { clock, logger, fileSystem, topicConfig } = this.#options;
    const { hadCleanShutdown, partitions } = found;
    for (const path of found.deleted) this.#removals.directory(path, 0);
    for (const missing of found.missing) this.#setUnusable(directory, missing);
    const environment = this.#environments.of(directory);
    let done = 0;
    let reportedMs = clock.monotonicMs();
    await inParallel(partitions, async ({ topicPartition, path }) => {
      const key = partitionKey(topicPartition.topic, topicPartition.partition);
      const config = topicConfig(topicPartition.topic);
      await prepareFor(config);
      try {
        const { recoverLog } = require('./recovery') as typeof recovery;
        const loaded = await recoverLog(environment, {
          topicPartition,
          directory: path,
          config,
          hadCleanShutdown,
          recoveryPoint: found.recoveryPoints.get(key) ?? 0,
          logStartOffset: found.logStartOffsets.get(key) ?? 0,
          highWatermark: found.highWatermarks.get(key) ?? 0,
          cleanOffset: found.cleanOffsets.get(key),
        });
        this.#register(directory, new PartitionLog(environment, loaded, readTopicId(fileSystem, path)));
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error;
        this.#setUnusable(directory, { topicPartition, path, reason: error.message });
      }
      done++;
      if (clock.monotonicMs() - reportedMs < PROGRESS_INTERVAL_MS) return;
      reportedMs = clock.monotonicMs();
      logger.info(hadCleanShutdown ? 'Loading logs' : 'Recovering logs', { done, total: partitions.length });
    });
    directory.forgetUsable();
    if (!hadCleanShutdown && partitions.length > 0) {
      logger.info('Recovered logs after an unclean shutdown', { logDir: directory.path, logs: done });
    }
  }
}

/** An existing log for a topic of this id, if it may be that. */
function adopt(log: PartitionLog, topicId: string): Result<PartitionLog, ErrorCode> {
  if (topicId !== ZERO_UUID && (log.topicId === topicId || log.topicId === ZERO_UUID)) log.takeTopicId(topicId);
  if (log.topicId === topicId || topicId === ZERO_UUID) return ok(log);
  return err(ErrorCode.INCONSISTENT_TOPIC_ID, `The log of ${log.directory} belongs to topic id ${log.topicId}`);
}

/** Loads the codec by which the topic's batches are compressed anew, if it takes time to load. */
async function prepareFor(config: LogConfig): Promise<void> {
  if (config.compressionType === 'zstd') await prepareCodec(Codec.zstd);
}
