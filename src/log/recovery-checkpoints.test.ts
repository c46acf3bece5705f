/** Starts whose checkpoints and marks do not fit the logs, or that fail themselves while they recover. */
import { type Fault, FaultyFileSystem } from '../testing/faulty-file-system';
import { append, appendCode, batchOf, openLog, openLogs, readAll, seededRandom, textsOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const CONFIG = { retentionMs: -1, segmentBytes: 500, indexIntervalBytes: 100 };
const CHECKPOINT = '/data/recovery-point-offset-checkpoint';
const COUNT = 12;

describe('a start after a crash', () => {
  const clock = new ManualClock();
  let disk: FaultyFileSystem;
  let manager: LogManager;
  let log: PartitionLog;
  let logger: RecordingLogger;

  async function open(logDirs = ['/data']): Promise<void> {
    logger = new RecordingLogger();
    manager = await openLogs({ fileSystem: disk, clock, logger, logDirs, config: CONFIG });
    log = await openLog(manager);
  }

  async function kill(): Promise<void> {
    disk = disk.crash('all-unsynced', seededRandom(1));
    await manager.close({ clean: false });
  }

  const logFiles = (): string[] =>
    disk
      .list('/data/t-0')
      .map(({ name }) => `/data/t-0/${name}`)
      .filter((path) => path.endsWith('.log'))
      .sort();

  const text = (i: number): string => `v${i}`.padEnd(60, '.');
  const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => text(i));
  const send = (i: number) => batchOf([text(i)], { producerId: 5, producerEpoch: 0, baseSequence: i });

  function tear(path: string, bytes: number): void {
    disk.writeFile(path, disk.readFile(path).subarray(0, -bytes));
  }

  /** All but the torn last batch is there, and that is taken anew in its place. */
  async function expectTornAndWhole(): Promise<void> {
    expect(textsOf(await readAll(log))).toEqual(texts(COUNT - 1));
    for (const i of [COUNT - 3, COUNT - 2]) expect(await append(log, send(i))).toMatchObject({ duplicate: true });
    expect(await append(log, send(COUNT - 1))).toMatchObject({ firstOffset: COUNT - 1, duplicate: false });
    expect((await log.flush()).ok).toBe(true);
    expect(log.recoveryPoint).toBe(COUNT);
  }

  beforeEach(async () => {
    disk = new FaultyFileSystem(clock);
    await open();
    for (let i = 0; i < COUNT; i++) await append(log, send(i));
    expect(log.segmentCount).toBeGreaterThan(2);
  });

  afterEach(() => manager.close({ clean: false }));

  it.each([
    ['damaged', 'garbage\n'],
    ['of another version', '7\n1\nt 0 12\n'],
    ['cut', '0\n2\nt 0 12\n'],
    ['empty', ''],
    ['missing', undefined],
    ['ahead of the log', '0\n1\nt 0 5000\n'],
    ['of the log end', `0\n1\nt 0 ${COUNT}\n`],
    ['below zero', '0\n1\nt 0 -4\n'],
    ['of other partitions', '0\n1\nx 3 9\n'],
  ])('with a checkpoint that is %s beside a torn tail', async (_, content) => {
    await kill();
    tear(logFiles().at(-1)!, 7);
    if (content === undefined) disk.remove(CHECKPOINT);
    else disk.writeFile(CHECKPOINT, Buffer.from(content));
    await open();
    await expectTornAndWhole();
    await manager.close({ clean: true });
    expect(disk.readFile(CHECKPOINT).toString()).toBe(`0\n1\nt 0 ${COUNT}\n`);
    await open();
    expect(textsOf(await readAll(log))).toEqual(texts(COUNT));
  });

  it('scans the directory that has no mark, and relies on the one that has', async () => {
    await manager.close({ clean: true });
    disk.createDirectory('/other');
    await open(['/data', '/other']);
    const other = await manager.create('u', 0, 'AAAAAAAAAAAAAAAAAAAAAA');
    if (!other.ok) throw new Error(other.message);
    for (let i = 0; i < COUNT; i++) await append(other.value, send(i));
    expect(other.value.directory).toBe('/other/u-0');
    await manager.close({ clean: true });
    disk.remove('/other/.kafka_cleanshutdown');
    // A wrong byte in the middle of the last batch, in both.
    for (const path of [logFiles().at(-1)!, logFiles().at(-1)!.replace('/data/t-0', '/other/u-0')]) {
      const content = disk.readFile(path);
      content[content.length - 20]! ^= 1;
      disk.writeFile(path, content);
    }
    await open(['/data', '/other']);
    expect([log.logEndOffset, manager.get('u', 0)?.logEndOffset]).toEqual([COUNT, COUNT - 1]);
  });

  describe('on a disk that runs full, or fails, while it recovers', () => {
    beforeEach(async () => {
      await kill();
      tear(logFiles().at(-1)!, 7);
    });

    /** Starts on a copy of the disk for each place of the fault, then without it. */
    async function startDespite(
      fault: Omit<Fault, 'after'>,
      look: (recovered: PartitionLog | undefined) => Promise<void>,
    ): Promise<void> {
      for (let after = 0; after < 20; after++) {
        const found = disk;
        disk = disk.crash('all-unsynced', seededRandom(1));
        disk.inject({ ...fault, after });
        manager = await openLogs({ fileSystem: disk, clock, logger, config: CONFIG });
        await look(manager.get('t', 0));
        await manager.close({ clean: true });
        disk.takeNoFaults();
        await open();
        await expectTornAndWhole();
        await manager.close({ clean: false });
        disk = found;
      }
      await open();
    }

    it.each(['write', 'create', 'truncate', 'rename'] as const)('%s: no room', async (on) => {
      await startDespite({ on, code: 'ENOSPC' }, async (recovered) => {
        if (recovered) expect(textsOf(await readAll(recovered))).toEqual(texts(COUNT - 1));
      });
    });

    it.each(['open', 'read', 'write', 'truncate', 'list'] as const)('%s: an I/O error', async (on) => {
      await startDespite({ on, code: 'EIO', path: /t-0/ }, async (recovered) => {
        if (!recovered) expect((await manager.create('t', 0, 'Zm9vYmFyYmF6cXV4cXV1eA')).ok).toBe(false);
      });
    });

    it('goes on by itself when there is room again', async () => {
      const full = disk.inject({ on: 'write', code: 'ENOSPC' });
      await open();
      expect(await appendCode(log, send(COUNT - 1))).not.toBe(0);
      full.lift();
      await expectTornAndWhole();
    });
  });
});
