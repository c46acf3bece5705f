/**
 * Producers of Kafka's own performance tool, as fast as they go: one axis varied at a time around 1 KB records, acks=1,
 * no compression, one partition, one producer. Batches of 64 KB, up to five requests in flight, linger of 5 ms.
 */
import { fillDataSet } from '../data-set';
import type { Figures } from '../figures';
import { endOffsets } from '../loads/end-offsets';
import { type ProduceLoad, produce, type Throughput } from '../loads/java-load';
import { manyProducers } from '../loads/many-producers';
import { withTextPayload } from '../loads/text-payload';
import { type Broker, cost, type Scenario } from '../scenario';
import { PRODUCE_CPU, PRODUCE_RATE } from '../targets';
import { withTopic } from '../topic';

async function measured(broker: Broker, load: () => Promise<Throughput>): Promise<Figures> {
  const figures: Figures = new Map();
  const { recordsPerSecond, megabytesPerSecond } = await cost(broker, figures, load);
  return new Map([['MB/s', megabytesPerSecond], ['records/s', recordsPerSecond], ...figures]);
}

/** What differs from the base. */
interface Variation {
  readonly name: string;
  readonly targeted?: true;
  readonly load?: Partial<ProduceLoad>;
  readonly partitions?: number;
  readonly text?: true;
}

function varied({ name, targeted, load = {}, partitions = 1, text }: Variation): Scenario {
  const recordBytes = load.recordBytes ?? 1024;
  return {
    group: 'produce',
    name,
    targets: targeted === undefined ? [PRODUCE_CPU] : [PRODUCE_RATE, PRODUCE_CPU],
    run: (broker) => {
      const base = { topic: 'produced', recordBytes, acks: '1', ...load } as const;
      const records = Math.round((load.records ?? 250_000) * broker.scale);
      const go = (more: Partial<ProduceLoad>): Promise<Figures> =>
        measured(broker, () => produce(broker, { ...base, ...more, records }));
      const topic = { name: base.topic, partitions };
      return withTopic(broker.port, topic, async () => {
        await endOffsets(broker.port, topic);
        return text === undefined ? go({}) : withTextPayload(recordBytes, (payloadFile) => go({ payloadFile }));
      });
    },
  };
}

/** The ones whose records are read later. */
function kept(recordBytes: number, name: string, targeted: boolean): Scenario {
  return {
    group: 'produce',
    name,
    targets: targeted ? [PRODUCE_RATE, PRODUCE_CPU] : [PRODUCE_CPU],
    run: (broker) => measured(broker, () => fillDataSet(broker, recordBytes)),
  };
}

/** By the bench's own load: so many JVMs, or one with so many producers, would measure themselves. */
const HUNDRED = {
  topic: 'hundred',
  partitions: 1,
  connections: 100,
  recordBytes: 1024,
  batchBytes: 65_536,
  acks: '1',
} as const;

export const PRODUCE_SCENARIOS: readonly Scenario[] = [
  kept(100, 'produce 100 B, acks=1', true),
  kept(1024, 'produce 1 KB, acks=1', true),
  kept(10_240, 'produce 10 KB, acks=1', false),
  varied({ name: 'produce 1 MB, acks=1', load: { recordBytes: 1_000_000, records: 300 } }),
  varied({
    name: 'produce 100 B, acks=all',
    targeted: true,
    load: { recordBytes: 100, records: 1_200_000, acks: 'all' },
  }),
  varied({ name: 'produce 1 KB, acks=all', targeted: true, load: { acks: 'all' } }),
  varied({ name: 'produce 1 KB, acks=0', load: { acks: '0' } }),
  varied({ name: 'produce 1 KB of text, acks=1, lz4', targeted: true, load: { compression: 'lz4' }, text: true }),
  varied({ name: 'produce 1 KB of text, acks=1, zstd', targeted: true, load: { compression: 'zstd' }, text: true }),
  varied({ name: 'produce 1 KB, acks=1, 16 partitions', targeted: true, partitions: 16 }),
  varied({
    name: 'produce 1 KB, acks=1, 1,000 partitions',
    targeted: true,
    partitions: 1000,
    load: { records: 100_000 },
  }),
  // So many that the rate is not that of a JVM which compiles its producers.
  varied({ name: 'produce 1 KB, acks=1, 10 producers', targeted: true, load: { producers: 10, records: 100_000 } }),
  {
    group: 'produce',
    name: 'produce 1 KB, acks=1, 100 producers',
    needs: ['cc'],
    targets: [PRODUCE_RATE, PRODUCE_CPU],
    run: (broker) => manyProducers(broker, HUNDRED),
  },
  varied({
    name: 'produce 100 B, acks=1, linger 0',
    load: { recordBytes: 100, records: 800_000, lingerMs: 0 },
  }),
];
