/**
 * The bench's own load, `load/load.c`: for many connections, single small requests, fixed rates and latencies, where
 * the tools of the clients cost more than the broker or cannot say. Owns how the program is called; what it sends is
 * prepared here as whole frames.
 *
 * While it runs, no processor sleeps (`awake=1`): single small requests leave both sides idle most of the time, and on
 * a virtual machine each wake-up of a halted processor costs more than the request. What keeps them awake gives way to
 * everything, so neither broker loses by it, and both are measured so. BENCH_AWAKE=0 leaves the processors alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { run } from '../../../compat-tests/checks';
import type { FetchFrame, ProduceFrame } from '../load/frames';
import { cProgram } from './c-program';
import { type LoadResult, parseLoadResult } from './load-result';

/** How much longer than asked for a load may take: it waits so long for answers itself. */
const SLACK_MS = 60_000;

const AWAKE = process.env.BENCH_AWAKE === '0' ? 0 : 1;

type Words = Readonly<Record<string, number | readonly Buffer[] | undefined>>;

interface Call {
  readonly mode: 'requests' | 'fetch' | 'mixed' | 'idle';
  readonly seconds: number;
  readonly words: Words;
}

export interface RequestsLoad {
  readonly port: number;
  /** Each connection goes through all of them. */
  readonly frames: readonly Buffer[];
  /** Connection i sends frame i alone. */
  readonly isOwnFrame?: boolean;
  readonly connections: number;
  /** Requests of a connection that may be under way. */
  readonly depth: number;
  readonly seconds: number;
  /** Requests a second of all connections together, at times fixed beforehand; without it, as fast as it goes. */
  readonly rate?: number;
  /** Where answers have an error code, which must be 0. */
  readonly errorAt?: number;
  /** All answers must be as long as the first. */
  readonly isSameLength?: boolean;
}

export interface FetchLoad {
  readonly port: number;
  /** Connection i repeats frame i, counted around. */
  readonly fetches: readonly FetchFrame[];
  readonly connections: number;
  readonly seconds: number;
  /** Where the log ends: connections begin again there. */
  readonly endOffset?: number;
}

export interface MixedLoad {
  readonly port: number;
  /** A producing connection for each; those of one topic, with records of at least 20 bytes. */
  readonly produces: readonly ProduceFrame[];
  /** A fetching connection for each: all partitions that are produced to, from their ends. */
  readonly fetches: readonly FetchFrame[];
  readonly depth: number;
  readonly seconds: number;
  /** Requests a second of all connections together; without it, as fast as it goes. */
  readonly rate?: number;
}

export interface IdleLoad {
  readonly port: number;
  /** Sent once on each connection. */
  readonly frame: Buffer;
  readonly connections: number;
  /** From the moment when each has its answer. */
  readonly seconds: number;
}

/** Writes the frames to files and gives `use` the words of the command line. */
async function withWords<T>(call: Call, use: (words: readonly string[]) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-load-'));
  try {
    const words: string[] = [call.mode, `seconds=${call.seconds}`, `awake=${AWAKE}`];
    for (const [name, value] of Object.entries(call.words)) {
      if (value === undefined) continue;
      if (typeof value === 'number') {
        words.push(`${name}=${value}`);
        continue;
      }
      const file = path.join(folder, name);
      writeFileSync(file, Buffer.concat(value));
      words.push(`${name}=${file}`);
    }
    return await use(words);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the program; rejects with what it complained about. */
async function drive(call: Call): Promise<LoadResult> {
  const program = await cProgram('load');
  const timeoutMs = 1000 * call.seconds + SLACK_MS;
  return withWords(call, async (words) => parseLoadResult(await run(program, words, { timeoutMs })));
}

/** The same requests again and again: Produce, Heartbeat, Metadata, whatever has a whole frame for an answer. */
export function requests(load: RequestsLoad): Promise<LoadResult> {
  const { port, frames, connections, depth, seconds, rate, errorAt } = load;
  const [own, same] = [Number(load.isOwnFrame ?? false), Number(load.isSameLength ?? false)];
  const words = { port, frames, connections, depth, rate, error: errorAt, own, same };
  return drive({ mode: 'requests', seconds, words });
}

/** Consumers that read a log from the start, again and again. */
export function fetches(load: FetchLoad): Promise<LoadResult> {
  const [first] = load.fetches;
  if (first === undefined) throw new Error('a load needs a frame');
  const words = {
    port: load.port,
    frames: load.fetches.map(({ frame }) => frame),
    connections: load.connections,
    error: first.errorAt,
    offset: first.offsetAt,
    records: first.recordsAt,
    end: load.endOffset,
  };
  return drive({ mode: 'fetch', seconds: load.seconds, words });
}

/** Producers, and consumers that wait for what they send; rejects when anything is missing, double or out of order. */
export function mixed(load: MixedLoad): Promise<LoadResult> {
  const [produce] = load.produces;
  const [fetch] = load.fetches;
  if (produce === undefined || fetch === undefined) throw new Error('a load needs frames');
  const words = {
    port: load.port,
    frames: load.produces.map(({ frame }) => frame),
    fetches: load.fetches.map(({ frame }) => frame),
    connections: load.produces.length,
    depth: load.depth,
    rate: load.rate,
    error: produce.errorAt,
    batch: produce.batchAt,
    stamp: produce.valueAt,
    fetch_error: fetch.errorAt,
    offset: fetch.offsetAt,
    records: fetch.recordsAt,
  };
  return drive({ mode: 'mixed', seconds: load.seconds, words });
}

/** Connections that make one request each and stay; `whileIdle` runs from when all have their answer. */
export async function idle(load: IdleLoad, whileIdle: () => Promise<void>): Promise<LoadResult> {
  const { port, frame, connections, seconds } = load;
  const program = await cProgram('load');
  return withWords({ mode: 'idle', seconds, words: { port, frames: [frame], connections } }, async (words) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (line === 'open') await whileIdle();
    }
    await ended;
    return parseLoadResult(lines.at(-1) ?? '');
  });
}
