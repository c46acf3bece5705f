/** What a start takes for partitions among the entries of a log directory, on a real disk with links. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ErrorCode } from '../codec/generated/errors';
import { append, batchOf, openLog, openLogs, readAll, TOPIC_ID, textsOf } from '../testing/log-fixture';
import { RecordingLogger } from '../testing/recording-logger';
import { nodeFileSystem } from './node-file-system';

describe('a link in the place of a partition', () => {
  let folder: string;
  let data: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'log-directory-'));
    data = join(folder, 'data');
    const manager = await openLogs({ fileSystem: nodeFileSystem, logDirs: [data] });
    await append(await openLog(manager), batchOf(['kept']));
    await manager.close({ clean: true });
    renameSync(join(data, 't-0'), join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(data, 't-0'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('is followed where it leads to a directory', async () => {
    const manager = await openLogs({ fileSystem: nodeFileSystem, logDirs: [data] });
    expect(textsOf(await readAll(manager.get('t', 0)!))).toEqual(['kept']);
    await manager.close({ clean: true });
  });

  it.each([
    ['nowhere', (): string => join(folder, 'gone'), /symbolic link that leads nowhere/],
    ['in a circle', (): string => join(data, 't-0'), /ELOOP/],
  ])('is an offline partition where it leads %s, and nothing is made', async (_, target, said) => {
    rmSync(join(data, 't-0'));
    symlinkSync(target(), join(data, 't-0'));
    const logger = new RecordingLogger();
    const manager = await openLogs({ fileSystem: nodeFileSystem, logDirs: [data], logger });
    expect(manager.get('t', 0)).toBeUndefined();
    expect(await manager.create('t', 0, TOPIC_ID)).toMatchObject({ error: ErrorCode.KAFKA_STORAGE_ERROR });
    const told = logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields);
    expect(told).toMatchObject([{ log: join(data, 't-0'), error: expect.stringMatching(said) }]);
    await manager.close({ clean: true });
    expect(readlinkSync(join(data, 't-0'))).toBe(target());
    expect(readdirSync(data)).not.toContain('.kafka_cleanshutdown');
    rmSync(join(data, 't-0'));
    symlinkSync(join(folder, 'elsewhere'), join(data, 't-0'));
    const again = await openLogs({ fileSystem: nodeFileSystem, logDirs: [data] });
    expect(textsOf(await readAll(again.get('t', 0)!))).toEqual(['kept']);
    await again.close({ clean: true });
  });

  it('stops the start where the partition is in another directory, too', async () => {
    const other = join(folder, 'other');
    mkdirSync(join(other, 't-0'), { recursive: true });
    rmSync(join(folder, 'elsewhere'), { recursive: true });
    const opening = openLogs({ fileSystem: nodeFileSystem, logDirs: [data, other] });
    await expect(opening).rejects.toThrow(/there twice/);
  });

  it('is none where it is a file', async () => {
    writeFileSync(join(data, 'notes-7'), 'text');
    const logger = new RecordingLogger();
    const manager = await openLogs({ fileSystem: nodeFileSystem, logDirs: [data], logger });
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await manager.close({ clean: true });
  });
});
