/**
 * `npm run bench -- --profile WORDS`: one scenario on Odradek alone, and where its CPU time and allocations go. The
 * profile is of the measured part of the scenario; of all of it where the scenario does not say which that is.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kafkaJars } from '../../compat-tests/clients/java/jars';
import { type Candidate, KAFKA_VERSION, residentMegabytes, startCandidate } from './candidates';
import { shown } from './figures';
import { allocations, type CpuProfile, type HeapProfile, lines, selfTimes } from './profile-tables';
import type { Broker, Scenario } from './scenario';

const HOOK = path.join(__dirname, 'profile-hook.js');
const WAIT_MS = 60_000;
const PAUSE_MS = 20;
const TOP_FUNCTIONS = 30;
const TOP_ALLOCATIONS = 20;

async function untilThere(file: string): Promise<void> {
  for (let waitedMs = 0; !existsSync(file); waitedMs += PAUSE_MS) {
    if (waitedMs > WAIT_MS) throw new Error(`the broker did not write ${file}`);
    await sleep(PAUSE_MS);
  }
}

class Profiler {
  readonly #folder: string;
  readonly #pid: number;
  #count = 0;

  constructor(folder: string, pid: number) {
    this.#folder = folder;
    this.#pid = pid;
  }

  get count(): number {
    return this.#count;
  }

  /** A file of the hook. */
  file(number: number, kind: string): string {
    return path.join(this.#folder, `${number}.${kind}`);
  }

  async around<T>(load: () => Promise<T>): Promise<T> {
    const number = ++this.#count;
    process.kill(this.#pid, 'SIGUSR2');
    await untilThere(this.file(number, 'started'));
    const result = await load();
    process.kill(this.#pid, 'SIGUSR2');
    await untilThere(this.file(number, 'cpuprofile'));
    return result;
  }
}

function print(profiler: Profiler, number: number): void {
  const [cpuFile, heapFile] = [profiler.file(number, 'cpuprofile'), profiler.file(number, 'heapprofile')];
  const cpu = selfTimes(JSON.parse(readFileSync(cpuFile, 'utf8')) as CpuProfile);
  const heap = allocations(JSON.parse(readFileSync(heapFile, 'utf8')) as HeapProfile);
  const time = { unit: 'ms', divisor: 1 };
  const bytes = { unit: 'MB', divisor: 2 ** 20 };
  const tables = [
    ['self time by part', lines(cpu.byPart, { ...time, most: TOP_FUNCTIONS })],
    [`self time, top ${TOP_FUNCTIONS} functions`, lines(cpu.byFunction, { ...time, most: TOP_FUNCTIONS })],
    ['allocated by part', lines(heap.byPart, { ...bytes, most: TOP_ALLOCATIONS })],
    [`allocated, top ${TOP_ALLOCATIONS} functions`, lines(heap.byFunction, { ...bytes, most: TOP_ALLOCATIONS })],
  ] as const;
  for (const [title, table] of tables) console.log(`\n${title}\n${table.join('\n')}`);
  console.log(`\nprofiles, for a browser's developer tools:\n${cpuFile}\n${heapFile}`);
}

async function run(candidate: Candidate, scenario: Scenario, o: Pick<Broker, 'dataDir' | 'jars' | 'scale'>) {
  const { bootstrap, pid } = candidate;
  const port = Number(bootstrap.split(':')[1]);
  const broker: Broker = { ...candidate, ...o, name: 'odradek', port, peakMegabytes: () => residentMegabytes(pid) };
  const profiler = new Profiler(process.env.ODRADEK_PROFILE_DIR ?? '', pid);
  let figures = await scenario.run({ ...broker, profiled: (load) => profiler.around(load) });
  if (profiler.count === 0) figures = await profiler.around(() => scenario.run(broker));
  for (const [name, value] of figures) console.log(`${name}: ${shown(value)}`);
  for (let number = 1; number <= profiler.count; number++) print(profiler, number);
}

/** Profiles the one scenario that is asked for; rejects when it is not exactly one. */
export async function profile(scenarios: readonly Scenario[], scale: number): Promise<void> {
  const [scenario, second] = scenarios;
  if (scenario === undefined || second !== undefined) {
    throw new Error(
      `--profile takes one scenario, these have the words:\n${scenarios.map(({ name }) => name).join('\n')}`,
    );
  }
  const jars = await kafkaJars(KAFKA_VERSION);
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-profile-'));
  const dataDir = path.join(folder, 'data');
  mkdirSync(dataDir);
  process.env.ODRADEK_PROFILE_DIR = folder;
  try {
    const candidate = await startCandidate('odradek', { dataDir, nodeWords: ['--require', HOOK] });
    try {
      console.log(scenario.name);
      await run(candidate, scenario, { dataDir, jars, scale });
    } finally {
      await candidate.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
