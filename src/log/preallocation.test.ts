/** `preallocate`: a segment has its size from the start, and only its batches once it is closed. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLog, openLogs, readAll, seededRandom } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';

const SEGMENT_BYTES = 4096;

function open(fileSystem: FaultyFileSystem, preallocate = true): Promise<LogManager> {
  return openLogs({ fileSystem, config: { preallocate, segmentBytes: SEGMENT_BYTES, retentionMs: -1 } });
}

function sizes(disk: FaultyFileSystem): number[] {
  const names = disk.list('/data/t-0').map(({ name }) => name);
  return names
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => disk.stat(`/data/t-0/${name}`)!.size);
}

const large = (text: string): Buffer => batchOf([text.repeat(1500)]);

it('gives a new segment its size, and takes back what was not used when it is rolled or closed', async () => {
  const disk = new FaultyFileSystem(new ManualClock());
  const manager = await open(disk);
  const log = await openLog(manager);
  expect(sizes(disk)).toEqual([SEGMENT_BYTES]);
  for (const text of ['a', 'b', 'c']) await append(log, large(text));
  const [first, second] = sizes(disk);
  expect([first, second]).toEqual([2 * large('a').length, SEGMENT_BYTES]);
  expect(log.sizeInBytes).toBe(3 * large('a').length);
  await manager.close({ clean: true });
  expect(sizes(disk)).toEqual([2 * large('a').length, large('c').length]);
});

it('takes nothing of what was not used for records after a crash', async () => {
  const disk = new FaultyFileSystem(new ManualClock());
  const log = await openLog(await open(disk));
  await append(log, large('a'));
  const crashed = disk.crash('all-unsynced', seededRandom(1));
  const manager = await open(crashed);
  const again = await openLog(manager);
  expect([again.logEndOffset, (await readAll(again)).length]).toEqual([1, 1]);
  await append(again, large('b'));
  expect((await readAll(again)).map(({ value }) => String(value)[0])).toEqual(['a', 'b']);
  await manager.close({ clean: true });
});

it('leaves segments to grow without it', async () => {
  const disk = new FaultyFileSystem(new ManualClock());
  const manager = await open(disk, false);
  await openLog(manager);
  expect(sizes(disk)).toEqual([0]);
  await manager.close({ clean: true });
});

it('keeps what follows a segment whose cut a power cut has taken back', async () => {
  const disk = new FaultyFileSystem(new ManualClock());
  const config = { preallocate: true, segmentBytes: SEGMENT_BYTES, retentionMs: -1, flushMessages: 1 };
  const log = await openLog(await openLogs({ fileSystem: disk, config }));
  // Two in one write fill the segment; the third begins another one while they are being made durable.
  await Promise.all(['a', 'b', 'c'].map((text) => append(log, large(text))));
  const manager = await openLogs({ fileSystem: disk.crash('synced-only', seededRandom(1)), config });
  const again = await openLog(manager);
  expect((await readAll(again)).map(({ value }) => String(value)[0])).toEqual(['a', 'b', 'c']);
  await manager.close({ clean: true });
});
