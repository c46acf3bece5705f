/**
 * Small files beside the segments that are gone or damaged when a broker starts, after clean stops and after kills: it
 * starts, every record is there at its offset, producers and transactions are known, and the log goes on. (Indexes and
 * snapshots: recovery.test.ts; meta.properties: data-directories.test.ts.)
 */
import { buildEndTransactionMarker } from '../records/control-record';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLog, openLogs, readAll, readFrom, seededRandom, TOPIC_ID } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const COORDINATOR = { origin: 'coordinator', leaderEpoch: 3 } as const;
const PRODUCER = { producerId: 5, producerEpoch: 0 };
const MINUTE_MS = 60_000;
const TIME_MS = Date.UTC(2026, 0, 1);
const START = 2;
const END = 12;
const FILES = [
  '/data/recovery-point-offset-checkpoint',
  '/data/log-start-offset-checkpoint',
  '/data/replication-offset-checkpoint',
  '/data/cleaner-offset-checkpoint',
  '/data/.kafka_cleanshutdown',
  '/data/t-0/leader-epoch-checkpoint',
  '/data/t-0/partition.metadata',
  '/data/t-0/00000000000000000000.txnindex',
];

type Damage = (disk: FaultyFileSystem, path: string) => void;
const DAMAGES: readonly (readonly [string, Damage])[] = [
  ['gone', (disk, path) => disk.remove(path)],
  ['empty', (disk, path) => disk.writeFile(path, Buffer.alloc(0))],
  ['cut', (disk, path) => disk.writeFile(path, disk.readFile(path).subarray(0, -3))],
  ['zeros', (disk, path) => disk.writeFile(path, Buffer.alloc(disk.readFile(path).length))],
  ['garbage', (disk, path) => disk.writeFile(path, Buffer.alloc(100, 0x5a))],
  ['another version', (disk, path) => disk.writeFile(path, Buffer.concat([Buffer.from('9'), disk.readFile(path)]))],
];

describe.each(['stop', 'kill'] as const)('after a %s', (end) => {
  const clock = new ManualClock();

  async function open(disk: FaultyFileSystem): Promise<{ manager: LogManager; log: PartitionLog }> {
    const config = { retentionMs: -1, segmentBytes: 600 };
    const intervals = { recoveryPointCheckpointIntervalMs: MINUTE_MS, highWatermarkCheckpointIntervalMs: MINUTE_MS };
    const manager = await openLogs({ fileSystem: disk, clock, config, ...intervals });
    return { manager, log: await openLog(manager) };
  }

  const numbered = (i: number): Buffer =>
    batchOf([`v${i}`.padEnd(40, '.')], { ...PRODUCER, baseSequence: i, timestamp: TIME_MS + i });

  /** Ten records, an aborted one and its marker; some flushed, the log start moved, the file of the cleaner there. */
  async function leave(): Promise<FaultyFileSystem> {
    const disk = new FaultyFileSystem(clock);
    const { manager, log } = await open(disk);
    await append(
      log,
      batchOf(['aborted'], { producerId: 9, producerEpoch: 0, isTransactional: true, timestamp: TIME_MS }),
      COORDINATOR,
    );
    const marker = { isCommit: false, coordinatorEpoch: 1, producerId: 9, producerEpoch: 0, timestampMs: TIME_MS };
    await append(log, buildEndTransactionMarker(marker), COORDINATOR);
    for (let i = 0; i < 10; i++) {
      if (i === 5) await log.flush();
      await append(log, numbered(i), { origin: 'client', leaderEpoch: i < 5 ? 3 : 4 });
    }
    log.setHighWatermark(log.logEndOffset);
    await log.deleteRecordsBefore(START);
    await clock.advance(MINUTE_MS);
    disk.writeFile('/data/cleaner-offset-checkpoint', Buffer.from('0\n1\nt 0 0\n'));
    await log.writeBehind();
    let left = disk;
    if (end === 'kill') left = disk.crash('all-unsynced', seededRandom(1));
    await manager.close({ clean: end === 'stop' });
    return left;
  }

  async function expectAllRight(disk: FaultyFileSystem, file: string): Promise<void> {
    const { manager, log } = await open(disk);
    log.setHighWatermark(log.logEndOffset);
    const isStartLost = file.includes('log-start');
    expect([log.logStartOffset, log.logEndOffset, log.topicId]).toEqual([isStartLost ? 0 : START, END, TOPIC_ID]);
    const values = (await readAll(log, START)).map(({ value }) => String(value).replace(/\.+$/, ''));
    expect(values).toEqual(Array.from({ length: 10 }, (_, i) => `v${i}`));
    const { aborted } = await readFrom(log, log.logStartOffset, { withAbortedTransactions: true, maxBytes: 1 });
    expect(aborted).toEqual(isStartLost ? [{ producerId: 9, firstOffset: 0 }] : []);
    expect(log.lastStableOffset).toBe(END);
    expect(await append(log, numbered(9))).toMatchObject({ firstOffset: END - 1, duplicate: true });
    expect(await log.offsetForTimestamp(TIME_MS + 5)).toMatchObject({ value: { offset: START + 5 } });
    expect(log.endOffsetForEpoch(3).endOffset).toBe(START + 5);
    log.assignEpoch(7);
    expect(await append(log, numbered(10), { origin: 'client', leaderEpoch: 7 })).toMatchObject({ firstOffset: END });
    expect([log.latestEpoch, log.endOffsetForEpoch(7).endOffset]).toEqual([7, END + 1]);
    await manager.close({ clean: true });
    const again = await open(disk);
    expect(again.log.logEndOffset).toBe(END + 1);
    await again.manager.close({ clean: false });
  }

  it.each(FILES)('%s may be gone or damaged', async (file) => {
    const isThere = (disk: FaultyFileSystem): boolean => disk.stat(file) !== undefined;
    let tried = 0;
    for (const [what, damage] of DAMAGES) {
      const disk = await leave();
      // A clean stop is what the mark is for; a transaction index that is gone is one that was not needed (as in
      // Kafka).
      if (!isThere(disk) || (what === 'gone' && file.endsWith('.txnindex'))) continue;
      damage(disk, file);
      await expectAllRight(disk, file);
      tried++;
    }
    expect(tried > 0).toBe(end === 'stop' || !file.includes('cleanshutdown'));
  });
});

it.each([
  ['an offset that is too large', 2, 1],
  ['an offset that was before', 7, 0],
])('a damaged batch header in an older segment, %s, keeps nobody from reading what is sound', async (_, at, value) => {
  const fileSystem = new FaultyFileSystem(new ManualClock());
  const config = { retentionMs: -1, segmentBytes: 600, indexIntervalBytes: 50 };
  const before = await openLogs({ fileSystem, config });
  const log = await openLog(before);
  for (let i = 0; i < 16; i++) await append(log, batchOf(['x'.repeat(60)], { timestamp: 1000 + i }));
  expect([log.segmentCount, log.logEndOffset]).toEqual([4, 16]);
  await before.close({ clean: true });
  const path = '/data/t-0/00000000000000000004';
  const content = fileSystem.readFile(`${path}.log`);
  content[3 * (content.length / 4) + at] = value;
  fileSystem.writeFile(`${path}.log`, content);
  // Looked at when it is first used.
  fileSystem.writeFile(`${path}.index`, Buffer.alloc(fileSystem.readFile(`${path}.index`).length));
  const manager = await openLogs({ fileSystem, config });
  const after = await openLog(manager);
  after.setHighWatermark(16);
  expect([after.logEndOffset, textOffsets(await readFrom(after, 5)), textOffsets(await readFrom(after, 9))]).toEqual([
    16,
    expect.arrayContaining([5, 6]),
    expect.arrayContaining([9, 10]),
  ]);
  expect(await after.offsetForTimestamp(1010)).toMatchObject({ ok: true, value: { offset: 10 } });
  expect(await append(after, batchOf(['more']))).toMatchObject({ firstOffset: 16 });
  await manager.close({ clean: true });
});

function textOffsets({ records }: Awaited<ReturnType<typeof readFrom>>): number[] {
  return records.map(({ offset }) => offset);
}
