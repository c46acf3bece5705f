/**
 * What the parts of one partition's log share: its segments, offsets, producers, epochs and health. Changes only
 * between turns or under the appender's queue; the parts (appender, reader, flusher, retention) hold no offsets of
 * their own. Invariants: segments are in order and at least one; logStartOffset <= logEndOffset <= nextOffset;
 * recoveryPoint <= nextOffset; once offline, nothing changes any more.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Random } from '../base/random';
import { SerialQueue } from '../base/serial-queue';
import type { TimeHistogram } from '../base/time-histogram';
import { partitionKey, type TopicPartition } from '../base/topic-partition';
import type { LogConfig } from '../config/log-config';
import { formatEpochs, LEADER_EPOCH_CHECKPOINT } from './checkpoint-file';
import { FileSystemError } from './file-system';
import { type EpochEntry, entriesBefore, type LeaderEpochs } from './leader-epochs';
import type { OpenFiles } from './open-files';
import type { ProducerState } from './producer-state';
import { Segment } from './segment';
import { segmentOptions } from './segment-options';
import type { SegmentTimes } from './segment-times';
import type { SnapshotFiles } from './snapshot-files';

/** What a log is made in. */
export interface LogEnvironment {
  readonly files: OpenFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** How long flushes take; those of all logs together. */
  readonly flushTimes: TimeHistogram;
  /** For flushes that nobody waits for. */
  readonly flushTurns: SerialQueue;
  /** Makes the names of partitions' directories durable. */
  readonly syncLogDirectory: () => Promise<void>;
  /** Makes moved log starts durable. */
  readonly checkpointLogStarts: () => Promise<void>;
  /** Removes files when nobody needs them any more: after file.delete.delay.ms. */
  readonly removeLater: (paths: readonly string[], delayMs: number) => void;
}

/** What was found on disk, or that of a new log. */
export interface LoadedLog {
  readonly topicPartition: TopicPartition;
  readonly directory: string;
  readonly config: LogConfig;
  readonly segments: Segment[];
  readonly nextOffset: number;
  readonly logStartOffset: number;
  readonly recoveryPoint: number;
  readonly highWatermark: number;
  /** All files are as they should be, and durable. */
  readonly isSettled?: boolean;
  /** What lies below was compacted; nothing when it is not given. */
  readonly cleanOffset?: number | undefined;
  readonly producers: ProducerState;
  readonly epochs: LeaderEpochs;
  /** What the file of epochs holds of them; all when it is not given. */
  readonly storedEpochs?: readonly EpochEntry[] | undefined;
  readonly snapshots: SnapshotFiles;
}

/** Causes that pass: the operation failed, the log is whole and may be tried again. */
const PASSING_CAUSES = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

export function isPassing(error: unknown): error is FileSystemError {
  return error instanceof FileSystemError && PASSING_CAUSES.has(error.code);
}

export class LogState {
  readonly environment: LogEnvironment;
  readonly topicPartition: TopicPartition;
  readonly key: string;
  readonly directory: string;
  readonly producers: ProducerState;
  readonly epochs: LeaderEpochs;
  readonly snapshots: SnapshotFiles;
  config: LogConfig;
  segments: Segment[];
  /** Where the next batch goes; what lies below is written. */
  nextOffset: number;
  /** What lies below may be seen; behind `nextOffset` while a due flush is under way. */
  logEndOffset: number;
  logStartOffset: number;
  highWatermark: number;
  /** What lies below is durable. */
  recoveryPoint: number;
  /** The log end when all files were last durable, those of the active segment too; -1 where that is not known. */
  settledEnd: number;
  /** Base offset of the oldest closed segment whose files may not all be durable, infinity for none. */
  unsyncedFrom = Number.POSITIVE_INFINITY;
  /** By the monotonic clock: a wall clock that is set back must not put flushes off. */
  lastFlushMs: number;
  /** What lies below was compacted; -1 for nothing. */
  cleanOffset: number;
  /** When the first of the tombstones and markers that compaction left may go, infinity for none that is known of. */
  deleteHorizonMs = Number.POSITIVE_INFINITY;
  /** Made when somebody looks for a time. */
  times: SegmentTimes | undefined;
  /** How often the log lost its end. */
  truncations = 0;
  isOffline = false;
  isClosed = false;
  #epochWrites: SerialQueue | undefined;
  /** The epochs that their file holds, and holds durably. */
  #writtenEpochs: readonly EpochEntry[];
  #durableEpochs: readonly EpochEntry[];

  constructor(environment: LogEnvironment, loaded: LoadedLog) {
    this.environment = environment;
    this.topicPartition = loaded.topicPartition;
    this.key = partitionKey(loaded.topicPartition.topic, loaded.topicPartition.partition);
    this.directory = loaded.directory;
    this.config = loaded.config;
    this.segments = loaded.segments;
    this.nextOffset = loaded.nextOffset;
    this.logEndOffset = loaded.nextOffset;
    this.logStartOffset = loaded.logStartOffset;
    this.highWatermark = Math.min(Math.max(loaded.highWatermark, loaded.logStartOffset), loaded.nextOffset);
    this.recoveryPoint = Math.min(loaded.recoveryPoint, loaded.nextOffset);
    this.settledEnd = loaded.isSettled ? loaded.nextOffset : -1;
    this.cleanOffset = loaded.cleanOffset ?? -1;
    this.producers = loaded.producers;
    this.epochs = loaded.epochs;
    this.snapshots = loaded.snapshots;
    this.lastFlushMs = environment.clock.monotonicMs();
    this.#writtenEpochs = loaded.storedEpochs ?? loaded.epochs.entries;
    this.#durableEpochs = this.#writtenEpochs;
  }

  get active(): Segment {
    return this.segments.at(-1)!;
  }

  /** Index of the segment that holds `offset`, the first one for offsets below it. */
  segmentIndexOf(offset: number): number {
    let low = 0;
    let high = this.segments.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.segments[middle]!.baseOffset <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The offset after the last that a segment can hold. */
  endOffsetOf(index: number): number {
    return this.segments[index + 1]?.baseOffset ?? this.nextOffset;
  }

  get sizeInBytes(): number {
    let size = 0;
    for (const segment of this.segments) size += segment.sizeInBytes;
    return size;
  }

  /**
   * The recovery point as a checkpoint may hold it: a start after a crash looks at no segment that ends there. So it is
   * below the end of a segment whose indexes or length may not be durable yet, also of the active one: the next append
   * may close that, and then the power fail before another checkpoint is written.
   */
  get safeRecoveryPoint(): number {
    const { recoveryPoint, nextOffset, settledEnd, active, segments, unsyncedFrom } = this;
    const mayBecomeEnd = recoveryPoint === nextOffset && recoveryPoint > active.baseOffset && settledEnd !== nextOffset;
    const point = mayBecomeEnd ? recoveryPoint - 1 : recoveryPoint;
    const behind = segments.find(({ baseOffset }) => baseOffset > unsyncedFrom);
    return behind ? Math.min(point, behind.baseOffset - 1) : point;
  }

  /** After an error that does not pass: nothing is known about the disk any more. A closed log may miss its files. */
  takeOffline(error: unknown): void {
    if (this.isOffline || this.isClosed) return;
    this.isOffline = true;
    this.environment.logger.error('A log is offline after a disk error; a restart recovers it', {
      log: this.directory,
      error: error instanceof Error ? error.message : String(error),
    });
  }

  /**
   * Closes the active segment and opens one for `nextOffset`. Throws on a disk error; the old segment then still is
   * the active one. The producers' state at the border goes into a snapshot, from where a recovery starts.
   */
  roll(): void {
    const { active, nextOffset } = this;
    active.becomeInactive();
    this.snapshots.write(nextOffset, this.producers.entries);
    this.unsyncedFrom = Math.min(this.unsyncedFrom, active.baseOffset);
    this.segments.push(Segment.create(segmentOptions(this.environment, this), nextOffset));
  }

  /** For a clean stop; where there never were producers, the next start can tell so without. */
  writeEndSnapshot(): void {
    const { snapshots, nextOffset, producers } = this;
    if (nextOffset === 0 || snapshots.has(nextOffset)) return;
    if (producers.size > 0 || snapshots.offsets.length > 0) snapshots.write(nextOffset, producers.entries);
  }

  /**
   * Brings the file of epochs up to date, unless it is; one write at a time, whoever asks. An epoch without records may
   * be missing in it: the next start begins another one at the same place.
   */
  async writeEpochs({ durable }: { durable: boolean }): Promise<void> {
    if (this.#areEpochsWritten(durable)) return;
    this.#epochWrites ??= new SerialQueue();
    await this.#epochWrites.run(async () => {
      const { entries } = this.epochs;
      if (this.isClosed || this.#areEpochsWritten(durable)) return;
      const path = join(this.directory, LEADER_EPOCH_CHECKPOINT);
      await this.environment.files.replaceFile(path, formatEpochs(entries), { durable });
      this.#writtenEpochs = entries;
      if (durable) this.#durableEpochs = entries;
    });
  }

  #areEpochsWritten(durable: boolean): boolean {
    const written = durable ? this.#durableEpochs : this.#writtenEpochs;
    if (written === this.epochs.entries) return true;
    const wanted = entriesBefore(this.epochs.entries, this.nextOffset);
    const present = entriesBefore(written, this.nextOffset);
    return (
      wanted.length === present.length &&
      wanted.every(({ epoch, startOffset }, i) => {
        return epoch === present[i]!.epoch && startOffset === present[i]!.startOffset;
      })
    );
  }
}
