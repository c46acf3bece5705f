/** Batched producing by many connections at once, each to all partitions in turn, as fast as it goes. */
import type { Figures } from '../figures';
import { produceFrame, recordsOfBatch } from '../load/frames';
import { type Broker, cost } from '../scenario';
import { withTopic } from '../topic';
import { endOffsets } from './end-offsets';
import { requests } from './own-load';

const MEGABYTE = 2 ** 20;
/** As many as Java's producer has under way. */
const DEPTH = 5;
const SECONDS = 3;
const WARM_SECONDS = 0.7;

export interface ManyProducers {
  readonly topic: string;
  readonly partitions: number;
  readonly connections: number;
  readonly recordBytes: number;
  readonly batchBytes: number;
  readonly acks: 'all' | '1';
}

/** records/s, MB/s, p99 of a request and the broker's CPU; rejects when not every record is there. */
export async function manyProducers(broker: Broker, load: ManyProducers): Promise<Figures> {
  const { connections, partitions, recordBytes, batchBytes } = load;
  const figures: Figures = new Map();
  const topic = { name: load.topic, partitions };
  const acks = load.acks === 'all' ? -1 : 1;
  const plan = { recordBytes, batchBytes, acks };
  const prepared = Array.from({ length: partitions }, (_, partition) =>
    produceFrame(topic.name, { ...plan, partition }),
  );
  const frames = prepared.map(({ frame }) => frame);
  const common = { port: broker.port, frames, connections, depth: DEPTH, errorAt: prepared[0]?.errorAt ?? 0 };
  await withTopic(broker.port, topic, async () => {
    await endOffsets(broker.port, topic);
    const warm = await requests({ ...common, seconds: WARM_SECONDS });
    const { done, records } = await cost(broker, figures, async () => {
      const result = await requests({ ...common, seconds: SECONDS * broker.scale });
      const count = result.requests * recordsOfBatch(plan);
      return { done: result, records: count, bytes: count * recordBytes };
    });
    const taken = records + warm.requests * recordsOfBatch(plan);
    const there = (await endOffsets(broker.port, topic)).reduce((sum, end) => sum + end, 0);
    if (there !== taken) throw new Error(`${taken} records were taken, ${there} are there`);
    figures.set('records/s', records / done.seconds);
    figures.set('MB/s', (records * recordBytes) / MEGABYTE / done.seconds);
    figures.set('p99, ms', done.latency.p99Us / 1000);
  });
  return figures;
}
