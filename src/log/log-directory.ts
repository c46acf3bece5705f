/**
 * One of the broker's log directories: its partitions' directories and its checkpoint files. Owns what is found at
 * start and what is written as checkpoints; a checkpoint is written by one writer at a time and is durable
 * afterwards. (Kafka: LogManager.loadLogs, checkpointLogRecoveryOffsetsInDir, checkpointLogStartOffsetsInDir.)
 */
import { join } from 'node:path';
import { SerialQueue } from '../base/serial-queue';
import { parsePartitionKey, type TopicPartition } from '../base/topic-partition';
import {
  CLEANER_OFFSET_CHECKPOINT,
  formatOffsets,
  HIGH_WATERMARK_CHECKPOINT,
  hasCleanShutdownMark,
  LOG_START_OFFSET_CHECKPOINT,
  partitionOfDirectory,
  RECOVERY_POINT_CHECKPOINT,
  readOffsets,
  removeCleanShutdownMark,
  writeCleanShutdownMark,
} from './checkpoint-file';
import { type FileSystem, FileSystemError } from './file-system';
import {
  CLUSTER_METADATA_DIRECTORY,
  DELETED_DIRECTORY_SUFFIX,
  directoryBefore,
  FUTURE_DIRECTORY_SUFFIX,
} from './log-file-name';
import type { PartitionLog } from './partition-log';

/** What a log directory held when it was opened. */
export interface FoundDirectory {
  readonly hadCleanShutdown: boolean;
  readonly partitions: readonly { readonly topicPartition: TopicPartition; readonly path: string }[];
  /** Where links in the place of partitions' directories lead nowhere: their disk may only be missing. */
  readonly missing: readonly UnusableLog[];
  /** Copies of partitions that were on their way here. */
  readonly futures: readonly { readonly topicPartition: TopicPartition; readonly path: string }[];
  /** Directories whose removal did not come to its end. */
  readonly deleted: readonly string[];
  /** By `partitionKey`. */
  readonly recoveryPoints: ReadonlyMap<string, number>;
  readonly logStartOffsets: ReadonlyMap<string, number>;
  readonly highWatermarks: ReadonlyMap<string, number>;
  readonly cleanOffsets: ReadonlyMap<string, number>;
}

type OffsetOf = (log: PartitionLog) => number | undefined;

/** The checkpoint files and what they hold of each log; nothing where a log needs no line. */
const CHECKPOINTS: ReadonlyMap<string, OffsetOf> = new Map<string, OffsetOf>([
  [RECOVERY_POINT_CHECKPOINT, (log) => log.safeRecoveryPoint],
  [LOG_START_OFFSET_CHECKPOINT, (log) => (log.startsWithinSegment ? log.logStartOffset : undefined)],
  [HIGH_WATERMARK_CHECKPOINT, (log) => log.highWatermark],
  [CLEANER_OFFSET_CHECKPOINT, ({ cleanOffset }) => (cleanOffset < 0 ? undefined : cleanOffset)],
]);

/** A partition's directory that is there and cannot be used before the next start. */
export interface UnusableLog {
  readonly topicPartition: TopicPartition;
  readonly path: string;
  readonly reason: string;
}

export class LogDirectory {
  readonly path: string;
  readonly logs = new Set<PartitionLog>();
  /**
   * Keys of logs that were here: until they were written without them, the checkpoint files may speak of them, and the
   * next start must not take their offsets for those of a new log of the same name.
   */
  #former = new Set<string>();
  /** Those of them that a write under way leaves out. */
  #leaving: ReadonlySet<string> = new Set();
  #formerWrite: Promise<void> | undefined;
  #formerError: FileSystemError | undefined;
  /** By `partitionKey`. Their checkpoints stay what they are. */
  readonly unusable = new Map<string, UnusableLog>();
  /** What the checkpoint files held at the start, and since then of unusable logs alone. */
  readonly #found = new Map<string, Map<string, number>>();
  readonly #fileSystem: FileSystem;
  readonly #writes = new SerialQueue();
  readonly #syncs = new SerialQueue();
  #logStartWrite: Promise<void> | undefined;
  #sync: Promise<void> | undefined;
  /** What the checkpoint files hold, as far as it was written from here. */
  readonly #written = new Map<string, Buffer>();

  constructor(fileSystem: FileSystem, path: string) {
    this.#fileSystem = fileSystem;
    this.path = path;
  }

  /** Reads what is there and takes the clean-shutdown mark away, as from now on a stop may be unclean. */
  async open(): Promise<FoundDirectory> {
    const fileSystem = this.#fileSystem;
    fileSystem.createDirectory(this.path);
    const partitions: { topicPartition: TopicPartition; path: string }[] = [];
    /** One text for all partitions of a topic. */
    const topics = new Map<string, string>();
    const futures: { topicPartition: TopicPartition; path: string }[] = [];
    const deleted: string[] = [];
    const missing: UnusableLog[] = [];
    for (const { name, isDirectory } of fileSystem.list(this.path)) {
      if (!isDirectory) missing.push(...this.#missing(name));
      // KRaft's metadata are no partition of ours: another broker may come back to them.
      if (!isDirectory || name === CLUSTER_METADATA_DIRECTORY) continue;
      const path = join(this.path, name);
      const topicPartition = partitionOfDirectory(name);
      if (topicPartition) {
        const topic = topics.get(topicPartition.topic) ?? topicPartition.topic;
        topics.set(topic, topic);
        partitions.push({ topicPartition: { ...topicPartition, topic }, path });
      }
      if (name.endsWith(DELETED_DIRECTORY_SUFFIX)) deleted.push(path);
      const arriving = parsePartitionKey(directoryBefore(name, FUTURE_DIRECTORY_SUFFIX) ?? '');
      if (arriving) futures.push({ topicPartition: arriving, path });
    }
    for (const name of CHECKPOINTS.keys()) this.#found.set(name, readOffsets(fileSystem, this.path, name));
    const found = (name: string): ReadonlyMap<string, number> => this.#found.get(name)!;
    const hadCleanShutdown = hasCleanShutdownMark(fileSystem, this.path);
    if (hadCleanShutdown) await removeCleanShutdownMark(fileSystem, this.path);
    return {
      hadCleanShutdown,
      partitions,
      missing,
      futures,
      deleted,
      recoveryPoints: found(RECOVERY_POINT_CHECKPOINT),
      logStartOffsets: found(LOG_START_OFFSET_CHECKPOINT),
      highWatermarks: found(HIGH_WATERMARK_CHECKPOINT),
      cleanOffsets: found(CLEANER_OFFSET_CHECKPOINT),
    };
  }

  /** The partition that a link leads away from; nothing where `name` is that of a file. */
  #missing(name: string): UnusableLog[] {
    const topicPartition = partitionOfDirectory(name);
    if (!topicPartition) return [];
    const path = join(this.path, name);
    try {
      if (this.#fileSystem.stat(path)) return [];
      return [{ topicPartition, path, reason: 'it is a symbolic link that leads nowhere' }];
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      return [{ topicPartition, path, reason: error.message }];
    }
  }

  /** The log is no longer here, nor another one of its name. */
  leave(key: string, log: PartitionLog | undefined): void {
    if (log) this.logs.delete(log);
    this.#former.add(key);
  }

  /**
   * Before a log of this name is made: no checkpoint speaks of a former one afterwards, durably. What the disk refuses
   * is said by `refuseFormer`.
   */
  async forget(key: string): Promise<void> {
    try {
      while (this.#mayRemember(key)) await this.forgetFormer();
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      this.#formerError = error;
    }
  }

  /** Throws the disk error that keeps a former log of this name in the checkpoints. */
  refuseFormer(key: string): void {
    if (this.#formerError && this.#mayRemember(key)) throw this.#formerError;
  }

  /** Writes the checkpoints without the logs that are no longer here. Rejects on a disk error. */
  forgetFormer(): Promise<void> {
    this.#formerWrite ??= this.#writes.run(async () => {
      this.#formerWrite = undefined;
      if (this.#former.size === 0) return;
      this.#leaving = this.#former;
      this.#former = new Set();
      try {
        for (const name of CHECKPOINTS.keys()) await this.#write(name);
      } catch (error) {
        for (const key of this.#leaving) this.#former.add(key);
        throw error;
      } finally {
        this.#leaving = new Set();
      }
    });
    return this.#formerWrite;
  }

  #mayRemember(key: string): boolean {
    return this.#former.has(key) || this.#leaving.has(key);
  }

  /** After the start: from now on the checkpoints of usable logs come from the logs. */
  forgetUsable(): void {
    const present = new Set(Array.from(this.logs, ({ key }) => key));
    for (const [name, offsets] of this.#found) {
      for (const key of offsets.keys()) if (!present.has(key) && !this.unusable.has(key)) this.#former.add(key);
      this.#found.set(name, new Map([...offsets].filter(([key]) => this.unusable.has(key))));
    }
  }

  /** Keeps the checkpoints of a log that becomes unusable. */
  remember(log: PartitionLog): void {
    for (const [name, offsetOf] of CHECKPOINTS) {
      const offset = offsetOf(log);
      if (offset === undefined) this.#found.get(name)?.delete(log.key);
      else this.#found.get(name)?.set(log.key, offset);
    }
  }

  writeRecoveryPoints(): Promise<void> {
    return this.#writes.run(() => this.#write(RECOVERY_POINT_CHECKPOINT));
  }

  writeHighWatermarks(): Promise<void> {
    return this.#writes.run(() => this.#write(HIGH_WATERMARK_CHECKPOINT));
  }

  writeCleanOffsets(): Promise<void> {
    return this.#writes.run(() => this.#write(CLEANER_OFFSET_CHECKPOINT));
  }

  /** Those who ask while a write waits for its turn share it: it takes the offsets when it begins. */
  writeLogStarts(): Promise<void> {
    this.#logStartWrite ??= this.#writes.run(() => {
      this.#logStartWrite = undefined;
      return this.#write(LOG_START_OFFSET_CHECKPOINT);
    });
    return this.#logStartWrite;
  }

  /** Makes the names in the directory durable. Those who ask while a sync waits for its turn share it. */
  sync(): Promise<void> {
    this.#sync ??= this.#syncs.run(() => {
      this.#sync = undefined;
      return this.#fileSystem.syncDirectory(this.path);
    });
    return this.#sync;
  }

  writeCleanShutdownMark(): Promise<void> {
    return writeCleanShutdownMark(this.#fileSystem, this.path);
  }

  /** Writes nothing where the file says it already: an idle broker leaves the disk alone. */
  async #write(name: string): Promise<void> {
    const offsetOf = CHECKPOINTS.get(name)!;
    const offsets: [TopicPartition, number][] = [];
    for (const log of this.logs) {
      const offset = offsetOf(log);
      if (offset !== undefined) offsets.push([log.topicPartition, offset]);
    }
    for (const [key, { topicPartition }] of this.unusable) {
      const offset = this.#found.get(name)?.get(key);
      if (offset !== undefined) offsets.push([topicPartition, offset]);
    }
    const content = formatOffsets(offsets);
    if (this.#written.get(name)?.equals(content)) return;
    this.#written.delete(name);
    await this.#fileSystem.replaceFile(join(this.path, name), content, { durable: true });
    this.#written.set(name, content);
  }
}
