/**
 * What an append costs while there are few partitions or very many: `node tools/run.js tools/bench/log/main.ts
 * append-cost --help`. The same number of batches goes to 1, 10, … partitions of one broker after the other, spread
 * evenly.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuSeconds, residentMegabytes } from '../candidates';
import { count } from '../count';
import { singleRecordBatch } from './batches';
import { InFlight } from './in-flight';
import { compareSides, type FigureLog, percentile, SIDE_HELP, SIDE_OPTIONS, type Side } from './sides';
import { Wire } from './wire';

const HELP = `Usage: node tools/run.js tools/bench/log/main.ts append-cost [options]

  --partitions N    the most partitions (default 10000); powers of ten below it come first
  --batches N       batches that are appended each time (default 20000)
  --value-bytes N   bytes of the one record of a batch (default 1000)
${SIDE_HELP}

What creation takes ends when every partition has a leader and has taken a first record.
`;

/** Partitions of a topic, and topics of a request. */
const PER_TOPIC = 100;
const TOPICS_AT_ONCE = 10;
const IN_FLIGHT = 8;
const LED_POLL_MS = 500;
const PROGRESS_MS = 5000;

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

const topicOf = (index: number): string => `topic-${index}`;

/** Makes the topics `from` to `to`; resolves when each of their partitions has a leader. */
async function grow(
  wire: Wire,
  { signal }: Side,
  range: { readonly from: number; readonly to: number },
): Promise<void> {
  let toldMs = performance.now();
  for (let at = range.from; at < range.to; at += TOPICS_AT_ONCE) {
    const topics: string[] = [];
    for (let i = at; i < Math.min(range.to, at + TOPICS_AT_ONCE); i++) topics.push(topicOf(i));
    await wire.createTopics(topics.map((name) => ({ name, partitions: PER_TOPIC })));
    // Kafka leads new partitions some time after it has said that they are there.
    while ((await wire.partitionsLed(topics)) < topics.length * PER_TOPIC) {
      signal.throwIfAborted();
      await sleep(LED_POLL_MS);
    }
    if (performance.now() - toldMs < PROGRESS_MS) continue;
    toldMs = performance.now();
    console.error(`    ${(at + topics.length) * PER_TOPIC} partitions are led`);
  }
}

/** Milliseconds of each append. */
async function append(wire: Wire, partitions: number, { batches, valueBytes }: Plan): Promise<number[]> {
  const value = Buffer.alloc(valueBytes, 0x2e);
  const times: number[] = [];
  const inFlight = new InFlight(IN_FLIGHT);
  for (let i = 0; i < batches; i++) {
    const partition = (i * 7919) % partitions;
    await inFlight.start(async () => {
      const records = singleRecordBatch(value);
      const startedMs = performance.now();
      await wire.produce(topicOf(Math.floor(partition / PER_TOPIC)), [[partition % PER_TOPIC, records]]);
      times.push(performance.now() - startedMs);
    });
  }
  await inFlight.settled();
  return times;
}

async function measure(side: Side, figures: FigureLog, plan: Plan): Promise<void> {
  const wire = await Wire.open(side.bootstrap);
  let made = 0;
  for (const partitions of steps(plan.partitions)) {
    const name = `${partitions} partitions`;
    const topics = Math.ceil(partitions / PER_TOPIC);
    const createdMs = performance.now();
    await grow(wire, side, { from: made, to: topics });
    made = topics;
    // The first append to a partition opens its file.
    await append(wire, partitions, { ...plan, batches: partitions });
    figures.set(`${name}: creation and a first append to each, s`, (performance.now() - createdMs) / 1000);
    const cpuBefore = cpuSeconds(side.pid);
    const times = await append(wire, partitions, plan);
    figures.set(`${name}: broker CPU, µs an append`, ((cpuSeconds(side.pid) - cpuBefore) / plan.batches) * 1e6);
    figures.set(`${name}: p50, ms`, percentile(times, 0.5));
    figures.set(`${name}: p99, ms`, percentile(times, 0.99));
    figures.set(`${name}: memory, MB`, residentMegabytes(side.pid));
  }
  wire.close();
}

/** The command; `words` are what follows its name. */
export async function appendCost(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      partitions: { type: 'string', default: '10000' },
      batches: { type: 'string', default: '20000' },
      'value-bytes': { type: 'string', default: '1000' },
      ...SIDE_OPTIONS,
    },
  });
  if (values.help === true) return console.log(HELP);
  const plan: Plan = {
    partitions: count('partitions', values.partitions),
    batches: count('batches', values.batches),
    valueBytes: count('value-bytes', values['value-bytes']),
  };
  await compareSides(values, (side, figures) => measure(side, figures, plan));
}
