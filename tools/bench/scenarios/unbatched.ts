/**
 * Small requests without batching, as senders make them that wait for each answer: one record of 100 B in each. The
 * load counts what the broker answered; that as many records are there is checked.
 */
import type { Figures } from '../figures';
import { produceFrame } from '../load/frames';
import { endOffsets } from '../loads/end-offsets';
import { requests } from '../loads/own-load';
import { type Broker, cost, type Scenario, type Target } from '../scenario';
import { withTopic } from '../topic';

const RECORD_BYTES = 100;
const ONE_RECORD = 1;
const SECONDS = 2.5;
const WARM_SECONDS = 0.5;
const REQUESTS = 'requests/s';

interface Shape {
  readonly acks: 'all' | '1';
  readonly connections: number;
  /** Requests of a connection that are under way. */
  readonly depth: number;
  readonly hasTarget?: boolean;
}

const SHAPES: readonly Shape[] = [
  { acks: 'all', connections: 1, depth: 1, hasTarget: true },
  { acks: 'all', connections: 10, depth: 1, hasTarget: true },
  { acks: 'all', connections: 10, depth: 5 },
  { acks: 'all', connections: 100, depth: 1 },
  { acks: '1', connections: 1, depth: 1, hasTarget: true },
  { acks: '1', connections: 10, depth: 1, hasTarget: true },
];

const TARGET: Target = {
  what: 'unbatched requests/s, one and ten connections',
  figure: REQUESTS,
  of: 'ratio',
  atLeast: 1.5,
};

async function run(broker: Broker, shape: Shape): Promise<Figures> {
  const figures: Figures = new Map();
  const topic = { name: `unbatched-${shape.acks}-${shape.connections}-${shape.depth}`, partitions: 1 };
  const { frame, errorAt } = produceFrame(topic.name, {
    recordBytes: RECORD_BYTES,
    batchBytes: ONE_RECORD,
    acks: shape.acks === 'all' ? -1 : 1,
  });
  const { connections, depth } = shape;
  const load = { port: broker.port, frames: [frame], connections, depth, errorAt };
  await withTopic(broker.port, topic, async () => {
    await endOffsets(broker.port, topic);
    const warm = await requests({ ...load, seconds: WARM_SECONDS });
    const done = await cost(broker, figures, async () => {
      const { requests: count, ...rest } = await requests({ ...load, seconds: SECONDS * broker.scale });
      return { requests: count, rest };
    });
    const [records] = await endOffsets(broker.port, topic);
    const answered = warm.requests + done.requests;
    if (records !== answered) throw new Error(`${answered} records were taken, ${records} are there`);
    figures.set(REQUESTS, done.requests / done.rest.seconds);
    figures.set('p50, ms', done.rest.latency.p50Us / 1000);
    figures.set('p99, ms', done.rest.latency.p99Us / 1000);
  });
  return figures;
}

export const unbatched: readonly Scenario[] = SHAPES.map((shape) => {
  const connections = shape.connections === 1 ? '1 connection' : `${shape.connections} connections`;
  const depth = shape.depth === 1 ? '' : `, ${shape.depth} in flight`;
  return {
    group: 'unbatched',
    name: `unbatched 100 B, acks=${shape.acks}, ${connections}${depth}`,
    needs: ['cc'],
    ...(shape.hasTarget === true ? { targets: [TARGET] } : {}),
    run: (broker) => run(broker, shape),
  };
});
