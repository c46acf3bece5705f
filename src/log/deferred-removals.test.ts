/** Files that go later: in time, not after closing, and on after a failure. */
import { silentLogger } from '../base/logger';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { ManualClock } from '../testing/manual-clock';
import { DeferredRemovals } from './deferred-removals';

describe('DeferredRemovals', () => {
  let clock: ManualClock;
  let disk: FaultyFileSystem;
  let removals: DeferredRemovals;

  beforeEach(() => {
    clock = new ManualClock();
    disk = new FaultyFileSystem(clock);
    disk.createDirectory('/d/e');
    for (const path of ['/d/a', '/d/b', '/d/e/f']) disk.writeFile(path, Buffer.from('x'));
    removals = new DeferredRemovals(disk, { clock, logger: silentLogger });
  });

  const left = (): string[] => disk.list('/d').map(({ name }) => name);

  it('removes files and directories when their time has come', async () => {
    removals.files(['/d/a', '/d/gone'], 100);
    removals.directory('/d/e', 200);
    await clock.advance(99);
    expect(left()).toEqual(['e', 'a', 'b']);
    await clock.advance(1);
    expect(left()).toEqual(['e', 'b']);
    await clock.advance(100);
    expect(left()).toEqual(['b']);
  });

  it('removes one after the other what is due together, off the loop', async () => {
    let under = 0;
    let most = 0;
    let removed = 0;
    const removeSlowly = async (): Promise<void> => {
      most = Math.max(most, ++under);
      removed++;
      await Promise.resolve();
      under--;
    };
    // No `remove`: that would hold the loop.
    const slow = { removeAsync: removeSlowly, removeDirectory: removeSlowly } as unknown as FaultyFileSystem;
    removals = new DeferredRemovals(slow, { clock, logger: silentLogger });
    for (let i = 0; i < 20; i++) removals.directory(`/d/${i}`, 100);
    removals.files(['/d/a', '/d/b'], 100);
    await clock.advance(100);
    await removals.close();
    expect([most, under, removed]).toEqual([1, 0, 22]);
  });

  it('leaves what waits, and no timers, when it is closed', async () => {
    removals.files(['/d/a'], 100);
    removals.files([], 100);
    expect(clock.timerCount).toBe(1);
    await removals.close();
    expect([clock.timerCount, left()]).toEqual([0, ['e', 'a', 'b']]);
  });

  it('goes on after a failure', async () => {
    disk.inject({ on: 'remove', code: 'EIO', times: 1 });
    removals.files(['/d/a'], 10);
    removals.files(['/d/b'], 20);
    await clock.advance(20);
    expect(left()).toEqual(['e', 'a']);
    await removals.close();
  });
});
