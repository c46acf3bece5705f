/** What a copy has of a log that changed between two attempts to move it. */
import { ZERO_UUID } from '../base/random';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLogs, TOPIC_ID } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { readTopicId } from './checkpoint-file';
import { decodeSnapshot } from './producer-snapshot';

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

  it('has the id and the snapshots of now where an attempt to move before them came to nothing', async () => {
    const disk = new FaultyFileSystem(new ManualClock());
    const manager = await openLogs({ fileSystem: disk, logDirs: ['/a', '/b'] });
    const made = await manager.create('t', 0, ZERO_UUID);
    if (!made.ok) throw new Error(made.message);
    const log = made.value;
    const target = manager.placement.directory('/b')!;
    const move = async (): Promise<boolean> => {
      await manager.futures.create('t-0', target);
      return (await manager.futures.exchange('t-0', log)).ok;
    };
    await append(log, batchOf(['a']));
    await append(log, batchOf(['b'], { producerId: 1, producerEpoch: 0, baseSequence: 0 }));
    const fault = disk.inject({ on: 'write', code: 'EIO', path: /^\/b\/recovery-point-offset-checkpoint/ });
    expect(await move()).toBe(false);
    fault.lift();

    await log.truncateTo(1);
    await append(log, batchOf(['c'], { producerId: 2, producerEpoch: 0, baseSequence: 0 }));
    await manager.create('t', 0, TOPIC_ID);
    expect(await move()).toBe(true);
    const snapshot = decodeSnapshot(disk.readFile('/b/t-0/00000000000000000002.snapshot'));
    expect(snapshot?.map(({ producerId }) => producerId)).toEqual([2]);
    expect(readTopicId(disk, '/b/t-0')).toBe(TOPIC_ID);
    await manager.close({ clean: true });
  });
});
