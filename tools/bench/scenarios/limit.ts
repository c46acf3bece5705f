/**
 * How near a broker comes to what the machine can do: a C program that receives, checks the CRC-32C and appends, and
 * one that sends a file by sendfile, each under the same load as the broker and right after it.
 */
import type { Figures } from '../figures';
import { withSink, withSource } from '../limit/limit-server';
import { fetchFrame, type ProduceFrame, produceFrame, recordsOfBatch } from '../load/frames';
import { endOffsets } from '../loads/end-offsets';
import type { LoadResult } from '../loads/load-result';
import { fetches, requests } from '../loads/own-load';
import { type Broker, CPU_PER_GB, CPU_PER_MILLION_REQUESTS, cost, type Scenario, type Target } from '../scenario';
import { withTopic } from '../topic';

const MEGABYTE = 2 ** 20;
const SECONDS = 2;
const WARM_SECONDS = 0.5;
const PARTITION = { partitions: 1 };
const SHARE = 'share of the limit, %';
const CPU_SHARE = 'share of the limit, CPU, %';
const TARGET: Target = {
  what: 'share of the C limit, produce and consume 1 KB batched',
  figure: SHARE,
  of: 'own',
  atLeast: 50,
};

/** The broker's figure and the limit's in `unit`, CPU by `per`, and what share of it the broker reaches. */
interface Measured {
  readonly unit: string;
  readonly rate: number;
  readonly limitRate: number;
  readonly per: string;
  readonly limitCost: number;
}

function enter(figures: Figures, { unit, rate, limitRate, per, limitCost }: Measured): void {
  figures.set(unit, rate);
  figures.set(`limit, ${unit}`, limitRate);
  figures.set(SHARE, (100 * rate) / limitRate);
  figures.set(`limit, ${per.replace('broker ', '')}`, limitCost);
  figures.set(CPU_SHARE, (100 * limitCost) / (figures.get(per) ?? Number.NaN));
}

interface Producing {
  readonly topic: string;
  readonly plan: { readonly recordBytes: number; readonly batchBytes: number; readonly acks: number };
  readonly connections: number;
  readonly depth: number;
}

function produceLoad({ errorAt, frame }: ProduceFrame, { connections, depth }: Producing) {
  return (port: number, seconds: number): Promise<LoadResult> =>
    requests({ port, frames: [frame], connections, depth, errorAt, seconds });
}

async function produce(broker: Broker, producing: Producing): Promise<Figures> {
  const figures: Figures = new Map();
  const frame = produceFrame(producing.topic, producing.plan);
  const load = produceLoad(frame, producing);
  const seconds = SECONDS * broker.scale;
  const bytesOf = ({ requests }: LoadResult): number =>
    requests * recordsOfBatch(producing.plan) * producing.plan.recordBytes;
  const topic = { name: producing.topic, ...PARTITION };
  const { done } = await withTopic(broker.port, topic, async () => {
    await endOffsets(broker.port, topic);
    await load(broker.port, WARM_SECONDS);
    return cost(broker, figures, async () => {
      const result = await load(broker.port, seconds);
      return { done: result, bytes: bytesOf(result), requests: result.requests };
    });
  });
  const limit = await withSink(frame, (port) => load(port, seconds));
  const isBatched = recordsOfBatch(producing.plan) > 1;
  const amount = (result: LoadResult): number => (isBatched ? bytesOf(result) / MEGABYTE : result.requests);
  enter(figures, {
    unit: isBatched ? 'MB/s' : 'requests/s',
    rate: amount(done) / done.seconds,
    limitRate: amount(limit.result) / limit.result.seconds,
    per: isBatched ? CPU_PER_GB : CPU_PER_MILLION_REQUESTS,
    limitCost: limit.cpuSeconds / (isBatched ? bytesOf(limit.result) / 1e9 : limit.result.requests / 1e6),
  });
  figures.delete(isBatched ? CPU_PER_MILLION_REQUESTS : CPU_PER_GB);
  return figures;
}

const CONSUMED = { recordBytes: 1024, batchBytes: 64 * 1024, acks: 1 };
const CONSUMERS = 2;
/** Requests of a batch each that fill the log to be read. */
const FILL = { connections: 2, depth: 5, seconds: 1 };

async function consume(broker: Broker): Promise<Figures> {
  const figures: Figures = new Map();
  const topic = { name: 'limit-consume', ...PARTITION };
  const filling = produceFrame(topic.name, CONSUMED);
  const fetching = fetchFrame(topic.name);
  const seconds = SECONDS * broker.scale;
  const load = (port: number, endOffset?: number): Promise<LoadResult> =>
    fetches({ port, fetches: [fetching], connections: CONSUMERS, seconds, ...(endOffset ? { endOffset } : {}) });
  const done = await withTopic(broker.port, topic, async () => {
    await endOffsets(broker.port, topic);
    await produceLoad(filling, { topic: topic.name, plan: CONSUMED, ...FILL })(broker.port, FILL.seconds);
    const [endOffset] = await endOffsets(broker.port, topic);
    const result = await cost(broker, figures, async () => {
      const read = await load(broker.port, endOffset);
      return { ...read, requests: undefined, bytes: read.receivedBytes };
    });
    return result;
  });
  const { result, cpuSeconds } = await withSource(topic.name, filling, (port) => load(port));
  enter(figures, {
    unit: 'MB/s',
    rate: done.receivedBytes / MEGABYTE / done.seconds,
    limitRate: result.receivedBytes / MEGABYTE / result.seconds,
    per: CPU_PER_GB,
    limitCost: cpuSeconds / (result.receivedBytes / 1e9),
  });
  return figures;
}

const BATCHED = { plan: { recordBytes: 1024, batchBytes: 64 * 1024, acks: 1 }, connections: 2, depth: 5 };
const SINGLE = { plan: { recordBytes: 100, batchBytes: 1, acks: -1 }, connections: 10, depth: 1 };

export const limit: readonly Scenario[] = [
  {
    group: 'limit',
    name: 'beside the limit: produce 1 KB in batches of 64 KB, 2 connections',
    needs: ['cc'],
    targets: [TARGET],
    run: (broker) => produce(broker, { topic: 'limit-produce', ...BATCHED }),
  },
  {
    group: 'limit',
    name: 'beside the limit: consume 1 KB in batches of 64 KB, 2 connections',
    needs: ['cc'],
    targets: [TARGET],
    run: consume,
  },
  {
    group: 'limit',
    name: 'beside the limit: unbatched 100 B, 10 connections',
    needs: ['cc'],
    run: (broker) => produce(broker, { topic: 'limit-single', ...SINGLE }),
  },
];
