/** Ownership of a directory within the process, with locks that a test decides. */
import { join } from 'node:path';
import { lockDirectory, type StandInLock } from './directory-lock';
import type { FileLockOutcome } from './native';

const LOCK_FILE = join('/d', '.lock');

/** What was done with locks, in order. */
let log: string[];

beforeEach(() => {
  log = [];
});

function fileLock(kind: FileLockOutcome['kind']) {
  return (path: string): FileLockOutcome => {
    log.push(`lock ${path}`);
    if (kind === 'locked') return { kind, release: () => void log.push(`release ${path}`) };
    return kind === 'held' ? { kind, pid: 42 } : { kind, reason: 'no file lock' };
  };
}

function standIn(kind: 'locked' | 'held' | 'failed'): StandInLock {
  return async (directory) => {
    log.push(`stand in ${directory}`);
    if (kind === 'locked') return { kind, release: async () => void log.push(`stand out ${directory}`) };
    return kind === 'held' ? { kind, pid: undefined } : { kind, reason: 'no socket' };
  };
}

async function attempt(file: FileLockOutcome['kind'], other: 'locked' | 'held' | 'failed') {
  const locked = await lockDirectory({ directory: '/d', standIn: standIn(other), lockFile: fileLock(file) });
  if (!locked.ok) return locked.error;
  await locked.value.release();
  return 'owned';
}

describe('lockDirectory', () => {
  it('takes the lock of .lock and the stand-in, once per process, until both are released', async () => {
    const options = { directory: '/d', standIn: standIn('locked'), lockFile: fileLock('locked') };
    const first = await lockDirectory(options);
    expect(await lockDirectory(options)).toMatchObject({ error: 'is in use by another broker in this process' });
    if (first.ok) await first.value.release();
    const round = [`lock ${LOCK_FILE}`, 'stand in /d', 'stand out /d', `release ${LOCK_FILE}`];
    expect(log).toEqual(round);
    expect(await attempt('locked', 'locked')).toBe('owned');
    expect(log).toEqual([...round, ...round]);
  });

  it.each([
    ['held', 'locked', 'is in use by process 42'],
    ['failed', 'locked', 'cannot be used: no file lock'],
    ['locked', 'held', 'is in use by a process elsewhere, such as in another container'],
    ['locked', 'failed', 'owned'],
    ['unavailable', 'locked', 'owned'],
    ['unavailable', 'held', 'is in use by a process elsewhere, such as in another container'],
    ['unavailable', 'failed', 'cannot be locked: no socket'],
  ] as const)('with a file lock %s and a stand-in %s: %s', async (file, other, outcome) => {
    expect(await attempt(file, other)).toBe(outcome);
    const releases = log.filter((line) => line.startsWith('release')).length;
    expect(releases).toBe(file === 'locked' ? 1 : 0);
    expect(await attempt('locked', 'locked')).toBe('owned');
  });

  it('is not owned after a failure', async () => {
    const broken: StandInLock = () => Promise.reject(new Error('a bug'));
    const options = { directory: '/d', lockFile: fileLock('unavailable'), standIn: broken };
    await expect(lockDirectory(options)).rejects.toThrow('a bug');
    expect(await attempt('locked', 'locked')).toBe('owned');
  });
});
