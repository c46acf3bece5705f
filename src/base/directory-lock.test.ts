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
  return {
    take: async (directory) => {
      log.push(`take ${directory}`);
      if (kind === 'locked') return { kind, release: async () => void log.push(`give up ${directory}`) };
      return kind === 'held' ? { kind, pid: undefined } : { kind, reason: 'no socket' };
    },
    owner: async () => (kind === 'held' ? { kind, pid: 43 } : undefined),
  };
}

async function attempt(file: FileLockOutcome['kind'], other: 'locked' | 'held' | 'failed') {
  const locked = await lockDirectory({ directory: '/d', standIn: standIn(other), lockFile: fileLock(file) });
  if (!locked.ok) return locked.error;
  await locked.value.release();
  return 'owned';
}

describe('lockDirectory', () => {
  it('takes the lock of .lock, once per process, until it is released', async () => {
    const options = { directory: '/d', standIn: standIn('failed'), lockFile: fileLock('locked') };
    const first = await lockDirectory(options);
    expect(await lockDirectory(options)).toMatchObject({ error: 'is in use by another broker in this process' });
    if (first.ok) await first.value.release();
    const round = [`lock ${LOCK_FILE}`, `release ${LOCK_FILE}`];
    expect(log).toEqual(round);
    expect(await attempt('locked', 'failed')).toBe('owned');
    expect(log).toEqual([...round, ...round]);
  });

  it('turns to the stand-in where there are no file locks', async () => {
    expect(await attempt('unavailable', 'locked')).toBe('owned');
    expect(log).toEqual([`lock ${LOCK_FILE}`, 'take /d', 'give up /d']);
  });

  it.each([
    ['held', 'locked', 'is in use by process 42'],
    ['failed', 'locked', 'cannot be used: no file lock'],
    ['locked', 'held', 'is in use by process 43'],
    ['unavailable', 'held', 'is in use by a process elsewhere, such as in another container'],
    ['unavailable', 'failed', 'cannot be locked: no socket'],
  ] as const)('refuses with a file lock %s and a stand-in %s: %s', async (file, other, error) => {
    expect(await attempt(file, other)).toBe(error);
    expect(log.includes(`release ${LOCK_FILE}`)).toBe(file === 'locked');
    expect(await attempt('locked', 'failed')).toBe('owned');
  });

  it('is not owned after a failure', async () => {
    const take = () => Promise.reject(new Error('a bug'));
    const broken = { directory: '/d', lockFile: fileLock('unavailable'), standIn: { ...standIn('failed'), take } };
    await expect(lockDirectory(broken)).rejects.toThrow('a bug');
    expect(await attempt('locked', 'failed')).toBe('owned');
  });
});
