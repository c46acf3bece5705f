/**
 * From a partition's directory to a log that can be used. After a clean shutdown it looks, after a crash it scans
 * from the recovery point on: a torn or corrupt tail is cut at the last whole batch, and what follows from the
 * batches is derived anew. Segments below the recovery point are only scanned when their indexes are damaged, and
 * never cut. (Kafka: LogLoader.)
 */
import { join } from 'node:path';
import type { TopicPartition } from '../base/topic-partition';
import type { LogConfig } from '../config/log-config';
import * as batchHeader from '../records/batch-header';
import { LEADER_EPOCH_CHECKPOINT, parseEpochs, readIfPresent } from './checkpoint-file';
import { FAILED_SYNC_FILE, failedSyncPoint, forgetFailedSync, rewriteUnsynced } from './failed-sync';
import type { FileSystem } from './file-system';
import { type EpochEntry, LeaderEpochs } from './leader-epochs';
import { clearLeftovers } from './leftover-files';
import {
  LOG_SUFFIX,
  OFFSET_INDEX_SUFFIX,
  offsetOfFileName,
  SEGMENT_SUFFIXES,
  segmentFileName,
  segmentFilePath,
  TIME_INDEX_SUFFIX,
  TRANSACTION_INDEX_SUFFIX,
} from './log-file-name';
import type { LoadedLog, LogEnvironment } from './log-state';
import { hasProducersInSight, rebuildProducers } from './producer-rebuild';
import { ProducerState } from './producer-state';
import { Segment } from './segment';
import { segmentOptions } from './segment-options';
import { scanSegment, unlessFull } from './segment-scan';
import { SnapshotFiles } from './snapshot-files';
import * as storedBatch from './stored-batch';

export interface RecoveryOptions {
  readonly topicPartition: TopicPartition;
  readonly directory: string;
  readonly config: LogConfig;
  readonly hadCleanShutdown: boolean;
  /** From the checkpoints, 0 when they do not say. */
  readonly recoveryPoint: number;
  readonly logStartOffset: number;
  readonly highWatermark: number;
  readonly cleanOffset?: number | undefined;
}

interface Found {
  readonly segment: Segment;
  readonly hasIndexes: boolean;
  readonly hasTransactions: boolean;
}

/** A log for a new partition, beginning at offset 0; makes its directory. */
export function newLog(
  environment: LogEnvironment,
  log: { topicPartition: TopicPartition; directory: string; config: LogConfig },
): LoadedLog {
  const { fileSystem } = environment.files;
  fileSystem.createDirectory(log.directory);
  return {
    ...log,
    segments: [Segment.create(segmentOptions(environment, log), 0)],
    nextOffset: 0,
    logStartOffset: 0,
    recoveryPoint: 0,
    highWatermark: 0,
    isSettled: true,
    producers: new ProducerState(),
    epochs: new LeaderEpochs(),
    snapshots: new SnapshotFiles(environment.files, log.directory, { names: [], logger: environment.logger }),
  };
}

export function recoverLog(environment: LogEnvironment, options: RecoveryOptions): Promise<LoadedLog> {
  return new Recovery(environment, options).run();
}

class Recovery {
  readonly #environment: LogEnvironment;
  readonly #options: RecoveryOptions;
  readonly #names: Set<string>;
  readonly #snapshots: SnapshotFiles;
  readonly #epochs = new LeaderEpochs();
  readonly #storedEpochs: readonly EpochEntry[];
  readonly #areEpochsLost: boolean;
  readonly #producers = new ProducerState();
  /** An fsync of the log failed: the cache may hold what the disk does not, and call it written. */
  readonly #hadFailedSync: boolean;
  /** `#producers` is the state at this offset; -1 for none in particular. */
  #producersAt = -1;
  /** All files are as the clean stop left them. */
  #isUntouched = true;

  constructor(environment: LogEnvironment, options: RecoveryOptions) {
    const { fileSystem } = environment.files;
    const { directory } = options;
    this.#environment = environment;
    this.#names = clearLeftovers(fileSystem, directory);
    this.#hadFailedSync = this.#names.has(FAILED_SYNC_FILE);
    this.#options = this.#hadFailedSync ? afterFailedSync(fileSystem, options) : options;
    this.#snapshots = new SnapshotFiles(environment.files, directory, {
      names: this.#names,
      logger: environment.logger,
    });
    const content = readIfPresent(fileSystem, join(directory, LEADER_EPOCH_CHECKPOINT));
    const stored = content && parseEpochs(content);
    this.#epochs.load(stored ?? []);
    this.#storedEpochs = this.#epochs.entries;
    this.#areEpochsLost = stored === undefined;
  }

  async run(): Promise<LoadedLog> {
    const { topicPartition, directory, config, highWatermark, cleanOffset = -1, hadCleanShutdown } = this.#options;
    const found = this.#findSegments();
    let segments = found.map(({ segment }) => segment);
    let nextOffset = await this.#endOf(found, segments);
    if (nextOffset < this.#options.logStartOffset || segments.length === 0) {
      nextOffset = this.#options.logStartOffset;
      segments = this.#startAgain(segments);
    }
    const logStartOffset = Math.max(this.#options.logStartOffset, segments[0]!.baseOffset);
    if (this.#areEpochsLost) this.#deriveEpochs(segments);
    this.#epochs.truncateFromEnd(nextOffset);
    this.#epochs.truncateFromStart(logStartOffset);
    this.#snapshots.removeStray(segments.map(({ baseOffset }) => baseOffset));
    this.#snapshots.removeAbove(nextOffset);
    this.#bringProducersToEnd(nextOffset, segments);
    if (this.#hadFailedSync) await this.#writeAnew(segments);
    for (const segment of segments) segment.rest();
    const { recoveryPoint } = this.#options;
    return {
      topicPartition,
      directory,
      config,
      segments,
      nextOffset,
      logStartOffset,
      recoveryPoint: hadCleanShutdown ? nextOffset : Math.min(recoveryPoint, nextOffset),
      isSettled: hadCleanShutdown && this.#isUntouched,
      highWatermark,
      // A log that lost its end has more to compact than the checkpoint says.
      cleanOffset: cleanOffset > nextOffset ? -1 : cleanOffset,
      producers: this.#producers,
      epochs: this.#epochs,
      // None of them counts as durable after an fsync that failed.
      storedEpochs: this.#hadFailedSync ? [] : this.#storedEpochs,
      snapshots: this.#snapshots,
    };
  }

  async #writeAnew(segments: readonly Segment[]): Promise<void> {
    const { directory, recoveryPoint } = this.#options;
    this.#environment.logger.warn('Writing what an fsync failed to make durable anew', {
      log: directory,
      recoveryPoint,
    });
    await rewriteUnsynced(this.#environment.files, segments, recoveryPoint);
    await forgetFailedSync(this.#environment.files, directory);
  }

  /** Their file is gone or damaged: what it said is in the batches, unless these are older than epochs. */
  #deriveEpochs(segments: readonly Segment[]): void {
    const last = segments.findLast(({ sizeInBytes }) => sizeInBytes > 0);
    let latest = -1;
    last?.walk(last.offsetIndex.last.position, (buffer, at) => {
      if (storedBatch.isV2(buffer, at)) latest = batchHeader.partitionLeaderEpoch(buffer, at);
      return true;
    });
    if (latest < 0) return;
    this.#environment.logger.warn('Deriving leader epochs from batches', { log: this.#options.directory });
    this.#epochs.clear();
    for (const segment of segments) {
      segment.walk(0, (buffer, at) => {
        const epoch = storedBatch.isV2(buffer, at) ? batchHeader.partitionLeaderEpoch(buffer, at) : -1;
        if (epoch > this.#epochs.latest) this.#epochs.assign(epoch, batchHeader.baseOffset(buffer, at));
        return true;
      });
    }
  }

  #findSegments(): Found[] {
    const { directory } = this.#options;
    const { fileSystem } = this.#environment.files;
    const offsets: number[] = [];
    for (const name of this.#names) {
      const offset = offsetOfFileName(name, LOG_SUFFIX);
      if (offset !== undefined) offsets.push(offset);
    }
    this.#removeOrphans(new Set(offsets));
    const options = segmentOptions(this.#environment, this.#options);
    return offsets
      .sort((a, b) => a - b)
      .map((baseOffset) => {
        const has = (suffix: string): boolean => this.#names.has(segmentFileName(baseOffset, suffix));
        const hasIndexes = has(OFFSET_INDEX_SUFFIX) && has(TIME_INDEX_SUFFIX);
        const sizeInBytes = fileSystem.stat(segmentFilePath(directory, baseOffset, LOG_SUFFIX))?.size ?? 0;
        const hasTransactions = has(TRANSACTION_INDEX_SUFFIX);
        const segment = Segment.found(options, { baseOffset, sizeInBytes, hasIndexes, hasTransactions });
        return { segment, hasIndexes, hasTransactions };
      });
  }

  /** Index files without a log. */
  #removeOrphans(baseOffsets: ReadonlySet<number>): void {
    for (const name of this.#names) {
      const suffix = SEGMENT_SUFFIXES.find((known) => name.endsWith(known));
      const offset = suffix === undefined ? undefined : offsetOfFileName(name, suffix);
      if (offset === undefined || baseOffsets.has(offset)) continue;
      this.#environment.files.fileSystem.remove(join(this.#options.directory, name));
    }
  }

  /** The log end, once all segments are usable; drops from `segments` what lies behind a cut. */
  async #endOf(found: readonly Found[], segments: Segment[]): Promise<number> {
    const { hadCleanShutdown, recoveryPoint } = this.#options;
    let nextOffset = 0;
    for (const [index, { segment, hasIndexes, hasTransactions }] of found.entries()) {
      const isLast = index === found.length - 1;
      const endsAt = found[index + 1]?.segment.baseOffset ?? Number.POSITIVE_INFINITY;
      const isUnflushed = !hadCleanShutdown && endsAt > recoveryPoint;
      // The others are looked into when they are first used: however many there are, a start reads only the last.
      const isLookedInto = isLast || hasTransactions || !hasIndexes;
      const damage = isUnflushed || !isLookedInto ? undefined : segment.indexDamage();
      if (isUnflushed || damage !== undefined) {
        const before = segments.slice(0, index);
        const scanned = await this.#scan(segment, before, { damage, mayCut: isUnflushed || isLast });
        nextOffset = scanned.nextOffset;
        // Where all records up to the next segment are there, what follows them was never one: a preallocated file that
        // was cut, but not durably so.
        const isCut = scanned.trailingBytes > 0 && nextOffset < endsAt;
        if (isUnflushed && !isLast && (isCut || this.#isHole(nextOffset, endsAt))) {
          this.#dropSegments(segments.splice(index + 1));
          return nextOffset;
        }
      } else if (isLast) {
        nextOffset = this.#endOfSegment(segment);
      }
    }
    return nextOffset;
  }

  /**
   * Whether unflushed batches before the next segment are missing: a power cut may take the end of one file and leave
   * the next. Where the topic is compacted, offsets may be missing rightly.
   */
  #isHole(nextOffset: number, nextBaseOffset: number): boolean {
    return !this.#options.config.cleanupCompact && nextOffset < nextBaseOffset;
  }

  async #scan(
    segment: Segment,
    before: readonly Segment[],
    options: { damage: string | undefined; mayCut: boolean },
  ): Promise<{ nextOffset: number; trailingBytes: number }> {
    const { damage, mayCut } = options;
    this.#isUntouched = false;
    const { files, logger } = this.#environment;
    if (damage !== undefined) logger.warn('Rebuilding indexes', { log: segment.logPath, reason: damage });
    this.#bringProducersTo(segment.baseOffset, before);
    const scanned = await scanSegment(segment, {
      files,
      producers: this.#producers,
      epochs: this.#epochs,
      verify: damage === undefined,
    });
    const { nextOffset, trailingBytes } = scanned;
    if (trailingBytes > 0 && mayCut) {
      logger.warn('Cut a log at its last whole batch', { log: segment.logPath, nextOffset, bytes: trailingBytes });
      segment.cutAt(segment.sizeInBytes);
    }
    this.#producersAt = nextOffset;
    const isWritten = unlessFull(() => {
      segment.becomeInactive();
      this.#snapshots.write(nextOffset, this.#producers.entries);
    });
    if (!isWritten) logger.warn('The disk is full: indexes stay in memory', { log: segment.logPath });
    return scanned;
  }

  /** The offset after the last whole batch of a segment whose indexes are right; cuts what follows it. */
  #endOfSegment(segment: Segment): number {
    if (segment.sizeInBytes === 0) return segment.baseOffset;
    let nextOffset = segment.baseOffset;
    const end = segment.walk(segment.offsetIndex.last.position, (buffer, at) => {
      const lastOffset = storedBatch.lastOffset(buffer, at);
      if (lastOffset < nextOffset) return false;
      nextOffset = lastOffset + 1;
      return true;
    });
    if (end < segment.sizeInBytes) {
      const bytes = segment.sizeInBytes - end;
      this.#environment.logger.warn('Cut a log at its last whole batch', { log: segment.logPath, nextOffset, bytes });
      segment.cutAt(end);
      this.#isUntouched = false;
    }
    return nextOffset;
  }

  #bringProducersTo(endOffset: number, segments: readonly Segment[]): void {
    if (this.#producersAt === endOffset) return;
    const source = { files: this.#environment.files, segments, snapshots: this.#snapshots };
    const startOffset = Math.max(this.#options.logStartOffset, segments[0]?.baseOffset ?? 0);
    rebuildProducers(this.#producers, source, { startOffset, endOffset });
    this.#producersAt = endOffset;
  }

  /**
   * After a clean stop that left no snapshot at all nothing is read where no producer is seen: the log is from before
   * there were such, or never had one. Kafka then takes for granted that there is none.
   */
  #bringProducersToEnd(endOffset: number, segments: readonly Segment[]): void {
    const isClean = this.#options.hadCleanShutdown && this.#isUntouched;
    const active = segments.at(-1)!;
    if (isClean && this.#snapshots.offsets.length === 0 && !hasProducersInSight(segments)) {
      this.#producersAt = endOffset;
      // For a start after a crash, which does not take that for granted.
      if (segments.length > 1) this.#writeSnapshot(active.baseOffset);
      return;
    }
    this.#bringProducersTo(endOffset, segments);
    if (isClean && !this.#snapshots.has(endOffset) && this.#producers.size > 0) this.#writeSnapshot(endOffset);
  }

  #writeSnapshot(offset: number): void {
    unlessFull(() => this.#snapshots.write(offset, this.#producers.entries));
  }

  /** After a cut in the middle, or when the log start is beyond everything. */
  #dropSegments(segments: readonly Segment[]): void {
    const { files, logger } = this.#environment;
    for (const segment of [...segments].reverse()) {
      logger.warn('Removing a segment behind the recovered end', { log: segment.logPath });
      for (const path of segment.paths()) {
        files.detach(path);
        files.fileSystem.remove(path);
      }
      if (this.#snapshots.has(segment.baseOffset)) this.#snapshots.remove(segment.baseOffset);
    }
  }

  #startAgain(segments: readonly Segment[]): Segment[] {
    const { logStartOffset } = this.#options;
    this.#dropSegments(segments);
    this.#epochs.clear();
    for (const offset of [...this.#snapshots.offsets]) this.#snapshots.remove(offset);
    this.#producers.load([]);
    this.#producersAt = logStartOffset;
    return [Segment.create(segmentOptions(this.#environment, this.#options), logStartOffset)];
  }
}

/** Whatever a stop or another broker said since then: scanned from where the log was durable before. */
function afterFailedSync(fileSystem: FileSystem, options: RecoveryOptions): RecoveryOptions {
  const recoveryPoint = Math.min(options.recoveryPoint, failedSyncPoint(fileSystem, options.directory));
  return { ...options, hadCleanShutdown: false, recoveryPoint };
}
