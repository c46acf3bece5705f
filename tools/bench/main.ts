/**
 * Side by side with Apache Kafka: both brokers one after the other on this machine, in alternation, under the same
 * load. `npm run bench -- [--pairs N] [--scale X]` prints a table; nothing is asserted, and a busy machine shows in the
 * spread. Owns the order of events and the table; the load is in `java-load.ts`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBrokerProcess } from '../../compat-tests/broker-process';
import { kafkaJars } from '../../compat-tests/clients/java/jars';
import { startReferenceKafka } from '../../compat-tests/reference-kafka';
import { consume, endToEnd, produce, type Target } from './java-load';

const KAFKA_VERSION = '4.4.0';

/** A broker under measurement. */
interface Candidate {
  readonly bootstrap: string;
  readonly pid: number;
  /** From the command to the moment it serves. */
  readonly readyMs: number;
  stop(): Promise<unknown>;
}

type Figures = Map<string, number>;

const CANDIDATES: Readonly<Record<string, (dataDir: string) => Promise<Candidate>>> = {
  odradek: async (dataDir) => {
    const startedMs = performance.now();
    const broker = await startBrokerProcess({ dataDir });
    return { ...broker, readyMs: performance.now() - startedMs };
  },
  kafka: (dataDir) => startReferenceKafka({ version: KAFKA_VERSION, dataDir }),
};

/** Memory of its own, in MB: resident less what is mapped from files. */
function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return (kilobytes('VmRSS') - kilobytes('RssFile')) / 1024;
}

/** CPU seconds that the process has used so far; the kernel counts in hundredths. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function measure(candidate: Candidate, jars: string, scale: number): Promise<Figures> {
  const figures: Figures = new Map();
  const target: Target = { jars, bootstrap: candidate.bootstrap };
  figures.set('ready, ms', candidate.readyMs);
  figures.set('memory at rest, MB', residentMegabytes(candidate.pid));
  for (const [recordBytes, millions] of [
    [100, 4],
    [1024, 1],
  ] as const) {
    const records = Math.round(millions * 1e6 * scale);
    const topic = `bench-${recordBytes}`;
    await produce(target, { topic: `${topic}-warm`, records: Math.round(records / 10), recordBytes, acks: '1' });
    const cpuBefore = cpuSeconds(candidate.pid);
    const produced = await produce(target, { topic, records, recordBytes, acks: '1' });
    const cpuBetween = cpuSeconds(candidate.pid);
    const consumed = await consume(target, topic, records);
    const gigabytes = (records * recordBytes) / 1e9;
    figures.set(`produce ${recordBytes} B, records/s`, produced.recordsPerSecond);
    figures.set(`produce ${recordBytes} B, MB/s`, produced.megabytesPerSecond);
    figures.set(`produce ${recordBytes} B, broker CPU-s/GB`, (cpuBetween - cpuBefore) / gigabytes);
    figures.set(`consume ${recordBytes} B, records/s`, consumed.recordsPerSecond);
    figures.set(`consume ${recordBytes} B, MB/s`, consumed.megabytesPerSecond);
    figures.set(`consume ${recordBytes} B, broker CPU-s/GB`, (cpuSeconds(candidate.pid) - cpuBetween) / gigabytes);
  }
  const latency = await endToEnd(target, 'bench-latency', Math.round(5000 * scale));
  figures.set('end to end p50, ms', latency.p50Ms);
  figures.set('end to end p99, ms', latency.p99Ms);
  figures.set('memory under load, MB', residentMegabytes(candidate.pid));
  return figures;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
}

function printTable(runs: ReadonlyMap<string, readonly Figures[]>): void {
  const [ours, theirs] = [runs.get('odradek') ?? [], runs.get('kafka') ?? []];
  console.log('| what | Odradek (min–max) | Apache Kafka (min–max) | ratio, median of pairs |\n|---|---|---|---|');
  for (const name of ours[0]?.keys() ?? []) {
    const [a, b] = [ours.map((run) => run.get(name) ?? Number.NaN), theirs.map((run) => run.get(name) ?? Number.NaN)];
    const cell = (values: readonly number[]): string =>
      `${shown(median(values))} (${shown(Math.min(...values))}–${shown(Math.max(...values))})`;
    const ratio = median(a.map((value, pair) => value / (b[pair] ?? Number.NaN)));
    console.log(`| ${name} | ${cell(a)} | ${cell(b)} | ${ratio.toFixed(2)} |`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { pairs: { type: 'string', default: '3' }, scale: { type: 'string', default: '1' } },
  });
  const [pairs, scale] = [Number(values.pairs), Number(values.scale)];
  if (!(pairs >= 1) || !(scale > 0)) throw new Error('--pairs takes a count from 1, --scale a number above 0');
  const jars = await kafkaJars(KAFKA_VERSION);
  const runs = new Map<string, Figures[]>(Object.keys(CANDIDATES).map((name) => [name, []]));
  for (let pair = 0; pair < pairs; pair++) {
    for (const [name, start] of Object.entries(CANDIDATES)) {
      const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-bench-'));
      const candidate = await start(dataDir);
      try {
        runs.get(name)?.push(await measure(candidate, jars, scale));
      } finally {
        await candidate.stop();
        rmSync(dataDir, { recursive: true, force: true });
      }
      console.error(`pair ${pair + 1} of ${pairs}: ${name} done`);
    }
  }
  console.log(
    `\nNode ${process.version}, Apache Kafka ${KAFKA_VERSION}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}\n`,
  );
  printTable(runs);
}

void main();
