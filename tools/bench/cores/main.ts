/**
 * What decides how a machine with more cores is to be used (ARCHITECTURE.md, "Decisions: more cores"): CPU time of the
 * event loop, and of all other threads, for a request or a GB, so what one process does at most; and what it costs to
 * hand a request to another thread. Counts processor time alone, which bears a machine that has other work.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type BrokerProcess, startBrokerProcess } from '../../../compat-tests/broker-process';
import {
  newPartitionProduceData,
  newProduceRequest,
  newTopicProduceData,
} from '../../../src/codec/generated/00-produce';
import { newApiVersionsRequest } from '../../../src/codec/generated/18-api-versions';
import { apis } from '../../../src/codec/generated/apis';
import { requestFrame } from '../../../src/testing/wire-client';
import { count } from '../count';
import { median, shown } from '../figures';
import { fetchFrame, produceFrame } from '../load/frames';
import { fetches, requests } from '../loads/own-load';
import { createTopic } from '../topic';
import { printHops } from './hop';
import { threadTimes } from './thread-times';

const USAGE = `usage: node tools/run.js tools/bench/cores/main.ts [--rounds N] [--seconds S]
  --rounds N   how often each load and each hop is measured; medians are printed (5)
  --seconds S  how long each load runs each time (1)
Needs Linux and a C compiler. Prints two tables; takes about two minutes with the defaults. "A × B": A connections with
B requests under way on each.`;
const TOPIC = { name: 'cores', partitions: 16 };
const RECORD_BYTES = 100;

interface LoadCase {
  readonly name: string;
  /** What the figures are for: each request, or each GB that went in or out. */
  readonly per: 'request' | 'GB';
  /** Gives the requests that were made, or the GB. */
  run(port: number, seconds: number): Promise<number>;
}

/** A Produce with one record for each of all partitions. */
function wideFrame(): Buffer {
  const { batch } = produceFrame(TOPIC.name, { recordBytes: RECORD_BYTES, batchBytes: 1, acks: 1 });
  const data = Array.from({ length: TOPIC.partitions }, (_, index) =>
    newPartitionProduceData({ index, records: batch }),
  );
  const topicData = [newTopicProduceData({ name: TOPIC.name, partitionData: data })];
  const request = newProduceRequest({ acks: 1, timeoutMs: 30_000, topicData });
  return requestFrame({ api: apis.Produce, version: 7, request }, 1, 'load');
}

function small(what: string, frame: Buffer, [connections, depth]: readonly [number, number]): LoadCase {
  return {
    name: `${what}, ${connections} × ${depth}`,
    per: 'request',
    run: async (port, seconds) => (await requests({ port, frames: [frame], connections, depth, seconds })).requests,
  };
}

function large(recordBytes: number): LoadCase {
  const { frame, errorAt } = produceFrame(TOPIC.name, { recordBytes, acks: 1 });
  return {
    name: `Produce 64 KB of ${recordBytes} B records, 2 × 5`,
    per: 'GB',
    run: async (port, seconds) => {
      const load = { port, frames: [frame], errorAt, connections: 2, depth: 5, seconds };
      return ((await requests(load)).requests * frame.length) / 1e9;
    },
  };
}

function cases(): LoadCase[] {
  const bare = requestFrame({ api: apis.ApiVersions, version: 0, request: newApiVersionsRequest({}) }, 1, 'load');
  const { frame: one } = produceFrame(TOPIC.name, { recordBytes: RECORD_BYTES, batchBytes: 1, acks: 1 });
  const fetched: LoadCase = {
    name: 'Fetch 1 MB, 2 × 1',
    per: 'GB',
    run: async (port, seconds) => {
      const done = await fetches({ port, fetches: [fetchFrame(TOPIC.name)], connections: 2, seconds });
      return done.receivedBytes / 1e9;
    },
  };
  const shapes = [
    [1, 1],
    [10, 1],
    [10, 5],
  ] as const;
  return [
    ...shapes.map((shape) => small('ApiVersions', bare, shape)),
    ...shapes.map((shape) => small('Produce 100 B', one, shape)),
    small('Produce 100 B to each of 16 partitions', wideFrame(), [10, 1]),
    ...[1024, 100].map(large),
    fetched,
  ];
}

async function measure(load: LoadCase, broker: BrokerProcess, seconds: number): Promise<[number, number]> {
  const before = threadTimes(broker.pid);
  const amount = await load.run(broker.port, seconds);
  const after = threadTimes(broker.pid);
  return [(after[0] - before[0]) / amount, (after[1] - before[1]) / amount];
}

async function printLoads(rounds: number, seconds: number): Promise<void> {
  const broker = await startBrokerProcess({});
  try {
    await createTopic(broker.port, TOPIC);
    const all = cases();
    for (const load of all) await load.run(broker.port, seconds);
    const runs = all.map((): [number, number][] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [at, load] of all.entries()) runs[at]!.push(await measure(load, broker, seconds));
    }
    console.log('| load | event loop | other threads | one loop does at most |\n|---|---|---|---|');
    for (const [at, { name, per }] of all.entries()) {
      const [loop, others] = ([0, 1] as const).map((column) => median(runs[at]!.map((run) => run[column])));
      const [scale, unit, rate] = per === 'GB' ? [1e6, 'CPU-s/GB', 'GB/s'] : [1, 'µs', 'requests/s'];
      const cells = [`${shown(loop! / scale)} ${unit}`, shown(others! / scale), `${shown(1e6 / loop!)} ${rate}`];
      console.log(`| ${name} | ${cells.join(' | ')} |`);
    }
  } finally {
    await broker.stop();
  }
}

async function main(): Promise<void> {
  const option = (value: string) => ({ type: 'string', default: value }) as const;
  const options = { rounds: option('5'), seconds: option('1'), help: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ options });
  if (values.help) return console.log(USAGE);
  const [rounds, seconds] = [count('rounds', values.rounds), count('seconds', values.seconds)];
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}\n`);
  await printLoads(rounds, seconds);
  console.log();
  await printHops(rounds);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
