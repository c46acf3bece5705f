/**
 * Very many partitions in one broker with few descriptors: `node tools/run.js tools/bench/log/main.ts partitions
 * --help`. Creates them, appends to all, rolls their segments, reads all, restarts, reads all again; tells the memory
 * of an idle partition, the time of a start and the descriptors in use. Odradek alone: Kafka keeps all files open.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BrokerProcess, startBrokerProcess } from '../../../compat-tests/broker-process';
import { decodeRecords } from '../../../src/records/record-codec';
import { cpuSeconds } from '../candidates';
import { count } from '../count';
import { circumstances } from '../side-by-side';
import { singleRecordBatch } from './batches';
import { FigureLog, printFigures, residentBytes } from './sides';
import { Wire } from './wire';

const HELP = `Usage: node tools/run.js tools/bench/log/main.ts partitions [options]

  --partitions N    in all (default 10000)
  --topics N        of so many topics (default 100)
  --descriptors N   what the broker may have, as ulimit -n (default 1024)
  --rest-s N        how long it idles before memory is looked at (default 60)
  --dir DIR         where the data go meanwhile (default: the temporary folder)

Ends with 1 where something does not come back, an idle partition takes more than 4 KB or a start more than 5 s.
`;

const LARGEST_IDLE_BYTES = 4096;
const LONGEST_START_MS = 5000;
/** How long a start or a stop may take before the measurement is given up. */
const LIMIT_MS = 300_000;
const ROUNDS = 3;
const TOPICS_AT_ONCE = 100;
const PARTITIONS_AT_ONCE = 200;
/** The broker collects garbage twice at this signal. */
const COLLECT = 'SIGUSR2';

interface Plan {
  readonly partitions: number;
  readonly topics: number;
  readonly descriptors: number;
  readonly restMs: number;
}

/** A Node with fewer descriptors that collects when it is told to. */
function limitedNode(directory: string, { descriptors }: Plan): string {
  const hook = path.join(directory, 'collect.js');
  writeFileSync(hook, `process.on('${COLLECT}', () => { global.gc(); global.gc(); });\n`);
  const node = path.join(directory, 'node');
  const script = `#!/bin/sh\nulimit -n ${descriptors}\nexec '${process.execPath}' --expose-gc -r '${hook}' "$@"\n`;
  writeFileSync(node, script, { mode: 0o755 });
  return node;
}

async function restedBytes(broker: BrokerProcess, { restMs }: Plan): Promise<number> {
  const collect = async (): Promise<void> => {
    process.kill(broker.pid, COLLECT);
    await sleep(2000);
  };
  await collect();
  await sleep(restMs);
  await collect();
  return residentBytes(broker.pid);
}

const topicOf = (index: number): string => `topic-${index}`;

async function create(wire: Wire, { partitions, topics }: Plan): Promise<void> {
  const configs = { 'segment.ms': '1' };
  const all = Array.from({ length: topics }, (_, i) => ({
    name: topicOf(i),
    partitions: Math.floor((partitions * (i + 1)) / topics) - Math.floor((partitions * i) / topics),
    configs,
  }));
  for (let at = 0; at < topics; at += TOPICS_AT_ONCE) await wire.createTopics(all.slice(at, at + TOPICS_AT_ONCE));
}

/** Partition numbers of each topic, a few hundred at once. */
function* portions({ partitions, topics }: Plan): Iterable<readonly [string, readonly number[]]> {
  for (let i = 0; i < topics; i++) {
    const here = Math.floor((partitions * (i + 1)) / topics) - Math.floor((partitions * i) / topics);
    for (let first = 0; first < here; first += PARTITIONS_AT_ONCE) {
      const size = Math.min(PARTITIONS_AT_ONCE, here - first);
      yield [topicOf(i), Array.from({ length: size }, (_, n) => first + n)];
    }
  }
}

/** Each round is later than the one before, so that each of its batches begins a segment. */
async function appendToAll(wire: Wire, plan: Plan): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const value = Buffer.from(`round-${round}`);
    for (const [topic, numbers] of portions(plan)) {
      const timestamp = 1_700_000_000_000 + 1000 * round;
      await wire.produce(
        topic,
        numbers.map((number) => [number, singleRecordBatch(value, timestamp)] as const),
      );
    }
  }
}

async function readAll(wire: Wire, plan: Plan): Promise<void> {
  for (const [topic, numbers] of portions(plan)) {
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = numbers.map((partition) => ({ partition, offset: round, maxBytes: 1000 }));
      for (const [partition, bytes] of await wire.fetch(topic, wanted)) {
        const records = bytes.length > 0 ? decodeRecords(bytes) : undefined;
        const text = records?.ok === true ? String(records.value[0]?.value) : 'nothing';
        if (text !== `round-${round}`) throw new Error(`${topic}-${partition} at ${round}: ${text}`);
      }
    }
  }
}

function descriptorsOf({ pid }: BrokerProcess): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** What was found to be beyond its limit. */
interface Verdict {
  readonly idleBytes: number[];
  readonly startsMs: number[];
}

async function measure(directory: string, plan: Plan, figures: FigureLog): Promise<Verdict> {
  const options = { dataDir: path.join(directory, 'data'), node: limitedNode(directory, plan), limitMs: LIMIT_MS };
  let broker = await startBrokerProcess(options);
  const verdict: Verdict = { idleBytes: [], startsMs: [] };
  try {
    const before = await restedBytes(broker, plan);
    const rest = async (when: string): Promise<void> => {
      const bytes = ((await restedBytes(broker, plan)) - before) / plan.partitions;
      verdict.idleBytes.push(bytes);
      figures.set(`memory of an idle partition ${when}, bytes`, bytes);
    };
    const restart = async (when: string): Promise<void> => {
      const stopMs = performance.now();
      await broker.stop();
      figures.set(`stop ${when}, ms`, performance.now() - stopMs);
      broker = await startBrokerProcess(options);
      const startMs = Number(/in (\d+) ms/.exec(broker.readyLine)?.[1]);
      verdict.startsMs.push(startMs);
      figures.set(`start ${when}, ms`, startMs);
      figures.set(`start ${when}, CPU-s`, cpuSeconds(broker.pid));
    };
    let wire = await Wire.open(broker.bootstrap);
    const [createdMs, createdCpu] = [performance.now(), cpuSeconds(broker.pid)];
    await create(wire, plan);
    wire.close();
    figures.set('creation, s', (performance.now() - createdMs) / 1000);
    figures.set('creation, CPU-s', cpuSeconds(broker.pid) - createdCpu);
    await rest('when new');
    await restart('without data');
    await rest('after a start');
    wire = await Wire.open(broker.bootstrap);
    const cpuBefore = cpuSeconds(broker.pid);
    await appendToAll(wire, plan);
    await readAll(wire, plan);
    wire.close();
    figures.set('appends to all thrice, reads of all, CPU-s', cpuSeconds(broker.pid) - cpuBefore);
    figures.set('descriptors in use', descriptorsOf(broker));
    await restart('with data');
    await rest('after a start, with data');
    wire = await Wire.open(broker.bootstrap);
    await readAll(wire, plan);
    wire.close();
    figures.set('descriptors in use after it', descriptorsOf(broker));
    return verdict;
  } finally {
    await broker.stop();
  }
}

/** The command; `words` are what follows its name. */
export async function partitions(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      partitions: { type: 'string', default: '10000' },
      topics: { type: 'string', default: '100' },
      descriptors: { type: 'string', default: '1024' },
      'rest-s': { type: 'string', default: '60' },
      dir: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return console.log(HELP);
  const plan: Plan = {
    partitions: count('partitions', values.partitions),
    topics: count('topics', values.topics),
    descriptors: count('descriptors', values.descriptors),
    restMs: count('rest-s', values['rest-s']) * 1000,
  };
  const directory = mkdtempSync(path.join(values.dir ?? tmpdir(), 'bench-partitions-'));
  try {
    const figures = new FigureLog();
    const { idleBytes, startsMs } = await measure(directory, plan, figures);
    console.log(circumstances());
    printFigures(new Map([['odradek', figures]]));
    const isHeavy = Math.max(...idleBytes) > LARGEST_IDLE_BYTES;
    const isSlow = Math.max(...startsMs) > LONGEST_START_MS;
    if (isHeavy) console.error(`an idle partition takes more than ${LARGEST_IDLE_BYTES} bytes`);
    if (isSlow) console.error(`a start takes more than ${LONGEST_START_MS} ms`);
    if (isHeavy || isSlow) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
