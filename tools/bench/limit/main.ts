/**
 * How near both brokers come to what the machine can do: a C program that receives, checks a CRC-32C and appends, and
 * one that sends a file by sendfile, under the same load over the same loopback (`limit.c`, which needs a C compiler).
 * `node tools/run.js tools/bench/limit/main.ts [--pairs N] [--seconds S] [--connections C]` prints a table.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../../../compat-tests/checks';
import { freePort } from '../../../compat-tests/free-port';
import { newCreatableTopic, newCreateTopicsRequest } from '../../../src/codec/generated/19-create-topics';
import { apis } from '../../../src/codec/generated/apis';
import { WireClient } from '../../../src/testing/wire-client';
import { CANDIDATES, cpuSeconds } from '../candidates';
import { count } from '../count';
import { type Figures, median, shown } from '../figures';
import { circumstances, sideBySide } from '../side-by-side';
import { fetchFrame, produceFrame, produceRequest, sourceAnswer } from './frames';

const TOPIC = 'limit';
const RECORD_BYTES = 1024;
const CREATE_VERSION = 5;
/** Requests of one connection that are on their way, as Java's producer allows. */
const PRODUCE_DEPTH = 5;
const SOURCE_BYTES = 512 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
/** How much longer than asked for a load may take. */
const SLACK_MS = 60_000;
const SERVED_ATTEMPTS = 100;

interface Load {
  readonly program: string;
  readonly folder: string;
  readonly seconds: number;
  readonly connections: number;
}

/** What serves the load: a port and the process behind it. */
interface Target {
  readonly port: number;
  readonly pid: number;
}

interface Side {
  /** Before a load: a server that is up. */
  open(kind: 'produce' | 'fetch'): Promise<Target>;
  stop(): Promise<unknown>;
}

async function compile(folder: string): Promise<string> {
  const program = path.join(folder, 'limit');
  await run('cc', ['-O2', '-o', program, path.join(__dirname, 'limit.c')]);
  return program;
}

/** The limit's servers: one process for each load. */
function limitSide(load: Load, dataDir: string): Side {
  const { batch, batchAt } = produceFrame(TOPIC, { recordBytes: RECORD_BYTES, acks: 1 });
  const { head, chunkBytes } = sourceAnswer(TOPIC, batch.length);
  const log = path.join(dataDir, 'log');
  const headFile = path.join(dataDir, 'head');
  writeFileSync(headFile, head);
  return {
    open: async (kind) => {
      const port = await freePort();
      if (kind === 'fetch') fillWith(log, batch);
      const words = kind === 'produce' ? ['sink', port, log, batchAt] : ['source', port, log, chunkBytes, headFile];
      const child = spawn(load.program, words.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
      process.once('exit', () => child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      return { port, pid: child.pid ?? 0 };
    },
    stop: async () => undefined,
  };
}

function fillWith(file: string, batch: Buffer): void {
  const descriptor = openSync(file, 'w');
  for (let at = 0; at + batch.length <= SOURCE_BYTES; at += batch.length) writeSync(descriptor, batch);
  closeSync(descriptor);
}

async function brokerSide(start: (typeof CANDIDATES)[string], dataDir: string): Promise<Side> {
  const broker = await start(dataDir);
  const port = Number(broker.bootstrap.split(':')[1]);
  const client = await WireClient.connect(port);
  const topics = [newCreatableTopic({ name: TOPIC, numPartitions: 1, replicationFactor: 1 })];
  const request = newCreateTopicsRequest({ topics, timeoutMs: 30_000 });
  const { topics: created } = await client.call({ api: apis.CreateTopics, version: CREATE_VERSION, request });
  if (created[0]?.errorCode !== 0) throw new Error(`no topic: ${created[0]?.errorMessage}`);
  await untilServed(client);
  client.raw.close();
  return { open: async () => ({ port, pid: broker.pid }), stop: () => broker.stop() };
}

/** A topic of Kafka's is not served at once when its creation is answered. */
async function untilServed(client: WireClient): Promise<void> {
  for (let attempt = 0; attempt < SERVED_ATTEMPTS; attempt++) {
    const { responses } = await client.call(produceRequest(TOPIC, { recordBytes: RECORD_BYTES, acks: 1 }));
    if (responses[0]?.partitionResponses[0]?.errorCode === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the topic is not served');
}

/** Runs a load; MB/s, and CPU seconds of the server for each GB. */
async function drive(
  load: Load,
  { port, pid }: Target,
  words: readonly (string | number)[],
): Promise<[number, number]> {
  const cpuBefore = cpuSeconds(pid);
  // Read while the load's connections are open: the limit's servers end with them.
  let cpuAfter = cpuBefore;
  const sampler = setInterval(() => {
    cpuAfter = cpuSeconds(pid);
  }, 50);
  try {
    const [kind, ...rest] = words;
    const output = await run(load.program, [kind, port, ...rest].map(String), {
      timeoutMs: 1000 * load.seconds + SLACK_MS,
    });
    const [, bytes = Number.NaN, seconds = Number.NaN] = output.trim().split(' ').map(Number);
    return [bytes / seconds / MEGABYTE, (cpuAfter - cpuBefore) / (bytes / 1e9)];
  } finally {
    clearInterval(sampler);
  }
}

async function measure(load: Load, side: Side): Promise<Figures> {
  const figures: Figures = new Map();
  const { connections, seconds } = load;
  const produced = produceFrame(TOPIC, { recordBytes: RECORD_BYTES, acks: 1 });
  const frameFile = path.join(load.folder, 'frame');
  writeFileSync(frameFile, produced.frame);
  const produceWords = ['produce', frameFile, produced.errorAt, connections, PRODUCE_DEPTH];
  const produceTarget = await side.open('produce');
  const [produceRate, produceCpu] = await drive(load, produceTarget, [...produceWords, seconds]);
  figures.set('produce 1 KB, MB/s', produceRate);
  figures.set('produce 1 KB, CPU-s/GB', produceCpu);
  const fetched = fetchFrame(TOPIC);
  writeFileSync(frameFile, fetched.frame);
  const fetchWords = ['fetch', frameFile, fetched.offsetAt, fetched.recordsAt, connections, seconds];
  const [fetchRate, fetchCpu] = await drive(load, await side.open('fetch'), fetchWords);
  figures.set('consume 1 KB, MB/s', fetchRate);
  figures.set('consume 1 KB, CPU-s/GB', fetchCpu);
  return figures;
}

function printShares(runs: ReadonlyMap<string, readonly Figures[]>): void {
  const of = (name: string, figure: string): number =>
    median((runs.get(name) ?? []).map((run) => run.get(figure) ?? Number.NaN));
  console.log('| what | limit | Odradek | share | Apache Kafka | share |\n|---|---|---|---|---|---|');
  for (const figure of runs.get('limit')?.[0]?.keys() ?? []) {
    const limit = of('limit', figure);
    const isCost = figure.includes('CPU');
    const cells = ['odradek', 'kafka'].flatMap((name) => {
      const value = of(name, figure);
      return [shown(value), `${Math.round(100 * (isCost ? limit / value : value / limit))} %`];
    });
    console.log(`| ${figure} | ${shown(limit)} | ${cells.join(' | ')} |`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '2' },
    },
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-limit-'));
  try {
    const program = await compile(folder);
    const load = {
      program,
      folder,
      seconds: count('seconds', values.seconds),
      connections: count('connections', values.connections),
    };
    const brokers = Object.entries(CANDIDATES).map(
      ([name, start]) => [name, (dataDir: string) => brokerSide(start, dataDir)] as const,
    );
    const limit = async (dataDir: string): Promise<Side> => {
      mkdirSync(dataDir, { recursive: true });
      return limitSide(load, dataDir);
    };
    const candidates = { limit, ...Object.fromEntries(brokers) };
    const runs = await sideBySide({
      pairs: count('pairs', values.pairs),
      candidates,
      measure: (side) => measure(load, side),
    });
    console.log(`\n${circumstances()}, ${values.connections} connections\n`);
    printShares(runs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
