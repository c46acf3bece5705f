/**
 * The limit's servers (`limit.c`) as processes: one that takes Produce requests and one that answers Fetch requests,
 * for one load, and what the same load costs them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../compat-tests/free-port';
import { cpuSeconds } from '../candidates';
import { type ProduceFrame, sourceAnswer } from '../load/frames';
import { cProgram } from '../loads/c-program';

const SOURCE_BYTES = 512 * 1024 * 1024;
const SAMPLE_MS = 20;

/** What a server's load is run against, and has cost the server when it has ended. */
export interface LimitRun<T> {
  readonly result: T;
  readonly cpuSeconds: number;
}

async function withServer<T>(words: readonly string[], use: (port: number) => Promise<T>): Promise<LimitRun<T>> {
  const port = await freePort();
  const [kind = '', ...rest] = words;
  const child = spawn(await cProgram('limit'), [kind, String(port), ...rest], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = child.pid ?? 0;
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  // Read while the load's connections are open: the server ends with them.
  let used = 0;
  const sampler = setInterval(() => {
    if (child.exitCode === null) used = cpuSeconds(pid);
  }, SAMPLE_MS);
  try {
    await once(child.stdout, 'data');
    const result = await use(port);
    return { result, cpuSeconds: used };
  } finally {
    clearInterval(sampler);
    process.removeListener('exit', kill);
    kill();
  }
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-limit-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Receives the frame's likes, checks the CRC-32C and appends. */
export function withSink<T>({ batchAt }: ProduceFrame, use: (port: number) => Promise<T>): Promise<LimitRun<T>> {
  return inFolder((folder) => withServer(['sink', path.join(folder, 'log'), String(batchAt)], use));
}

/** Sends a file full of the frame's batches by sendfile, as if they were of `topic`. */
export function withSource<T>(
  topic: string,
  { batch }: ProduceFrame,
  use: (port: number) => Promise<T>,
): Promise<LimitRun<T>> {
  return inFolder((folder) => {
    const [log, headFile] = [path.join(folder, 'log'), path.join(folder, 'head')];
    const { head, chunkBytes } = sourceAnswer(topic, batch.length);
    writeFileSync(headFile, head);
    const descriptor = openSync(log, 'w');
    for (let at = 0; at + batch.length <= SOURCE_BYTES; at += batch.length) writeSync(descriptor, batch);
    closeSync(descriptor);
    return withServer(['source', log, String(chunkBytes), headFile], use);
  });
}
