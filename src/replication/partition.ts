/**
 * One partition on this broker: who leads it and in which epoch, the high watermark, what may be appended and read.
 * Owns its role and the bounds of reads; the bytes are the log's. Source of checks and codes: Kafka's `Partition`.
 * Invariants: only a leader appends; the high watermark never goes back, and covers what the only in-sync replica,
 * this one, has acknowledged (written and, where a flush is due, synced).
 */
import type { Chunk } from '../base/chunk';
import { Later } from '../base/later';
import { err, ok, type Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import type { PartitionImage } from '../cluster/metadata-image';
import { ErrorCode } from '../codec/generated/errors';
import type { LogConfig } from '../config/log-config';
import type { EpochEndOffset } from '../log/leader-epochs';
import type { AppendFailure, AppendInfo, AppendOrigin } from '../log/log-append';
import type { AbortedTransaction } from '../log/log-read';
import type { PartitionLog } from '../log/partition-log';
import type { FetchIsolation } from './fetch-request';
import { LogGate } from './log-gate';

/** What its owner wants to hear of a partition. */
export interface PartitionEvents {
  highWatermarkMoved(partition: Partition): void;
  logStartMoved(partition: Partition): void;
  /** Its log went offline; told once. */
  failed(partition: Partition): void;
}

export interface PartitionReadOptions {
  readonly fetchOffset: number;
  readonly maxBytes: number;
  readonly minOneBatch: boolean;
  readonly maxBufferedBytes: number;
  readonly isolation: FetchIsolation;
  readonly currentLeaderEpoch: number;
  readonly lastFetchedEpoch: number;
}

export interface PartitionRead {
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  readonly chunk: Chunk | null;
  readonly sizeInBytes: number;
  readonly abortedTransactions: readonly AbortedTransaction[] | null;
  readonly divergingEpoch: EpochEndOffset | null;
}

/** A record found by its time; offset and timestamp -1 for none, and the timestamp for latest and earliest. */
export interface TimestampOffset {
  readonly offset: number;
  readonly timestampMs: number;
  readonly leaderEpoch: number;
}

type Appended = Result<AppendInfo, AppendFailure>;

/** A client that does not know the leader's epoch. */
const NO_EPOCH = -1;

/** Special timestamps of ListOffsets. */
export const LATEST_TIMESTAMP = -1;
export const EARLIEST_TIMESTAMP = -2;
export const MAX_TIMESTAMP = -3;
/** KIP-405: where the local log begins; without tiered storage the same as earliest. */
export const EARLIEST_LOCAL_TIMESTAMP = -4;
/** KIP-1005: the last offset in tiered storage; there is none. */
export const LATEST_TIERED_TIMESTAMP = -5;

const NOTHING_FOUND: TimestampOffset = { offset: -1, timestampMs: -1, leaderEpoch: -1 };

function failure(code: ErrorCode, message: string): Result<never, AppendFailure> {
  return err({ code, message, recordErrors: [] });
}

export class Partition {
  readonly topicPartition: TopicPartition;
  /** Also the key under which waits for this partition are parked. */
  readonly key: string;
  #log: PartitionLog;
  /** Made when it is first needed: most partitions are idle. */
  #gateway: LogGate | undefined;
  readonly #events: PartitionEvents;
  #config: LogConfig;
  #isLeader = false;
  #leaderEpoch = -1;
  #replicaCount = 1;
  #inSyncCount = 1;
  #hasFailed = false;
  #visibleBytes = 0;

  constructor(log: PartitionLog, config: LogConfig, events: PartitionEvents) {
    this.topicPartition = log.topicPartition;
    this.key = log.key;
    this.#log = log;
    this.#config = config;
    this.#events = events;
  }

  get topicId(): string {
    return this.#log.topicId;
  }

  get leaderEpoch(): number {
    return this.#leaderEpoch;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get logStartOffset(): number {
    return this.#log.logStartOffset;
  }

  get highWatermark(): number {
    return this.#log.highWatermark;
  }

  get lastStableOffset(): number {
    return this.#log.lastStableOffset;
  }

  get logEndOffset(): number {
    return this.#log.logEndOffset;
  }

  /** How many replicas there are, how many are in sync, and how many must be for acks=all. */
  get replication(): { readonly replicas: number; readonly inSync: number; readonly minInSync: number } {
    return { replicas: this.#replicaCount, inSync: this.#inSyncCount, minInSync: this.#minInSync };
  }

  /** Grows by the bytes that become visible; only differences mean something. */
  get visibleBytes(): number {
    return this.#visibleBytes;
  }

  get config(): LogConfig {
    return this.#config;
  }

  configure(config: LogConfig): void {
    this.#config = config;
    this.#log.updateConfig(config);
  }

  /** True when this begins a leadership, false when it only changes the replicas of the present one. */
  becomeLeader(image: PartitionImage): boolean {
    this.#replicaCount = image.replicas.length;
    this.#inSyncCount = image.isr.length;
    if (this.#isLeader && this.#leaderEpoch === image.leaderEpoch) return false;
    this.#isLeader = true;
    this.#leaderEpoch = image.leaderEpoch;
    this.#log.assignEpoch(image.leaderEpoch);
    this.#log.setHighWatermark(this.#log.logEndOffset);
    return true;
  }

  becomeFollower(leaderEpoch: number): void {
    this.#isLeader = false;
    this.#leaderEpoch = leaderEpoch;
  }

  /** The topic is deleted: whoever still holds this partition is no longer served. */
  retire(): void {
    this.#isLeader = false;
  }

  /** NONE when this broker leads, in the epoch that the client believes in (-1: it does not say). */
  checkLeader(currentLeaderEpoch: number): ErrorCode {
    if (this.#hasFailed) return ErrorCode.KAFKA_STORAGE_ERROR;
    if (currentLeaderEpoch !== NO_EPOCH) {
      if (currentLeaderEpoch < this.#leaderEpoch) return ErrorCode.FENCED_LEADER_EPOCH;
      if (currentLeaderEpoch > this.#leaderEpoch) return ErrorCode.UNKNOWN_LEADER_EPOCH;
    }
    return this.#isLeader ? ErrorCode.NONE : ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }

  /** The place in the log's queue is taken before this returns; the buffer belongs to the log from then on. */
  append(records: Buffer, { origin, requiredAcks }: { origin: AppendOrigin; requiredAcks: number }): Later<Appended> {
    const leader = this.checkLeader(-1);
    if (leader !== ErrorCode.NONE) return Later.of<Appended>(failure(leader, `${this.key} is not led by this broker`));
    const minInSync = this.#minInSync;
    if (requiredAcks === -1 && this.#inSyncCount < minInSync) {
      const replicas = `${this.#inSyncCount} in-sync replica(s), min.insync.replicas is ${minInSync}`;
      return Later.of<Appended>(failure(ErrorCode.NOT_ENOUGH_REPLICAS, `${this.key} has ${replicas}`));
    }
    const sizeInBytes = records.length;
    const append = () => this.#log.append(records, { origin, leaderEpoch: this.#leaderEpoch });
    const appended = this.#gateway ? Later.from(this.#gateway.pass(() => append().promise())) : append();
    return appended.map((result) => this.#onAppended(result, sizeInBytes));
  }

  read(options: PartitionReadOptions): Result<PartitionRead, ErrorCode> {
    const leader = this.checkLeader(options.currentLeaderEpoch);
    if (leader !== ErrorCode.NONE) return err(leader);
    const { highWatermark, lastStableOffset, logStartOffset } = this.#log;
    const diverging = this.#divergence(options);
    if (!diverging.ok) return diverging;
    if (diverging.value) {
      return ok(this.#nothingRead(diverging.value));
    }
    if (this.isLogChanging) {
      const isInside = options.fetchOffset >= logStartOffset && options.fetchOffset <= this.#log.logEndOffset;
      if (!isInside) return err(ErrorCode.OFFSET_OUT_OF_RANGE);
      // Who waits for bytes is told when the gate opens.
      return ok(this.#nothingRead(null));
    }
    const readCommitted = options.isolation === 'last-stable';
    const read = this.#log.read({
      offset: options.fetchOffset,
      maxBytes: options.maxBytes,
      upTo: this.endOf(options.isolation),
      minOneBatch: options.minOneBatch,
      maxBufferedBytes: options.maxBufferedBytes,
      withAbortedTransactions: readCommitted,
    });
    if (!read.ok) {
      this.#noteFailure(read.error);
      return read;
    }
    const { chunk, sizeInBytes, abortedTransactions } = read.value;
    // Named one by one: a spread takes five times as long, and there may be a thousand partitions in a request.
    return ok({
      highWatermark,
      lastStableOffset,
      logStartOffset,
      chunk,
      sizeInBytes,
      abortedTransactions: readCommitted ? abortedTransactions : null,
      divergingEpoch: null,
    });
  }

  #nothingRead(divergingEpoch: EpochEndOffset | null): PartitionRead {
    const { highWatermark, lastStableOffset, logStartOffset } = this.#log;
    const offsets = { highWatermark, lastStableOffset, logStartOffset };
    return { ...offsets, chunk: null, sizeInBytes: 0, abortedTransactions: null, divergingEpoch };
  }

  /** Exclusive bound of what a reader of this isolation sees. */
  endOf(isolation: FetchIsolation): number {
    switch (isolation) {
      case 'log-end':
        return this.#log.logEndOffset;
      case 'high-watermark':
        return this.#log.highWatermark;
      case 'last-stable':
        return this.#log.lastStableOffset;
    }
  }

  async offsetForTimestamp(timestamp: number, isolation: FetchIsolation): Promise<Result<TimestampOffset, ErrorCode>> {
    const start = this.#log.logStartOffset;
    switch (timestamp) {
      case LATEST_TIMESTAMP:
        return ok({ offset: this.endOf(isolation), timestampMs: -1, leaderEpoch: this.#leaderEpoch });
      case EARLIEST_TIMESTAMP:
      case EARLIEST_LOCAL_TIMESTAMP:
        return ok({ offset: start, timestampMs: -1, leaderEpoch: this.#log.epochForOffset(start) });
      case LATEST_TIERED_TIMESTAMP:
        return ok(NOTHING_FOUND);
    }
    const found = await this.#gate.stay(() =>
      timestamp === MAX_TIMESTAMP ? this.#log.offsetOfMaxTimestamp() : this.#log.offsetForTimestamp(timestamp),
    );
    if (!found.ok) {
      if (!this.#isLeader) return err(this.checkLeader(NO_EPOCH), found.message);
      this.#noteFailure(found.error);
      return found;
    }
    return ok(found.value && found.value.offset < this.endOf(isolation) ? found.value : NOTHING_FOUND);
  }

  /** Where segments begin that were written by `timestamp` (or a special one), newest first; none beyond the bound. */
  async offsetsBefore(
    timestamp: number,
    { maxCount, isolation }: { readonly maxCount: number; readonly isolation: FetchIsolation },
  ): Promise<Result<number[], ErrorCode>> {
    const found = await this.#gate.stay(() => this.#log.offsetsBefore(timestamp, maxCount));
    if (!found.ok) {
      if (!this.#isLeader) return err(this.checkLeader(NO_EPOCH), found.message);
      this.#noteFailure(found.error);
      return found;
    }
    const end = this.endOf(isolation);
    const visible = found.value.filter((offset) => offset <= end);
    return ok(visible.length < found.value.length ? [end, ...visible] : visible);
  }

  endOffsetForEpoch(leaderEpoch: number): EpochEndOffset {
    return this.#log.endOffsetForEpoch(leaderEpoch);
  }

  /** -1 stands for the high watermark. Gives the new log start. */
  async deleteRecords(offset: number): Promise<Result<number, ErrorCode>> {
    if (!this.#config.cleanupDelete) {
      return err(ErrorCode.POLICY_VIOLATION, 'Records of a topic without cleanup.policy delete cannot be deleted');
    }
    const target = offset === -1 ? this.#log.highWatermark : offset;
    if (target < 0 || target > this.#log.highWatermark) return err(ErrorCode.OFFSET_OUT_OF_RANGE);
    const deleted = await this.#gate.stay(() => this.#log.deleteRecordsBefore(target));
    if (!deleted.ok && !this.#isLeader) return err(this.checkLeader(NO_EPOCH), deleted.message);
    if (deleted.ok) this.#events.logStartMoved(this);
    else this.#noteFailure(deleted.error);
    return deleted;
  }

  /** Whether this is its log. */
  isOn(log: PartitionLog): boolean {
    return this.#log === log;
  }

  /** Another log may be taking the place of the present one: reads find nothing for that moment. */
  get isLogChanging(): boolean {
    return this.#gateway?.isClosed === true;
  }

  /** Resolves when nothing keeps from reading. */
  async logSettled(): Promise<void> {
    await this.#gateway?.pass(() => Promise.resolve());
  }

  /**
   * Puts the log that `exchange` gives, which holds the same, in the place of the present one; whoever appends or looks
   * up waits that long. Whether there was one.
   */
  async changeLog(exchange: (present: PartitionLog) => Promise<PartitionLog | undefined>): Promise<boolean> {
    const hasChanged = await this.#gate.whileClosed(async () => {
      const next = await exchange(this.#log);
      if (next) {
        this.#log = next;
        next.updateConfig(this.#config);
      }
      return next !== undefined;
    });
    this.#events.logStartMoved(this);
    return hasChanged;
  }

  /** What the log remembers of idempotent and transactional producers. */
  get producers(): PartitionLog['producers'] {
    return this.#log.producers;
  }

  /** Where the reader's log and this one part, null when they agree so far. */
  #divergence({ fetchOffset, lastFetchedEpoch }: PartitionReadOptions): Result<EpochEndOffset | null, ErrorCode> {
    if (lastFetchedEpoch < 0) return ok(null);
    const end = this.#log.endOffsetForEpoch(lastFetchedEpoch);
    if (end.leaderEpoch < 0 || end.endOffset < 0) {
      return err(ErrorCode.OFFSET_OUT_OF_RANGE, `The end of epoch ${lastFetchedEpoch} is unknown`);
    }
    if (fetchOffset < this.#log.logStartOffset) return err(ErrorCode.OFFSET_OUT_OF_RANGE);
    return ok(end.leaderEpoch < lastFetchedEpoch || end.endOffset < fetchOffset ? end : null);
  }

  get #gate(): LogGate {
    this.#gateway ??= new LogGate();
    return this.#gateway;
  }

  #onAppended(appended: Appended, sizeInBytes: number): Appended {
    if (!this.#isLeader) return failure(ErrorCode.NOT_LEADER_OR_FOLLOWER, `${this.key} was given up meanwhile`);
    if (!appended.ok) this.#noteFailure(appended.error.code);
    else if (!appended.value.duplicate) this.#makeVisible(appended.value.lastOffset + 1, sizeInBytes);
    return appended;
  }

  get #minInSync(): number {
    return Math.min(this.#config.minInsyncReplicas, this.#replicaCount);
  }

  #makeVisible(endOffset: number, sizeInBytes: number): void {
    if (endOffset <= this.#log.highWatermark) return;
    this.#log.setHighWatermark(endOffset);
    this.#visibleBytes += sizeInBytes;
    this.#events.highWatermarkMoved(this);
  }

  #noteFailure(code: ErrorCode): void {
    if (code !== ErrorCode.KAFKA_STORAGE_ERROR || !this.#log.isOffline || this.#hasFailed || !this.#isLeader) return;
    this.#hasFailed = true;
    this.#events.failed(this);
  }
}
