/** Batched producing and consuming with librdkafka, the client that most languages' clients are made of. */
import type { Figures } from '../figures';
import { produceFrame } from '../load/frames';
import { endOffsets } from '../loads/end-offsets';
import { requests } from '../loads/own-load';
import { type RdkafkaResult, rdkafkaConsume, rdkafkaProduce } from '../loads/rdkafka-load';
import { rdkafkaProgram } from '../loads/rdkafka-program';
import { type Broker, cost, type Scenario } from '../scenario';
import { CONSUME_CPU, CONSUME_RATE, PRODUCE_CPU, PRODUCE_RATE } from '../targets';
import { type TopicPlan, withTopic } from '../topic';

/** Of one producer of 1 KB records. */
const RECORDS = 200_000;
const CONSUMED_RECORDS = 800_000;
const WARM_SHARE = 0.1;

interface Shape {
  readonly recordBytes: number;
  /** Of all producers together. */
  readonly records: number;
  readonly partitions: number;
  readonly producers: number;
}

function enter(figures: Figures, done: RdkafkaResult): void {
  figures.set('records/s', done.recordsPerSecond);
  figures.set('MB/s', done.megabytesPerSecond);
}

async function produce(broker: Broker, shape: Shape): Promise<Figures> {
  await rdkafkaProgram();
  const figures: Figures = new Map();
  const { recordBytes, partitions, producers } = shape;
  const topic = { name: `librdkafka-${recordBytes}-${producers}`, partitions };
  const common = { bootstrap: broker.bootstrap, topic: topic.name, recordBytes, producers, acks: 'all' } as const;
  const records = Math.round((shape.records / producers) * broker.scale);
  await withTopic(broker.port, topic, async () => {
    await rdkafkaProduce({ ...common, records: Math.round(records * WARM_SHARE) });
    enter(figures, await cost(broker, figures, () => rdkafkaProduce({ ...common, records })));
  });
  return figures;
}

/** By the bench's own load: librdkafka would take longer to send them than to read them. */
async function fill(port: number, topic: TopicPlan, records: number): Promise<void> {
  const { frame, errorAt } = produceFrame(topic.name, { recordBytes: 1024, acks: 1 });
  for (let end = 0; end < records; end = (await endOffsets(port, topic))[0] ?? 0) {
    await endOffsets(port, topic);
    await requests({ port, frames: [frame], connections: 2, depth: 5, seconds: 0.3, errorAt });
  }
}

async function consume(broker: Broker): Promise<Figures> {
  await rdkafkaProgram();
  const figures: Figures = new Map();
  const topic = { name: 'librdkafka-consume', partitions: 1 };
  const common = { bootstrap: broker.bootstrap, topic: topic.name };
  const records = Math.round(CONSUMED_RECORDS * broker.scale);
  await withTopic(broker.port, topic, async () => {
    await fill(broker.port, topic, records);
    const load = { ...common, partitions: topic.partitions, records, consumers: 1 };
    enter(figures, await cost(broker, figures, () => rdkafkaConsume(load)));
  });
  return figures;
}

const SHAPES: readonly Shape[] = [
  { recordBytes: 100, records: 1_000_000, partitions: 1, producers: 1 },
  { recordBytes: 1024, records: RECORDS, partitions: 16, producers: 10 },
];

export const librdkafka: readonly Scenario[] = [
  ...SHAPES.map((shape): Scenario => {
    const size = shape.recordBytes < 1024 ? `${shape.recordBytes} B` : `${shape.recordBytes / 1024} KB`;
    const crowd = shape.producers === 1 ? '' : `, ${shape.partitions} partitions, ${shape.producers} producers`;
    return {
      group: 'produce',
      name: `librdkafka: produce ${size}, acks=all${crowd}`,
      targets: [PRODUCE_RATE, PRODUCE_CPU],
      needs: ['cc', 'make'],
      run: (broker) => produce(broker, shape),
    };
  }),
  {
    group: 'consume',
    name: 'librdkafka: consume 1 KB',
    targets: [CONSUME_RATE, CONSUME_CPU],
    needs: ['cc', 'make'],
    run: consume,
  },
];
