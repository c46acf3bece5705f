/**
 * Runs one shard while this broker leads its partition: loads it, takes its operations one at a time, writes what they
 * decide, keeps its timers and sends its replies when they are committed.
 *
 * Records are applied as soon as an operation has decided them and are written with those of the operations that
 * queued up meanwhile; nothing that depends on them leaves before they are committed. So when a write fails, nobody has
 * seen what it would have kept: the shard is dropped, every open request is refused, and the partition is loaded again.
 * As long as writes keep failing, as on a full disk, an operation that leaves soft state alone is written before it is
 * applied: it can be refused by itself.
 */
import type { Clock, Timer, TimestampMs } from '../base/clock';
import { LinkedList, ListNode } from '../base/linked-list';
import type { Logger } from '../base/logger';
import { err, ok, type Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import { ErrorCode } from '../codec/generated/errors';
import type { Codec } from '../records/compression';
import { coordinatorError } from './coordinator-error';
import { HeldReplies } from './held-replies';
import type { PartitionReader, PartitionWriter } from './partition-access';
import { type EncodedChange, recordSizeBytes, writeBatches } from './record-batches';
import type { RecordCodec } from './record-codec';
import type { Effects, Reply, RequestToken, Shard } from './shard';
import { loadShard } from './shard-loader';
import { Timers } from './timers';

export interface RuntimeOptions<Op, Rec> {
  readonly makeShard: (partition: TopicPartition) => Shard<Op, Rec>;
  readonly codec: RecordCodec<Rec>;
  readonly writer: PartitionWriter;
  readonly reader: PartitionReader;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Largest batch that the partition takes. */
  readonly maxBatchBytes: number;
  readonly compressionCodec: Codec;
  /** How long a reply waits for the replicas. */
  readonly commitTimeoutMs: number;
  /** How much of the log is read at a time when it is loaded. */
  readonly loadBufferBytes: number;
}

/** Queued operations share a write up to about this size. */
const GATHER_BYTES = 256 * 1024;

const FIRST_RELOAD_DELAY_MS = 50;
const LONGEST_RELOAD_DELAY_MS = 10_000;

/** A request that has no answer yet. Shards know it as its token alone. */
class OpenRequest extends ListNode<OpenRequest> implements RequestToken<unknown> {
  readonly id: number;
  readonly answer: (result: Result<unknown, ErrorCode>) => void;

  constructor(id: number, answer: (result: Result<unknown, ErrorCode>) => void) {
    super();
    this.id = id;
    this.answer = answer;
  }
}

/** An operation, or the start of a loaded shard, which has effects of its own. */
type Queued<Op> = { readonly op: Op; readonly token: RequestToken<unknown> | null } | 'loaded';

/** Replies with the end of the log as their operation saw it. */
interface Answers {
  readonly offset: number;
  readonly replies: readonly Reply[];
}

interface Decisions<Op, Rec> {
  readonly changes: readonly EncodedChange[];
  readonly answers: readonly Answers[];
  /** After a failed write: effects that are nothing unless their records can be written. */
  readonly attempt?: Effects<Op, Rec>;
}

export class ShardHost<Op, Rec> {
  readonly partition: TopicPartition;
  readonly #o: RuntimeOptions<Op, Rec>;
  #shard: Shard<Op, Rec> | undefined;
  /** Rises whenever the shard is dropped, so that what was begun for the former one is void. */
  #life = 0;
  #closed = false;
  #queue: Queued<Op>[] = [];
  #isDraining = false;
  #nextOffset = 0;
  #held: HeldReplies | undefined;
  /** The last that was told, also while nothing is loaded. */
  #highWatermark = 0;
  readonly #timers: Timers<Op>;
  readonly #open = new LinkedList<OpenRequest>();
  #lastTokenId = 0;
  #failures = 0;
  #reloadTimer: Timer | undefined;
  #loading: Promise<void> = Promise.resolve();

  constructor(options: RuntimeOptions<Op, Rec>, partition: TopicPartition) {
    this.#o = options;
    this.partition = partition;
    this.#timers = new Timers(options.clock, (op) => this.#enqueue({ op, token: null }));
    this.#startLoading();
  }

  /** Resolves when the load under way has ended, one way or the other. */
  get loaded(): Promise<void> {
    return this.#loading;
  }

  submit<R>(makeOp: (token: RequestToken<R>) => Op): Promise<Result<R, ErrorCode>> {
    if (this.#closed) return Promise.resolve(err(ErrorCode.NOT_COORDINATOR));
    if (!this.#shard) return Promise.resolve(err(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS));
    return new Promise((resolve) => {
      // The token carries the type of its response, and only replies to this token come here.
      const open = new OpenRequest(++this.#lastTokenId, (result) => resolve(result as Result<R, ErrorCode>));
      this.#open.add(open);
      this.#enqueue({ op: makeOp(open as RequestToken<R>), token: open });
    });
  }

  onHighWatermark(offset: number): void {
    this.#highWatermark = offset;
    this.#held?.onHighWatermark(offset);
  }

  /** This broker leads no more (or stops): every open request is refused, and nothing happens after this. */
  close(): void {
    this.#closed = true;
    this.#reloadTimer?.cancel();
    this.#drop(ErrorCode.NOT_COORDINATOR);
  }

  #startLoading(): void {
    this.#loading = this.#load().catch((error: unknown) => {
      this.#o.logger.error('a coordinator could not be loaded', { ...this.partition, error: String(error) });
      this.#reloadLater();
    });
  }

  async #load(): Promise<void> {
    const { makeShard, codec, reader, clock, logger, loadBufferBytes: readSizeBytes } = this.#o;
    const life = this.#life;
    const shard = makeShard(this.partition);
    const isCancelled = () => this.#closed || this.#life !== life;
    const startedMs = clock.monotonicMs();
    const { partition } = this;
    const loaded = await loadShard({ partition, reader, shard, codec, readSizeBytes, logger, isCancelled });
    if (isCancelled()) return;
    if (!loaded.ok) {
      logger.warn('a coordinator could not be loaded', { ...partition, errorCode: loaded.error });
      this.#reloadLater();
      return;
    }
    const { logEndOffset, highWatermark, records } = loaded.value;
    if (records > 0) {
      logger.info('coordinator loaded', { ...partition, records, ms: Math.round(clock.monotonicMs() - startedMs) });
    }
    this.#shard = shard;
    this.#nextOffset = logEndOffset;
    this.#held = new HeldReplies(
      {
        clock,
        timeoutMs: this.#o.commitTimeoutMs,
        deliver: (reply) => this.#answer(reply.to, ok(reply.response)),
        onTimeout: (reply) => this.#answer(reply.to, err(coordinatorError(ErrorCode.REQUEST_TIMED_OUT))),
      },
      Math.max(highWatermark, this.#highWatermark),
    );
    this.#enqueue('loaded');
  }

  /** After a failed load or write: at once the first time, then less and less often. */
  #reloadLater(): void {
    if (this.#closed) return;
    const delayMs = this.#failures === 0 ? 0 : FIRST_RELOAD_DELAY_MS * 2 ** Math.min(this.#failures, 10);
    this.#failures++;
    this.#reloadTimer?.cancel();
    this.#reloadTimer = this.#o.clock.schedule(Math.min(delayMs, LONGEST_RELOAD_DELAY_MS), () => this.#startLoading());
  }

  #enqueue(queued: Queued<Op>): void {
    this.#queue.push(queued);
    if (!this.#isDraining) void this.#drain();
  }

  /** Never rejects. What is enqueued while it runs is taken before it ends. */
  async #drain(): Promise<void> {
    this.#isDraining = true;
    try {
      while (this.#shard && this.#queue.length > 0) await this.#step(this.#shard);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isDraining = false;
    }
  }

  async #step(shard: Shard<Op, Rec>): Promise<void> {
    const life = this.#life;
    const { changes, answers, attempt } = this.#decide(shard);
    if (this.#life !== life) return;
    if (changes.length > 0) {
      const written = await writeBatches(this.#o, { partition: this.partition, changes });
      if (this.#life !== life) return;
      if (!written.ok) {
        this.#giveUp(written.error);
        return;
      }
      this.#failures = 0;
    }
    for (const { offset, replies } of answers) this.#held?.add(offset, replies);
    if (attempt) await this.#try(shard, attempt);
  }

  async #try(shard: Shard<Op, Rec>, { records, replies }: Effects<Op, Rec>): Promise<void> {
    const life = this.#life;
    const change = { firstOffset: this.#nextOffset, records: records.map((record) => this.#o.codec.encode(record)) };
    const written = await writeBatches(this.#o, { partition: this.partition, changes: [change] });
    if (this.#life !== life) return;
    if (written.ok) {
      this.#failures = 0;
      for (const record of records) shard.apply(record, { offset: this.#nextOffset++, producerId: -1 });
      this.#held?.add(this.#nextOffset, replies);
    } else if (written.error === ErrorCode.KAFKA_STORAGE_ERROR) {
      for (const { to } of replies) this.#answer(to, err(coordinatorError(written.error)));
    } else this.#giveUp(written.error);
  }

  #giveUp(errorCode: ErrorCode): void {
    this.#o.logger.warn('a coordinator could not write', { ...this.partition, errorCode });
    this.#drop(coordinatorError(errorCode));
    this.#reloadLater();
  }

  /** A bug of ours: the state may be half changed, so it is made anew from the records. */
  #fail(error: unknown): void {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#o.logger.error('a coordinator failed', { ...this.partition, reason });
    this.#drop(ErrorCode.NOT_COORDINATOR);
    this.#reloadLater();
  }

  /** Lets the shard handle what is queued, up to a good size of write. */
  #decide(shard: Shard<Op, Rec>): Decisions<Op, Rec> {
    const changes: EncodedChange[] = [];
    const answers: Answers[] = [];
    let sizeBytes = 0;
    while (sizeBytes < GATHER_BYTES) {
      const queued = this.#queue.shift();
      if (queued === undefined) break;
      const nowMs = this.#o.clock.nowMs();
      const effects = this.#handle(shard, queued, nowMs);
      if (!effects) break;
      if (this.#failures > 0 && effects.leavesSoftState && effects.records.length > 0 && changes.length === 0) {
        this.#startTimers(effects, nowMs);
        return { changes, answers, attempt: effects };
      }
      if (effects.records.length > 0) {
        const records = effects.records.map((record) => this.#o.codec.encode(record));
        for (const record of records) sizeBytes += recordSizeBytes(record);
        changes.push({ firstOffset: this.#nextOffset, records });
        for (const record of effects.records) shard.apply(record, { offset: this.#nextOffset++, producerId: -1 });
      }
      this.#startTimers(effects, nowMs);
      if (effects.replies.length > 0) answers.push({ offset: this.#nextOffset, replies: effects.replies });
    }
    return { changes, answers };
  }

  #handle(shard: Shard<Op, Rec>, queued: Queued<Op>, nowMs: TimestampMs): Effects<Op, Rec> | undefined {
    try {
      return queued === 'loaded' ? shard.onLoaded(nowMs) : shard.handle(queued.op, nowMs);
    } catch (error) {
      if (queued !== 'loaded' && queued.token !== null) {
        this.#answer(queued.token, err(ErrorCode.UNKNOWN_SERVER_ERROR));
      }
      this.#fail(error);
      return undefined;
    }
  }

  /** Times are the wall clock's as the shard saw it; what runs is the distance from then. */
  #startTimers(effects: Effects<Op, Rec>, nowMs: TimestampMs): void {
    for (const change of effects.timers) {
      if (change.at === null) this.#timers.stop(change.key);
      else this.#timers.start(change.key, change.at - nowMs, change.op);
    }
  }

  #answer(token: RequestToken<unknown>, result: Result<unknown, ErrorCode>): void {
    if (token instanceof OpenRequest && this.#open.remove(token)) token.answer(result);
    else this.#o.logger.error('a coordinator answered a request twice', { ...this.partition });
  }

  #drop(errorCode: ErrorCode): void {
    this.#life++;
    this.#shard = undefined;
    this.#queue = [];
    this.#timers.stopAll();
    this.#held?.clear();
    this.#held = undefined;
    for (const open of this.#open.toArray()) {
      this.#open.remove(open);
      open.answer(err(errorCode));
    }
  }
}
