/** What survives a crash, and faults where they are asked for. */
import type { Random } from '../base/random';
import { FaultyFileSystem } from './faulty-file-system';
import { ManualClock } from './manual-clock';

function seeded(seed: number): Random {
  let state = seed;
  const integer = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  return { integer, bytes: (count) => Buffer.from(Array.from({ length: count }, () => integer(256))) };
}

function diskWith(files: Record<string, string>): FaultyFileSystem {
  const disk = new FaultyFileSystem(new ManualClock());
  disk.createDirectory('/d');
  for (const [path, text] of Object.entries(files)) disk.writeFile(path, Buffer.from(text));
  return disk;
}

describe('FaultyFileSystem', () => {
  it('keeps only synced bytes under synced names', async () => {
    const disk = diskWith({ '/d/named': 'one', '/d/later': 'two' });
    const handle = disk.open('/d/named', 'write');
    await handle.sync();
    expect(disk.crash('synced-only', seeded(1)).stat('/d/named')).toBeUndefined();
    await disk.syncDirectory('/d');
    handle.write(Buffer.from('ONE MORE'), 0);
    const after = disk.crash('synced-only', seeded(1));
    expect(after.readFile('/d/named').toString()).toBe('one');
    expect(after.readFile('/d/later').length).toBe(0);
    expect(disk.crash('all-unsynced', seeded(1)).readFile('/d/named').toString()).toBe('ONE MORE');
  });

  it('keeps a prefix of what is unsynced, the last change perhaps torn', async () => {
    const disk = diskWith({});
    const handle = disk.open('/d/f', 'write');
    await handle.sync();
    await disk.syncDirectory('/d');
    for (let i = 0; i < 4; i++) handle.write(Buffer.alloc(10, 97 + i), i * 10);
    const lengths = new Set<number>();
    for (let seed = 1; seed < 200; seed++) {
      const content = disk.crash('some-unsynced', seeded(seed)).readFile('/d/f');
      lengths.add(content.length);
      expect('a'.repeat(10) + 'b'.repeat(10) + 'c'.repeat(10) + 'd'.repeat(10)).toContain(
        content.toString('latin1').replace(/\0+$/, ''),
      );
    }
    expect(lengths.size).toBeGreaterThan(8);
  });

  it('makes an atomic replacement durable', async () => {
    const disk = diskWith({ '/d/f': 'old' });
    await disk.replaceFile('/d/f', Buffer.from('new'), { durable: true });
    const after = disk.crash('synced-only', seeded(1));
    expect(after.readFile('/d/f').toString()).toBe('new');
    expect(after.crash('synced-only', seeded(1)).readFile('/d/f').toString()).toBe('new');
  });

  it('fails as asked, as often as asked, where asked', async () => {
    const disk = diskWith({});
    disk.inject({ on: 'write', code: 'ENOSPC', path: /\.log$/, times: 1, partialBytes: 2 });
    const handle = disk.open('/d/f.log', 'write');
    expect(() => handle.write(Buffer.from('abcd'), 0)).toThrow('ENOSPC');
    expect(handle.size()).toBe(2);
    handle.write(Buffer.from('abcd'), 0);
    const fault = disk.inject({ on: 'sync', code: 'EIO' });
    await expect(handle.sync()).rejects.toThrow('EIO');
    fault.lift();
    await handle.sync();
  });

  it('runs full and has room again', () => {
    const disk = diskWith({});
    const handle = disk.open('/d/f', 'write');
    disk.freeBytes = 5;
    handle.write(Buffer.from('abc'), 0);
    expect(() => handle.write(Buffer.from('def'), 3)).toThrow('ENOSPC');
    handle.write(Buffer.from('xyz'), 0);
    disk.freeBytes = 100;
    handle.write(Buffer.from('def'), 3);
    expect(handle.size()).toBe(6);
  });
});
