/**
 * Odradek as users run it: the built command in a process of its own. Owns the process, its ready line and its log;
 * knows nothing of clients. `COMPAT_BOOTSTRAP=HOST:PORT` puts a broker that runs already in its place, to try the
 * checks themselves against another Kafka; such a broker is neither stopped nor restarted.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';

const COMMAND = path.join(__dirname, '..', 'dist', 'main.js');
const READY_LINE = /^odradek (\S+) ready PLAINTEXT:\/\/(\S+):(\d+) broker\.id=(\d+) cluster\.id=(\S+) in (\d+) ms$/m;
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 20_000;
/** How much of the log is kept for a failure's report, in characters. */
const LOG_TAIL = 20_000;

/** Brokers that still run: they end with the process that started them. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface BrokerOptions {
  /** Kept when the broker ends; without it, a temporary folder that goes with the broker. */
  readonly dataDir?: string;
  /** 0 takes a free one. */
  readonly port?: number;
  /** `key=value` of server.properties. */
  readonly overrides?: readonly string[];
  /** The Node that runs it; this one by default. */
  readonly node?: string;
  /** Words for that Node itself. */
  readonly nodeWords?: readonly string[];
  /** How long a start or a stop may take; 20 s by default. */
  readonly limitMs?: number;
}

export interface BrokerProcess {
  readonly host: string;
  readonly port: number;
  /** HOST:PORT */
  readonly bootstrap: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly readyLine: string;
  /** The last part of what it wrote to standard error. */
  log(): string;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

function foreignBroker(bootstrap: string, options: BrokerOptions): BrokerProcess {
  const [host = '', port = ''] = bootstrap.split(':');
  return {
    host,
    port: Number(port),
    bootstrap,
    dataDir: options.dataDir ?? '',
    pid: 0,
    readyLine: '',
    log: () => '',
    stop: async () => 0,
    kill: async () => undefined,
  };
}

function launch(dataDir: string, options: BrokerOptions): ChildProcessByStdio<null, Readable, Readable> {
  const words = [
    ...(options.nodeWords ?? []),
    COMMAND,
    'start',
    '--port',
    String(options.port ?? 0),
    '--data-dir',
    dataDir,
  ];
  for (const override of options.overrides ?? []) words.push('--override', override);
  const child = spawn(options.node ?? process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Starts a broker and kills it so many milliseconds later, ready or not. */
export async function killWhileStarting(options: BrokerOptions & { dataDir: string }, afterMs: number): Promise<void> {
  const child = launch(options.dataDir, options);
  child.stdout.resume();
  child.stderr.resume();
  const ended = new Promise((resolve) => child.once('close', resolve));
  setTimeout(() => child.kill('SIGKILL'), afterMs);
  await ended;
}

/** Starts a broker and resolves when it has said that it is ready. */
export async function startBrokerProcess(options: BrokerOptions = {}): Promise<BrokerProcess> {
  if (process.env.COMPAT_BOOTSTRAP !== undefined) return foreignBroker(process.env.COMPAT_BOOTSTRAP, options);
  const dataDir = options.dataDir ?? mkdtempSync(path.join(tmpdir(), 'odradek-compat-'));
  const child = launch(dataDir, options);
  let log = '';
  child.stderr.on('data', (data: Buffer) => {
    log = (log + data.toString()).slice(-LOG_TAIL);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const forget = (): void => {
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  const ready = await waitUntilReady(child, ended, { log: () => log, limitMs: options.limitMs ?? START_TIMEOUT_MS });
  const [readyLine, , , port = '0'] = ready;
  const host = '127.0.0.1';
  return {
    host,
    port: Number(port),
    bootstrap: `${host}:${port}`,
    dataDir,
    pid: child.pid ?? 0,
    readyLine,
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), options.limitMs ?? STOP_TIMEOUT_MS);
      const code = await ended;
      clearTimeout(late);
      forget();
      return code;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
      forget();
    },
  };
}

function waitUntilReady(
  child: ChildProcess,
  ended: Promise<number | null>,
  { log, limitMs }: { readonly log: () => string; readonly limitMs: number },
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = '';
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the broker was not ready in ${limitMs} ms\n${output}${log()}`));
    }, limitMs);
    child.stdout?.on('data', (data: Buffer) => {
      output += data.toString();
      const ready = READY_LINE.exec(output);
      if (ready === null) return;
      clearTimeout(late);
      resolve(ready);
    });
    void ended.then((code) => {
      clearTimeout(late);
      reject(new Error(`the broker ended with ${code} before it was ready\n${output}${log()}`));
    });
  });
}
