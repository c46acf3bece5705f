/** The lock of a file between real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { tryLockFile } from './native';

const ROOT = resolve(__dirname, '..', '..');

const HOLDER = `
const { tryLockFile } = require(${JSON.stringify(join(__dirname, 'native.ts'))});
const outcome = tryLockFile(process.argv[2]);
const { parentPort } = require('node:worker_threads');
if (parentPort) parentPort.postMessage(JSON.stringify(outcome));
else console.log(JSON.stringify(outcome));
if (outcome.kind === 'locked') setTimeout(() => outcome.release(), 20000);
`;

describe('tryLockFile', () => {
  let directory: string;
  let children: ChildProcess[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'odradek-native-'));
    writeFileSync(join(directory, 'holder.ts'), HOLDER);
    children = [];
  });

  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  /** Starts a process that tries the lock and keeps it; gives its outcome. */
  function inAnotherProcess(path: string): Promise<{ child: ChildProcess; outcome: unknown }> {
    const child = spawn(process.execPath, [join(ROOT, 'tools/run.js'), join(directory, 'holder.ts'), path], {
      cwd: ROOT,
    });
    children.push(child);
    return new Promise((done, fail) => {
      child.stdout.once('data', (line: Buffer) => done({ child, outcome: JSON.parse(line.toString()) }));
      child.once('error', fail);
    });
  }

  it('keeps other processes out, tells them who holds it, and lets them in afterwards', async () => {
    const path = join(directory, '.lock');
    const mine = tryLockFile(path);
    if (mine.kind !== 'locked') throw new Error(JSON.stringify(mine));
    const refused = await inAnotherProcess(path);
    expect(refused.outcome).toEqual({ kind: 'held', pid: process.pid });
    mine.release();

    const admitted = await inAnotherProcess(path);
    expect(admitted.outcome).toEqual({ kind: 'locked' });
    expect(tryLockFile(path)).toEqual({ kind: 'held', pid: admitted.child.pid });
    const gone = new Promise((done) => admitted.child.once('exit', done));
    admitted.child.kill('SIGKILL');
    await gone;
    const again = tryLockFile(path);
    expect(again.kind).toBe('locked');
    if (again.kind === 'locked') again.release();
  });

  if (process.platform === 'linux')
    it('keeps other threads of the process out', async () => {
      const path = join(directory, '.lock');
      const inThread = (): Promise<unknown> => {
        const worker = new Worker(join(ROOT, 'tools/run.js'), { argv: [join(directory, 'holder.ts'), path] });
        return new Promise((done, fail) => {
          worker.once('error', fail);
          worker.once('message', (line: string) => void worker.terminate().then(() => done(JSON.parse(line))));
        });
      };
      const mine = tryLockFile(path);
      expect(await inThread()).toEqual({ kind: 'held', pid: process.pid });
      if (mine.kind === 'locked') mine.release();
      expect(await inThread()).toEqual({ kind: 'locked' });
    });

  it('says when the file cannot be opened', () => {
    expect(tryLockFile(join(directory, 'missing', '.lock'))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('ENOENT'),
    });
  });

  it('does without the optional package', () => {
    jest.isolateModules(() => {
      jest.doMock('koffi', () => {
        throw new Error('no binary');
      });
      const isolated = require('./native') as typeof import('./native');
      expect(isolated.tryLockFile(join(directory, '.lock'))).toEqual({
        kind: 'unavailable',
        reason: 'koffi cannot be loaded: no binary',
      });
      jest.dontMock('koffi');
    });
  });
});
