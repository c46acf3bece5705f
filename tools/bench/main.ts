/**
 * Side by side with Apache Kafka: both brokers one after the other on this machine, in alternation, under the same
 * load. `npm run bench -- [--pairs N] [--scale X]` prints a table; nothing is asserted, and a busy machine shows in the
 * spread. The order of events is `side-by-side.ts`'s, the load `java-load.ts`'s.
 */
import { parseArgs } from 'node:util';
import { kafkaJars } from '../../compat-tests/clients/java/jars';
import { CANDIDATES, type Candidate, cpuSeconds, KAFKA_VERSION, residentMegabytes } from './candidates';
import { type Figures, printTable } from './figures';
import { consume, endToEnd, produce, type Target } from './java-load';
import { circumstances, sideBySide } from './side-by-side';

async function measure(candidate: Candidate, jars: string, scale: number): Promise<Figures> {
  const figures: Figures = new Map();
  const target: Target = { jars, bootstrap: candidate.bootstrap };
  figures.set('ready, ms', candidate.readyMs);
  figures.set('memory at rest, MB', residentMegabytes(candidate.pid));
  for (const [recordBytes, millions] of [
    [100, 4],
    [1024, 1],
  ] as const) {
    const records = Math.round(millions * 1e6 * scale);
    const topic = `bench-${recordBytes}`;
    await produce(target, { topic: `${topic}-warm`, records: Math.round(records / 10), recordBytes, acks: '1' });
    const cpuBefore = cpuSeconds(candidate.pid);
    const produced = await produce(target, { topic, records, recordBytes, acks: '1' });
    const cpuBetween = cpuSeconds(candidate.pid);
    const consumed = await consume(target, topic, records);
    const gigabytes = (records * recordBytes) / 1e9;
    figures.set(`produce ${recordBytes} B, records/s`, produced.recordsPerSecond);
    figures.set(`produce ${recordBytes} B, MB/s`, produced.megabytesPerSecond);
    figures.set(`produce ${recordBytes} B, broker CPU-s/GB`, (cpuBetween - cpuBefore) / gigabytes);
    figures.set(`consume ${recordBytes} B, records/s`, consumed.recordsPerSecond);
    figures.set(`consume ${recordBytes} B, MB/s`, consumed.megabytesPerSecond);
    figures.set(`consume ${recordBytes} B, broker CPU-s/GB`, (cpuSeconds(candidate.pid) - cpuBetween) / gigabytes);
  }
  const latency = await endToEnd(target, 'bench-latency', Math.round(5000 * scale));
  figures.set('end to end p50, ms', latency.p50Ms);
  figures.set('end to end p99, ms', latency.p99Ms);
  figures.set('memory under load, MB', residentMegabytes(candidate.pid));
  return figures;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { pairs: { type: 'string', default: '3' }, scale: { type: 'string', default: '1' } },
  });
  const [pairs, scale] = [Number(values.pairs), Number(values.scale)];
  if (!(pairs >= 1) || !(scale > 0)) throw new Error('--pairs takes a count from 1, --scale a number above 0');
  const jars = await kafkaJars(KAFKA_VERSION);
  const measureOne = (candidate: Candidate): Promise<Figures> => measure(candidate, jars, scale);
  const runs = await sideBySide({ pairs, candidates: CANDIDATES, measure: measureOne });
  console.log(`\n${circumstances()}\n`);
  printTable(runs);
}

void main();
