/** A log of many segments costs no more to open, to read from and to search than one of a few. */
import { silentLogger } from '../base/logger';
import { append, batchOf, openLog, openLogs, readFrom } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { FileHandle } from './file-system';
import type { LogManager } from './log-manager';
import { MemoryFileSystem } from './memory-file-system';
import type { PartitionLog } from './partition-log';

/** Counts the files that are opened and looked at, and the bytes that are read of them. */
class CountingFileSystem extends MemoryFileSystem {
  opens = 0;
  stats = 0;
  bytesRead = 0;

  override open(...parameters: Parameters<MemoryFileSystem['open']>): FileHandle {
    this.opens++;
    const handle = super.open(...parameters);
    const read = handle.read.bind(handle);
    handle.read = (target, position) => {
      this.bytesRead += target.length;
      return read(target, position);
    };
    return handle;
  }

  override stat(path: string): ReturnType<MemoryFileSystem['stat']> {
    this.stats++;
    return super.stat(path);
  }

  reset(): void {
    this.opens = 0;
    this.stats = 0;
    this.bytesRead = 0;
  }
}

async function open(disk: CountingFileSystem): Promise<{ manager: LogManager; log: PartitionLog }> {
  const config = { segmentBytes: 1000, indexIntervalBytes: 100, retentionMs: -1 };
  const manager = await openLogs({ fileSystem: disk, config, logger: silentLogger });
  return { manager, log: await openLog(manager) };
}

/** Closed in order; the record of segment i has the time 10 * i, but for an early one that is ahead of its time. */
async function filled(segments: number): Promise<CountingFileSystem> {
  const disk = new CountingFileSystem(new ManualClock());
  const { manager, log } = await open(disk);
  for (let i = 0; i < segments; i++)
    await append(log, batchOf(['x'.repeat(900)], { timestamp: i === 3 ? 155 : 10 * i }));
  expect(log.segmentCount).toBe(segments);
  await manager.close({ clean: true });
  disk.reset();
  return disk;
}

describe('a log of many segments', () => {
  let disks: { few: CountingFileSystem; many: CountingFileSystem };

  beforeAll(async () => {
    disks = { few: await filled(20), many: await filled(500) };
  });

  it('is opened by a look at its last segment', async () => {
    const costs: number[][] = [];
    for (const disk of [disks.few, disks.many]) {
      const { manager } = await open(disk);
      costs.push([disk.opens, disk.bytesRead]);
      await manager.close({ clean: true });
    }
    expect(costs[1]).toEqual(costs[0]);
  });

  it.each(['few', 'many'] as const)('finds any offset in one segment alone: %s', async (which) => {
    const disk = disks[which];
    const { manager, log } = await open(disk);
    for (const offset of [0, 7, 13, log.logEndOffset - 2]) {
      disk.reset();
      expect((await readFrom(log, offset, { maxBytes: 1 })).records[0]?.offset).toBe(offset);
      // The log and its indexes.
      expect(disk.opens).toBeLessThanOrEqual(3);
      expect(disk.bytesRead).toBeLessThan(60_000);
    }
    await manager.close({ clean: true });
  });

  it.each(['few', 'many'] as const)('finds any time, having asked each segment once: %s', async (which) => {
    const disk = disks[which];
    const { manager, log } = await open(disk);
    const timeOf = async (timestampMs: number): Promise<number | undefined> => {
      const found = await log.offsetForTimestamp(timestampMs);
      return found.ok ? found.value?.offset : undefined;
    };
    expect(await timeOf(41)).toBe(3);
    for (const [timestampMs, offset] of [
      [0, 0],
      [20, 2],
      [21, 3],
      [155, 3],
      [156, 16],
      [171, 18],
    ] as const) {
      disk.reset();
      expect(await timeOf(timestampMs)).toBe(offset);
      expect(disk.opens).toBeLessThanOrEqual(3);
    }
    await append(log, batchOf(['y'.repeat(900)], { timestamp: 100_000 }));
    expect(await timeOf(99_999)).toBe(log.logEndOffset - 1);
    await log.truncateTo(10);
    expect([await timeOf(156), await timeOf(81)]).toEqual([undefined, 3]);
    await manager.close({ clean: false });
  });
});
