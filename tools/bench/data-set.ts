/**
 * Topics full of records of one size. The scenario that produces them first measures that; those that read them find
 * them there, or make them when they run alone. They stay until the broker ends.
 */
import { produce, type Throughput } from './loads/java-load';
import type { Broker } from './scenario';
import { createTopic } from './topic';

export interface DataSet {
  readonly topic: string;
  readonly records: number;
  readonly recordBytes: number;
}

/** Record size → how many of them: some seconds of producing, 200 to 600 MB. */
const RECORDS: ReadonlyMap<number, number> = new Map([
  [100, 2_000_000],
  [1024, 450_000],
  [10_240, 40_000],
]);

const filled = new WeakMap<Broker, Map<number, DataSet>>();

/** Fills a topic of one partition; the throughput is that of a producer with acks=1. */
export async function fillDataSet(broker: Broker, recordBytes: number): Promise<Throughput> {
  const records = Math.round((RECORDS.get(recordBytes) ?? 0) * broker.scale);
  const dataSet = { topic: `records-of-${recordBytes}`, records, recordBytes };
  await createTopic(broker.port, { name: dataSet.topic, partitions: 1 });
  const throughput = await produce(broker, { ...dataSet, acks: '1' });
  const sets = filled.get(broker) ?? new Map<number, DataSet>();
  filled.set(broker, sets.set(recordBytes, dataSet));
  return throughput;
}

/** The topic with records of that size; filled now unless it is. */
export async function dataSet(broker: Broker, recordBytes: number): Promise<DataSet> {
  if (filled.get(broker)?.get(recordBytes) === undefined) await fillDataSet(broker, recordBytes);
  return filled.get(broker)!.get(recordBytes)!;
}
