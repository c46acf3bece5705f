/** Claiming data directories: ownership and `meta.properties`. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock';
import { systemRandom } from '../base/random';
import { err, ok } from '../base/result';
import { claimDataDirectories, type DataDirectories } from './data-directories';
import { MemoryFileSystem } from './memory-file-system';
import { nodeFileSystem, realPath } from './node-file-system';

const UUID = /^[A-Za-z0-9_-]{22}$/;

function inMemory(fileSystem: MemoryFileSystem, paths: readonly string[] = ['/data']) {
  return { fileSystem, paths, random: systemRandom, brokerId: undefined };
}

async function claimed(options: Parameters<typeof claimDataDirectories>[0]): Promise<DataDirectories> {
  const result = await claimDataDirectories(options);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

function meta(fileSystem: MemoryFileSystem, directory: string): string {
  return fileSystem.readFile(join(directory, 'meta.properties')).toString();
}

describe('claimDataDirectories', () => {
  let fileSystem: MemoryFileSystem;

  beforeEach(() => {
    fileSystem = new MemoryFileSystem(systemClock);
  });

  function write(directory: string, text: string): void {
    fileSystem.createDirectory(directory);
    fileSystem.writeFile(join(directory, 'meta.properties'), Buffer.from(text));
  }

  it('marks new directories, and finds itself again', async () => {
    const first = await claimed(inMemory(fileSystem, ['/a', '/b']));
    expect(first).toMatchObject({
      paths: ['/a', '/b'],
      brokerId: 1,
      isNew: true,
      clusterId: expect.stringMatching(UUID),
    });
    expect(meta(fileSystem, '/a')).toMatch(
      new RegExp(`^version=1\ncluster.id=${first.clusterId}\nnode.id=1\ndirectory.id=[A-Za-z0-9_-]{22}\n$`),
    );
    const again = await claimed(inMemory(fileSystem, ['/a', '/b', '/new']));
    expect(again).toMatchObject({ brokerId: 1, clusterId: first.clusterId, isNew: false });
    expect(meta(fileSystem, '/new')).toContain(`cluster.id=${first.clusterId}\n`);
  });

  it('takes a number and a cluster that were asked for', async () => {
    const clusterId = 'MkU3OEVBNTcwNTJENDM2Qg';
    const first = await claimed({ ...inMemory(fileSystem), brokerId: 7, clusterId });
    expect(first).toMatchObject({ brokerId: 7, clusterId });
    expect(await claimed({ ...inMemory(fileSystem), clusterId: 'another-one' })).toMatchObject({
      brokerId: 7,
      clusterId,
    });
  });

  it('asks the other files for the cluster of a directory whose own file is lost', async () => {
    const storedClusterId = async (directory: string) => ok(`cluster-of-${directory}`);
    const lost = { ...inMemory(fileSystem, ['/a', '/b']), storedClusterId, clusterId: 'asked-for' };
    expect(await claimed(lost)).toMatchObject({ clusterId: 'cluster-of-/a' });
    write('/b', 'version=1\nnode.id=1\ncluster.id=known\n');
    fileSystem.remove('/a/meta.properties');
    expect(await claimed(lost)).toMatchObject({ clusterId: 'known' });
    const damaged = { ...inMemory(fileSystem, ['/c']), storedClusterId: async () => err('it is damaged') };
    expect(await claimDataDirectories(damaged)).toEqual({ ok: false, error: 'it is damaged' });
    expect(fileSystem.stat('/c/meta.properties')).toBeUndefined();
  });

  it('reads the file of the ZooKeeper era, completes it, and keeps its version', async () => {
    write('/data', '#\n#Mon Jan 01 00:00:00 UTC 2018\nversion=0\nbroker.id=1001\n');
    const first = await claimed(inMemory(fileSystem));
    expect(first).toMatchObject({ brokerId: 1001, isNew: false });
    expect(meta(fileSystem, '/data')).toBe(`version=0\ncluster.id=${first.clusterId}\nbroker.id=1001\n`);
  });

  it('leaves a complete file alone', async () => {
    const text = '#\n#now\ncluster.id=abc\ndirectory.id=d\nnode.id=3\nversion=1\n';
    write('/data', text);
    expect(await claimed(inMemory(fileSystem))).toMatchObject({ brokerId: 3, clusterId: 'abc' });
    expect(meta(fileSystem, '/data')).toBe(text);
  });

  it.each([
    ['version=1\nnode.id=2\ncluster.id=c\n', 'belongs to broker 2, but the configuration asks for 1'],
    ['version=2\n', 'unknown version 2'],
    ['version=1\nnode.id=1\n', 'lacks node.id or cluster.id'],
    ['version=0\nbroker.id=x\n', 'has the broker number x'],
  ])('refuses %j', async (text, reason) => {
    write('/data', text);
    const result = await claimDataDirectories({ ...inMemory(fileSystem), brokerId: 1 });
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining(reason) });
    expect(meta(fileSystem, '/data')).toBe(text);
  });

  it('refuses directories of different clusters or brokers', async () => {
    write('/a', 'version=1\nnode.id=1\ncluster.id=one\n');
    write('/b', 'version=1\nnode.id=1\ncluster.id=two\n');
    write('/c', 'version=1\nnode.id=2\ncluster.id=one\n');
    const clusters = await claimDataDirectories(inMemory(fileSystem, ['/a', '/b']));
    expect(clusters).toMatchObject({ error: 'The data directory /b belongs to cluster two, but /a to one' });
    const brokers = await claimDataDirectories(inMemory(fileSystem, ['/a', '/c']));
    expect(brokers).toMatchObject({ error: expect.stringContaining('/c belongs to broker 2, but /a asks for 1') });
  });
});

describe('claimDataDirectories on a disk', () => {
  let directory: string;

  beforeEach(() => {
    directory = realPath(mkdtempSync(join(tmpdir(), 'odradek-data-')));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  function onDisk(...paths: string[]) {
    const standIn = {
      take: async () => ({ kind: 'failed', reason: 'no stand-in here' }) as const,
      owner: async () => undefined,
    };
    return {
      ...inMemory(new MemoryFileSystem(systemClock), paths),
      fileSystem: nodeFileSystem,
      locking: { realPath, standIn },
    };
  }

  it('is the only owner, under whatever name', async () => {
    const data = join(directory, 'data');
    const owner = await claimed(onDisk(data));
    symlinkSync(data, join(directory, 'link'));
    const second = await claimDataDirectories(onDisk(join(directory, 'link')));
    expect(second).toMatchObject({ error: `The data directory ${data} is in use by another broker in this process` });
    await owner.release();
    const next = await claimed(onDisk(join(directory, 'link')));
    expect(next.paths).toEqual([data]);
    await next.release();
    expect(readFileSync(join(data, 'meta.properties'), 'utf8')).toContain('version=1');
  });

  it('refuses a directory that is named twice, and owns nothing then', async () => {
    const data = join(directory, 'data');
    expect(await claimDataDirectories(onDisk(data, `${data}/../data`))).toMatchObject({
      error: expect.stringContaining('named twice'),
    });
    await (await claimed(onDisk(data))).release();
  });

  it('leaves out a directory that fails, unless it is the first', async () => {
    const [data, broken, other] = ['data', 'broken', 'other'].map((name) => join(directory, name));
    writeFileSync(broken!, 'no directory');
    const found = await claimed(onDisk(data!, broken!, other!));
    expect(found).toMatchObject({
      paths: [data, other],
      all: [data, broken, other],
      failed: [{ path: broken, reason: expect.stringContaining('EEXIST') }],
    });
    await found.release();
    expect(await claimDataDirectories(onDisk(broken!, data!))).toMatchObject({ ok: false });
  });

  it('says what is wrong with a directory that cannot be made', async () => {
    nodeFileSystem.writeFile(join(directory, 'file'), Buffer.from(''));
    const result = await claimDataDirectories(onDisk(join(directory, 'file', 'data')));
    expect(result).toMatchObject({ error: expect.stringContaining('cannot be used: ENOTDIR') });
  });
});
