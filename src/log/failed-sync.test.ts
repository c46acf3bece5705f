/** An fsync that fails: a restart finds the records in the cache, and a power cut must not take them afterwards. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, appendCode, batchOf, openLog, openLogs, readAll, seededRandom, textsOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { failedSyncPoint, markFailedSync } from './failed-sync';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const CONFIG = { retentionMs: -1 };

it('keeps the oldest mark, and takes one that it cannot read for none of the log being durable', () => {
  const disk = new FaultyFileSystem(new ManualClock());
  disk.createDirectory('/t-0');
  markFailedSync(disk, '/t-0', 7);
  markFailedSync(disk, '/t-0', 9);
  expect(failedSyncPoint(disk, '/t-0')).toBe(7);
  disk.writeFile('/t-0/failed-sync', Buffer.from('recovery'));
  expect(failedSyncPoint(disk, '/t-0')).toBe(0);
});

describe('an fsync that failed', () => {
  const clock = new ManualClock();
  let disk: FaultyFileSystem;
  let manager: LogManager;
  let log: PartitionLog;

  async function open(): Promise<void> {
    manager = await openLogs({ fileSystem: disk, clock, config: CONFIG });
    log = await openLog(manager);
  }

  async function cutPower(): Promise<void> {
    disk = disk.crash('synced-only', seededRandom(1));
    await manager.close({ clean: false });
    await open();
  }

  afterEach(() => manager.close({ clean: false }));

  beforeEach(async () => {
    disk = new FaultyFileSystem(clock);
    await open();
    await append(log, batchOf(['durable']));
    expect((await log.flush()).ok).toBe(true);
    await append(log, batchOf(['acknowledged'], { producerId: 6, producerEpoch: 0, baseSequence: 0 }));
    disk.inject({ on: 'sync', code: 'EIO', path: /\.log$/, times: 1 });
    expect([(await log.flush()).ok, log.isOffline]).toEqual([false, true]);
  });

  it.each([true, false])('and a restart (clean: %s) finds what a later flush called durable', async (clean) => {
    await manager.close({ clean });
    expect(disk.stat('/data/.kafka_cleanshutdown')).toBeUndefined();
    await open();
    expect(textsOf(await readAll(log))).toEqual(['durable', 'acknowledged']);
    await append(log, batchOf(['later']));
    expect((await log.flush()).ok).toBe(true);
    await cutPower();
    expect(textsOf(await readAll(log))).toEqual(['durable', 'acknowledged', 'later']);
  });

  it('keeps a log out of use whose disk still takes nothing', async () => {
    await manager.close({ clean: true });
    const broken = disk.inject({ on: 'sync', code: 'EIO', path: /t-0\/.*\.log$/ });
    manager = await openLogs({ fileSystem: disk, clock, config: CONFIG });
    expect(manager.get('t', 0)).toBeUndefined();
    expect((await manager.create('t', 0, 'Zm9vYmFyYmF6cXV4cXV1eA')).ok).toBe(false);
    await manager.close({ clean: true });
    broken.lift();
    await open();
    expect(await appendCode(log, batchOf(['x']))).toBe(0);
    expect(textsOf(await readAll(log))).toEqual(['durable', 'acknowledged', 'x']);
    await cutPower();
    expect(textsOf(await readAll(log))).toEqual(['durable', 'acknowledged']);
  });
});
