/** What a crash left in a directory: removed, dropped or put in place. */
import { batchOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { clearLeftovers } from './leftover-files';
import { MemoryFileSystem } from './memory-file-system';

describe('clearLeftovers', () => {
  let disk: MemoryFileSystem;
  const name = (offset: number, suffix: string): string => String(offset).padStart(20, '0') + suffix;
  const put = (offset: number, suffix: string, records = 1): void => {
    const batch = batchOf(
      Array.from({ length: records }, () => 'x'),
      { baseOffset: offset },
    );
    disk.writeFile(`/d/${name(offset, suffix)}`, suffix.startsWith('.log') ? batch : Buffer.from(suffix));
  };
  const clear = (): string[] => {
    const names = [...clearLeftovers(disk, '/d')].sort();
    const listed = disk.list('/d').map((entry) => entry.name);
    expect(listed.sort()).toEqual(names);
    return names;
  };

  beforeEach(() => {
    disk = new MemoryFileSystem(new ManualClock());
    disk.createDirectory('/d');
  });

  it('removes what waits for removal and half-written files, and nothing else', () => {
    for (const suffix of ['.log', '.index', '.log.deleted', '.snapshot.deleted', '.snapshot']) put(0, suffix);
    disk.writeFile('/d/leader-epoch-checkpoint.tmp', Buffer.from('x'));
    disk.writeFile('/d/partition.metadata', Buffer.from('x'));
    expect(clear()).toEqual([name(0, '.index'), name(0, '.log'), name(0, '.snapshot'), 'partition.metadata']);
  });

  it('drops an unfinished compaction', () => {
    for (const offset of [0, 10]) put(offset, '.log');
    put(0, '.log.cleaned');
    put(0, '.log.swap');
    expect(clear()).toEqual([name(0, '.log'), name(10, '.log')]);
  });

  it('puts a finished compaction in the place of what it covers', () => {
    for (const offset of [0, 10, 20, 30]) for (const suffix of ['.log', '.index']) put(offset, suffix);
    put(0, '.log.swap', 25);
    put(0, '.index.swap');
    expect(clear()).toEqual([name(0, '.index'), name(0, '.log'), name(30, '.index'), name(30, '.log')]);
    expect(disk.readFile(`/d/${name(0, '.index')}`).toString()).toBe('.index.swap');
  });
});
