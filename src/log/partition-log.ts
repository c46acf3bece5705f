/**
 * The log of one partition: append, read, look up, truncate. Its parts are log-appender, log-reader, log-flusher over
 * one log-state; this is what the rest of the broker sees of them, and where disk errors become error codes. Does not
 * know leadership, replicas or who is asking: the caller bounds reads by `upTo` and moves the high watermark.
 * Invariants: logStartOffset <= lastStableOffset <= highWatermark <= logEndOffset; an offset is never visible before
 * the write that holds it returned in full. (Kafka: UnifiedLog.)
 */
import { assert } from '../base/assert';
import { Later } from '../base/later';
import { onDemand } from '../base/on-demand';
import { ZERO_UUID } from '../base/random';
import { err, ok, type Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import { ErrorCode } from '../codec/generated/errors';
import type { LogConfig } from '../config/log-config';
import { writeTopicId } from './checkpoint-file';
import { type CleanableRange, cleanableRange } from './cleanable-range';
import type { CleaningTools } from './cleaning-run';
import { FileSystemError } from './file-system';
import type { EpochEndOffset } from './leader-epochs';
import type { AppendFailure, AppendInfo, AppendOptions } from './log-append';
import type { CleaningFailure, CompactedLog, compactLog } from './log-compaction';
import { LogCopy } from './log-copy';
import type { LogRead, ReadOptions, TimestampOffset } from './log-read';
import { isPassing, type LoadedLog, type LogEnvironment, LogState } from './log-state';
import { deleteOldSegments, hasDeletableSegments, truncateLog } from './log-trimming';
import type { ProducerEntry } from './producer-entry';
import { offsetsBefore } from './segment-offsets';
import * as timeSearch from './time-search';
import type { UsedLog } from './used-log';

const OFFLINE = 'The log is offline';

// What a start does without.
const compaction = onDemand(() => require('./log-compaction') as { readonly compactLog: typeof compactLog });
const usedLogs = onDemand(() => require('./used-log') as { readonly UsedLog: typeof UsedLog });

export class PartitionLog {
  readonly #state: LogState;
  #used: UsedLog | undefined;
  #topicId: string;
  /** The log end when `writeBehind` came last. */
  #writtenBehind: number;
  /** The log start was moved, and the checkpoint may not know it. */
  #hasUnsavedStart = false;

  constructor(environment: LogEnvironment, loaded: LoadedLog, topicId: string) {
    this.#state = new LogState(environment, loaded);
    this.#topicId = topicId;
    this.#writtenBehind = loaded.nextOffset;
  }

  get topicPartition(): TopicPartition {
    return this.#state.topicPartition;
  }

  /** `partitionKey` of it: one text for all tables of partitions. */
  get key(): string {
    return this.#state.key;
  }

  get directory(): string {
    return this.#state.directory;
  }

  /** ZERO_UUID for a log from a time before topic ids. */
  get topicId(): string {
    return this.#topicId;
  }

  get config(): LogConfig {
    return this.#state.config;
  }

  get logStartOffset(): number {
    return this.#state.logStartOffset;
  }

  get logEndOffset(): number {
    return this.#state.logEndOffset;
  }

  get highWatermark(): number {
    return this.#state.highWatermark;
  }

  /** Before the first record of a transaction that is open, or whose end is not below the high watermark. */
  get lastStableOffset(): number {
    const { producers, highWatermark, logStartOffset } = this.#state;
    return Math.min(highWatermark, Math.max(producers.firstUnstableOffset, logStartOffset));
  }

  /** What lies below is durable. */
  get recoveryPoint(): number {
    return this.#state.recoveryPoint;
  }

  /** The same for a checkpoint, see log-state.ts. */
  get safeRecoveryPoint(): number {
    return this.#state.safeRecoveryPoint;
  }

  /** The newest leader epoch in the log, -1 for none. */
  get latestEpoch(): number {
    return this.#state.epochs.latest;
  }

  get sizeInBytes(): number {
    return this.#state.sizeInBytes;
  }

  get segmentCount(): number {
    return this.#state.segments.length;
  }

  /** What is remembered of idempotent and transactional producers. */
  get producers(): Iterable<Readonly<ProducerEntry>> {
    return this.#state.producers.entries;
  }

  /** Whether the log start lies within the oldest segment, so that only a checkpoint knows it. */
  get startsWithinSegment(): boolean {
    return this.#state.logStartOffset > this.#state.segments[0]!.baseOffset;
  }

  /** After a disk error: every operation answers KAFKA_STORAGE_ERROR until a restart recovers the log. */
  get isOffline(): boolean {
    return this.#state.isOffline;
  }

  /** Moves the high watermark, within [logStartOffset, logEndOffset]. */
  setHighWatermark(offset: number): void {
    const state = this.#state;
    state.highWatermark = Math.min(Math.max(offset, state.logStartOffset), state.logEndOffset);
    state.producers.onHighWatermark(state.highWatermark);
  }

  /**
   * `records` is one v2 batch, or a legacy v0/v1 message set (converted up); for `replication` any number of v2 batches
   * with their offsets. The buffer belongs to the log from now on and is patched in place.
   */
  append(records: Buffer, options: AppendOptions): Later<Result<AppendInfo, AppendFailure>> {
    if (!this.#isGone) return this.#parts.appender.append(records, options);
    const failure = { code: ErrorCode.KAFKA_STORAGE_ERROR, message: OFFLINE, recordErrors: [] };
    return Later.of<Result<AppendInfo, AppendFailure>>(err(failure));
  }

  /** OFFSET_OUT_OF_RANGE outside [logStartOffset, logEndOffset]; an empty read at or beyond `upTo`. */
  read(options: ReadOptions): Result<LogRead, ErrorCode> {
    if (this.#isGone) return err(ErrorCode.KAFKA_STORAGE_ERROR, OFFLINE);
    try {
      return this.#parts.reader.read(options);
    } catch (error) {
      return this.#diskError(error);
    }
  }

  /** The first record, in offset order, whose timestamp is at least `timestampMs`; null for none. */
  offsetForTimestamp(timestampMs: number): Promise<Result<TimestampOffset | null, ErrorCode>> {
    return this.#guarded(() => timeSearch.offsetForTimestamp(this.#state, timestampMs));
  }

  /** The first record with the largest timestamp of those that are left; null where there are none. */
  offsetOfMaxTimestamp(): Promise<Result<TimestampOffset | null, ErrorCode>> {
    return this.#guarded(() => timeSearch.offsetOfMaxTimestamp(this.#state));
  }

  /** Where segments begin that were written by then, see segment-offsets.ts. */
  offsetsBefore(timestampMs: number, maxCount: number): Promise<Result<number[], ErrorCode>> {
    return this.#guarded(async () => offsetsBefore(this.#state, timestampMs, maxCount));
  }

  /** The leader epoch that holds `offset`, -1 when unknown. */
  epochForOffset(offset: number): number {
    return this.#state.epochs.epochForOffset(offset);
  }

  /** The largest epoch <= `leaderEpoch` in the log and where it ends (KIP-320). */
  endOffsetForEpoch(leaderEpoch: number): EpochEndOffset {
    return this.#state.epochs.endOffsetFor(leaderEpoch, this.#state.logEndOffset);
  }

  /** Notes that a leader epoch begins at the log end, before its first append. */
  assignEpoch(leaderEpoch: number): void {
    if (leaderEpoch > this.#state.epochs.latest) this.#state.epochs.assign(leaderEpoch, this.#state.nextOffset);
  }

  /** Moves the log start, at most to the high watermark; durable when it resolves. Gives the new start. */
  deleteRecordsBefore(offset: number): Promise<Result<number, ErrorCode>> {
    const { highWatermark } = this.#state;
    if (offset <= highWatermark) return this.#deleteRecordsBefore(offset);
    const message = `Offset ${offset} is beyond the high watermark ${highWatermark}`;
    return Promise.resolve(err(ErrorCode.OFFSET_OUT_OF_RANGE, message));
  }

  async #deleteRecordsBefore(offset: number): Promise<Result<number, ErrorCode>> {
    const state = this.#state;
    if (offset > state.logStartOffset || this.#hasUnsavedStart) {
      const moved = await this.#guarded(async () => {
        state.logStartOffset = Math.max(offset, state.logStartOffset);
        state.epochs.truncateFromStart(state.logStartOffset);
        // Where it fails, the next who asks must not take the start in memory for one that holds.
        this.#hasUnsavedStart = true;
        await state.environment.checkpointLogStarts();
        this.#hasUnsavedStart = false;
      });
      if (!moved.ok) return moved;
      // Age and size are looked at when their time comes, not because somebody deletes records.
      const deleted = await this.#turn(() => deleteOldSegments(state, { onlyBelowLogStart: true }));
      if (!deleted.ok) return deleted;
    }
    return this.#isGone ? err(ErrorCode.KAFKA_STORAGE_ERROR, OFFLINE) : ok(state.logStartOffset);
  }

  /** Drops everything from `offset` on; durable when it resolves. */
  truncateTo(offset: number): Promise<Result<void, ErrorCode>> {
    return this.#turn(async () => {
      if (offset >= this.#state.nextOffset) return;
      await this.#parts.flusher.settled();
      try {
        truncateLog(this.#state, offset);
      } catch (error) {
        // Half a truncation is none that could be gone on with.
        this.#state.takeOffline(error);
        throw error;
      }
      await this.#parts.flusher.flushTruncation();
    });
  }

  /** Resolves when everything appended before the call is durable. */
  flush(): Promise<Result<void, ErrorCode>> {
    return this.#isGone ? Promise.resolve(err(ErrorCode.KAFKA_STORAGE_ERROR, OFFLINE)) : this.#parts.flusher.flush();
  }

  updateConfig(config: LogConfig): void {
    this.#state.config = config;
  }

  /** Takes over the text of its own id, once for all of a topic; a log from before topic ids gets that of its topic. */
  takeTopicId(topicId: string): void {
    assert(topicId === this.#topicId || this.#topicId === ZERO_UUID, 'a log keeps its topic id');
    const { directory, environment } = this.#state;
    if (topicId !== this.#topicId) writeTopicId(environment.files, directory, topicId);
    this.#topicId = topicId;
  }

  /** Deletes what retention no longer keeps; gives the number of segments. */
  async deleteOldSegments(): Promise<Result<number, ErrorCode>> {
    // Most logs have none most of the time: they need no turn.
    const isDue = await this.#guarded(async () => hasDeletableSegments(this.#state));
    if (!isDue.ok) return isDue;
    return isDue.value ? this.#turn(() => deleteOldSegments(this.#state)) : ok(0);
  }

  /** What lies below was compacted, -1 for nothing. */
  get cleanOffset(): number {
    return this.#state.cleanOffset;
  }

  /** What compaction could do now; undefined where there is none. Throws on a disk error. */
  cleanableRange(): CleanableRange | undefined {
    const state = this.#state;
    if (this.#isGone || !state.config.cleanupCompact) return undefined;
    const { environment, segments, config, logStartOffset, cleanOffset, deleteHorizonMs } = state;
    const offsets = { logStartOffset, cleanOffset, lastStableOffset: this.lastStableOffset };
    return cleanableRange({ segments, config, ...offsets, deleteHorizonMs, nowMs: environment.clock.nowMs() });
  }

  /** Compacts the log once, as far as the memory of the tools reaches. One at a time. */
  compact(range: CleanableRange, tools: CleaningTools): Promise<Result<CompactedLog, CleaningFailure>> {
    const exclusive = (task: () => void): Promise<void> => this.#parts.appender.exclusive(task);
    return compaction().compactLog(this.#state, range, { tools, exclusive });
  }

  /** Begins a copy of the log's files in another directory, or goes on with one. Throws on a disk error. */
  startCopy(directory: string): LogCopy {
    return LogCopy.start(this.#state, directory, this.#topicId);
  }

  /**
   * Makes all durable, or gives undefined, and lets `takeOver` put another log in the place of this one while nothing
   * touches its files. What `takeOver` gives ends this log; undefined and a rejection leave it in use.
   */
  handOver<T>(takeOver: (state: LogState) => Promise<T | undefined>): Promise<T | undefined> {
    const state = this.#state;
    return this.#parts.appender.exclusive(async () => {
      if (this.#isGone || !(await this.#bringUpToDate())) return undefined;
      await this.#parts.flusher.settled();
      state.isClosed = true;
      let next: T | undefined;
      try {
        next = await takeOver(state);
      } finally {
        state.isClosed = next !== undefined;
      }
      return next;
    });
  }

  /** Starts a flush if one is due by time. */
  flushIfDue(monotonicMs: number): void {
    const { config, lastFlushMs, recoveryPoint, nextOffset } = this.#state;
    if (this.#isGone || recoveryPoint >= nextOffset || monotonicMs - lastFlushMs < config.flushMs) return;
    this.#parts.flusher.flushInTurn();
  }

  forgetExpiredProducers(nowMs: number, expirationMs: number): void {
    this.#state.producers.removeExpired(nowMs, expirationMs);
  }

  /** Writes what gathered in memory of indexes and epochs; a log that was idle since the last time holds nothing. */
  async writeBehind(): Promise<void> {
    const state = this.#state;
    await this.#guarded(async () => {
      const isIdle = this.#writtenBehind === state.nextOffset;
      this.#writtenBehind = state.nextOffset;
      if (isIdle) state.times = undefined;
      for (const segment of state.segments) {
        if (segment.hasUnwrittenIndexes) segment.writeIndexes();
        if (isIdle || segment !== state.active) segment.rest();
      }
      await state.writeEpochs({ durable: false });
    });
  }

  /**
   * Ends all use. Waiting appends are refused. With `clean` everything becomes durable, if the disk allows; true says
   * that it did and a start needs no scan.
   */
  close(options: { clean: boolean }): Promise<boolean> {
    const state = this.#state;
    return this.#parts.appender.exclusive(async () => {
      const isClean = options.clean && (await this.#bringUpToDate());
      await this.#parts.flusher.settled();
      state.isClosed = true;
      return isClean;
    });
  }

  async #bringUpToDate(): Promise<boolean> {
    const state = this.#state;
    const written = await this.#guarded(async () => {
      this.#parts.appender.cutRest();
      state.active.becomeInactive();
      state.writeEndSnapshot();
    });
    await this.#parts.flusher.flushAll();
    await this.#guarded(() => state.writeEpochs({ durable: false }));
    return written.ok && !state.isOffline && state.recoveryPoint >= state.nextOffset;
  }

  get #parts(): UsedLog {
    this.#used ??= new (usedLogs().UsedLog)(this.#state);
    return this.#used;
  }

  get #isGone(): boolean {
    return this.#state.isOffline || this.#state.isClosed;
  }

  /** Runs `task` between writes, unless the log was closed meanwhile: its directory may be another log's by then. */
  async #turn<T>(task: () => Promise<T> | T): Promise<Result<T, ErrorCode>> {
    const taken = await this.#guarded(() =>
      this.#parts.appender.exclusive(async () => (this.#isGone ? undefined : { result: await task() })),
    );
    if (!taken.ok) return taken;
    return taken.value ? ok(taken.value.result) : err(ErrorCode.KAFKA_STORAGE_ERROR, OFFLINE);
  }

  async #guarded<T>(run: () => Promise<T>): Promise<Result<T, ErrorCode>> {
    if (this.#isGone) return err(ErrorCode.KAFKA_STORAGE_ERROR, OFFLINE);
    try {
      return ok(await run());
    } catch (error) {
      return this.#diskError(error);
    }
  }

  /** Disk errors become the answer; anything else is a bug and goes on. */
  #diskError(error: unknown): Result<never, ErrorCode> {
    if (!(error instanceof FileSystemError)) throw error;
    if (isPassing(error)) this.#parts.trouble.note(error);
    else this.#state.takeOffline(error);
    return err(ErrorCode.KAFKA_STORAGE_ERROR, error.message);
  }
}
