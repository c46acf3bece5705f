/** Where new partitions go. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, appendCode, batchOf, openLogs, TOPIC_ID } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';

describe('a new partition', () => {
  const cordoned = new Set<string>();
  let disk: FaultyFileSystem;
  let manager: LogManager;

  beforeEach(async () => {
    cordoned.clear();
    disk = new FaultyFileSystem(new ManualClock());
    manager = await openLogs({
      fileSystem: disk,
      logDirs: ['/a', '/b', '/c'],
      isCordoned: (path) => cordoned.has(path),
    });
  });

  afterEach(() => manager.close({ clean: false }));

  async function made(topic: string): Promise<string> {
    const log = await manager.create(topic, 0, TOPIC_ID);
    if (!log.ok) throw new Error(log.message);
    return log.value.directory.slice(0, 2);
  }

  it('goes where there are the fewest, those on their way there included', async () => {
    expect([await made('t'), await made('u'), await made('v'), await made('w')]).toEqual(['/a', '/b', '/c', '/a']);
    expect(await manager.futures.create('t-0', manager.placement.directory('/b')!)).toMatchObject({ ok: true });
    expect([await made('x'), await made('y')]).toEqual(['/c', '/a']);
  });

  it('goes where it was wished, once', async () => {
    manager.placement.wish('t-0', manager.placement.directory('/c')!);
    expect(await made('t')).toBe('/c');
    await manager.delete('t', 0);
    expect(await made('t')).toBe('/a');
  });

  it('does not go to a cordoned directory unless all are', async () => {
    cordoned.add('/a').add('/b');
    expect([await made('t'), await made('u')]).toEqual(['/c', '/c']);
    cordoned.add('/c');
    expect(await made('v')).toBe('/a');
  });

  it('goes on to the next directory where one fails, and avoids it from then on', async () => {
    const fault = disk.inject({ on: 'open', code: 'EIO', path: /^\/a\/t-0/ });
    expect(await made('t')).toBe('/b');
    fault.lift();
    expect([await made('u'), await made('v')]).toEqual(['/a', '/c']);
    const log = manager.get('v', 0)!;
    await append(log, batchOf(['a']));
    const broken = disk.inject({ on: 'write', code: 'EIO', path: /^\/c/ });
    expect(await appendCode(log, batchOf(['b']))).not.toBe(0);
    broken.lift();
    expect([await made('w'), await made('x'), await made('y')]).toEqual(['/a', '/b', '/a']);
  });
});
