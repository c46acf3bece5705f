/**
 * Producing and consuming at once at fixed rates, the same for both brokers, and how long records take from the moment
 * they were due to be sent until a consumer has them. The rates are shares of what the slower of both brokers can do,
 * which is measured once, on brokers of its own, before the first of these scenarios runs. The load checks that every
 * batch comes back exactly once and in order.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type SideName, startCandidate } from '../candidates';
import type { Figures } from '../figures';
import { fetchFrame, produceFrame, recordsOfBatch } from '../load/frames';
import { endOffsets } from '../loads/end-offsets';
import type { LoadResult, Percentiles } from '../loads/load-result';
import { mixed as mixedLoad } from '../loads/own-load';
import { type Broker, cost, type Scenario, type Target } from '../scenario';
import { type TopicPlan, withTopic } from '../topic';

const PARTITIONS = 4;
/** As Java's producer fills and sends them unless it is told otherwise. */
const PLAN = { recordBytes: 1024, batchBytes: 16 * 1024, acks: -1 };
const DEPTH = 5;
/** In a short run the 99th percentile is what a single pause of the machine makes of it. */
const SECONDS = 10;
const WARM_SECONDS = 0.5;
/** A broker that has just started gets faster; runs of so many seconds are repeated until one is hardly faster. */
const MOST_SECONDS = 2;
const MOST_RUNS = { least: 3, most: 8 };
const HARDLY = 1.05;
const P99 = 'end to end p99, ms';
const RECORDS_PER_REQUEST = recordsOfBatch(PLAN);

interface Run {
  readonly port: number;
  readonly topic: TopicPlan;
  readonly seconds: number;
  /** Requests a second; without it, as fast as it goes. */
  readonly rate?: number;
}

/** From the end of the topic on: whatever was there before is no part of it. */
async function drive({ port, topic, seconds, rate }: Run): Promise<LoadResult & { endToEnd: Percentiles }> {
  const ends = await endOffsets(port, topic);
  const result = await mixedLoad({
    port,
    produces: ends.map((_, partition) => produceFrame(topic.name, { ...PLAN, partition })),
    fetches: ends.map((offset, partition) => fetchFrame(topic.name, { partition, offset })),
    depth: DEPTH,
    seconds,
    ...(rate === undefined ? {} : { rate }),
  });
  const { endToEnd, requests } = result;
  if (endToEnd === undefined) throw new Error('the load did not tell how long records took');
  const records = (await endOffsets(port, topic)).reduce((sum, end, at) => sum + end - (ends[at] ?? 0), 0);
  const sent = requests * RECORDS_PER_REQUEST;
  if (records !== sent) throw new Error(`${sent} records were taken, ${records} are there`);
  return { ...result, endToEnd };
}

/** Requests a second, from the first send to the last record's return, once the broker does not get faster any more. */
async function mostOf(port: number, topic: TopicPlan): Promise<number> {
  let best = 0;
  for (let run = 1; run <= MOST_RUNS.most; run++) {
    const { requests, seconds } = await drive({ port, topic, seconds: MOST_SECONDS });
    const rate = requests / seconds;
    const isFaster = rate > best * HARDLY;
    best = Math.max(best, rate);
    if (run >= MOST_RUNS.least && !isFaster) break;
  }
  return best;
}

/** What a broker of its own can do. */
async function most(side: SideName): Promise<number> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-bench-'));
  try {
    const candidate = await startCandidate(side, { dataDir });
    try {
      const port = Number(candidate.bootstrap.split(':')[1]);
      const topic = { name: 'mixed-most', partitions: PARTITIONS };
      return await withTopic(port, topic, () => mostOf(port, topic));
    } finally {
      await candidate.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

let known: Promise<Readonly<Record<SideName, number>>> | undefined;

async function measureBoth(): Promise<Readonly<Record<SideName, number>>> {
  const both = { odradek: await most('odradek'), kafka: await most('kafka') };
  const [ours, theirs] = [both.odradek, both.kafka].map((rate) => Math.round(rate * RECORDS_PER_REQUEST));
  console.error(
    `mixed: at most ${ours} records/s for Odradek and ${theirs} for Kafka; the rates are shares of the less`,
  );
  return both;
}

/** Once for all scenarios and pairs, or the pairs would not be under the same load. */
function mostOfBoth(): Promise<Readonly<Record<SideName, number>>> {
  known ??= measureBoth();
  return known;
}

async function run(broker: Broker, percent: number, ofOwn: boolean): Promise<Figures> {
  const figures: Figures = new Map();
  const both = await mostOfBoth();
  const rate = ((ofOwn ? both[broker.name] : Math.min(both.odradek, both.kafka)) * percent) / 100;
  const topic = { name: `mixed-${percent}${ofOwn ? '-own' : ''}`, partitions: PARTITIONS };
  await withTopic(broker.port, topic, async () => {
    await drive({ port: broker.port, topic, seconds: WARM_SECONDS, rate });
    const result = await cost(broker, figures, async () => {
      const done = await drive({ port: broker.port, topic, seconds: SECONDS * broker.scale, rate });
      return { bytes: done.requests * RECORDS_PER_REQUEST * PLAN.recordBytes, done };
    });
    const { done } = result;
    figures.set('records/s', (done.requests * RECORDS_PER_REQUEST) / done.seconds);
    figures.set('end to end p50, ms', done.endToEnd.p50Us / 1000);
    figures.set(P99, done.endToEnd.p99Us / 1000);
    figures.set('end to end p99.9, ms', done.endToEnd.p999Us / 1000);
    figures.set('produce p99, ms', done.latency.p99Us / 1000);
  });
  return figures;
}

const TARGET: Target = { what: 'p99 end to end at 50 % load', figure: P99, of: 'ratio', atMost: 0.5 };

function scenario(percent: number, ofOwn: boolean): Scenario {
  return {
    group: 'mixed',
    name: `mixed 1 KB, acks=all, ${percent} % of ${ofOwn ? 'its own most' : 'what both can do'}`,
    needs: ['cc'],
    ...(percent === 50 && !ofOwn ? { targets: [TARGET] } : {}),
    run: (broker) => run(broker, percent, ofOwn),
  };
}

export const mixed: readonly Scenario[] = [
  scenario(25, false),
  scenario(50, false),
  scenario(75, false),
  scenario(50, true),
];
