/** Flushes beside other work on the same files, and on a disk that runs full. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLog, openLogs, readAll, seededRandom, textsOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const CLIENT = { origin: 'client', leaderEpoch: 0 } as const;

describe('LogFlusher', () => {
  let disk: FaultyFileSystem;
  let manager: LogManager;
  let log: PartitionLog;

  beforeEach(async () => {
    disk = new FaultyFileSystem(new ManualClock());
    manager = await openLogs({ fileSystem: disk, config: { retentionMs: -1 } });
    log = await openLog(manager);
  });

  afterEach(() => manager.close({ clean: false }));

  it('writes the epochs while other work on the log writes them too', async () => {
    await append(log, batchOf(['a']));
    const flushed = log.flush();
    await log.writeBehind();
    expect((await flushed).ok).toBe(true);
    expect([log.isOffline, log.recoveryPoint]).toEqual([false, 1]);
    expect(manager.flushTimes.count).toBe(1);
    await log.flush();
    // Nothing to flush is no flush.
    expect(manager.flushTimes.count).toBe(1);
  });

  it('makes epochs durable that were written without that', async () => {
    await append(log, batchOf(['a']), { ...CLIENT, leaderEpoch: 3 });
    await log.writeBehind();
    await log.flush();
    const found = disk.crash('synced-only', seededRandom(1));
    expect(found.readFile('/data/t-0/leader-epoch-checkpoint').toString()).toBe('0\n1\n3 0\n');
  });

  it('waits where the process has no descriptor left', async () => {
    await append(log, batchOf(['a']));
    disk.inject({ on: 'sync', code: 'EMFILE', path: /log$/, times: 1 });
    expect([(await log.flush()).ok, log.isOffline, log.recoveryPoint]).toEqual([false, false, 0]);
    expect([(await log.flush()).ok, log.recoveryPoint]).toEqual([true, 1]);
  });

  it('does not overlook a failed fsync beside a file that could not be opened', async () => {
    await append(log, batchOf(['a']));
    disk.inject({ on: 'sync', code: 'EMFILE', path: /log$/, times: 1 });
    disk.inject({ on: 'sync', code: 'EIO', path: /partition\.metadata$/, times: 1 });
    expect([(await log.flush()).ok, log.isOffline]).toEqual([false, true]);
  });

  it('without room for the epochs flushes the records, and finds the epochs in them after a crash', async () => {
    await append(log, batchOf(['a']), { ...CLIENT, leaderEpoch: 3 });
    const fault = disk.inject({ on: 'write', code: 'ENOSPC', path: /leader-epoch-checkpoint/ });
    expect((await log.flush()).ok).toBe(true);
    expect([log.isOffline, log.recoveryPoint]).toEqual([false, 0]);
    const after = disk.crash('synced-only', seededRandom(1));
    const again = await openLogs({ fileSystem: after, config: { retentionMs: -1 } });
    const found = again.get('t', 0)!;
    expect([textsOf(await readAll(found)), found.latestEpoch]).toEqual([['a'], 3]);
    await again.close({ clean: false });
    fault.lift();
    expect((await log.flush()).ok).toBe(true);
    expect(log.recoveryPoint).toBe(1);
  });
});

it('makes the files of a closed segment durable also where all of its records were', async () => {
  const disk = new FaultyFileSystem(new ManualClock());
  const config = { retentionMs: -1, flushMessages: 1, segmentBytes: 2000, indexIntervalBytes: 100, preallocate: true };
  const log = await openLog(await openLogs({ fileSystem: disk, config }));
  for (let i = 0; i < 6; i++) await append(log, batchOf(['x'.repeat(500)], { timestamp: 1000 + i }));
  await log.flush();
  const found = disk.crash('synced-only', seededRandom(1));
  for (const suffix of ['log', 'index', 'timeindex']) {
    const path = `/data/t-0/00000000000000000000.${suffix}`;
    expect([suffix, found.readFile(path).equals(disk.readFile(path))]).toEqual([suffix, true]);
  }
  const manager = await openLogs({ fileSystem: found, config });
  expect((await readAll(await openLog(manager))).map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4, 5]);
  await manager.close({ clean: true });
});

it('syncs at a clean stop what was written, once, and nothing of what was not', async () => {
  const clock = new ManualClock();
  const disk = new FaultyFileSystem(clock);
  const config = { retentionMs: -1, segmentBytes: 200 };
  const syncsOf = async (texts: readonly string[], flushFirst: boolean): Promise<number> => {
    const manager = await openLogs({ fileSystem: disk, clock, config });
    const log = await openLog(manager);
    for (const text of texts) await append(log, batchOf([text]));
    if (flushFirst) await log.flush();
    await clock.advance(1);
    const before = disk.calls.get('sync') ?? 0;
    await manager.close({ clean: true });
    expect(disk.stat('/data/.kafka_cleanshutdown')).toBeDefined();
    return (disk.calls.get('sync') ?? 0) - before;
  };
  // The files of the log directory: three checkpoints, of which only those that changed are written, and the mark.
  const [first, idle] = [await syncsOf([], false), await syncsOf([], false)];
  expect([first, idle]).toEqual([4, 4]);
  // The segment with its two indexes, metadata and epochs.
  expect(await syncsOf(['a'], false)).toBe(idle + 5);
  expect(await syncsOf([], false)).toBe(idle);
  expect(await syncsOf(['b'], true)).toBe(idle + 3);
});
