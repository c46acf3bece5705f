/** Offsets by the times of files. */
import { append, batchOf, openLog, openLogs } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { MemoryFileSystem } from './memory-file-system';

it('lists where segments begin, by the time at which their files were last written', async () => {
  const clock = new ManualClock(1000);
  const manager = await openLogs({ fileSystem: new MemoryFileSystem(clock), clock, config: { segmentBytes: 150 } });
  const log = await openLog(manager);
  const list = async (timestampMs: number, maxCount = 10): Promise<number[]> => {
    const found = await log.offsetsBefore(timestampMs, maxCount);
    if (!found.ok) throw new Error(found.message);
    return found.value;
  };
  expect([await list(-1), await list(-2), await list(5000)]).toEqual([[0], [0], [0]]);
  // Segments 0, 2 and 4, last written at 2000, 4000 and 6000.
  for (let i = 0; i < 6; i++) {
    clock.jumpWallClock(i === 0 ? 0 : 1000);
    await append(log, batchOf(['x'], { timestamp: 1000 }));
  }
  clock.jumpWallClock(1000);
  expect(log.segmentCount).toBe(3);
  expect([await list(-1), await list(-1, 2), await list(-1, 0), await list(-2)]).toEqual([
    [6, 4, 2, 0],
    [6, 4],
    [],
    [0],
  ]);
  expect(await list(1999)).toEqual([]);
  expect(await list(2000)).toEqual([0]);
  expect([await list(5999), await list(5999, 1)]).toEqual([[2, 0], [2]]);
  expect([await list(6000), await list(9000)]).toEqual([
    [4, 2, 0],
    [6, 4, 2, 0],
  ]);
  log.setHighWatermark(6);
  await log.deleteRecordsBefore(3);
  expect(await list(-1)).toEqual([6, 4, 3]);
  await manager.close({ clean: false });
});
