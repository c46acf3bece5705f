/** Ownership of a directory within the process, with locks that a test decides. */
import { join } from 'node:path';
import { lockDirectory, type StandInLock } from './directory-lock';
import type { FileLockOutcome } from './native';

const neverAsked: StandInLock = () => Promise.reject(new Error('asked for the stand-in'));

function fileLock(outcome: FileLockOutcome['kind'], log: string[] = []) {
  return (path: string): FileLockOutcome => {
    log.push(`lock ${path}`);
    if (outcome === 'locked') return { kind: 'locked', release: () => void log.push(`release ${path}`) };
    if (outcome === 'held') return { kind: 'held', pid: 42 };
    return { kind: 'unavailable', reason: 'none here' };
  };
}

describe('lockDirectory', () => {
  it('locks the .lock file, once per process, until it is released', async () => {
    const log: string[] = [];
    const options = { directory: '/d/one', standIn: neverAsked, lockFile: fileLock('locked', log) };
    const first = await lockDirectory(options);
    expect(await lockDirectory(options)).toMatchObject({ ok: false, error: 'another broker in this process' });
    expect(first.ok).toBe(true);
    if (first.ok) await first.value.release();
    const again = await lockDirectory(options);
    expect(again.ok).toBe(true);
    const path = join('/d/one', '.lock');
    expect(log).toEqual([`lock ${path}`, `release ${path}`, `lock ${path}`]);
    if (again.ok) await again.value.release();
  });

  it('names the process that holds it, and stays unowned', async () => {
    const options = { directory: '/d/two', standIn: neverAsked };
    expect(await lockDirectory({ ...options, lockFile: fileLock('held') })).toMatchObject({ error: 'process 42' });
    const next = await lockDirectory({ ...options, lockFile: fileLock('locked') });
    expect(next.ok).toBe(true);
    if (next.ok) await next.value.release();
  });

  it('turns to the stand-in where there are no file locks', async () => {
    const released: string[] = [];
    const lockFile = fileLock('unavailable');
    const held: StandInLock = async () => ({ kind: 'held', pid: undefined });
    const free: StandInLock = async (directory) => ({
      kind: 'locked',
      release: async () => void released.push(directory),
    });
    const refused = await lockDirectory({ directory: '/d/three', standIn: held, lockFile });
    expect(refused).toMatchObject({ error: expect.stringContaining('elsewhere') });
    const admitted = await lockDirectory({ directory: '/d/three', standIn: free, lockFile });
    if (admitted.ok) await admitted.value.release();
    expect(released).toEqual(['/d/three']);
  });

  it('is not owned after a failure', async () => {
    const lockFile = fileLock('unavailable');
    await expect(lockDirectory({ directory: '/d/four', standIn: neverAsked, lockFile })).rejects.toThrow('stand-in');
    const next = await lockDirectory({ directory: '/d/four', standIn: neverAsked, lockFile: fileLock('locked') });
    expect(next.ok).toBe(true);
    if (next.ok) await next.value.release();
  });
});
