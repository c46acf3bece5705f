/** Moves between log directories: under load, cancelled, turned, on failing disks, with the power cut at any moment. */
import { silentLogger } from '../base/logger';
import { ok } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import { describeLogDirs } from '../log/log-dir-description';
import type { LogManager } from '../log/log-manager';
import type { PartitionLog } from '../log/partition-log';
import { buildEndTransactionMarker } from '../records/control-record';
import type { CrashStorage } from '../testing/crash-storage';
import type { CrashMode, FaultyFileSystem } from '../testing/faulty-file-system';
import { append, readAll, readFrom, seededRandom, textsOf } from '../testing/log-fixture';
import { ManualClock, settle } from '../testing/manual-clock';
import { newTopic } from '../testing/metadata-broker';
import { appendOne, type ReplicaFixture, seen, startReplicas, testBatch, testFetch } from '../testing/replica-fixture';
import { LogDirMoves } from './log-dir-moves';
import type { Partition } from './partition';

const DIRS = ['/a', '/b', '/c'];
const SMALL: Readonly<Record<string, string>> = {
  'segment.bytes': '2000',
  'retention.ms': '-1',
  'flush.messages': '1',
};

const TRUSTED = { origin: 'coordinator', leaderEpoch: 0 } as const;

async function start(configs = SMALL, o: Parameters<typeof startReplicas>[0] = {}): Promise<ReplicaFixture> {
  const fixture = await startReplicas({ logDirs: DIRS, ...o });
  await createTopic(fixture, configs);
  return fixture;
}

async function createTopic({ broker }: ReplicaFixture, configs = SMALL): Promise<void> {
  const topic = newTopic('t', { configs: new Map(Object.entries(configs)) });
  const [created] = await broker.controller.createTopics([topic], { validateOnly: false });
  if (!created?.ok) throw new Error(`no topic: ${created?.message}`);
}

function logOf({ logManager }: ReplicaFixture): PartitionLog {
  const log = logManager.get('t', 0);
  if (!log) throw new Error('no log');
  return log;
}

const where = (fixture: ReplicaFixture): string => logOf(fixture).directory;

const move = ({ replicaManager }: ReplicaFixture, path: string): Promise<ErrorCode> =>
  replicaManager.alterLogDir({ topic: 't', partition: 0 }, path);

async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000 && !isTrue(); turn++) await settle(1);
  expect(isTrue()).toBe(true);
}

const arrived = (fixture: ReplicaFixture, path: string): Promise<void> => until(() => where(fixture) === path);

/** Records `v0`, `v1`, …, one batch each. */
async function fill(fixture: ReplicaFixture, count: number, from = 0): Promise<void> {
  for (let i = 0; i < count; i++) {
    const records = testBatch(1, { valueBytes: 150, producerId: 7, producerEpoch: 0, baseSequence: from + i });
    expect(await appendOne(fixture, 't', { records })).toMatchObject({ errorCode: 0, baseOffset: from + i });
  }
}

async function offsetsOf(fixture: ReplicaFixture): Promise<number[]> {
  return (await readAll(logOf(fixture), logOf(fixture).logStartOffset, 5000)).map(({ offset }) => offset);
}

const upTo = (end: number, from = 0): number[] => Array.from({ length: end - from }, (_, i) => from + i);

const names = ({ disk }: ReplicaFixture, path: string): string[] => disk.list(path).map(({ name }) => name);

const partitionsIn = (fixture: ReplicaFixture, path: string): string[] =>
  names(fixture, path)
    .filter((name) => name.startsWith('t-0'))
    .map((name) => name.replace(/\.[0-9a-f]{32}-/, '.UNIQUE-'));

async function close({ moves, logManager }: ReplicaFixture, clean = true): Promise<void> {
  await moves.close();
  await logManager.close({ clean });
}

describe('a move', () => {
  it('takes everything along while records come in, and the log is what it was', async () => {
    const fixture = await start();
    await fill(fixture, 60);
    await fixture.replicaManager.deleteRecords({ topic: 't', partition: 0, offset: 25 });
    const before = logOf(fixture);
    const transaction = { producerId: 9, producerEpoch: 0 };
    await append(before, testBatch(2, { ...transaction, baseSequence: 0, isTransactional: true }), TRUSTED);
    const marker = buildEndTransactionMarker({ ...transaction, isCommit: false, coordinatorEpoch: 0, timestampMs: 1 });
    await append(before, marker, TRUSTED);
    await append(before, testBatch(1, { ...transaction, baseSequence: 2, isTransactional: true }), TRUSTED);
    before.setHighWatermark(64);
    const said = await readFrom(before, 60, { withAbortedTransactions: true });

    expect(await move(fixture, '/b')).toBe(ErrorCode.NONE);
    for (let i = 64; i < 90; i++) {
      const records = testBatch(1, { valueBytes: 150, producerId: 7, producerEpoch: 0, baseSequence: i - 4 });
      expect(await appendOne(fixture, 't', { records })).toMatchObject({ errorCode: 0, baseOffset: i });
      await settle(1);
    }
    await arrived(fixture, '/b/t-0');
    const after = logOf(fixture);
    expect(after).not.toBe(before);
    expect(await offsetsOf(fixture)).toEqual(upTo(90, 25));
    expect([after.logStartOffset, after.highWatermark, after.logEndOffset]).toEqual([25, 90, 90]);
    expect([after.lastStableOffset, after.epochForOffset(70), after.topicId]).toEqual([63, 0, before.topicId]);
    const now = await readFrom(after, 60, { withAbortedTransactions: true });
    expect([textsOf(now.records).slice(0, 3), now.aborted]).toEqual([textsOf(said.records).slice(0, 3), said.aborted]);
    expect(now.aborted).toEqual([{ producerId: 9, firstOffset: 60 }]);
    // A producer that repeats itself is known.
    const again = testBatch(1, { valueBytes: 150, producerId: 7, producerEpoch: 0, baseSequence: 85 });
    expect(await appendOne(fixture, 't', { records: again })).toMatchObject({ errorCode: 0, baseOffset: 89 });
    expect(partitionsIn(fixture, '/a')).toEqual(['t-0.UNIQUE-delete']);
    expect(partitionsIn(fixture, '/b')).toEqual(['t-0']);
    await fixture.clock.advance(60_001);
    expect(partitionsIn(fixture, '/a')).toEqual([]);
    await close(fixture);
  });

  it('is told while it goes on, as slow as it may be', async () => {
    const fixture = await start(SMALL, { moveBytesPerSecond: 1000 });
    await fill(fixture, 20);
    const total = logOf(fixture).sizeInBytes;
    expect(await move(fixture, '/b')).toBe(ErrorCode.NONE);
    const told = async () => {
      const { disk: fileSystem, logManager } = fixture;
      const described = await describeLogDirs(DIRS, { fileSystem, logManager });
      return described.flatMap(({ path, partitions }) =>
        partitions.map(({ sizeInBytes, offsetLag, isFuture }) => ({ path, sizeInBytes, offsetLag, isFuture })),
      );
    };
    await settle();
    const [current, future] = await told();
    expect(current).toEqual({ path: '/a', sizeInBytes: total, offsetLag: 0, isFuture: false });
    expect(future).toMatchObject({ path: '/b', isFuture: true });
    expect([future!.offsetLag > 10, future!.sizeInBytes > 0, future!.sizeInBytes <= 1000]).toEqual([true, true, true]);
    expect(partitionsIn(fixture, '/b')).toEqual(['t-0.UNIQUE-future']);
    await fixture.clock.advance(1500);
    const [, later] = await told();
    expect([later!.offsetLag < future!.offsetLag, later!.sizeInBytes < total]).toEqual([true, true]);
    await fixture.clock.advance(10_000);
    await arrived(fixture, '/b/t-0');
    expect(await told()).toEqual([{ path: '/b', sizeInBytes: total, offsetLag: 0, isFuture: false }]);
    await close(fixture);
  });

  it('ends when the present directory is named, and turns to another one', async () => {
    const fixture = await start(SMALL, { moveBytesPerSecond: 1000 });
    await fill(fixture, 20);
    await move(fixture, '/b');
    await settle();
    expect(await move(fixture, '/a')).toBe(ErrorCode.NONE);
    expect([partitionsIn(fixture, '/b').filter((name) => !name.endsWith('-delete'))]).toEqual([[]]);
    await fixture.clock.advance(60_000);
    expect([where(fixture), partitionsIn(fixture, '/b')]).toEqual(['/a/t-0', []]);

    await move(fixture, '/b');
    await settle();
    expect(await move(fixture, '/c')).toBe(ErrorCode.NONE);
    await fixture.clock.advance(60_000);
    await arrived(fixture, '/c/t-0');
    await fixture.clock.advance(60_001);
    expect(DIRS.map((path) => partitionsIn(fixture, path))).toEqual([[], [], ['t-0']]);
    await fill(fixture, 5, 20);
    expect(await offsetsOf(fixture)).toEqual(upTo(25));
    await close(fixture);
  });

  it('follows retention and deleted records', async () => {
    const fixture = await start(SMALL, { moveBytesPerSecond: 1500 });
    await fill(fixture, 40);
    await move(fixture, '/b');
    await fixture.clock.advance(3000);
    await fixture.replicaManager.deleteRecords({ topic: 't', partition: 0, offset: 23 });
    await fixture.clock.advance(60_000);
    await arrived(fixture, '/b/t-0');
    expect(await offsetsOf(fixture)).toEqual(upTo(40, 23));
    const files = names(fixture, '/b/t-0').filter((name) => name.endsWith('.log'));
    expect(files.length).toBe(logOf(fixture).segmentCount);
    // Also with the power cut at once: the start is durable where the partition is now.
    const disk = fixture.disk.crash('synced-only', seededRandom(1));
    await close(fixture, false);
    const after = await startReplicas({ disk, logDirs: DIRS, storage: fixture.broker.storage });
    expect([where(after), await offsetsOf(after)]).toEqual(['/b/t-0', upTo(40, 23)]);
    await close(after);
  });

  it('goes on where retention takes a file away in the midst of its copy', async () => {
    const fixture = await start({ ...SMALL, 'segment.bytes': '2000000', 'max.message.bytes': '2000000' });
    for (const valueBytes of [1_500_000, 1_500_000, 10]) {
      await appendOne(fixture, 't', { records: testBatch(1, { valueBytes }) });
    }
    const { disk } = fixture;
    const open = disk.open.bind(disk);
    const deleted: unknown[] = [];
    disk.open = (path, mode) => {
      const handle = open(path, mode);
      if (!/^\/b\/.*\.log$/.test(path)) return handle;
      const write = handle.writeAsync.bind(handle);
      handle.writeAsync = async (parts, position) => {
        await write(parts, position);
        if (deleted.length === 0) deleted.push(await logOf(fixture).deleteRecordsBefore(2));
      };
      return handle;
    };
    await move(fixture, '/b');
    await arrived(fixture, '/b/t-0');
    expect([deleted, await offsetsOf(fixture)]).toEqual([[{ ok: true, value: 2 }], [2]]);
    await close(fixture);
  });

  it('shows readers and lookups nothing but a short wait', async () => {
    const fixture = await start();
    await fill(fixture, 30);
    await move(fixture, '/b');
    for (let turn = 0; turn < 400 && where(fixture) !== '/b/t-0'; turn++) {
      const [read] = await fixture.replicaManager.fetch(testFetch([{ topic: 't', fetchOffset: 12 }], { maxWaitMs: 0 }));
      expect((await seen(read)).slice(0, 2)).toEqual([0, 30]);
      expect((await seen(read))[2]).toEqual(expect.arrayContaining([12]));
      const found = await fixture.replicaManager.offsetForTimestamp({
        ...{ topic: 't', partition: 0, timestamp: 1_700_000_000_000, isolation: 'high-watermark' as const },
        currentLeaderEpoch: -1,
      });
      expect(found).toMatchObject({ ok: true, value: { offset: 0 } });
    }
    expect(where(fixture)).toBe('/b/t-0');
    await close(fixture);
  });
});

describe('the exchange', () => {
  /** Moves, and runs `meanwhile` at the moment when the log is out of its place and the copy not yet in it. */
  async function between(fixture: ReplicaFixture, meanwhile: () => void): Promise<string[]> {
    const calls: string[] = [];
    const { disk } = fixture;
    const rename = disk.rename.bind(disk);
    disk.rename = (from, to) => {
      rename(from, to);
      if (/t-0/.test(from)) calls.push(`rename ${from.slice(0, 2)}`);
      if (from === '/a/t-0') meanwhile();
    };
    const syncDirectory = disk.syncDirectory.bind(disk);
    disk.syncDirectory = async (path) => {
      await syncDirectory(path);
      calls.push(`sync ${path}`);
    };
    await move(fixture, '/b');
    await arrived(fixture, '/b/t-0');
    return calls;
  }

  it('lets appends and deletions wait, and a long poll that ends find nothing', async () => {
    const fixture = await start();
    const { replicaManager } = fixture;
    await fill(fixture, 10);
    const polls = [0, 10].map((fetchOffset) =>
      replicaManager.fetch(testFetch([{ topic: 't', fetchOffset }], { minBytes: 1_000_000, maxWaitMs: 1000 })),
    );
    const waiting: Promise<unknown>[] = [];
    await between(fixture, () => {
      waiting.push(fill(fixture, 1, 10));
      waiting.push(replicaManager.deleteRecords({ topic: 't', partition: 0, offset: 4 }));
      replicaManager.expireWaits();
    });
    for (const poll of polls) expect(await seen((await poll)[0])).toEqual([0, 10, []]);
    expect((await Promise.all(waiting))[1]).toEqual({ ok: true, value: 4 });
    expect(await offsetsOf(fixture)).toEqual(upTo(11, 4));
    await close(fixture);
  });

  it('makes the way free, durably, before the copy takes the place: the two may be on different disks', async () => {
    const fixture = await start();
    await fill(fixture, 10);
    const calls = await between(fixture, () => undefined);
    const order = calls.slice(calls.indexOf('rename /a'));
    expect(order.slice(0, 4)).toEqual(['rename /a', 'sync /a', 'rename /b', 'sync /b']);
    await close(fixture);
  });
});

describe('the end of a move', () => {
  it('keeps deleted records deleted, whoever writes the checkpoints of the target meanwhile', async () => {
    const fixture = await start({ ...SMALL, 'segment.bytes': '1000000' });
    const { disk, replicaManager, broker } = fixture;
    await replicaManager.alterLogDir({ topic: 'other', partition: 0 }, '/b');
    const other = newTopic('other', { configs: new Map(Object.entries(SMALL)) });
    await broker.controller.createTopics([other], { validateOnly: false });
    await fill(fixture, 20);
    for (let i = 0; i < 5; i++) await appendOne(fixture, 'other');
    await replicaManager.deleteRecords({ topic: 't', partition: 0, offset: 7 });
    const rename = disk.rename.bind(disk);
    const syncDirectory = disk.syncDirectory.bind(disk);
    let isOut = false;
    let crashed: FaultyFileSystem | undefined;
    disk.rename = (from, to) => {
      rename(from, to);
      if (from === '/a/t-0') isOut = true;
      if (to === '/b/t-0') crashed = disk.crash('all-unsynced', seededRandom(1));
    };
    disk.syncDirectory = async (path) => {
      if (isOut && path === '/a') await replicaManager.deleteRecords({ topic: 'other', partition: 0, offset: 3 });
      await syncDirectory(path);
    };
    await move(fixture, '/b');
    await arrived(fixture, '/b/t-0');
    await close(fixture, false);
    const after = await startReplicas({ disk: crashed!, logDirs: DIRS, storage: broker.storage });
    expect([where(after), await offsetsOf(after)]).toEqual(['/b/t-0', upTo(20, 7)]);
    expect(after.logManager.get('other', 0)!.logStartOffset).toBe(3);
    await close(after);
  });

  it('does not miss the move that begins then', async () => {
    for (let turns = 1; turns < 10; turns++) {
      const copied: string[] = [];
      const begin = (key: string): void =>
        moves.resume({ key, topicPartition: { topic: key, partition: 0 } } as Partition);
      const beginLater = async (key: string): Promise<void> => {
        for (let i = 0; i < turns; i++) await Promise.resolve();
        begin(key);
      };
      const futures: Partial<LogManager['futures']> = {
        has: () => true,
        copy: async (key) => {
          copied.push(key);
          if (key === 'first') void beginLater('second');
          return ok(undefined);
        },
      };
      const moves = new LogDirMoves({
        logManager: { futures } as unknown as LogManager,
        checkDirectory: () => Promise.resolve(),
        clock: new ManualClock(),
        logger: silentLogger,
        maxBytesPerSecond: () => Number.POSITIVE_INFINITY,
        isCordoned: () => false,
      });
      begin('first');
      await settle();
      expect([turns, copied]).toEqual([turns, ['first', 'second']]);
      await moves.close();
    }
  });
});

describe('what cannot move', () => {
  it('is told why', async () => {
    const fixture = await start();
    const alter = (topic: string, path: string) => fixture.replicaManager.alterLogDir({ topic, partition: 0 }, path);
    expect(await alter('t', '/d')).toBe(ErrorCode.LOG_DIR_NOT_FOUND);
    expect(await alter('t', '/a')).toBe(ErrorCode.NONE);
    expect(await alter('x'.repeat(249), '/b')).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
    expect(await alter('new', '/c')).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    // Which counts when the partition is made.
    await fixture.broker.controller.createTopics([newTopic('new')], { validateOnly: false });
    expect(fixture.logManager.get('new', 0)?.directory).toBe('/c/new-0');
    const fault = fixture.disk.inject({ on: 'write', code: 'EIO', path: /\.log$/ });
    expect(await appendOne(fixture, 't')).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    fault.lift();
    expect(await alter('t', '/b')).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    await close(fixture, false);
  });

  it.each([
    ['write', 'EIO'],
    ['write', 'ENOSPC'],
    ['sync', 'EIO'],
    ['open', 'EIO'],
    ['rename', 'EIO'],
  ] as const)('stays where it is when the target fails: %s %s', async (on, code) => {
    const fixture = await start();
    await fill(fixture, 30);
    const fault = fixture.disk.inject({ on, code, path: /^\/b/ });
    await move(fixture, '/b');
    await until(() => !fixture.logManager.futures.has('t-0'));
    fault.lift();
    expect([where(fixture), await offsetsOf(fixture)]).toEqual(['/a/t-0', upTo(30)]);
    await fill(fixture, 3, 30);
    await move(fixture, '/b');
    await arrived(fixture, '/b/t-0');
    expect(await offsetsOf(fixture)).toEqual(upTo(33));
    await close(fixture);
  });

  it('goes with its topic, and a topic of the same name is another one', async () => {
    const fixture = await start(SMALL, { moveBytesPerSecond: 1000 });
    await fill(fixture, 20);
    await move(fixture, '/b');
    await settle();
    await fixture.broker.controller.deleteTopics(['t']);
    expect(DIRS.flatMap((path) => partitionsIn(fixture, path)).filter((name) => !name.endsWith('-delete'))).toEqual([]);
    await createTopic(fixture);
    await fixture.clock.advance(100_000);
    expect(DIRS.flatMap((path) => partitionsIn(fixture, path))).toEqual(['t-0']);
    expect(await offsetsOf(fixture)).toEqual([]);
    await close(fixture);
  });

  it('does not take the next topic of that name along, when it was about to be exchanged', async () => {
    const fixture = await startReplicas({ logDirs: DIRS });
    const { disk, replicaManager } = fixture;
    // A search that lasts: the exchange waits for it.
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const open = disk.open.bind(disk);
    disk.open = (path, mode) => {
      const handle = open(path, mode);
      const read = handle.readAsync.bind(handle);
      handle.readAsync = async (target, position) => {
        if (target.length < 400 && /^\/a\/t-0\/.*log$/.test(path)) await held;
        return read(target, position);
      };
      return handle;
    };
    await createTopic(fixture);
    await fill(fixture, 5);
    const lookup = { topic: 't', partition: 0, timestamp: 5, isolation: 'log-end', currentLeaderEpoch: -1 } as const;
    const searching = replicaManager.offsetForTimestamp(lookup);
    await move(fixture, '/b');
    await settle(30);
    await fixture.broker.controller.deleteTopics(['t']);
    await createTopic(fixture);
    await fill(fixture, 3);
    expect(await move(fixture, '/c')).toBe(ErrorCode.NONE);
    release();
    await searching;
    await arrived(fixture, '/c/t-0');
    await settle(30);
    await fill(fixture, 2, 3);
    expect(await offsetsOf(fixture)).toEqual(upTo(5));
    await close(fixture);
  });

  it('may be deleted at every moment of the exchange', async () => {
    for (let turns = 0; turns < 60; turns += 2) {
      const fixture = await start();
      await fill(fixture, 12);
      await move(fixture, '/b');
      await settle(turns);
      const deleted = fixture.broker.controller.deleteTopics(['t']);
      await deleted;
      const left = DIRS.flatMap((path) => partitionsIn(fixture, path)).filter((name) => !name.endsWith('-delete'));
      expect([turns, left, fixture.logManager.get('t', 0)]).toEqual([turns, [], undefined]);
      await createTopic(fixture);
      await fill(fixture, 2);
      expect(await offsetsOf(fixture)).toEqual([0, 1]);
      await close(fixture, false);
    }
  });
});

describe('a crash', () => {
  /** The disk at every change of names, and what was acknowledged by then. */
  async function crashes(mode: CrashMode): Promise<{ disk: FaultyFileSystem; storage: CrashStorage; end: number }[]> {
    const found: { disk: FaultyFileSystem; storage: CrashStorage; end: number }[] = [];
    const random = seededRandom(3);
    const fixture = await start({ ...SMALL, 'segment.bytes': '1000' });
    let end = 0;
    const { disk } = fixture;
    const { storage } = fixture.broker;
    const take = (): void => void found.push({ disk: disk.crash(mode, random), storage, end });
    await fill(fixture, 20);
    end = 20;
    const rename = disk.rename.bind(disk);
    disk.rename = (from, to) => {
      take();
      rename(from, to);
      take();
    };
    const syncDirectory = disk.syncDirectory.bind(disk);
    disk.syncDirectory = async (path) => {
      take();
      await syncDirectory(path);
      take();
    };
    await move(fixture, '/b');
    for (let i = 20; i < 26; i++) {
      await fill(fixture, 1, i);
      end = i + 1;
      await settle(1);
    }
    await arrived(fixture, '/b/t-0');
    await fill(fixture, 1, 26);
    end = 27;
    await settle();
    take();
    await close(fixture, false);
    return found;
  }

  it.each<CrashMode>(['all-unsynced', 'synced-only', 'some-unsynced'])(
    'loses nothing, and the move comes to its end: %s',
    async (mode) => {
      const all = await crashes(mode);
      expect(all.length).toBeGreaterThan(30);
      for (const [i, { disk, storage, end }] of all.entries()) {
        const after = await startReplicas({ disk, logDirs: DIRS, storage });
        expect(logOf(after).logEndOffset).toBeGreaterThanOrEqual(end);
        expect([i, await offsetsOf(after)]).toEqual([i, upTo(logOf(after).logEndOffset)]);
        const isUnderWay = after.logManager.futures.has('t-0');
        if (isUnderWay) await arrived(after, '/b/t-0');
        await fill(after, 1, logOf(after).logEndOffset);
        await after.clock.advance(60_001);
        const places = DIRS.flatMap((path) => partitionsIn(after, path));
        expect([i, places]).toEqual([i, ['t-0']]);
        await close(after);
      }
    },
  );

  it('loses nothing of what is appended after an exchange that failed midway', async () => {
    const fixture = await start();
    await fill(fixture, 20);
    fixture.disk.inject({ on: 'rename', code: 'EIO', path: /^\/b\/.*-future$/ });
    await move(fixture, '/b');
    await until(() => !fixture.logManager.futures.has('t-0'));
    await fill(fixture, 3, 20);
    const disk = fixture.disk.crash('synced-only', seededRandom(1));
    await close(fixture, false);
    const after = await startReplicas({ disk, logDirs: DIRS, storage: fixture.broker.storage });
    expect([where(after), await offsetsOf(after)]).toEqual(['/a/t-0', upTo(23)]);
    await close(after);
  });

  it('leaves the copy where the log does not even get its name back', async () => {
    const fixture = await start();
    await fill(fixture, 20);
    fixture.disk.inject({ on: 'rename', code: 'EIO', path: /^\/b\/.*-future$/, times: 1 });
    fixture.disk.inject({ on: 'rename', code: 'EIO', path: /^\/a\/.*-delete$/ });
    await move(fixture, '/b');
    await until(() => !fixture.logManager.futures.has('t-0'));
    const disk = fixture.disk.crash('all-unsynced', seededRandom(1));
    await close(fixture, false);
    const after = await startReplicas({ disk, logDirs: DIRS, storage: fixture.broker.storage });
    expect([where(after), await offsetsOf(after)]).toEqual(['/b/t-0', upTo(20)]);
    await close(after);
  });

  it('goes on after a clean stop, with what was copied', async () => {
    const fixture = await start(SMALL, { moveBytesPerSecond: 1000 });
    await fill(fixture, 40);
    await move(fixture, '/b');
    await fixture.clock.advance(5000);
    await close(fixture);
    const { disk } = fixture;
    const future = names(fixture, '/b').find((name) => name.endsWith('-future'))!;
    const copied = disk.list(`/b/${future}`).filter(({ name }) => name.endsWith('.log')).length;
    expect(copied).toBeGreaterThan(2);
    const writes: string[] = [];
    const open = disk.open.bind(disk);
    disk.open = (path, mode) => {
      if (mode !== 'read' && path.startsWith('/b/') && path.endsWith('.log')) writes.push(path);
      return open(path, mode);
    };
    const after = await startReplicas({ disk, logDirs: DIRS, storage: fixture.broker.storage });
    await arrived(after, '/b/t-0');
    expect(await offsetsOf(after)).toEqual(upTo(40));
    expect(writes.some((path) => path.endsWith('/00000000000000000000.log'))).toBe(false);
    await close(after);
  });
});
