/**
 * A power cut at every step of a compaction, on a disk that keeps what was synced and loses, cuts or tears the rest:
 * afterwards every key has its newest value, and nothing of the unfinished compaction is left.
 */
import { Codec } from '../records/compression';
import { compactOnce, consume, keyedBatch, newestValues, type Seen } from '../testing/compaction-fixture';
import { type CrashMode, FaultyFileSystem } from '../testing/faulty-file-system';
import { append, appendCode, openLog, openLogs, seededRandom } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { FileSystem } from './file-system';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const CONFIG = { cleanupCompact: true, cleanupDelete: false, segmentBytes: 600, minCleanableDirtyRatio: 0 };
const CHANGES = new Set(['write', 'truncate', 'sync', 'rename', 'remove']);
const PRODUCER = { producerId: 9, producerEpoch: 0 };

async function open(fileSystem: FileSystem): Promise<{ manager: LogManager; log: PartitionLog }> {
  const manager = await openLogs({ fileSystem, config: CONFIG });
  const log = await openLog(manager);
  log.setHighWatermark(log.logEndOffset);
  return { manager, log };
}

/** The disk with a log of several segments, all durable; a part of it was compacted before. */
async function settledDisk(): Promise<FaultyFileSystem> {
  const disk = new FaultyFileSystem(new ManualClock());
  const { manager, log } = await open(disk);
  await append(log, keyedBatch([['k0', 'of the producer']], { ...PRODUCER, baseSequence: 0 }));
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 12; i++) {
      const puts = [0, 1, 2].map((at) => [`k${(i * 5 + at * 3) % 11}`, i % 7 === 3 ? null : `v${round}-${i}`] as const);
      await append(log, keyedBatch(puts, { codec: i % 5 === 0 ? Codec.gzip : Codec.none, timestamp: i }));
    }
    log.setHighWatermark(log.logEndOffset);
    if (round === 0) await compactOnce(log);
  }
  await manager.close({ clean: true });
  return disk.crash('all-unsynced', seededRandom(1));
}

/** The disks that power cuts before each change of a compaction would leave. */
async function cutDisks(
  mode: CrashMode,
  seed: number,
): Promise<{ cuts: FaultyFileSystem[]; before: Seen; end: number }> {
  const disk = await settledDisk();
  const { manager, log } = await open(disk);
  const before = await consume(log);
  const end = log.logEndOffset;
  const cuts: FaultyFileSystem[] = [];
  const random = seededRandom(seed);
  const faultOf = disk.faultOf.bind(disk);
  const watching = jest.spyOn(disk, 'faultOf').mockImplementation((on, path) => {
    if (CHANGES.has(on)) cuts.push(disk.crash(mode, random));
    return faultOf(on, path);
  });
  await compactOnce(log);
  cuts.push(disk.crash(mode, random));
  watching.mockRestore();
  await manager.close({ clean: false });
  return { cuts, before, end };
}

async function checkAfter(disk: FaultyFileSystem, before: Seen, end: number): Promise<number> {
  const { manager, log } = await open(disk);
  expect(log.logEndOffset).toBe(end);
  const names = disk.list('/data/t-0').map(({ name }) => name);
  expect(names.filter((name) => /\.(cleaned|swap|deleted)$/.test(name))).toEqual([]);
  const known = new Map(before.records.map((record) => [record.offset, record]));
  const left = (await consume(log)).records;
  for (const record of left) expect(record).toEqual(known.get(record.offset));
  expect(newestValues(left)).toEqual(newestValues(before.records));
  // And it goes on from here.
  await compactOnce(log);
  const { records } = await consume(log);
  expect(newestValues(records)).toEqual(newestValues(before.records));
  const again = keyedBatch([['k0', 'of the producer']], { ...PRODUCER, baseSequence: 1 });
  expect(await appendCode(log, again)).toBe(0);
  await manager.close({ clean: false });
  return left.length;
}

describe('swapSegments', () => {
  it.each<[CrashMode, number]>([
    ['synced-only', 1],
    ['all-unsynced', 1],
    ['some-unsynced', 1],
    ['some-unsynced', 2],
  ])(
    'survives a power cut at every step: %s, seed %d',
    async (mode, seed) => {
      const { cuts, before, end } = await cutDisks(mode, seed);
      expect(cuts.length).toBeGreaterThan(40);
      const left: number[] = [];
      for (const cut of cuts) left.push(await checkAfter(cut, before, end));
      // From all records to what compaction leaves.
      expect([left[0], left.at(-1)! < before.records.length]).toEqual([before.records.length, true]);
    },
    60_000,
  );

  it('takes the log offline where a rename fails, and a restart goes on', async () => {
    const disk = await settledDisk();
    const { manager, log } = await open(disk);
    const before = await consume(log);
    const end = log.logEndOffset;
    disk.inject({ on: 'rename', code: 'EIO', path: /\.swap$/, times: 1 });
    await expect(compactOnce(log)).rejects.toThrow('compaction ended');
    expect([log.isOffline, (await log.flush()).ok]).toEqual([true, false]);
    await manager.close({ clean: true });
    await checkAfter(disk, before, end);
  });

  it('leaves the log as it was where there is no room, and tries again', async () => {
    const disk = await settledDisk();
    const { manager, log } = await open(disk);
    const before = await consume(log);
    disk.inject({ on: 'write', code: 'ENOSPC', path: /\.cleaned$/, times: 1 });
    await expect(compactOnce(log)).rejects.toThrow('no-room');
    expect([log.isOffline, (await consume(log)).records.length]).toEqual([false, before.records.length]);
    expect(disk.list('/data/t-0').filter(({ name }) => name.endsWith('.cleaned'))).toEqual([]);
    await compactOnce(log);
    expect(newestValues((await consume(log)).records)).toEqual(newestValues(before.records));
    await manager.close({ clean: true });
  });
});
