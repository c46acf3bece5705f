/** Files that are opened once, lent, and closed when there are too many. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { ManualClock } from '../testing/manual-clock';
import { OpenFiles } from './open-files';

describe('OpenFiles', () => {
  let disk: FaultyFileSystem;
  let opened: jest.SpyInstance;
  let files: OpenFiles;

  beforeEach(() => {
    disk = new FaultyFileSystem(new ManualClock());
    disk.createDirectory('/d');
    for (const name of ['a', 'b', 'c']) disk.writeFile(`/d/${name}`, Buffer.from(name));
    opened = jest.spyOn(disk, 'open');
    files = new OpenFiles(disk, 2);
  });

  const content = (path: string): string => {
    const target = Buffer.alloc(1);
    files.forReading(path).read(target, 0);
    return target.toString();
  };

  it('opens a file once, and again after it was the least recently used', () => {
    expect([content('/d/a'), content('/d/b'), content('/d/a'), content('/d/c')]).toEqual(['a', 'b', 'a', 'c']);
    expect([opened.mock.calls.length, files.size]).toEqual([3, 2]);
    content('/d/a');
    expect(opened).toHaveBeenCalledTimes(3);
    content('/d/b');
    expect(opened).toHaveBeenCalledTimes(4);
  });

  it('reopens what was only opened for reading when it is to be written', () => {
    content('/d/a');
    files.forWriting('/d/a').write(Buffer.from('x'), 0);
    expect([content('/d/a'), opened.mock.calls.length]).toEqual(['x', 2]);
    expect(() => files.forReading('/d/new')).toThrow('ENOENT');
    files.forWriting('/d/new');
    expect(disk.stat('/d/new')).toBeDefined();
  });

  it('never closes what is lent, whatever happens to limit and name', () => {
    const lent = files.lendForReading('/d/a');
    content('/d/b');
    content('/d/c');
    files.detach('/d/a');
    disk.rename('/d/a', '/d/a.deleted');
    disk.writeFile('/d/a', Buffer.from('n'));
    files.closeAll();
    const target = Buffer.alloc(1);
    lent.handle.read(target, 0);
    expect([target.toString(), content('/d/a')]).toEqual(['a', 'n']);
    lent.release();
    expect(() => lent.handle.read(target, 0)).toThrow('EBADF');
  });

  it('goes back to the limit when what was lent beyond it comes back', () => {
    const lent = ['/d/a', '/d/b', '/d/c'].map((path) => files.lendForReading(path));
    expect(files.size).toBe(3);
    for (const { release } of lent) release();
    expect(files.size).toBe(2);
    expect([content('/d/a'), content('/d/b'), content('/d/c'), files.size]).toEqual(['a', 'b', 'c', 2]);
  });

  it('keeps nothing open for a single use that was not open before', () => {
    content('/d/a');
    for (const name of ['a', 'b']) {
      const { handle, release } = files.lendOnce(`/d/${name}`);
      expect([handle.size(), files.size]).toEqual([1, name === 'a' ? 1 : 2]);
      release();
      if (name === 'b') expect(() => handle.size()).toThrow('EBADF');
    }
    expect([files.size, content('/d/a'), opened.mock.calls.length]).toEqual([1, 'a', 2]);
  });

  it('detaches all of a directory', () => {
    content('/d/a');
    content('/d/b');
    files.detachDirectory('/d');
    expect(files.size).toBe(0);
  });

  it('opens a file anew after it was replaced, whoever holds the former one', async () => {
    const lent = files.lendForReading('/d/a');
    await files.replaceFile('/d/a', Buffer.from('n'), { durable: true });
    const former = Buffer.alloc(1);
    lent.handle.read(former, 0);
    expect([content('/d/a'), former.toString()]).toEqual(['n', 'a']);
    lent.release();
  });

  it('gives up idle files when the process has no descriptor left', () => {
    content('/d/a');
    disk.inject({ on: 'open', code: 'EMFILE', path: /b$/, times: 1 });
    expect([content('/d/b'), files.size]).toEqual(['b', 1]);
    disk.inject({ on: 'open', code: 'EMFILE', path: /c$/, times: 2 });
    expect(() => content('/d/c')).toThrow('EMFILE');
  });
});
