/** The brokers that the log's benchmarks measure one after the other, with settings of their own, and their figures. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type SideName, startCandidate } from '../candidates';

export interface Side {
  readonly name: string;
  readonly bootstrap: string;
  readonly pid: number;
  readonly dataDir: string;
  /** From the command to the moment it serves. */
  readonly readyMs: number;
  /** Stops it and starts it again on its data; `between` runs while it is down. */
  restart(between?: () => void): Promise<Side>;
  stop(): Promise<unknown>;
}

export interface SideOptions {
  /** `key=value` of server.properties. */
  readonly overrides?: readonly string[];
  /** Where a new data directory is made; the system's temporary folder by default. */
  readonly under?: string | undefined;
}

const SIDE_NAMES: readonly SideName[] = ['odradek', 'kafka'];

/** `odradek,kafka`, or one of them. */
export function sidesOf(words: string): SideName[] {
  return words.split(',').map((word) => {
    const name = SIDE_NAMES.find((known) => known === word);
    if (name === undefined) throw new Error(`--sides takes ${SIDE_NAMES.join(' and ')}, not ${word}`);
    return name;
  });
}

async function start(name: SideName, dataDir: string, overrides: readonly string[]): Promise<Side> {
  const started = await startCandidate(name, { dataDir, overrides });
  return {
    name,
    dataDir,
    bootstrap: started.bootstrap,
    pid: started.pid,
    readyMs: started.readyMs,
    stop: () => started.stop(),
    restart: async (between) => {
      await started.stop();
      between?.();
      return start(name, dataDir, overrides);
    },
  };
}

/** Runs `measure` with a broker on a new data directory, which goes afterwards. */
export async function withSide<T>(
  name: SideName,
  options: SideOptions,
  measure: (side: Side) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(path.join(options.under ?? tmpdir(), `bench-${name}-`));
  let side = await start(name, dataDir, options.overrides ?? []);
  try {
    return await measure({
      ...side,
      restart: async (between) => {
        side = await side.restart(between);
        return side;
      },
    });
  } finally {
    await side.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Resident memory, what is mapped from files included. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Prints a table: a row for each figure, a column for each side. */
export function printFigures(columns: ReadonlyMap<string, ReadonlyMap<string, number | string>>): void {
  const names = [...columns.keys()];
  console.log(`\n| what | ${names.join(' | ')} |\n|---|${names.map(() => '---').join('|')}|`);
  for (const row of columns.values().next().value?.keys() ?? []) {
    const cells = names.map((name) => {
      const value = columns.get(name)?.get(row) ?? '';
      return typeof value === 'string'
        ? value
        : value >= 100
          ? Math.round(value).toLocaleString('en-US')
          : value.toFixed(2);
    });
    console.log(`| ${row} | ${cells.join(' | ')} |`);
  }
}
