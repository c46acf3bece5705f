/**
 * What an append costs while there are few partitions or very many: `node tools/run.js tools/bench/log/main.ts
 * append-cost --help`. The same number of batches goes to 1, 10, … partitions of one broker after the other, spread
 * evenly.
 */
import { parseArgs } from 'node:util';
import { buildBatch } from '../../../src/records/batch-builder';
import { cpuSeconds, residentMegabytes } from '../candidates';
import { count } from '../count';
import { circumstances } from '../side-by-side';
import { percentile, printFigures, type Side, sidesOf, withSide } from './sides';
import { Wire } from './wire';

const HELP = `Usage: node tools/run.js tools/bench/log/main.ts append-cost [options]

  --partitions N    the most partitions (default 10000); powers of ten below it come first
  --batches N       batches that are appended each time (default 20000)
  --value-bytes N   bytes of the one record of a batch (default 1000)
  --sides LIST      odradek, kafka or both (default odradek,kafka)
  --dir DIR         where the data go meanwhile (default: the temporary folder)
`;

/** Partitions of a topic, and topics of a request. */
const PER_TOPIC = 100;
const TOPICS_AT_ONCE = 10;
const IN_FLIGHT = 8;

interface Plan {
  readonly partitions: number;
  readonly batches: number;
  readonly valueBytes: number;
}

function steps(most: number): number[] {
  const found: number[] = [];
  for (let partitions = 1; partitions < most; partitions *= 10) found.push(partitions);
  return [...found, most];
}

async function grow(wire: Wire, from: number, to: number): Promise<void> {
  const topics = [];
  for (let i = Math.ceil(from / PER_TOPIC); i < Math.ceil(to / PER_TOPIC); i++) {
    topics.push({ name: `topic-${i}`, partitions: PER_TOPIC });
  }
  for (let at = 0; at < topics.length; at += TOPICS_AT_ONCE)
    await wire.createTopics(topics.slice(at, at + TOPICS_AT_ONCE));
}

/** Milliseconds of each append. */
async function append(wire: Wire, partitions: number, { batches, valueBytes }: Plan): Promise<number[]> {
  const value = Buffer.alloc(valueBytes, 0x2e);
  const times: number[] = [];
  const pending = new Set<Promise<void>>();
  for (let i = 0; i < batches; i++) {
    if (pending.size >= IN_FLIGHT) await Promise.race(pending);
    const partition = (i * 7919) % partitions;
    const records = buildBatch({ records: [{ timestamp: Date.now(), key: null, value }] });
    const startedMs = performance.now();
    const sent = wire
      .produce(`topic-${Math.floor(partition / PER_TOPIC)}`, [[partition % PER_TOPIC, records]])
      .then(() => void times.push(performance.now() - startedMs));
    pending.add(sent);
    void sent.finally(() => pending.delete(sent));
  }
  await Promise.all(pending);
  return times;
}

async function measure(side: Side, plan: Plan): Promise<Map<string, number | string>> {
  const figures = new Map<string, number | string>();
  const wire = await Wire.open(side.bootstrap);
  let made = 0;
  for (const partitions of steps(plan.partitions)) {
    await grow(wire, made, partitions);
    made = Math.max(made, Math.ceil(partitions / PER_TOPIC) * PER_TOPIC);
    // The first append to a partition opens its file.
    await append(wire, partitions, { ...plan, batches: Math.min(partitions, plan.batches) });
    const cpuBefore = cpuSeconds(side.pid);
    const times = await append(wire, partitions, plan);
    const cpu = ((cpuSeconds(side.pid) - cpuBefore) / plan.batches) * 1e6;
    figures.set(`${partitions} partitions: broker CPU, µs an append`, cpu);
    figures.set(`${partitions} partitions: p50, ms`, percentile(times, 0.5));
    figures.set(`${partitions} partitions: p99, ms`, percentile(times, 0.99));
    figures.set(`${partitions} partitions: memory, MB`, residentMegabytes(side.pid));
    console.error(`  ${partitions} partitions done`);
  }
  wire.close();
  return figures;
}

/** The command; `words` are what follows its name. */
export async function appendCost(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      partitions: { type: 'string', default: '10000' },
      batches: { type: 'string', default: '20000' },
      'value-bytes': { type: 'string', default: '1000' },
      sides: { type: 'string', default: 'odradek,kafka' },
      dir: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return console.log(HELP);
  const plan: Plan = {
    partitions: count('partitions', values.partitions),
    batches: count('batches', values.batches),
    valueBytes: count('value-bytes', values['value-bytes']),
  };
  const columns = new Map<string, Map<string, number | string>>();
  for (const name of sidesOf(values.sides)) {
    console.error(`${name}:`);
    columns.set(name, await withSide(name, { under: values.dir }, (side) => measure(side, plan)));
  }
  console.log(circumstances());
  printFigures(columns);
}
