/** Flushes that nobody waits for leave the thread pool to others: one fsync at a time, however many logs are due. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLogs } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { FileHandle, OpenMode } from './file-system';
import type { PartitionLog } from './partition-log';

/** Notes what is synced, and how much of it at once; a sync takes some turns. */
class SlowDisk extends FaultyFileSystem {
  readonly synced: string[] = [];
  #underWay = 0;
  mostAtOnce = 0;

  override open(path: string, mode: OpenMode): FileHandle {
    const handle = super.open(path, mode);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      this.synced.push(path.replace('/data/', ''));
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      this.#underWay--;
      await sync();
    };
    return handle;
  }
}

describe('flushes that nobody waits for', () => {
  it('are made one after the other, records before indexes', async () => {
    const clock = new ManualClock();
    const disk = new SlowDisk(clock);
    const config = { retentionMs: -1, segmentBytes: 150, flushMs: 1000 };
    const manager = await openLogs({ fileSystem: disk, clock, config });
    const logs: PartitionLog[] = [];
    for (let partition = 0; partition < 5; partition++) {
      const created = await manager.create('t', partition, 'Zm9vYmFyYmF6cXV4cXV1eA');
      if (!created.ok) throw new Error(created.message);
      logs.push(created.value);
    }
    disk.synced.length = 0;
    disk.mostAtOnce = 0;
    // By rolling, all in one turn, and then by time.
    await Promise.all(logs.map((log) => append(log, batchOf(['x'.repeat(60)]))));
    await Promise.all(logs.map((log) => append(log, batchOf(['y'.repeat(60)]))));
    for (const log of logs) while (log.recoveryPoint < 1) await clock.advance(1);
    await Promise.all(logs.map((log) => append(log, batchOf(['z']))));
    for (const log of logs) log.flushIfDue(clock.monotonicMs() + 1000);
    for (const log of logs) while (log.recoveryPoint < 3) await clock.advance(1);
    expect(disk.mostAtOnce).toBe(1);
    const first = disk.synced.filter((path) => path.startsWith('t-0/')).slice(0, 4);
    expect(first.map((path) => path.replace(/^t-0\/0+/, ''))).toEqual(['.log', '1.log', '.index', '.timeindex']);
    await manager.close({ clean: true });
  });
});
