/** When which log is compacted, as the log manager has it done. */
import type { CleanerSettings } from '../config/derived-settings';
import { compactOnce, consume, keyedBatch, type Put } from '../testing/compaction-fixture';
import { append, openLogs, TOPIC_ID } from '../testing/log-fixture';
import { ManualClock, settle } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import type { LogManager } from './log-manager';
import { MemoryFileSystem } from './memory-file-system';
import type { PartitionLog } from './partition-log';

const CONFIG = { cleanupCompact: true, cleanupDelete: false, segmentBytes: 300, minCleanableDirtyRatio: 0.2 };
const CHECKPOINT = '/data/cleaner-offset-checkpoint';

describe('LogCleaner', () => {
  let clock: ManualClock;
  let disk: MemoryFileSystem;
  let logger: RecordingLogger;
  let manager: LogManager;
  let settings: CleanerSettings;

  beforeEach(async () => {
    clock = new ManualClock();
    disk = new MemoryFileSystem(clock);
    logger = new RecordingLogger();
    settings = {
      dedupeBufferBytes: 24_000,
      dedupeBufferLoadFactor: 0.9,
      ioBufferBytes: 0,
      maxBytesPerSecond: Number.MAX_VALUE,
      backoffMs: 100,
    };
    manager = await openManager();
  });

  afterEach(() => manager.close({ clean: false }));

  function openManager(): Promise<LogManager> {
    return openLogs({ fileSystem: disk, clock, logger, config: CONFIG, cleaner: () => settings });
  }

  async function logOf(topic: string, ...puts: Put[]): Promise<PartitionLog> {
    const created = await manager.create(topic, 0, TOPIC_ID);
    if (!created.ok) throw new Error('no log');
    const log = created.value;
    for (const put of puts) await append(log, keyedBatch([put], { timestamp: clock.nowMs() }));
    log.setHighWatermark(log.logEndOffset);
    return log;
  }

  const many = (count: number): Put[] => Array.from({ length: count }, (_, i) => ['k', `${i}`.padEnd(100, 'x')]);
  const compacted = (): unknown[] =>
    logger.lines.filter(({ message }) => message === 'Compacted a log').map(({ fields }) => fields.log);
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await settle(60);
  };

  it('compacts the dirtiest first, then the others, and notes how far it came', async () => {
    const half = await logOf('half', ...many(10));
    await compactOnce(half);
    await logOf('half', ...many(4));
    const all = await logOf('all', ...many(10));
    await logOf('nothing', ['k', 'v']);
    await pass(99);
    expect(compacted()).toEqual([]);
    await pass(1);
    expect(compacted()).toEqual(['/data/all-0', '/data/half-0']);
    expect((await consume(all)).records.length).toBe(2);
    expect(disk.readFile(CHECKPOINT).toString()).toBe('0\n2\nhalf 0 13\nall 0 9\n');
    await pass(1000);
    expect(compacted().length).toBe(2);
  });

  it('goes on from its checkpoint after a restart, and starts over for a log that lost its end', async () => {
    await logOf('all', ...many(10));
    await pass(100);
    await manager.close({ clean: true });
    manager = await openManager();
    expect(manager.get('all', 0)!.cleanOffset).toBe(9);
    await manager.close({ clean: true });
    disk.writeFile(CHECKPOINT, Buffer.from('0\n1\nall 0 80\n'));
    manager = await openManager();
    expect(manager.get('all', 0)!.cleanOffset).toBe(-1);
  });

  it('forgets a log that is deleted, and one of the same name starts anew', async () => {
    await logOf('all', ...many(10));
    await pass(100);
    expect((await manager.delete('all', 0)).ok).toBe(true);
    expect(disk.readFile(CHECKPOINT).toString()).toBe('0\n0\n');
    const again = await logOf('all', ...many(10));
    expect(again.cleanOffset).toBe(-1);
    await pass(100);
    expect(again.cleanOffset).toBe(9);
  });

  it('is no faster than it may be, gives way to a deletion at once and ends when it is closed', async () => {
    settings = { ...settings, maxBytesPerSecond: 1000 };
    const slow = await logOf('slow', ...many(30));
    await pass(100);
    await pass(3000);
    expect([compacted(), slow.cleanOffset]).toEqual([[], -1]);
    expect((await manager.delete('slow', 0)).ok).toBe(true);
    const other = await logOf('other', ...many(8));
    await pass(200);
    await pass(10_000);
    expect(other.cleanOffset).toBe(7);
    await logOf('more', ...many(30));
    await pass(1000);
    await manager.close({ clean: true });
    expect(disk.list('/data/more-0').filter(({ name }) => name.endsWith('.cleaned'))).toEqual([]);
    expect(logger.of('error')).toEqual([]);
  });

  it('leaves a log alone that began to move after it was chosen', async () => {
    await manager.close({ clean: false });
    const options = { fileSystem: disk, clock, logger, config: CONFIG, cleaner: () => settings };
    manager = await openLogs({ ...options, logDirs: ['/a', '/b'] });
    const log = await logOf('moving', ...many(20));
    const other = await logOf('other', ...many(2));
    // It is asked while the other one is the dirtiest so far.
    other.cleanableRange = () => {
      if (!manager.futures.has('moving-0')) void manager.futures.create('moving-0', manager.placement.directory('/b')!);
      return undefined;
    };
    await pass(100);
    expect([manager.futures.has('moving-0'), compacted(), log.cleanOffset]).toEqual([true, [], -1]);
    await manager.futures.drop('moving-0');
    other.cleanableRange = () => undefined;
    await pass(1000);
    expect(compacted()).toEqual(['/a/moving-0']);
  });

  it('leaves a damaged log alone, says so once, and compacts the others', async () => {
    await logOf('bad', ...many(10));
    await logOf('good', ...many(10));
    const path = '/data/bad-0/00000000000000000000.log';
    const content = disk.readFile(path);
    content[100]! ^= 1;
    disk.writeFile(path, content);
    expect(manager.cleanerNumbers).toMatchObject({ lastRunMs: undefined, uncleanable: 0 });
    await pass(100);
    expect(manager.cleanerNumbers).toMatchObject({ lastRunMs: 100, uncleanable: 1 });
    await pass(1000);
    expect(compacted()).toEqual(['/data/good-0']);
    expect(logger.of('error').map(({ message, fields }) => [message, fields.log])).toEqual([
      ['A log cannot be compacted; the next start of the broker tries again', '/data/bad-0'],
    ]);
  });

  it('takes changed settings from the next log on', async () => {
    settings = { ...settings, dedupeBufferBytes: 24 * 5 };
    const log = await logOf('keys', ...Array.from({ length: 40 }, (_, i): Put => [`k${i % 20}`, 'v'.repeat(100)]));
    await pass(100);
    expect(compacted().length).toBeGreaterThan(3);
    settings = { ...settings, dedupeBufferBytes: 24_000, backoffMs: 500 };
    await logOf('keys', ...Array.from({ length: 40 }, (_, i): Put => [`k${i % 20}`, 'w'.repeat(100)]));
    const before = compacted().length;
    await pass(600);
    expect([compacted().length - before, log.segmentCount > 0]).toEqual([1, true]);
  });
});
