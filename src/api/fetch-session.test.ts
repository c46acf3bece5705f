/** Sessions: their life, what is news, who is evicted. The cases are those of KIP-227 and of Kafka's own tests. */
import type { Random } from '../base/random';
import { ZERO_UUID } from '../base/random';
import { ErrorCode } from '../codec/generated/errors';
import { ManualClock } from '../testing/manual-clock';
import {
  type FetchContext,
  FetchSessions,
  type PartitionNews,
  type SessionRequest,
  type WantedPartition,
} from './fetch-session';

const QUIET: PartitionNews = {
  errorCode: 0,
  highWatermark: 10,
  logStartOffset: 0,
  sizeInBytes: 0,
  isDiverging: false,
};

function wanted(partition: number, fetchOffset = 10): WantedPartition {
  return {
    topic: 't',
    topicId: ZERO_UUID,
    partition,
    fetchOffset,
    maxBytes: 100,
    currentLeaderEpoch: -1,
    lastFetchedEpoch: -1,
  };
}

class Cache {
  readonly clock = new ManualClock();
  readonly sessions: FetchSessions;
  #ids = 0;

  constructor(maxSessions = 10, maxPartitions?: number) {
    const random: Random = { bytes: (count) => Buffer.alloc(count), integer: () => this.#ids++ };
    this.sessions = new FetchSessions({
      clock: this.clock,
      random,
      maxSessions,
      ...(maxPartitions && { maxPartitions }),
    });
  }

  begin(sessionId: number, sessionEpoch: number, o: Partial<SessionRequest> = {}): FetchContext {
    return this.sessions.begin({
      sessionId,
      sessionEpoch,
      usesTopicIds: false,
      isFollower: false,
      wanted: [],
      forgotten: [],
      ...o,
    });
  }

  /** A new session of that many partitions; its id, or 0. */
  open(count: number, o: Partial<SessionRequest> = {}): number {
    const list = Array.from({ length: count }, (_, i) => wanted(i));
    return this.begin(0, 0, { wanted: list, ...o }).answer(list.map(() => QUIET)).sessionId;
  }

  exists(id: number, epoch: number): boolean {
    return this.begin(id, epoch).errorCode === ErrorCode.NONE;
  }
}

const numbers = (context: FetchContext): number[] => context.partitions.map(({ partition }) => partition);

describe('a fetch session', () => {
  it('lives: full, incremental, final', () => {
    const cache = new Cache();
    const full = cache.begin(0, 0, { wanted: [wanted(0), wanted(1)] });
    expect(numbers(full)).toEqual([0, 1]);
    const opened = full.answer([QUIET, QUIET]);
    expect(opened).toEqual({ errorCode: 0, sessionId: 1, included: [0, 1] });
    const quiet = cache.begin(1, 1);
    expect(numbers(quiet)).toEqual([0, 1]);
    expect(quiet.answer([QUIET, QUIET])).toEqual({ errorCode: 0, sessionId: 1, included: [] });
    const news = cache.begin(1, 2);
    expect(news.answer([QUIET, { ...QUIET, sizeInBytes: 5 }]).included).toEqual([1]);
    const last = cache.begin(1, -1, { wanted: [wanted(0)] });
    expect([numbers(last), last.answer([QUIET])]).toEqual([[0], { errorCode: 0, sessionId: 0, included: [0] }]);
    expect(cache.begin(1, 3).errorCode).toBe(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    expect(cache.sessions.size).toBe(0);
  });

  it('is not made for a request without one', () => {
    const cache = new Cache();
    expect(cache.begin(0, -1, { wanted: [wanted(0)] }).answer([QUIET]).sessionId).toBe(0);
    expect(cache.sessions.size).toBe(0);
  });

  it('is replaced by a full request that names it', () => {
    const cache = new Cache();
    const first = cache.open(2);
    const second = cache.begin(first, 0, { wanted: [wanted(0)] }).answer([QUIET]).sessionId;
    expect(second).not.toBe(first);
    expect([cache.exists(first, 1), cache.exists(second, 1)]).toEqual([false, true]);
  });

  it('takes note of nothing where a client is over its quota, but goes on', () => {
    const cache = new Cache();
    const refused = cache.begin(0, 0, { wanted: [wanted(0)] }).withoutData();
    expect([refused, cache.sessions.size]).toEqual([{ errorCode: 0, sessionId: 0, included: [] }, 0]);
    const id = cache.open(2);
    const overtaken = cache.begin(id, 1);
    expect(cache.begin(id, 2).withoutData()).toEqual({ errorCode: 0, sessionId: id, included: [] });
    expect(overtaken.withoutData().errorCode).toBe(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
    const moved = { ...QUIET, highWatermark: 11 };
    cache.begin(id, 3).withoutData();
    expect(cache.begin(id, 4).answer([QUIET, moved]).included).toEqual([1]);
  });

  it('goes on after a wrong epoch', () => {
    const cache = new Cache();
    const id = cache.open(1);
    for (const epoch of [2, 7]) {
      const refused = cache.begin(id, epoch);
      expect(refused.errorCode).toBe(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
      expect([refused.partitions, refused.answer([])]).toEqual([
        [],
        { errorCode: ErrorCode.INVALID_FETCH_SESSION_EPOCH, sessionId: 0, included: [] },
      ]);
    }
    expect(cache.begin(id, 1).errorCode).toBe(ErrorCode.NONE);
    expect(cache.begin(id, 1).errorCode).toBe(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
  });

  it('does not change between names and ids', () => {
    const cache = new Cache();
    const id = cache.open(1);
    expect(cache.begin(id, 1, { usesTopicIds: true }).errorCode).toBe(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR);
    const withIds = cache.begin(0, 0, { usesTopicIds: true, wanted: [{ ...wanted(0), topic: '', topicId: 'x' }] });
    expect(cache.begin(withIds.answer([QUIET]).sessionId, 1).errorCode).toBe(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR);
  });

  it('takes partitions in, changes them and forgets them', () => {
    const cache = new Cache();
    const id = cache.open(2);
    const changed = cache.begin(id, 1, {
      wanted: [wanted(0, 77), wanted(5)],
      forgotten: [{ topic: 't', topicId: ZERO_UUID, partition: 1 }],
    });
    expect(changed.partitions.map(({ partition, fetchOffset }) => [partition, fetchOffset])).toEqual([
      [0, 77],
      [5, 10],
    ]);
    expect(changed.answer([QUIET, QUIET]).included).toEqual([1]);
    const again = cache.begin(id, 2, { wanted: [wanted(1)] });
    expect([numbers(again), again.answer([QUIET, QUIET, QUIET]).included]).toEqual([[0, 5, 1], [2]]);
  });

  it('takes the last of two entries for one partition', () => {
    const full = new Cache().begin(0, 0, { wanted: [wanted(0, 1), wanted(1), wanted(0, 2)] });
    expect(full.partitions.map(({ partition, fetchOffset }) => [partition, fetchOffset])).toEqual([
      [0, 2],
      [1, 10],
    ]);
  });

  it('ends with its last partition', () => {
    const cache = new Cache();
    const id = cache.open(1);
    const name = { topic: 't', topicId: ZERO_UUID, partition: 0 };
    const ended = cache.begin(id, 1, { forgotten: [name] });
    expect([ended.partitions, ended.answer([])]).toEqual([[], { errorCode: 0, sessionId: 0, included: [] }]);
    expect(cache.exists(id, 2)).toBe(false);
  });

  it('gives up an answer that another request has overtaken', () => {
    const cache = new Cache();
    const id = cache.open(1);
    const slow = cache.begin(id, 1);
    cache.begin(id, 2).answer([QUIET]);
    expect(slow.answer([QUIET])).toEqual({
      errorCode: ErrorCode.INVALID_FETCH_SESSION_EPOCH,
      sessionId: id,
      included: [],
    });
  });

  it('reads those with data last the next time', () => {
    const cache = new Cache();
    const id = cache.open(3);
    cache.begin(id, 1).answer([{ ...QUIET, sizeInBytes: 9 }, QUIET, QUIET]);
    expect(numbers(cache.begin(id, 2))).toEqual([1, 2, 0]);
  });
});

describe('news', () => {
  function told(...answers: PartitionNews[]): boolean[] {
    const cache = new Cache();
    const id = cache.open(1);
    return answers.map((news, i) => cache.begin(id, i + 1).answer([news]).included.length === 1);
  }

  it.each([
    ['data', { ...QUIET, sizeInBytes: 1 }, [true, false]],
    ['a high watermark', { ...QUIET, highWatermark: 11 }, [true, true]],
    ['a log start', { ...QUIET, logStartOffset: 3 }, [true, true]],
    ['a divergence', { ...QUIET, isDiverging: true }, [true, false]],
  ])('is %s', (_what, news, expected) => {
    expect(told(news, QUIET)).toEqual(expected);
    expect(told(news, news)[1]).toBe(news.sizeInBytes > 0 || news.isDiverging);
  });

  it('is an error each time, and its end once', () => {
    const failed = { ...QUIET, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, highWatermark: -1, logStartOffset: -1 };
    expect(told(failed, failed, QUIET, QUIET)).toEqual([true, true, true, false]);
  });
});

describe('eviction', () => {
  it('makes no session where there is no room', () => {
    expect(new Cache(0).open(1)).toBe(0);
    const cache = new Cache(2);
    expect([cache.open(1), cache.open(1), cache.open(100)]).toEqual([1, 2, 0]);
  });

  it('makes and grows no session beyond the partitions of all', async () => {
    const cache = new Cache(10, 10);
    const [a, b] = [cache.open(4), cache.open(4)];
    expect(cache.open(3)).toBe(0);
    const more = { wanted: [wanted(7), wanted(8)] };
    expect(cache.begin(a, 1, more).partitions).toHaveLength(6);
    expect(cache.begin(b, 1, { wanted: [wanted(9)] }).errorCode).toBe(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    expect([cache.sessions.size, cache.open(4)]).toEqual([1, 3]);
    expect([cache.sessions.evictions, cache.sessions.partitionCount]).toEqual([0, 10]);
    cache.begin(a, 2, { forgotten: more.wanted });
    expect(cache.open(3)).toBe(0);
    expect(cache.open(2)).toBeGreaterThan(0);
    await cache.clock.advance(121_000);
    expect(cache.open(10)).toBeGreaterThan(0);
    expect(cache.sessions.size).toBe(1);
  });

  it('takes the place of what was unused for two minutes', async () => {
    const cache = new Cache(2);
    const [a, b] = [cache.open(5), cache.open(5)];
    await cache.clock.advance(100_000);
    expect(cache.exists(a, 1)).toBe(true);
    await cache.clock.advance(30_000);
    expect(cache.open(1)).toBeGreaterThan(0);
    expect([cache.exists(a, 2), cache.exists(b, 1)]).toEqual([true, false]);
    expect([cache.sessions.evictions, cache.sessions.partitionCount]).toEqual([1, 6]);
  });

  it('prefers more partitions to fewer, once the others are settled', async () => {
    const cache = new Cache(2);
    const [small, large] = [cache.open(3), cache.open(5)];
    await cache.clock.advance(121_000);
    cache.begin(small, 1);
    cache.begin(large, 1);
    expect(cache.open(3)).toBe(0);
    expect(cache.open(4)).toBeGreaterThan(0);
    expect([cache.exists(small, 2), cache.exists(large, 2)]).toEqual([false, true]);
  });

  it('prefers followers to consumers, however young', () => {
    const cache = new Cache(2);
    const [consumer, follower] = [cache.open(50), cache.open(1, { isFollower: true })];
    expect(cache.open(1, { isFollower: true })).toBeGreaterThan(0);
    expect([cache.exists(consumer, 1), cache.exists(follower, 1)]).toEqual([false, true]);
    expect(cache.open(99)).toBe(0);
    expect(cache.open(99, { isFollower: true })).toBe(0);
  });
});
