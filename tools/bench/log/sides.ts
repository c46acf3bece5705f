/**
 * The brokers that the log's benchmarks measure one after the other, with settings of their own, and their figures,
 * which are told as they come: a side that fails or takes too long keeps what it has, and the others have their turn.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Candidate, type SideName, startCandidate } from '../candidates';
import { count } from '../count';
import { shown } from '../figures';
import { circumstances } from '../side-by-side';

export interface Side extends Omit<Candidate, 'stop'> {
  readonly name: SideName;
  readonly dataDir: string;
  /** Aborted when the side has had its time. */
  readonly signal: AbortSignal;
  /** Stops it and starts it again on its data; `between` runs while it is down. */
  restart(between: () => void): Promise<Side>;
}

/** What `--sides`, `--limit-s` and `--dir` say, and `key=value` of server.properties. */
export interface SideOptions {
  readonly sides: string;
  readonly 'limit-s': string;
  readonly dir?: string | undefined;
  readonly overrides?: readonly string[];
}

/** The options that all comparisons of sides have, for `parseArgs`. */
export const SIDE_OPTIONS = {
  sides: { type: 'string', default: 'odradek,kafka' },
  'limit-s': { type: 'string', default: '900' },
  dir: { type: 'string' },
  help: { type: 'boolean' },
} as const;

export const SIDE_HELP = `  --sides LIST      odradek, kafka or both (default odradek,kafka)
  --limit-s N       how long a side may take in all (default 900); what it told by then stays
  --dir DIR         where the data go meanwhile (default: the temporary folder)`;

const SIDE_NAMES: readonly SideName[] = ['odradek', 'kafka'];

function sidesOf(words: string): SideName[] {
  return words.split(',').map((word) => {
    const name = SIDE_NAMES.find((known) => known === word);
    if (name === undefined) throw new Error(`--sides takes ${SIDE_NAMES.join(' and ')}, not ${word}`);
    return name;
  });
}

/** What was measured of one side, in the order in which it came; each figure is told at once. */
export class FigureLog {
  readonly #figures = new Map<string, string>();

  set(name: string, figure: number | string): void {
    const text = typeof figure === 'number' ? shown(figure) : figure;
    this.#figures.set(name, text);
    console.error(`  ${name}: ${text}`);
  }

  get names(): Iterable<string> {
    return this.#figures.keys();
  }

  get(name: string): string {
    return this.#figures.get(name) ?? '–';
  }
}

type Measure = (side: Side, figures: FigureLog) => Promise<void>;

/** A broker on a new data directory, which goes afterwards. Rejects where `measure` does, or when time is up. */
async function withSide(name: SideName, options: SideOptions, measure: (side: Side) => Promise<void>): Promise<void> {
  const limitS = count('limit-s', options['limit-s']);
  const dataDir = mkdtempSync(path.join(options.dir ?? tmpdir(), `bench-${name}-`));
  const aborting = new AbortController();
  const { signal } = aborting;
  const start = (): Promise<Candidate> => startCandidate(name, { dataDir, overrides: options.overrides ?? [] });
  let candidate: Candidate | undefined;
  const sideOf = ({ bootstrap, pid, readyMs }: Candidate): Side => ({
    ...{ name, dataDir, signal, bootstrap, pid, readyMs },
    restart: async (between) => {
      await candidate?.stop();
      between();
      candidate = await start();
      return sideOf(candidate);
    },
  });
  let late: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<never>((_, reject) => {
    late = setTimeout(() => {
      reject(new Error(`not done in ${limitS} s`));
      aborting.abort();
    }, limitS * 1000);
  });
  try {
    candidate = await start();
    await Promise.race([measure(sideOf(candidate)), timeIsUp]);
  } finally {
    clearTimeout(late);
    await candidate?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Measures each side and prints a table of all; the exit code is 1 where one failed. */
export async function compareSides(options: SideOptions, measure: Measure): Promise<void> {
  const columns = new Map<string, FigureLog>();
  for (const name of sidesOf(options.sides)) {
    console.error(`${name}:`);
    const figures = new FigureLog();
    columns.set(name, figures);
    const startedMs = performance.now();
    try {
      await withSide(name, options, (side) => measure(side, figures));
    } catch (error) {
      console.error(error);
      // The rest of the message is for whoever looks at the progress.
      figures.set('failed', String(error instanceof Error ? error.message : error).split('\n', 1)[0]!);
      process.exitCode = 1;
    }
    figures.set('all of it, s', (performance.now() - startedMs) / 1000);
  }
  console.log(circumstances());
  printFigures(columns);
}

/** Resident memory, what is mapped from files included. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Prints a table: a row for each figure that any side has, a column for each side. */
export function printFigures(columns: ReadonlyMap<string, FigureLog>): void {
  const names = [...columns.keys()];
  console.log(`\n| what | ${names.join(' | ')} |\n|---|${names.map(() => '---').join('|')}|`);
  const rows = new Set([...columns.values()].flatMap((figures) => [...figures.names]));
  for (const row of rows) {
    console.log(`| ${row} | ${names.map((name) => columns.get(name)!.get(row)).join(' | ')} |`);
  }
}
