/**
 * The partitions that this broker holds, and what is done to them: append, read, long polls, offsets, deletion.
 * Takes and returns plain data; no caller holds a log. Follows the metadata image: opens, leads, leaves and deletes.
 * Invariants: a partition serves from the moment its image is taken in until it is deleted or its log fails; whoever
 * waits for a partition hears of every change that could end the wait.
 */
import type { Clock } from '../base/clock';
import { DelayedOperations } from '../base/delayed-operations';
import { inPortions } from '../base/in-portions';
import { Later } from '../base/later';
import type { Logger } from '../base/logger';
import { err, ok, type Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import type { ImageSubscriber } from '../cluster/image-publisher';
import { MetadataImage, type PartitionImage, type TopicImage } from '../cluster/metadata-image';
import { isInternalTopic } from '../cluster/topic-name';
import { ErrorCode } from '../codec/generated/errors';
import type { LogConfig } from '../config/log-config';
import type { EpochEndOffset } from '../log/leader-epochs';
import type { AppendFailure, AppendInfo } from '../log/log-append';
import type { LogManager } from '../log/log-manager';
import type { ProducerEntry } from '../log/producer-entry';
import type { AppendEntry, AppendRequest, PartitionAppendResult } from './append-request';
import { DelayedFetch, isAnswerable } from './delayed-fetch';
import { emptyResult, readPartitions } from './fetch-reader';
import type { FetchIsolation, FetchRequest, PartitionFetchResult } from './fetch-request';
import type { LogConfigs } from './log-configs';
import type { LogDirMoves } from './log-dir-moves';
import { Partition, type PartitionEvents, type TimestampOffset } from './partition';
import type { PartitionListener } from './partition-listener';
import { incoming, TopicTraffic } from './topic-traffic';

export interface ReplicaManagerOptions {
  readonly brokerId: number;
  readonly logManager: Pick<LogManager, 'create' | 'delete'>;
  readonly moves: LogDirMoves;
  readonly logConfigs: LogConfigs;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OffsetLookup extends TopicPartition {
  /** Milliseconds, or one of the special timestamps of partition.ts. */
  readonly timestamp: number;
  readonly isolation: FetchIsolation;
  readonly currentLeaderEpoch: number;
}

export interface EpochLookup extends TopicPartition {
  readonly currentLeaderEpoch: number;
  readonly leaderEpoch: number;
}

export interface PartitionOffsets {
  readonly logStartOffset: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logEndOffset: number;
  readonly leaderEpoch: number;
}

/** An entry of the table: a partition with its log, or one whose log could not be opened. */
type Hosted = Partition | 'failed';

/** Logs that are made or deleted before other work gets its turn: some milliseconds of file system calls. */
const PARTITIONS_A_TURN = 32;

/** Failures that say nothing of the log. (Kafka: ReplicaManager.appendToLocalLog.) */
const TELLS_NO_LOG_START: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.MESSAGE_TOO_LARGE,
  ErrorCode.RECORD_LIST_TOO_LARGE,
  ErrorCode.CORRUPT_MESSAGE,
  ErrorCode.KAFKA_STORAGE_ERROR,
]);

export class ReplicaManager {
  readonly traffic = new TopicTraffic((topic) => this.#topics.has(topic));
  readonly #options: ReplicaManagerOptions;
  readonly #waits: DelayedOperations;
  readonly #listeners: PartitionListener[] = [];
  /** By topic, and then by number. */
  readonly #topics = new Map<string, (Hosted | undefined)[]>();
  readonly #events: PartitionEvents;
  /** Keys whose waits are to be looked at, once for all that happens together. */
  #changed = new Set<string>();
  #image = MetadataImage.empty('');

  constructor(options: ReplicaManagerOptions) {
    this.#options = options;
    this.#waits = new DelayedOperations(options.clock);
    this.#events = {
      highWatermarkMoved: (partition) => {
        for (const listener of this.#listeners) {
          listener.onHighWatermark(partition.topicPartition, partition.highWatermark);
        }
        this.#announce(partition.key);
      },
      logStartMoved: (partition) => this.#announce(partition.key),
      failed: (partition) => {
        this.#announce(partition.key);
        this.#reportFailure(partition.topicPartition);
      },
    };
  }

  addListener(listener: PartitionListener): void {
    this.#listeners.push(listener);
  }

  /** Takes in a change of metadata; when it resolves, new leaders serve and deleted logs are gone. */
  readonly onImage: ImageSubscriber = async ({ changedTopics, deletedTopics, changedConfigs }, image) => {
    this.#image = image;
    if (changedConfigs.some(({ scope }) => scope === 'brokers')) {
      this.#configureAll();
      this.#options.moves.wake();
    }
    const portions = { size: PARTITIONS_A_TURN, clock: this.#options.clock };
    await inPortions(deletedTopics, portions, (topic) => this.#deleteTopic(topic));
    const changed = changedTopics.flatMap((topic) => topic.partitions.map((partition) => ({ topic, partition })));
    await inPortions(changed, portions, ({ topic, partition }) => this.#takePartition(topic, partition));
  };

  /**
   * Entries take their places in the logs' queues in the order of the calls, before this returns: an append that is
   * made later cannot overtake. Gives the outcomes as `requiredAcks` demands, in the order of the entries; does not
   * fail for what a client or a disk did.
   */
  append(request: AppendRequest): Later<PartitionAppendResult[]> {
    const { entries } = request;
    if (entries.length === 1) return this.#append(entries[0]!, request).map((result) => [result]);
    return Later.all(entries.map((entry) => this.#append(entry, request)));
  }

  /** Resolves with what was asked for, or what there is after `maxWaitMs`; errors are answered at once. */
  async fetch(request: FetchRequest): Promise<PartitionFetchResult[]> {
    const { changing } = this.#options.moves;
    if (changing && request.partitions.some((wanted) => isOf(changing, wanted))) await changing.logSettled();
    const pass = readPartitions(request, this.#lookup);
    if (isAnswerable(pass, request)) return this.#counted(pass.results);
    return new Promise((resolve) => {
      const answer = (results: PartitionFetchResult[]): void => resolve(this.#counted(results));
      const delayed = new DelayedFetch(request, pass, { lookup: this.#lookup, answer });
      const handle = this.#waits.tryOrWait(delayed);
      request.onCancel(() => {
        handle.cancel();
        answer(request.partitions.map((wanted) => emptyResult(wanted, ErrorCode.NONE)));
      });
    });
  }

  async offsetForTimestamp(lookup: OffsetLookup): Promise<Result<TimestampOffset, ErrorCode>> {
    const leader = this.#leader(lookup, lookup.currentLeaderEpoch);
    return leader.ok ? leader.value.offsetForTimestamp(lookup.timestamp, lookup.isolation) : leader;
  }

  /** As the oldest version of ListOffsets asks: see `Partition.offsetsBefore`. */
  async offsetsBefore(lookup: OffsetLookup, maxCount: number): Promise<Result<number[], ErrorCode>> {
    const leader = this.#leader(lookup, lookup.currentLeaderEpoch);
    return leader.ok ? leader.value.offsetsBefore(lookup.timestamp, { ...lookup, maxCount }) : leader;
  }

  /** Where the largest epoch not above `leaderEpoch` ends; epoch and offset -1 when unknown (KIP-320). */
  endOffsetForEpoch(lookup: EpochLookup): Result<EpochEndOffset, ErrorCode> {
    const leader = this.#leader(lookup, lookup.currentLeaderEpoch);
    return leader.ok ? ok(leader.value.endOffsetForEpoch(lookup.leaderEpoch)) : leader;
  }

  /** Deletes the records before `offset` (-1: the high watermark); the value is the new log start offset. */
  async deleteRecords(lookup: TopicPartition & { readonly offset: number }): Promise<Result<number, ErrorCode>> {
    if (isInternalTopic(lookup.topic)) {
      return err(ErrorCode.INVALID_TOPIC_EXCEPTION, `Records of internal topic ${lookup.topic} cannot be deleted`);
    }
    const leader = this.#leader(lookup, -1);
    return leader.ok ? leader.value.deleteRecords(lookup.offset) : leader;
  }

  /** Moves a partition to the log directory `path` (KIP-113); NONE once the move is under way. */
  alterLogDir(partition: TopicPartition, path: string): Promise<ErrorCode> {
    return this.#options.moves.alter(partition, path, () => this.#lookup(partition.topic, partition.partition));
  }

  /** The offsets of a partition that this broker leads. */
  partitionOffsets(partition: TopicPartition): Result<PartitionOffsets, ErrorCode> {
    const leader = this.#leader(partition, -1);
    if (!leader.ok) return leader;
    const { logStartOffset, highWatermark, lastStableOffset, logEndOffset, leaderEpoch } = leader.value;
    return ok({ logStartOffset, highWatermark, lastStableOffset, logEndOffset, leaderEpoch });
  }

  /** What a partition here remembers of idempotent and transactional producers. */
  activeProducers({ topic, partition }: TopicPartition): Result<readonly Readonly<ProducerEntry>[], ErrorCode> {
    const found = this.#lookup(topic, partition);
    return found.ok ? ok([...found.value.producers]) : found;
  }

  /** What a partition here goes by; undefined where there is none. */
  logConfig({ topic, partition }: TopicPartition): LogConfig | undefined {
    const found = this.#lookup(topic, partition);
    return found.ok ? found.value.config : undefined;
  }

  /** Long polls that wait. */
  get waitingFetches(): number {
    return this.#waits.size;
  }

  /** The partitions that this broker holds; undefined where its log could not be opened. */
  *partitions(): Iterable<readonly [TopicPartition, Partition | undefined]> {
    for (const [topic, partitions] of this.#topics) {
      for (const [partition, hosted] of partitions.entries()) {
        if (hosted) yield [{ topic, partition }, hosted === 'failed' ? undefined : hosted];
      }
    }
  }

  /** Answers all long polls with what there is: the broker stops. */
  expireWaits(): void {
    this.#waits.expireAll();
  }

  #lookup = (topic: string, partition: number): Result<Partition, ErrorCode> => {
    const hosted = this.#topics.get(topic)?.[partition];
    if (hosted === undefined) {
      const known = this.#image.partition(topic, partition) !== undefined;
      return err(known ? ErrorCode.NOT_LEADER_OR_FOLLOWER : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    }
    return hosted === 'failed' ? err(ErrorCode.KAFKA_STORAGE_ERROR) : ok(hosted);
  };

  #leader({ topic, partition }: TopicPartition, currentLeaderEpoch: number): Result<Partition, ErrorCode> {
    const found = this.#lookup(topic, partition);
    if (!found.ok) return found;
    const code = found.value.checkLeader(currentLeaderEpoch);
    return code === ErrorCode.NONE ? found : err(code);
  }

  #append(entry: AppendEntry, request: AppendRequest): Later<PartitionAppendResult> {
    const { topic, partition } = entry;
    const { requiredAcks } = request;
    if (requiredAcks < -1 || requiredAcks > 1) {
      return Later.of(refused(entry, ErrorCode.INVALID_REQUIRED_ACKS, `acks ${requiredAcks} is none of -1, 0 and 1`));
    }
    if (!request.internalTopicsAllowed && isInternalTopic(topic)) {
      return Later.of(refused(entry, ErrorCode.INVALID_TOPIC_EXCEPTION, `${topic} is written by the broker alone`));
    }
    const found = this.#lookup(topic, partition);
    if (!found.ok) return Later.of(refused(entry, found.error, null));
    const records = incoming(entry);
    return found.value.append(entry.records, request).map((appended) => {
      const result = appended.ok
        ? accepted(entry, appended.value)
        : failed(entry, appended.error, found.value.logStartOffset);
      this.traffic.onAppend(records, result);
      return result;
    });
  }

  #counted(results: PartitionFetchResult[]): PartitionFetchResult[] {
    this.traffic.onFetch(results);
    return results;
  }

  #announce(key: string): void {
    if (this.#waits.size === 0) return;
    this.#changed.add(key);
    if (this.#changed.size > 1) return;
    // Behind all appends that are written together, and before the end of the turn: then the answers leave in it too.
    this.#options.clock.soon(() => {
      const keys = this.#changed;
      this.#changed = new Set();
      for (const each of keys) this.#waits.announce(each);
    });
  }

  /** The defaults of all topics may have changed. */
  #configureAll(): void {
    for (const [topic, partitions] of this.#topics) {
      const config = this.#options.logConfigs.of(topic);
      for (const hosted of partitions) if (hosted && hosted !== 'failed') hosted.configure(config);
    }
  }

  async #takePartition(topic: TopicImage, image: PartitionImage): Promise<void> {
    const { brokerId, logConfigs } = this.#options;
    if (!image.replicas.includes(brokerId)) return;
    const hosted = this.#topics.get(topic.name)?.[image.partition] ?? (await this.#open(topic, image.partition));
    if (hosted === 'failed' || hosted.hasFailed) return;
    hosted.configure(logConfigs.of(topic.name));
    const { topicPartition } = hosted;
    if (image.leader === brokerId) {
      if (!hosted.becomeLeader(image)) return;
      for (const listener of this.#listeners) listener.onLeader(topicPartition, image.leaderEpoch);
    } else {
      hosted.becomeFollower(image.leaderEpoch);
      for (const listener of this.#listeners) listener.onFollower(topicPartition, image.leaderEpoch);
    }
    this.#announce(hosted.key);
  }

  async #open(topic: TopicImage, partition: number): Promise<Hosted> {
    const { logManager, logConfigs, moves, logger } = this.#options;
    const log = await logManager.create(topic.name, partition, topic.id);
    const hosted = log.ok ? new Partition(log.value, logConfigs.of(topic.name), this.#events) : 'failed';
    const partitions = this.#topics.get(topic.name) ?? Array<Hosted | undefined>(topic.partitions.length);
    partitions[partition] = hosted;
    this.#topics.set(topic.name, partitions);
    if (hosted !== 'failed') moves.resume(hosted);
    if (!log.ok) {
      const fields = { topic: topic.name, partition, errorCode: log.error, error: log.message };
      logger.error('log of a partition cannot be opened', fields);
      this.#reportFailure({ topic: topic.name, partition });
    }
    return hosted;
  }

  async #deleteTopic(topic: TopicImage): Promise<void> {
    const hosted = this.#topics.get(topic.name);
    this.#topics.delete(topic.name);
    this.traffic.onDeleted(topic.name);
    for (const [partition, each] of hosted?.entries() ?? []) {
      if (!each) continue;
      for (const listener of this.#listeners) listener.onDeleted({ topic: topic.name, partition });
      if (each === 'failed') continue;
      this.#options.moves.forget(each.key);
      each.retire();
      this.#announce(each.key);
    }
    await Promise.all(
      topic.partitions.map(async ({ partition }) => {
        const deleted = await this.#options.logManager.delete(topic.name, partition);
        if (deleted.ok || deleted.error === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) return;
        const fields = { topic: topic.name, partition, errorCode: deleted.error, error: deleted.message };
        this.#options.logger.error('log of a deleted partition cannot be removed', fields);
      }),
    );
  }

  #reportFailure(partition: TopicPartition): void {
    for (const listener of this.#listeners) listener.onFailed(partition);
  }
}

function isOf({ topicPartition }: Partition, { topic, partition }: TopicPartition): boolean {
  return topicPartition.topic === topic && topicPartition.partition === partition;
}

function accepted({ topic, partition }: AppendEntry, info: AppendInfo): PartitionAppendResult {
  const { firstOffset, lastOffset, logAppendTimeMs, logStartOffset } = info;
  return {
    topic,
    partition,
    errorCode: ErrorCode.NONE,
    errorMessage: null,
    recordErrors: [],
    baseOffset: firstOffset,
    lastOffset,
    logAppendTimeMs,
    logStartOffset,
  };
}

/** The log, or the partition, did not take it. */
function failed(entry: AppendEntry, failure: AppendFailure, logStartOffset: number): PartitionAppendResult {
  const { code, message, recordErrors } = failure;
  const toldStart = TELLS_NO_LOG_START.has(code) ? -1 : logStartOffset;
  return { ...refused(entry, code, message), recordErrors, logStartOffset: toldStart };
}

/** It never came to its log. */
function refused(entry: AppendEntry, errorCode: ErrorCode, errorMessage: string | null): PartitionAppendResult {
  return {
    topic: entry.topic,
    partition: entry.partition,
    errorCode,
    errorMessage,
    recordErrors: [],
    baseOffset: -1,
    lastOffset: -1,
    logAppendTimeMs: -1,
    logStartOffset: -1,
  };
}
