/** What a start makes of copies that it finds: put in place, gone on with, left alone, or removed. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLogs, readAll, TOPIC_ID, textsOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';

const UNIQUE = '0123456789abcdef0123456789abcdef';
const OTHER = 'fedcba9876543210fedcba9876543210';
const OTHER_ID = 'b3RoZXJvdGhlcm90aGVyMQ';

describe('a copy that is found at the start', () => {
  const clock = new ManualClock();
  let disk: FaultyFileSystem;
  let manager: LogManager;

  /** `/a/t-0` with two records, closed. */
  beforeEach(async () => {
    disk = new FaultyFileSystem(clock);
    manager = await open();
    const log = await manager.create('t', 0, TOPIC_ID);
    if (!log.ok) throw new Error(log.message);
    await append(log.value, batchOf(['one', 'two']));
    await manager.close({ clean: true });
  });

  afterEach(() => manager.close({ clean: false }));

  const open = (): Promise<LogManager> => openLogs({ fileSystem: disk, clock, logDirs: ['/a', '/b'] });

  function copyTo(path: string, leftOut?: string): void {
    disk.createDirectory(path);
    const from = disk.stat('/a/t-0') ? '/a/t-0' : `/a/t-0.${UNIQUE}-delete`;
    for (const { name } of disk.list(from)) {
      if (name !== leftOut) disk.writeFile(`${path}/${name}`, disk.readFile(`${from}/${name}`));
    }
  }

  async function found(): Promise<{ partitions: string[]; texts: string[] | undefined; isMoving: boolean }> {
    manager = await open();
    const log = manager.get('t', 0);
    const texts = log && textsOf(await readAll(log));
    const isMoving = manager.futures.has('t-0');
    await clock.advance(0);
    const names = ['/a', '/b'].flatMap((path) => disk.list(path).map(({ name }) => `${path}/${name}`));
    return { partitions: names.filter((name) => name.includes('/t-0')).sort(), texts, isMoving };
  }

  it('takes the place of a log that was out of the way', async () => {
    copyTo(`/b/t-0.${OTHER}-future`);
    disk.rename('/a/t-0', `/a/t-0.${UNIQUE}-delete`);
    expect(await found()).toEqual({ partitions: ['/b/t-0'], texts: ['one', 'two'], isMoving: false });
  });

  it.each([
    ['takes the place of', 0, ['/b/t-0']],
    ['is left alone beside', 1, [`/b/t-0.${OTHER}-future`]],
  ] as const)('%s a log that ends in bytes of %i', async (_, byte, partitions) => {
    copyTo(`/b/t-0.${OTHER}-future`);
    const path = '/a/t-0/00000000000000000000.log';
    disk.writeFile(path, Buffer.concat([disk.readFile(path), Buffer.alloc(3_000_000, byte)]));
    disk.rename('/a/t-0', `/a/t-0.${UNIQUE}-delete`);
    expect(await found()).toMatchObject({ partitions });
  });

  it('is left alone where it is not whole, or nothing tells that it is', async () => {
    copyTo(`/b/t-0.${OTHER}-future`, '00000000000000000000.log');
    disk.rename('/a/t-0', `/a/t-0.${UNIQUE}-delete`);
    expect(await found()).toEqual({ partitions: [`/b/t-0.${OTHER}-future`], texts: undefined, isMoving: false });
  });

  it('is gone on with beside its log', async () => {
    copyTo(`/b/t-0.${OTHER}-future`, '00000000000000000000.log');
    const partitions = ['/a/t-0', `/b/t-0.${OTHER}-future`];
    expect(await found()).toEqual({ partitions, texts: ['one', 'two'], isMoving: true });
  });

  it('is removed where it belongs to another topic, or is one too many', async () => {
    copyTo(`/b/t-0.${OTHER}-future`);
    disk.writeFile(`/b/t-0.${OTHER}-future/partition.metadata`, Buffer.from(`version: 0\ntopic_id: ${OTHER_ID}\n`));
    expect(await found()).toEqual({ partitions: ['/a/t-0'], texts: ['one', 'two'], isMoving: false });
    await manager.close({ clean: true });
    copyTo(`/b/t-0.${OTHER}-future`);
    copyTo(`/b/t-0.${UNIQUE}-future`);
    expect((await found()).partitions).toHaveLength(2);
  });
});
