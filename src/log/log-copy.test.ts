/** What a copy has of a log that changed between two attempts to move it. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLogs, TOPIC_ID } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';

describe('a copy', () => {
  it('has the epochs of now where an attempt to move before them came to nothing', async () => {
    const disk = new FaultyFileSystem(new ManualClock());
    const manager = await openLogs({ fileSystem: disk, logDirs: ['/a', '/b'] });
    const made = await manager.create('t', 0, TOPIC_ID);
    if (!made.ok) throw new Error(made.message);
    const log = made.value;
    const target = manager.placement.directory('/b')!;
    log.assignEpoch(0);
    await append(log, batchOf(['a']));

    await manager.futures.create('t-0', target);
    const fault = disk.inject({ on: 'write', code: 'EIO', path: /^\/b\/recovery-point-offset-checkpoint/ });
    expect(await manager.futures.exchange('t-0', log)).toMatchObject({ ok: false });
    fault.lift();
    expect(disk.readFile('/a/t-0/leader-epoch-checkpoint').toString()).toBe('0\n1\n0 0\n');

    log.assignEpoch(1);
    await append(log, batchOf(['b']));
    await manager.futures.create('t-0', target);
    expect(await manager.futures.exchange('t-0', log)).toMatchObject({ ok: true });
    expect(disk.readFile('/b/t-0/leader-epoch-checkpoint').toString()).toBe('0\n2\n0 0\n1 1\n');
    await manager.close({ clean: true });
  });
});
