/**
 * Whether memory stays flat at full load: `node tools/run.js tools/bench/soak/main.ts --minutes N` produces to Odradek
 * and consumes from it as fast as it goes, with clients beside that ask and never read, and samples its memory. Exit
 * code 1 when memory grew, or when anything that was sent did not come back once and in order.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type BrokerProcess, startBrokerProcess } from '../../../compat-tests/broker-process';
import { freePort } from '../../../compat-tests/free-port';
import { cpuSeconds, residentMegabytes } from '../candidates';
import { count } from '../count';
import { fetchFrame, produceFrame, recordsOfBatch } from '../load/frames';
import { endOffsets } from '../loads/end-offsets';
import type { LoadResult } from '../loads/load-result';
import { mixed, requests } from '../loads/own-load';
import { createTopic, type TopicPlan } from '../topic';
import { DeafReaders } from './deaf-readers';
import { type MemorySample, memoryVerdict } from './memory';

const HELP = `Usage: node tools/run.js tools/bench/soak/main.ts [--minutes N]

Full load on Odradek for N minutes (20 by default): four producers and four consumers as fast as they go, 40 clients
that ask for records and never read the answers. A line a minute; at the end whether its memory stayed flat, which is
the exit code. Needs a C compiler (cc), and 3 GB of disk in the folder for temporary files.
`;

const MEGABYTE = 2 ** 20;
const SAMPLE_MS = 5000;
const MINUTE_SECONDS = 60;
const TOPIC: TopicPlan = { name: 'soak', partitions: 4 };
const UNREAD: TopicPlan = { name: 'soak-unread', partitions: 1 };
const PLAN = { recordBytes: 1024, batchBytes: 16 * 1024, acks: -1 };
const DEPTH = 5;
const DEAF = { count: 40, replacedEachMinute: 10 };
/** What is kept is a few seconds of what is produced; the rest goes as fast as the broker looks for it. */
const OVERRIDES = [
  `log.segment.bytes=${32 * MEGABYTE}`,
  `log.retention.bytes=${128 * MEGABYTE}`,
  'log.retention.check.interval.ms=3000',
  'log.segment.delete.delay.ms=1000',
];

async function sample(broker: BrokerProcess, metricsPort: number, startedMs: number): Promise<MemorySample> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const megabytes = (name: string): number => {
    const bytes = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    if (bytes === undefined) throw new Error(`the broker does not tell ${name}`);
    return Number(bytes) / MEGABYTE;
  };
  return {
    seconds: (performance.now() - startedMs) / 1000,
    residentMb: residentMegabytes(broker.pid),
    heapMb: megabytes('nodejs_heap_size_used_bytes'),
    externalMb: megabytes('nodejs_external_memory_bytes'),
  };
}

function bytesOnDisk(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // Files go while this looks at them.
    bytes += 512 * (statSync(path.join(folder, name), { throwIfNoEntry: false })?.blocks ?? 0);
  }
  return bytes;
}

async function oneMinute(port: number): Promise<LoadResult> {
  const ends = await endOffsets(port, TOPIC);
  return mixed({
    port,
    produces: ends.map((_, partition) => produceFrame(TOPIC.name, { ...PLAN, partition })),
    fetches: ends.map((offset, partition) => fetchFrame(TOPIC.name, { partition, offset })),
    depth: DEPTH,
    seconds: MINUTE_SECONDS,
  });
}

/** What the clients ask for that never read. */
async function fillUnread(port: number): Promise<void> {
  await createTopic(port, UNREAD);
  await endOffsets(port, UNREAD);
  const { frame, errorAt } = produceFrame(UNREAD.name, { recordBytes: 1024, acks: 1 });
  await requests({ port, frames: [frame], connections: 1, depth: 1, seconds: 0.2, errorAt });
}

const HEADING = ['minute', 'records/s', 'end to end p99, ms', 'CPU, %', 'memory, MB', 'heap, MB', 'external, MB'];

function row(minute: number, done: LoadResult, o: { cpu: number; last: MemorySample; disk: number; open: number }) {
  const { residentMb, heapMb, externalMb } = o.last;
  const rate = Math.round((done.requests * recordsOfBatch(PLAN)) / done.seconds).toLocaleString('en-US');
  const p99 = ((done.endToEnd?.p99Us ?? Number.NaN) / 1000).toFixed(1);
  const cells = [minute, rate, p99, Math.round(o.cpu), ...[residentMb, heapMb, externalMb].map(Math.round)];
  return `| ${[...cells, (o.disk / 1e9).toFixed(1), o.open].join(' | ')} |`;
}

async function soak(broker: BrokerProcess, metricsPort: number, minutes: number): Promise<boolean> {
  const { port, pid, dataDir } = broker;
  await createTopic(port, TOPIC);
  await fillUnread(port);
  const samples: MemorySample[] = [];
  const startedMs = performance.now();
  let failure: unknown;
  const sampler = setInterval(() => {
    void sample(broker, metricsPort, startedMs).then(
      (one) => samples.push(one),
      (error) => {
        failure = error;
      },
    );
  }, SAMPLE_MS);
  const deaf = new DeafReaders(port, { topic: UNREAD.name, count: DEAF.count });
  try {
    const heading = [...HEADING, 'disk, GB', 'unread connections'];
    console.log(`| ${heading.join(' | ')} |\n|${'---|'.repeat(heading.length)}`);
    for (let minute = 1; minute <= minutes; minute++) {
      const used = cpuSeconds(pid);
      const done = await oneMinute(port);
      if (failure !== undefined) throw failure;
      const last = samples.at(-1);
      if (last === undefined) throw new Error('there was no sample in a minute');
      const cpu = (100 * (cpuSeconds(pid) - used)) / done.seconds;
      console.log(row(minute, done, { cpu, last, disk: bytesOnDisk(dataDir), open: deaf.open }));
      deaf.replace(DEAF.replacedEachMinute);
    }
  } finally {
    clearInterval(sampler);
    deaf.close();
  }
  const { secondQuarterMb, lastQuarterMb, slopeMbPerMinute, isFlat } = memoryVerdict(samples);
  const [from, to] = [secondQuarterMb.toFixed(1), lastQuarterMb.toFixed(1)];
  console.log(`\nmemory, median of the second quarter ${from} MB, of the last ${to} MB`);
  console.log(`slope over the second half ${slopeMbPerMinute.toFixed(2)} MB a minute: ${isFlat ? 'flat' : 'it grows'}`);
  return isFlat;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '20' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return console.log(HELP);
  const minutes = count('minutes', values.minutes);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-soak-'));
  try {
    const metricsPort = await freePort();
    const metrics = `odradek.metrics.listener=127.0.0.1:${metricsPort}`;
    const broker = await startBrokerProcess({ dataDir, overrides: [...OVERRIDES, metrics] });
    try {
      if (!(await soak(broker, metricsPort, minutes))) process.exitCode = 1;
    } finally {
      await broker.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error((error as Error).message);
  process.exit(1);
});
