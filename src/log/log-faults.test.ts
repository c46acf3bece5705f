/**
 * A disk that fails in the middle of what a log does: what is half done is undone, finished the next time, or ended.
 */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import {
  append,
  appendCode,
  batchOf,
  logConfig,
  openLog,
  openLogs,
  readAll,
  seededRandom,
  TOPIC_ID,
  textsOf,
} from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

describe('a log on a disk that fails', () => {
  let disk: FaultyFileSystem;
  let logger: RecordingLogger;
  let manager: LogManager;
  let log: PartitionLog;

  beforeEach(async () => {
    const clock = new ManualClock();
    disk = new FaultyFileSystem(clock);
    logger = new RecordingLogger();
    manager = await openLogs({ fileSystem: disk, clock, logger, config: { retentionMs: -1 } });
    log = await openLog(manager);
  });

  afterEach(() => manager.close({ clean: false }));

  it('does not take a log start for durable because it was asked for before', async () => {
    for (const value of ['a', 'b', 'c']) await append(log, batchOf([value]));
    log.setHighWatermark(3);
    const full = disk.inject({ on: 'write', code: 'ENOSPC', path: /log-start/ });
    for (const offset of [2, 2, 1]) expect(await log.deleteRecordsBefore(offset)).toMatchObject({ error: 56 });
    full.lift();
    expect(await log.deleteRecordsBefore(1)).toEqual({ ok: true, value: 2 });
    expect(disk.readFile('/data/log-start-offset-checkpoint').toString()).toBe('0\n1\nt 0 2\n');
  });

  it.each([
    ['none', 0],
    ['one', 1],
    ['two', 5],
  ])('keeps what it could not rename away when it deletes segments, %s before', async (_, after) => {
    log.updateConfig(logConfig({ segmentBytes: 100, fileDeleteDelayMs: 0 }));
    for (const value of ['a', 'b', 'c', 'd']) await append(log, batchOf([value]));
    log.setHighWatermark(4);
    const full = disk.inject({ on: 'rename', code: 'ENOSPC', path: /t-0\/.*\d\.(log|index)$/, after });
    expect(await log.deleteRecordsBefore(3)).toMatchObject({ error: 56 });
    full.lift();
    expect([log.isOffline, textsOf(await readAll(log))]).toEqual([false, ['d']]);
    expect(await log.deleteRecordsBefore(3)).toEqual({ ok: true, value: 3 });
    const again = await openLogs({ fileSystem: disk.crash('all-unsynced', seededRandom(1)) });
    const found = again.get('t', 0)!;
    expect([found.logStartOffset, textsOf(await readAll(found))]).toEqual([3, ['d']]);
    await again.close({ clean: false });
  });

  it('does not go on with half a truncation', async () => {
    log.updateConfig(logConfig({ segmentBytes: 100 }));
    for (const value of ['a', 'b', 'c']) await append(log, batchOf([value]));
    disk.inject({ on: 'rename', code: 'ENOSPC', path: /0001\.log$/, times: 1 });
    expect(await log.truncateTo(0)).toMatchObject({ error: 56 });
    expect(log.isOffline).toBe(true);
    const again = await openLogs({ fileSystem: disk.crash('all-unsynced', seededRandom(1)) });
    expect(textsOf(await readAll(again.get('t', 0)!))).toEqual(['a', 'b']);
    await again.close({ clean: false });
  });

  it('goes on where the file could not even be opened', async () => {
    await append(log, batchOf(['a']));
    await manager.close({ clean: true });
    manager = await openLogs({ fileSystem: disk, config: { retentionMs: -1 } });
    log = await openLog(manager);
    const none = disk.inject({ on: 'open', code: 'EMFILE' });
    expect([await appendCode(log, batchOf(['b'])), log.isOffline]).toEqual([56, false]);
    none.lift();
    await append(log, batchOf(['c']));
    expect(textsOf(await readAll(log))).toEqual(['a', 'c']);
  });

  it('keeps nobody from writing checkpoints after a truncation to nothing that failed', async () => {
    await append(log, batchOf(['a']));
    const fault = disk.inject({ on: 'rename', code: 'EIO', path: /0\.index$/ });
    expect(await log.truncateTo(0)).toMatchObject({ error: 56 });
    fault.lift();
    const other = await manager.create('u', 0, TOPIC_ID);
    if (!other.ok) throw new Error(other.message);
    await append(other.value, batchOf(['b', 'c']));
    other.value.setHighWatermark(2);
    expect([log.isOffline, await other.value.deleteRecordsBefore(1)]).toEqual([true, { ok: true, value: 1 }]);
  });

  it('cuts off what a short write left, later where it cannot at once', async () => {
    await append(log, batchOf(['a']));
    const path = '/data/t-0/00000000000000000000.log';
    const size = disk.stat(path)!.size;
    const full = disk.inject({ on: 'write', code: 'ENOSPC', path: /log$/, partialBytes: size, times: 1 });
    const stuck = disk.inject({ on: 'truncate', code: 'ENOSPC', path: /log$/ });
    for (const text of ['b', 'c']) expect(await appendCode(log, batchOf([text]))).toBe(56);
    expect([log.isOffline, disk.stat(path)!.size, log.sizeInBytes]).toEqual([false, 2 * size, size]);
    full.lift();
    stuck.lift();
    await append(log, batchOf(['d']));
    expect(textsOf(await readAll(log))).toEqual(['a', 'd']);
    expect(disk.stat(path)!.size).toBe(2 * size);
  });

  it('says once that there is no room, and once that there is again', async () => {
    await append(log, batchOf(['a']));
    const full = disk.inject({ on: 'write', code: 'ENOSPC', path: /\.log$/ });
    for (let i = 0; i < 3; i++) await appendCode(log, batchOf(['b']));
    full.lift();
    for (let i = 0; i < 2; i++) await append(log, batchOf(['c']));
    expect(logger.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)).toEqual([
      'A log cannot be used for now; it goes on by itself',
      'A log can be used again',
    ]);
  });
});
