/**
 * Checks the directory of one partition: which files are there, its segments in order, what lies beside them (producer
 * snapshots, leader epochs), and what the checkpoints of the data directory say of it. Changes nothing.
 */
import { basename, join } from 'node:path';
import {
  CLEANER_OFFSET_CHECKPOINT,
  HIGH_WATERMARK_CHECKPOINT,
  LEADER_EPOCH_CHECKPOINT,
  LOG_START_OFFSET_CHECKPOINT,
  PARTITION_METADATA_FILE,
  parseEpochs,
  RECOVERY_POINT_CHECKPOINT,
  readIfPresent,
} from '../log/checkpoint-file';
import { FAILED_SYNC_FILE } from '../log/failed-sync';
import type { FileSystem } from '../log/file-system';
import type { EpochEntry } from '../log/leader-epochs';
import {
  CLEANED_SUFFIX,
  DELETED_SUFFIX,
  LOG_SUFFIX,
  offsetOfFileName,
  SEGMENT_SUFFIXES,
  SNAPSHOT_SUFFIX,
  SWAP_SUFFIX,
  segmentFilePath,
} from '../log/log-file-name';
import type { Findings } from './finding';
import { SegmentCheck } from './segment-check';
import { LogFacts } from './segment-facts';
import { snapshotDamage } from './snapshot-check';

/** What the data directory says of a partition; undefined where a checkpoint does not name it. */
export interface PartitionCheckpoints {
  readonly recoveryPoint: number | undefined;
  readonly logStartOffset: number | undefined;
  readonly highWatermark: number | undefined;
  readonly cleanOffset: number | undefined;
}

export interface PartitionToCheck {
  readonly directory: string;
  readonly hadCleanShutdown: boolean;
  readonly checkpoints: PartitionCheckpoints;
  /** Whether compaction may have taken offsets out. */
  readonly mayHaveGaps: boolean;
  /** A copy that is not complete: a start copies its newest segment anew, and what belongs to the whole log. */
  readonly isCopy: boolean;
}

export interface PartitionContext {
  readonly fileSystem: FileSystem;
  readonly findings: Findings;
  readonly progress: (bytes: number) => void;
}

/** Names of a partition's files that say nothing about segments. */
const KNOWN_NAMES = new Set([LEADER_EPOCH_CHECKPOINT, PARTITION_METADATA_FILE]);

export class PartitionCheck {
  readonly #context: PartitionContext;
  readonly #partition: PartitionToCheck;
  /** Of the files, subdirectories left out. */
  readonly #names: readonly string[];
  readonly #baseOffsets: readonly number[];

  constructor(context: PartitionContext, partition: PartitionToCheck) {
    this.#context = context;
    this.#partition = partition;
    const entries = context.fileSystem.list(partition.directory);
    this.#names = entries.filter(({ isDirectory }) => !isDirectory).map(({ name }) => name);
    for (const { name, isDirectory } of entries)
      if (isDirectory) this.#note(name, 'a directory within that of a partition', 'left alone');
    this.#baseOffsets = this.#names
      .map((name) => offsetOfFileName(name, LOG_SUFFIX) ?? -1)
      .filter((offset) => offset >= 0)
      .sort((a, b) => a - b);
  }

  async run(): Promise<void> {
    const { fileSystem, findings, progress } = this.#context;
    const { directory, mayHaveGaps, isCopy } = this.#partition;
    for (const name of [...this.#names].sort()) this.#classify(name);
    const epochs = this.#epochs();
    const logStartOffset = Math.max(this.#partition.checkpoints.logStartOffset ?? 0, this.#baseOffsets[0] ?? 0);
    const facts = new LogFacts(this.#baseOffsets[0] ?? logStartOffset);
    const context = { fileSystem, findings, progress, facts, epochs, logStartOffset, mayHaveGaps };
    for (const [index, baseOffset] of this.#baseOffsets.entries()) {
      if (isCopy && index === this.#baseOffsets.length - 1) return;
      const endsAt = this.#baseOffsets[index + 1] ?? Number.POSITIVE_INFINITY;
      this.#gapBefore(baseOffset, facts);
      facts.nextOffset = Math.max(facts.nextOffset, baseOffset);
      this.#checkSnapshot(baseOffset, facts);
      await new SegmentCheck(context, { directory, baseOffset, endsAt, isUnflushed: this.#isUnflushed(endsAt) }).run();
    }
    if (this.#baseOffsets.length === 0)
      this.#note('', 'no segment at all', `the log begins anew at offset ${logStartOffset}`);
    else {
      this.#checkSnapshot(facts.nextOffset, facts);
      this.#strayingSnapshots(facts.nextOffset);
    }
    this.#checkEnd(epochs ?? [], facts.nextOffset);
  }

  #isUnflushed(endsAt: number): boolean {
    const { hadCleanShutdown, checkpoints } = this.#partition;
    return !hadCleanShutdown && endsAt > (checkpoints.recoveryPoint ?? 0);
  }

  #problem(file: string, what: string, atStart: string): void {
    this.#context.findings.add({ severity: 'problem', file, what, atStart });
  }

  /** About a file of the directory. */
  #note(name: string, what: string, atStart: string): void {
    this.#context.findings.add({ severity: 'note', file: join(this.#partition.directory, name), what, atStart });
  }

  #classify(name: string): void {
    if (KNOWN_NAMES.has(name)) return;
    if (name === FAILED_SYNC_FILE) {
      const atStart = 'what was not known to be durable is scanned and written anew';
      this.#note(name, 'an fsync of the log failed', atStart);
      return;
    }
    if (name.endsWith(DELETED_SUFFIX) || name.endsWith('.tmp')) this.#note(name, 'waits for its removal', 'removed');
    else if (name.endsWith(CLEANED_SUFFIX)) this.#note(name, 'a compaction did not finish', 'removed');
    else if (name.endsWith(SWAP_SUFFIX)) this.#note(name, 'a compaction was about to put it in place', 'put in place');
    else if (offsetOfFileName(name, SNAPSHOT_SUFFIX) === undefined) this.#classifySegmentFile(name);
  }

  #classifySegmentFile(name: string): void {
    for (const suffix of SEGMENT_SUFFIXES) {
      const offset = offsetOfFileName(name, suffix);
      if (offset === undefined) continue;
      const isPadded = name === basename(segmentFilePath('/', offset, suffix));
      if (!isPadded)
        this.#note(name, 'its name has not twenty digits', 'taken for the file of that offset, and missed');
      else if (!this.#baseOffsets.includes(offset))
        this.#problem(join(this.#partition.directory, name), 'an index without its segment', 'removed');
      return;
    }
    this.#note(name, 'no file that a partition has', 'left alone');
  }

  #gapBefore(baseOffset: number, { nextOffset }: LogFacts): void {
    if (baseOffset <= nextOffset || this.#partition.mayHaveGaps) return;
    const file = segmentFilePath(this.#partition.directory, baseOffset, LOG_SUFFIX);
    const what = `offsets ${nextOffset} to ${baseOffset - 1} before it are missing, and the topic is not compacted`;
    const atStart = this.#isUnflushed(baseOffset)
      ? 'this segment and all behind it are removed'
      : 'nothing; readers go on behind the gap';
    this.#problem(file, what, atStart);
  }

  #epochs(): EpochEntry[] | undefined {
    const path = join(this.#partition.directory, LEADER_EPOCH_CHECKPOINT);
    const content = readIfPresent(this.#context.fileSystem, path);
    // Kafka makes an empty file first.
    if (!content || content.length === 0) return this.#partition.isCopy ? undefined : [];
    const epochs = parseEpochs(content);
    const lost = 'epochs are not known; made anew from the batches that are scanned and appended';
    if (!epochs) this.#problem(path, 'cannot be read: damaged', lost);
    for (const [index, { epoch, startOffset }] of (epochs ?? []).entries()) {
      const before = epochs![index - 1];
      if (!before || (epoch > before.epoch && startOffset > before.startOffset)) continue;
      const what = `epoch ${epoch} from offset ${startOffset} comes after ${before.epoch} from ${before.startOffset}`;
      this.#problem(path, what, 'the entries before it that contradict it are dropped');
    }
    return epochs;
  }

  /** The snapshot at `offset`, if there is one, against the producers that the batches before it tell. */
  #checkSnapshot(offset: number, facts: LogFacts): void {
    const name = `${String(offset).padStart(20, '0')}${SNAPSHOT_SUFFIX}`;
    if (!this.#names.includes(name)) return;
    const path = join(this.#partition.directory, name);
    const { mayHaveGaps } = this.#partition;
    const damage = snapshotDamage(this.#context.fileSystem.readFile(path), { facts, offset, mayHaveGaps });
    if (!damage) return;
    const removed = 'removed if it is needed; producers are learned from the snapshot before it and the batches';
    const atStart = damage.isReadable ? 'taken as it is if no newer one is there' : removed;
    if (this.#isUnflushed(offset)) this.#note(name, damage.what, atStart);
    else this.#problem(path, damage.what, atStart);
  }

  /** Those of no segment's start and not of the log's end. */
  #strayingSnapshots(endOffset: number): void {
    for (const name of this.#names) {
      const offset = offsetOfFileName(name, SNAPSHOT_SUFFIX);
      if (offset === undefined || offset === endOffset || this.#baseOffsets.includes(offset)) continue;
      if (offset > endOffset) {
        const path = join(this.#partition.directory, name);
        this.#problem(path, `it is of offset ${offset}, and the log ends at ${endOffset}`, 'removed');
      } else this.#note(name, "a snapshot at no segment's start", 'removed');
    }
  }

  #checkEnd(epochs: readonly EpochEntry[], endOffset: number): void {
    const { directory, checkpoints, hadCleanShutdown } = this.#partition;
    const { recoveryPoint, logStartOffset, highWatermark, cleanOffset } = checkpoints;
    const beyond = (file: string, offset: number | undefined, atStart: string): void => {
      if (offset === undefined || offset <= endOffset) return;
      const what = `${basename(directory)} at offset ${offset}, beyond the end of the log, ${endOffset}`;
      this.#problem(join(directory, '..', file), what, atStart);
    };
    const trusted = hadCleanShutdown ? '' : '; nothing of the log is scanned';
    beyond(RECOVERY_POINT_CHECKPOINT, recoveryPoint, `lowered to the end${trusted}`);
    beyond(LOG_START_OFFSET_CHECKPOINT, logStartOffset, 'the whole log is dropped and begins there anew');
    beyond(HIGH_WATERMARK_CHECKPOINT, highWatermark, 'lowered to the end');
    beyond(CLEANER_OFFSET_CHECKPOINT, cleanOffset, 'ignored: compaction begins at the log start');
    const newest = epochs.at(-1);
    if (newest && newest.startOffset > endOffset) {
      const { epoch, startOffset } = newest;
      const what = `epoch ${epoch} begins at offset ${startOffset}, beyond the end of the log, ${endOffset}`;
      this.#problem(join(directory, LEADER_EPOCH_CHECKPOINT), what, 'dropped');
    }
  }
}
