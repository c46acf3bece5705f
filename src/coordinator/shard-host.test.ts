/** One shard under its host: order, group commit, visibility, failures, timers, closing. */
import { err, ok } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import { buildBatch } from '../records/batch-builder';
import { type CounterOp, type CounterRecord, CounterShard, counterCodec } from '../testing/counter-shard';
import { ManualClock, settle } from '../testing/manual-clock';
import { MemoryPartition } from '../testing/memory-partition';
import { RecordingLogger } from '../testing/recording-logger';
import type { RequestToken } from './shard';
import { type RuntimeOptions, ShardHost } from './shard-host';

const stored = (by: number) => buildBatch({ records: [{ timestamp: 1, ...counterCodec.encode({ by }) }] });

interface Start {
  readonly options?: Partial<RuntimeOptions<CounterOp, CounterRecord>>;
  /** What the partition holds already. */
  readonly before?: readonly number[];
  /** How many looks at the partition fail. */
  readonly failures?: number;
}

async function setUp({ options = {}, before = [], failures = 0 }: Start = {}) {
  const log = new MemoryPartition();
  for (let i = 0; i < failures; i++) log.readFailures.push(err(ErrorCode.KAFKA_STORAGE_ERROR));
  for (const by of before) log.put(stored(by));
  log.commit();
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const shards: CounterShard[] = [];
  const host = new ShardHost<CounterOp, CounterRecord>(
    {
      makeShard: () => {
        const shard = new CounterShard();
        shards.push(shard);
        return shard;
      },
      codec: counterCodec,
      writer: log,
      reader: log,
      clock,
      logger,
      maxBatchBytes: 1000,
      compressionCodec: 0,
      commitTimeoutMs: 5000,
      loadBufferBytes: 1000,
      ...options,
    },
    { topic: 't', partition: 0 },
  );
  log.onHighWatermark = (offset) => host.onHighWatermark(offset);
  const add = (by: number, times = 1) => host.submit<number>((token) => ({ kind: 'add', by, times, token }));
  const read = () => host.submit<number>((token) => ({ kind: 'read', token }));
  const waitFor = (count: number) => host.submit<number>((token) => ({ kind: 'wait-for', count, token }));
  return { log, clock, logger, shards, host, add, read, waitFor };
}

async function loaded(start: Start = {}) {
  const t = await setUp(start);
  await t.host.loaded;
  return t;
}

/** What a promise gives if it is settled by now. */
async function now<T>(promise: Promise<T>): Promise<T | 'open'> {
  await settle();
  return Promise.race([promise, Promise.resolve('open' as const)]);
}

describe('ShardHost', () => {
  it('refuses while it loads, then goes on from what is stored', async () => {
    const t = await setUp({ before: [1, 2, 3] });
    expect(await t.read()).toEqual(err(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS));
    await t.host.loaded;
    expect(await t.read()).toEqual(ok(6));
    expect(t.shards[0]!.loadedAtMs).toBe(t.clock.nowMs());
  });

  it('writes what queues up behind a write in one batch', async () => {
    const t = await loaded();
    t.log.holdAppends();
    const answers = [t.add(1), t.add(2), t.add(3), t.read()];
    await settle();
    t.log.releaseAppends();
    expect(await Promise.all(answers)).toEqual([ok(1), ok(3), ok(6), ok(6)]);
    expect(t.log.records().map((records) => records.length)).toEqual([1, 2]);
  });

  it('answers nothing that rests on what is not committed, reads neither', async () => {
    const t = await loaded();
    t.log.commitsAtOnce = false;
    const added = t.add(5);
    const seen = t.read();
    expect(await now(added)).toBe('open');
    expect(await now(seen)).toBe('open');
    t.log.commit();
    expect(await added).toEqual(ok(5));
    expect(await seen).toEqual(ok(5));
  });

  it('knows a high watermark that came while it loaded', async () => {
    const t = await setUp({ before: [1] });
    t.log.highWatermark = 0;
    t.host.onHighWatermark(1);
    await t.host.loaded;
    expect(await now(t.read())).toEqual(ok(1));
  });

  it('answers each request once, and says where a shard would do so again', async () => {
    const t = await loaded();
    const tokens: RequestToken<number>[] = [];
    const readAs = (token: RequestToken<number>): CounterOp => {
      tokens.push(token);
      return { kind: 'read', token };
    };
    expect(await t.host.submit(readAs)).toEqual(ok(0));
    const unanswered = t.host.submit<number>(() => ({ kind: 'read', token: tokens[0]! }));
    expect(await t.add(1)).toEqual(ok(1));
    const twice = { level: 'error', message: expect.stringContaining('twice'), fields: { topic: 't', partition: 0 } };
    expect(t.logger.of('error')).toEqual([twice]);
    // Of the life before.
    const waiting = t.host.submit<number>((token) => {
      tokens.push(token);
      return { kind: 'wait-for', count: 9, token };
    });
    void t.host.submit<number>((token) => ({ kind: 'break', token }));
    expect(await Promise.all([unanswered, waiting])).toEqual(Array(2).fill(err(ErrorCode.NOT_COORDINATOR)));
    await t.clock.advance(0);
    await t.host.loaded;
    void t.host.submit<number>(() => ({ kind: 'read', token: tokens[1]! }));
    expect(await t.read()).toEqual(ok(1));
    expect(t.logger.of('error').slice(-1)).toEqual([twice]);
    t.host.close();
  });

  it('gives up on replicas that do not follow', async () => {
    const t = await loaded();
    t.log.commitsAtOnce = false;
    const added = t.add(5);
    await t.clock.advance(5000);
    expect(await added).toEqual(err(ErrorCode.COORDINATOR_NOT_AVAILABLE));
  });

  it('answers parked requests when another operation says so', async () => {
    const t = await loaded();
    const waiting = t.waitFor(3);
    await t.add(1);
    expect(await now(waiting)).toBe('open');
    await t.add(2);
    expect(await waiting).toEqual(ok(3));
  });

  it('drops and reloads the shard when a write fails, and refuses everything open', async () => {
    const t = await loaded({ before: [7] });
    const waiting = t.waitFor(100);
    t.log.appendFailures.push(err(ErrorCode.NOT_ENOUGH_REPLICAS));
    expect(await t.add(1)).toEqual(err(ErrorCode.COORDINATOR_NOT_AVAILABLE));
    expect(await waiting).toEqual(err(ErrorCode.COORDINATOR_NOT_AVAILABLE));
    expect(await t.read()).toEqual(err(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS));
    await t.clock.advance(0);
    expect(await t.read()).toEqual(ok(7));
    expect(t.shards).toHaveLength(2);
  });

  it('reloads less and less often while writes keep failing', async () => {
    const t = await loaded();
    for (const delayMs of [0, 100, 200, 400]) {
      // Who waits is soft state, which an addition may change.
      void t.waitFor(1000);
      t.log.appendFailures.push(err(ErrorCode.KAFKA_STORAGE_ERROR));
      expect(await t.add(1)).toEqual(err(ErrorCode.NOT_COORDINATOR));
      if (delayMs > 0) await t.clock.advance(delayMs - 1);
      expect(await t.read()).toEqual(err(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS));
      await t.clock.advance(1);
    }
    expect(await t.add(1)).toEqual(ok(1));
    t.log.appendFailures.push(err(ErrorCode.KAFKA_STORAGE_ERROR));
    await t.add(1);
    await t.clock.advance(0);
    expect(await t.read()).toEqual(ok(1));
  });

  it('after a failed write refuses what leaves soft state alone by itself, until a write succeeds', async () => {
    const t = await loaded({ before: [7] });
    const fail = (): void => void t.log.appendFailures.push(err(ErrorCode.KAFKA_STORAGE_ERROR));
    fail();
    expect(await t.add(1)).toEqual(err(ErrorCode.NOT_COORDINATOR));
    await t.clock.advance(0);
    const waiting = t.waitFor(8);
    for (let i = 0; i < 3; i++) fail();
    await t.clock.advance(0);
    expect(t.shards).toHaveLength(2);
    // An addition changes who waits: all is dropped once more.
    expect(await t.add(1)).toEqual(err(ErrorCode.NOT_COORDINATOR));
    expect(await waiting).toEqual(err(ErrorCode.NOT_COORDINATOR));
    await t.clock.advance(100);
    expect(await Promise.all([t.read(), t.add(1), t.add(1), t.read()])).toEqual([
      ok(7),
      err(ErrorCode.NOT_COORDINATOR),
      err(ErrorCode.NOT_COORDINATOR),
      ok(7),
    ]);
    expect(await Promise.all([t.add(1), t.add(2), t.read()])).toEqual([ok(8), ok(10), ok(10)]);
    expect([t.shards.length, t.shards[2]!.applied.map(({ offset }) => offset), t.log.endOffset]).toEqual([
      3,
      [0, 1, 2],
      3,
    ]);
  });

  it('tries again when it cannot be loaded', async () => {
    const t = await setUp({ before: [4], failures: 2 });
    await t.host.loaded;
    expect(await t.read()).toEqual(err(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS));
    await t.clock.advance(1000);
    expect(await t.read()).toEqual(ok(4));
  });

  it('reloads when somebody else has written to the partition', async () => {
    const t = await loaded();
    t.log.put(stored(50));
    t.log.commit();
    expect(await t.add(1)).toEqual(err(ErrorCode.UNKNOWN_SERVER_ERROR));
    await t.clock.advance(0);
    expect(await t.read()).toEqual(ok(51));
  });

  it('survives a bug in the shard: the culprit hears so, the rest is to find the coordinator again', async () => {
    const t = await loaded({ before: [2] });
    const waiting = t.waitFor(100);
    const broken = t.host.submit<number>((token) => ({ kind: 'break', token }));
    expect(await broken).toEqual(err(ErrorCode.UNKNOWN_SERVER_ERROR));
    expect(await waiting).toEqual(err(ErrorCode.NOT_COORDINATOR));
    expect(t.logger.of('error')).toHaveLength(1);
    await t.clock.advance(0);
    expect(await t.add(1)).toEqual(ok(3));
  });

  it('brings expired timers back as operations, and forgets them with the shard', async () => {
    const t = await loaded();
    await t.host.submit<number>((token) => ({ kind: 'add-later', afterMs: 300, token }));
    await t.clock.advance(299);
    expect(await t.read()).toEqual(ok(0));
    await t.clock.advance(1);
    expect(await t.read()).toEqual(ok(100));
    await t.host.submit<number>((token) => ({ kind: 'add-later', afterMs: 300, token }));
    t.log.appendFailures.push(err(ErrorCode.KAFKA_STORAGE_ERROR));
    await t.add(1);
    await t.clock.advance(1000);
    expect(await t.read()).toEqual(ok(100));
  });

  it('splits what is larger than a batch may be', async () => {
    const t = await loaded({ options: { maxBatchBytes: 200 } });
    expect(await t.add(1, 20)).toEqual(ok(20));
    expect(t.log.batches.length).toBeGreaterThan(1);
    expect(t.log.batches.every((batch) => batch.length <= 200)).toBe(true);
  });

  it('refuses what waits and everything after it is closed, also a write that still comes back', async () => {
    const t = await loaded();
    t.log.holdAppends();
    const added = t.add(1);
    const waiting = t.waitFor(100);
    t.host.close();
    expect(await added).toEqual(err(ErrorCode.NOT_COORDINATOR));
    expect(await waiting).toEqual(err(ErrorCode.NOT_COORDINATOR));
    t.log.releaseAppends();
    await settle();
    expect(await t.read()).toEqual(err(ErrorCode.NOT_COORDINATOR));
    expect(t.clock.timerCount).toBe(0);
  });

  it('does not come back when it is closed while it loads', async () => {
    const t = await setUp({ before: [1] });
    t.host.close();
    await t.host.loaded;
    expect(await t.read()).toEqual(err(ErrorCode.NOT_COORDINATOR));
  });
});
