/** What lies in log directories: sizes that grow, logs and volumes that fail. */

import { openLogs } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { testBatch } from '../testing/replica-fixture';
import { FileSystemError } from './file-system';
import { describeLogDirs } from './log-dir-description';
import { MemoryFileSystem } from './memory-file-system';

it('tells partitions by directory, and directories that fail', async () => {
  const fileSystem = new MemoryFileSystem(new ManualClock());
  const manager = await openLogs({ fileSystem, logDirs: ['/a', '/b'] });
  for (const partition of [0, 1]) await manager.create('t', partition, 'AAAAAAAAAAAAAAAAAAAAAQ');
  const log = manager.get('t', 0)!;
  const batch = testBatch(3);
  await log.append(Buffer.from(batch), { origin: 'client', leaderEpoch: 0 }).promise();
  const described = await describeLogDirs(['/a', '/b'], { fileSystem, logManager: manager });
  const told = described.flatMap(({ path, partitions }) => partitions.map((each) => ({ path, ...each })));
  expect(told).toHaveLength(2);
  expect(told).toContainEqual({
    path: expect.stringMatching(/^\/[ab]$/),
    topic: 't',
    partition: 0,
    sizeInBytes: batch.length,
    offsetLag: 0,
    isFuture: false,
  });
  expect(described.map(({ hasFailed, space }) => [hasFailed, space])).toEqual([
    [false, undefined],
    [false, undefined],
  ]);

  const broken = {
    volumeSpace: async (path: string) => {
      if (path === '/b') throw new FileSystemError('EIO', path, 'broken');
      return { totalBytes: 9, usableBytes: 1 };
    },
  };
  const disks = Object.assign(Object.create(fileSystem), broken) as MemoryFileSystem;
  expect(
    await describeLogDirs(['/a', '/b'], {
      fileSystem: disks,
      logManager: { logs: () => [], futures: { describe: () => [] } },
    }),
  ).toEqual([
    { path: '/a', hasFailed: false, partitions: [], space: { totalBytes: 9, usableBytes: 1 } },
    { path: '/b', hasFailed: true, partitions: [], space: undefined },
  ]);
  await manager.close({ clean: false });
});
