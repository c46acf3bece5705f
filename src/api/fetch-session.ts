/**
 * Fetch sessions (KIP-227): the broker remembers which partitions a reader wants, so that requests name only changes
 * and answers only news. Owns the cache with its eviction and what counts as news; reads nothing itself.
 * Invariants: a session's epoch moves by one with each request that is accepted; a partition with data, an error, a
 * divergence or a moved high watermark or log start is in the answer; one that was in error is told once more after.
 * (Kafka: FetchManager, FetchContext, FetchSession, FetchSessionCacheShard.)
 */
import type { Clock } from '../base/clock';
import { LinkedMap } from '../base/linked-map';
import { type Random, ZERO_UUID } from '../base/random';
import { ErrorCode } from '../codec/generated/errors';

/** What a reader wants of one partition. */
export interface WantedPartition {
  /** Empty where the request goes by topic ids. */
  readonly topic: string;
  /** ZERO_UUID where it goes by names. */
  readonly topicId: string;
  readonly partition: number;
  readonly fetchOffset: number;
  readonly maxBytes: number;
  readonly currentLeaderEpoch: number;
  readonly lastFetchedEpoch: number;
}

/** Which partition, without what is wanted of it. */
export type PartitionName = Pick<WantedPartition, 'topic' | 'topicId' | 'partition'>;

export interface SessionRequest {
  readonly sessionId: number;
  readonly sessionEpoch: number;
  readonly usesTopicIds: boolean;
  /** Followers' sessions are kept in favour of consumers'. */
  readonly isFollower: boolean;
  readonly wanted: readonly WantedPartition[];
  readonly forgotten: readonly PartitionName[];
}

/** What is about to be told of a partition: as much as decides whether it must be. */
export interface PartitionNews {
  readonly errorCode: number;
  readonly highWatermark: number;
  readonly logStartOffset: number;
  readonly sizeInBytes: number;
  readonly isDiverging: boolean;
}

export interface SessionAnswer {
  readonly errorCode: ErrorCode;
  readonly sessionId: number;
  /** Indices of the partitions to be told of. */
  readonly included: readonly number[];
}

/** One request's view of its session. */
export interface FetchContext {
  /** Anything but NONE is all that the reader is told. */
  readonly errorCode: ErrorCode;
  /** What is to be read, in order. */
  readonly partitions: readonly WantedPartition[];
  /** Call once, with the news of every partition, in the same order. */
  answer(news: readonly PartitionNews[]): SessionAnswer;
  /** Instead: nothing of what was read is told, and the session takes note of nothing. A new one does not begin. */
  withoutData(): SessionAnswer;
}

export const NO_SESSION = 0;
/** Asks for a new session. */
export const INITIAL_EPOCH = 0;
/** Asks for an answer without a session, and ends the one that is named. */
export const FINAL_EPOCH = -1;

/** How long a session may be unused, or must have lived, before another may take its place. */
const EVICTION_MS = 120_000;
const MAX_EPOCH = 2 ** 31 - 1;
const MAX_SESSION_ID = 2 ** 31 - 1;

class CachedPartition {
  wanted: WantedPartition;
  /** As the reader was last told; -1 makes the next answer tell it anew. */
  highWatermark = -1;
  logStartOffset = -1;

  constructor(wanted: WantedPartition) {
    this.wanted = wanted;
  }

  /** Whether the reader must be told of `news`, which is noted as told. */
  note(news: PartitionNews): boolean {
    const isNews =
      news.sizeInBytes > 0 ||
      news.errorCode !== ErrorCode.NONE ||
      news.isDiverging ||
      news.highWatermark !== this.highWatermark ||
      news.logStartOffset !== this.logStartOffset;
    this.highWatermark = news.errorCode === ErrorCode.NONE ? news.highWatermark : -1;
    this.logStartOffset = news.logStartOffset;
    return isNews;
  }
}

type CachedPartitions = LinkedMap<string, CachedPartition>;

class FetchSession {
  readonly id: number;
  readonly isFollower: boolean;
  readonly usesTopicIds: boolean;
  readonly createdAtMs: number;
  lastUsedAtMs: number;
  epoch = INITIAL_EPOCH + 1;
  /** In the order in which they are read: those that gave data go to the end, so that none starves. */
  readonly partitions: CachedPartitions;

  constructor(id: number, request: SessionRequest, o: { nowMs: number; partitions: CachedPartitions }) {
    this.id = id;
    this.isFollower = request.isFollower;
    this.usesTopicIds = request.usesTopicIds;
    this.createdAtMs = o.nowMs;
    this.lastUsedAtMs = o.nowMs;
    this.partitions = o.partitions;
  }

  /** Whether it was old when it was last used: a young session is not pushed out by a larger one. */
  get isSettled(): boolean {
    return this.lastUsedAtMs - this.createdAtMs > EVICTION_MS;
  }
}

function keyOf({ topic, topicId, partition }: PartitionName): string {
  return `${topicId === ZERO_UUID ? topic : topicId}:${partition}`;
}

/** One entry per partition: where a request names one twice, the last counts. */
function byKey(wanted: readonly WantedPartition[]): Map<string, WantedPartition> {
  const map = new Map<string, WantedPartition>();
  for (const partition of wanted) map.set(keyOf(partition), partition);
  return map;
}

export interface FetchSessionsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: Random;
  /** `max.incremental.fetch.session.cache.slots` */
  readonly maxSessions: number;
  /** Partitions of all sessions together: what they take of memory. */
  readonly maxPartitions?: number;
}

/** A thousand readers of a thousand partitions: some 300 MB. */
const MAX_PARTITIONS = 1_000_000;

export class FetchSessions {
  readonly #o: FetchSessionsOptions;
  /** In the order of last use, the oldest first. */
  readonly #sessions = new LinkedMap<number, FetchSession>();
  readonly #maxPartitions: number;
  /** Of all sessions together. */
  #partitionCount = 0;
  #evictions = 0;

  constructor(options: FetchSessionsOptions) {
    this.#o = options;
    this.#maxPartitions = options.maxPartitions ?? MAX_PARTITIONS;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Partitions of all sessions together. */
  get partitionCount(): number {
    return this.#partitionCount;
  }

  /** Sessions that ever gave way to others. */
  get evictions(): number {
    return this.#evictions;
  }

  /** Takes a request in: what it changes in its session is changed when this returns. */
  begin(request: SessionRequest): FetchContext {
    const { sessionId, sessionEpoch } = request;
    if (sessionEpoch === INITIAL_EPOCH || sessionEpoch === FINAL_EPOCH) {
      this.#end(this.#sessions.get(sessionId));
      const wanted = byKey(request.wanted);
      return sessionEpoch === FINAL_EPOCH ? sessionless(wanted) : this.#full(request, wanted);
    }
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return failed(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    if (session.epoch !== sessionEpoch) return failed(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
    if (session.usesTopicIds !== request.usesTopicIds) return failed(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR);
    this.#change(session, request);
    if (session.partitions.size === 0) {
      this.#end(session);
      return sessionless(byKey(request.wanted));
    }
    if (this.#partitionCount > this.#maxPartitions) {
      this.#end(session);
      return failed(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    }
    session.lastUsedAtMs = this.#o.clock.monotonicMs();
    this.#sessions.renew(sessionId);
    session.epoch = session.epoch === MAX_EPOCH ? 1 : session.epoch + 1;
    return incremental(session);
  }

  #change({ partitions }: FetchSession, { wanted, forgotten }: SessionRequest): void {
    const before = partitions.size;
    for (const [key, partition] of byKey(wanted)) {
      const cached = partitions.get(key);
      if (cached === undefined) partitions.set(key, new CachedPartition(partition));
      else cached.wanted = partition;
    }
    for (const name of forgotten) partitions.delete(keyOf(name));
    this.#partitionCount += partitions.size - before;
  }

  #end(session: FetchSession | undefined): void {
    if (session === undefined || !this.#sessions.delete(session.id)) return;
    this.#partitionCount -= session.partitions.size;
  }

  /** Everything is answered, and remembered if there is room for a session. */
  #full(request: SessionRequest, wanted: ReadonlyMap<string, WantedPartition>): FetchContext {
    return {
      errorCode: ErrorCode.NONE,
      partitions: [...wanted.values()],
      withoutData: nothing,
      answer: (news) => {
        const included = [...news.keys()];
        if (!this.#makeRoom(request, wanted.size)) {
          return { errorCode: ErrorCode.NONE, sessionId: NO_SESSION, included };
        }
        const partitions: CachedPartitions = new LinkedMap();
        let index = 0;
        for (const [key, partition] of wanted) {
          const cached = new CachedPartition(partition);
          cached.highWatermark = news[index]!.highWatermark;
          cached.logStartOffset = news[index]!.logStartOffset;
          partitions.set(key, cached);
          index++;
        }
        const session = new FetchSession(this.#newId(), request, { nowMs: this.#o.clock.monotonicMs(), partitions });
        this.#sessions.set(session.id, session);
        this.#partitionCount += partitions.size;
        return { errorCode: ErrorCode.NONE, sessionId: session.id, included };
      },
    };
  }

  #newId(): number {
    for (;;) {
      const id = 1 + this.#o.random.integer(MAX_SESSION_ID);
      if (!this.#sessions.has(id)) return id;
    }
  }

  /**
   * Makes sure that one more session fits. A session gives way when it was not used for long; else the least valuable
   * one, if the new one is worth more: a follower's over a consumer's, many partitions over few that are long settled.
   */
  #makeRoom({ isFollower }: SessionRequest, partitionCount: number): boolean {
    while (this.#partitionCount + partitionCount > this.#maxPartitions) if (!this.#evictUnused()) return false;
    if (this.#sessions.size < this.#o.maxSessions) return true;
    if (this.#evictUnused()) return true;
    let least: FetchSession | undefined;
    for (const { value: session } of this.#sessions) {
      const isEvictable = session.isSettled || (isFollower && !session.isFollower);
      if (isEvictable && (least === undefined || worth(session) < worth(least))) least = session;
    }
    if (least === undefined || worth(least) >= partitionCount + (isFollower ? FOLLOWER_BONUS : 0)) return false;
    this.#evict(least);
    return true;
  }

  #evictUnused(): boolean {
    const oldest = this.#sessions.first?.value;
    if (oldest === undefined || this.#o.clock.monotonicMs() - oldest.lastUsedAtMs <= EVICTION_MS) return false;
    this.#evict(oldest);
    return true;
  }

  #evict(session: FetchSession): void {
    this.#evictions++;
    this.#end(session);
  }
}

/** More than any number of partitions. */
const FOLLOWER_BONUS = 2 ** 40;

function worth(session: FetchSession): number {
  return session.partitions.size + (session.isFollower ? FOLLOWER_BONUS : 0);
}

function failed(errorCode: ErrorCode): FetchContext {
  const answer = (): SessionAnswer => ({ errorCode, sessionId: NO_SESSION, included: [] });
  return { errorCode, partitions: [], answer, withoutData: answer };
}

function nothing(): SessionAnswer {
  return { errorCode: ErrorCode.NONE, sessionId: NO_SESSION, included: [] };
}

function sessionless(wanted: ReadonlyMap<string, WantedPartition>): FetchContext {
  return {
    errorCode: ErrorCode.NONE,
    partitions: [...wanted.values()],
    answer: (news) => ({ errorCode: ErrorCode.NONE, sessionId: NO_SESSION, included: [...news.keys()] }),
    withoutData: nothing,
  };
}

function incremental(session: FetchSession): FetchContext {
  const { epoch } = session;
  const entries = session.partitions.toArray();
  // Where another request of the same session was accepted while this one waited, the reader has given this one up.
  const withoutData = (): SessionAnswer => ({
    errorCode: session.epoch === epoch ? ErrorCode.NONE : ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    sessionId: session.id,
    included: [],
  });
  return {
    errorCode: ErrorCode.NONE,
    partitions: entries.map(({ value }) => value.wanted),
    withoutData,
    answer: (news) => {
      if (session.epoch !== epoch) return withoutData();
      const included: number[] = [];
      for (const [index, { key, value }] of entries.entries()) {
        const one = news[index]!;
        if (value.note(one)) included.push(index);
        if (one.sizeInBytes > 0) session.partitions.renew(key);
      }
      return { errorCode: ErrorCode.NONE, sessionId: session.id, included };
    },
  };
}
