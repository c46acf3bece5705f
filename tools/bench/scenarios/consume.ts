/**
 * Consumers of Kafka's own performance tool from the start of a topic of one partition, with what the producing
 * scenarios left there: in the page cache or out of it. Caught-up reading is with the mixed scenarios.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesReadFromDisk } from '../candidates';
import { type DataSet, dataSet } from '../data-set';
import type { Figures } from '../figures';
import { fetchFrame } from '../load/frames';
import { consume, endToEnd } from '../loads/java-load';
import { fetches } from '../loads/own-load';
import { dropFromPageCache } from '../page-cache';
import { type Broker, cost, type Scenario } from '../scenario';
import { CONSUME_CPU, CONSUME_RATE } from '../targets';
import { withTopic } from '../topic';

/** How much of what was consumed must have come from disk for the page cache to count as cold. */
const COLD_SHARE = 0.9;
const UNMAP_MS = 4000;
const LATENCY_RECORDS = 3000;
const CONNECTIONS = 10;
const SECONDS = 3;
const MEGABYTE = 2 ** 20;

async function read(broker: Broker, set: DataSet, consumers: number): Promise<Figures> {
  const costs: Figures = new Map();
  // Several share the machine; half of the records are enough for them.
  const load = { ...set, records: Math.ceil(set.records / (consumers > 1 ? 2 : 1)), consumers };
  const { recordsPerSecond, megabytesPerSecond } = await cost(broker, costs, () => consume(broker, load));
  return new Map([['MB/s', megabytesPerSecond], ['records/s', recordsPerSecond], ...costs]);
}

function warm(name: string, recordBytes: number, groups = 1): Scenario {
  return {
    group: 'consume',
    name,
    targets: [CONSUME_RATE, CONSUME_CPU],
    run: async (broker) => read(broker, await dataSet(broker, recordBytes), groups),
  };
}

async function readCold(broker: Broker): Promise<Figures> {
  const set = await dataSet(broker, 1024);
  // Pages that a broker has mapped stay; Odradek lets go of mappings when they were not used for a second or two.
  await sleep(UNMAP_MS);
  await dropFromPageCache(path.join(broker.dataDir, `${set.topic}-0`));
  const before = bytesReadFromDisk(broker.pid);
  const figures = await read(broker, set, 1);
  const share = (bytesReadFromDisk(broker.pid) - before) / (set.records * set.recordBytes);
  if (share < COLD_SHARE) {
    throw new Error(`the page cache was not cold: ${Math.round(share * 100)} % of the records were read from disk`);
  }
  return figures;
}

/** Ten consumers of that tool would measure themselves on a small machine; the bench's own load does not. */
async function readByTen(broker: Broker): Promise<Figures> {
  const costs: Figures = new Map();
  const { topic, records } = await dataSet(broker, 1024);
  const load = { port: broker.port, connections: CONNECTIONS, fetches: [fetchFrame(topic)], endOffset: records };
  const { bytes, seconds } = await cost(broker, costs, async () => {
    const result = await fetches({ ...load, seconds: SECONDS * broker.scale });
    return { bytes: result.receivedBytes, requests: result.requests, seconds: result.seconds };
  });
  return new Map([['MB/s', bytes / MEGABYTE / seconds], ...costs]);
}

async function latency(broker: Broker): Promise<Figures> {
  const records = Math.ceil(LATENCY_RECORDS * broker.scale);
  const topic = { name: 'latency', partitions: 1 };
  const { p50Ms, p99Ms, p999Ms } = await withTopic(broker.port, topic, () => endToEnd(broker, topic.name, records));
  return new Map([
    ['p50, ms', p50Ms],
    ['p99, ms', p99Ms],
    ['p99.9, ms', p999Ms],
  ]);
}

export const CONSUME_SCENARIOS: readonly Scenario[] = [
  warm('consume 100 B, warm', 100),
  warm('consume 1 KB, warm', 1024),
  warm('consume 10 KB, warm', 10_240),
  warm('consume 1 KB, warm, 5 groups', 1024, 5),
  {
    group: 'consume',
    name: 'consume 1 KB, warm, 10 connections',
    needs: ['cc'],
    targets: [CONSUME_RATE, CONSUME_CPU],
    run: readByTen,
  },
  { group: 'consume', name: 'consume 1 KB, cold page cache', targets: [CONSUME_CPU], run: readCold },
  { group: 'consume', name: 'EndToEndLatency, one record of 100 B at a time, acks=all', run: latency },
];
