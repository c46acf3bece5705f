/** One suite for every implementation of the file system: what the log relies on. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { type FileSystem, FileSystemError } from './file-system';
import { MemoryFileSystem } from './memory-file-system';
import { descriptorLimit, nodeFileSystem } from './node-file-system';

/** One suite for every implementation: what the log relies on. */
function contract(name: string, make: () => { files: FileSystem; root: string; dispose: () => void }): void {
  describe(`file system contract: ${name}`, () => {
    let files: FileSystem;
    let root: string;
    let dispose: () => void;
    const path = (...parts: string[]): string => join(root, ...parts);
    const codeOf = (run: () => unknown): string => {
      try {
        run();
      } catch (error) {
        if (error instanceof FileSystemError) return error.code;
        throw error;
      }
      return 'none';
    };

    beforeEach(() => {
      ({ files, root, dispose } = make());
    });
    afterEach(() => dispose());

    it('writes and reads at positions, short only at the end of the file', () => {
      const handle = files.open(path('a'), 'write');
      handle.write(Buffer.from('hello world'), 0);
      handle.write(Buffer.from('W'), 6);
      const target = Buffer.alloc(20);
      expect(handle.read(target, 6)).toBe(5);
      expect(target.toString('latin1', 0, 5)).toBe('World');
      expect(handle.read(target, 100)).toBe(0);
      expect(handle.size()).toBe(11);
      handle.close();
    });

    it('reads at once the right bytes or none, where it offers that', () => {
      const handle = files.open(path('a'), 'write');
      handle.write(Buffer.from('hello world'), 0);
      const target = Buffer.alloc(5);
      const count = handle.readAtOnce?.(target, 6) ?? 0;
      expect(target.toString('latin1', 0, count)).toBe('world'.slice(0, count));
      expect(handle.readAtOnce?.(target, 11) ?? 0).toBe(0);
      handle.close();
    });

    it('tells the size of the volume, where there is one', async () => {
      const space = await files.volumeSpace(root);
      if (space) {
        expect(space.totalBytes).toBeGreaterThan(0);
        expect(space.usableBytes).toBeGreaterThanOrEqual(0);
        expect(space.usableBytes).toBeLessThanOrEqual(space.totalBytes);
      }
      await expect(files.volumeSpace(path('none'))).rejects.toBeInstanceOf(FileSystemError);
    });

    it('gathers parts off the loop', async () => {
      const handle = files.open(path('a'), 'write');
      const parts = Array.from({ length: 2000 }, (_, i) => Buffer.from(`${i},`));
      await handle.writeAsync(parts, 3);
      const expected = Buffer.concat(parts);
      const target = Buffer.alloc(expected.length);
      expect(await handle.readAsync(target, 3)).toBe(expected.length);
      expect(target.equals(expected)).toBe(true);
      handle.close();
    });

    it('crosses block borders and fills holes with zeros', () => {
      const handle = files.open(path('a'), 'write');
      const data = Buffer.alloc(200_000, 7);
      handle.write(data, 65_000);
      const target = Buffer.alloc(265_000);
      expect(handle.read(target, 0)).toBe(265_000);
      expect(target.subarray(0, 65_000).every((byte) => byte === 0)).toBe(true);
      expect(target.subarray(65_000).equals(data)).toBe(true);
      handle.truncate(65_002);
      handle.truncate(70_000);
      expect(handle.read(target, 65_000)).toBe(5000);
      expect([...target.subarray(0, 4)]).toEqual([7, 7, 0, 0]);
      handle.close();
    });

    it('opens by mode', () => {
      expect(codeOf(() => files.open(path('a'), 'read'))).toBe('ENOENT');
      files.open(path('a'), 'create').close();
      expect(codeOf(() => files.open(path('a'), 'create'))).toBe('EEXIST');
      const handle = files.open(path('a'), 'read');
      expect(codeOf(() => handle.write(Buffer.from('x'), 0))).toBe('EBADF');
      handle.close();
      expect(codeOf(() => files.open(path('missing', 'a'), 'write'))).toBe('ENOENT');
      expect(codeOf(() => files.readFile(path('b')))).toBe('ENOENT');
    });

    it('keeps a handle usable after rename and removal', () => {
      const handle = files.open(path('a'), 'write');
      handle.write(Buffer.from('one'), 0);
      files.rename(path('a'), path('b'));
      handle.write(Buffer.from('two'), 3);
      expect(files.readFile(path('b')).toString()).toBe('onetwo');
      files.remove(path('b'));
      const target = Buffer.alloc(6);
      expect(handle.read(target, 0)).toBe(6);
      expect(target.toString()).toBe('onetwo');
      handle.close();
      expect(files.stat(path('b'))).toBeUndefined();
    });

    it('replaces whole files', async () => {
      await files.replaceFile(path('c'), Buffer.from('first'), { durable: true });
      await files.replaceFile(path('c'), Buffer.from('2'), { durable: false });
      expect(files.readFile(path('c')).toString()).toBe('2');
      files.writeFile(path('c'), Buffer.from('3!'));
      expect(files.readFile(path('c')).toString()).toBe('3!');
      expect(files.list(root).map((entry) => entry.name)).toEqual(['c']);
    });

    it('lists, creates, renames and removes directories', async () => {
      files.createDirectory(path('d', 'e'));
      files.createDirectory(path('d', 'e'));
      files.writeFile(path('d', 'e', 'f'), Buffer.from('x'));
      files.rename(path('d'), path('g'));
      expect(files.list(path('g'))).toEqual([{ name: 'e', isDirectory: true }]);
      expect(files.list(path('g', 'e'))).toEqual([{ name: 'f', isDirectory: false }]);
      await files.syncDirectory(path('g'));
      await files.removeDirectory(path('g'));
      await files.removeDirectory(path('g'));
      expect(files.list(root)).toEqual([]);
      expect(codeOf(() => files.list(path('g')))).toBe('ENOENT');
      expect(codeOf(() => files.rename(path('x'), path('y')))).toBe('ENOENT');
      files.remove(path('x'));
      files.writeFile(path('y'), Buffer.from('y'));
      await files.removeAsync(path('y'));
      await files.removeAsync(path('y'));
      expect(files.stat(path('y'))).toBeUndefined();
    });

    it('reports size and kind', async () => {
      files.writeFile(path('s'), Buffer.alloc(10));
      expect(files.stat(path('s'))).toMatchObject({ size: 10, isDirectory: false });
      expect(Math.abs((files.stat(path('s'))?.modifiedMs ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(files.stat(root)).toMatchObject({ size: 0, isDirectory: true });
      const handle = files.open(path('s'), 'write');
      await handle.sync();
      handle.close();
    });
  });
}

contract('disk', () => {
  const root = mkdtempSync(join(tmpdir(), 'odradek-files-'));
  return { files: nodeFileSystem, root, dispose: () => rmSync(root, { recursive: true, force: true }) };
});

contract('memory', () => {
  const files = new MemoryFileSystem(systemClock);
  files.createDirectory('/data');
  return { files, root: '/data', dispose: () => undefined };
});

contract('faulty, without faults', () => {
  const files = new FaultyFileSystem(systemClock);
  files.createDirectory('/data');
  return { files, root: '/data', dispose: () => undefined };
});

it('tells the limit of descriptors where the system does', () => {
  const limit = descriptorLimit();
  if (!existsSync('/proc/self/limits')) expect(limit).toBeUndefined();
  // A child has the limit that this process gave itself.
  else expect(limit).toBe(Number(execFileSync('sh', ['-c', 'ulimit -Sn']).toString()) || undefined);
});
