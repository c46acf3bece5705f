/**
 * Many topics, side by side with Apache Kafka: created, described, altered, grown and deleted in batches by Java's
 * AdminClient, and one by one by kafkajs, on both brokers in turn.
 * `node tools/run.js tools/bench/topics/main.ts [--topics 10000] [--batch 100] [--singles 500] [--pairs 1]` prints a
 * table of milliseconds and processor time; nothing is asserted.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../../../compat-tests/checks';
import { kafkaJars } from '../../../compat-tests/clients/java/jars';
import { CANDIDATES, type Candidate, cpuSeconds, KAFKA_VERSION, residentMegabytes } from '../candidates';
import { count } from '../count';
import { type Figures, printTable } from '../figures';
import { circumstances, sideBySide } from '../side-by-side';
import { kafkajsTopics } from './kafkajs-load';

const LOAD_TIMEOUT_MS = 900_000;
const JAVA_OPTIONS = ['-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];

interface Load {
  readonly topics: number;
  readonly batch: number;
  readonly singles: number;
}

async function javaTopics(jars: string, bootstrap: string, { topics, batch }: Load): Promise<Figures> {
  const words = ['-cp', `${jars}/*`, path.join(__dirname, 'Topics.java'), bootstrap, String(topics), String(batch)];
  const output = await run('java', [...JAVA_OPTIONS, ...words], { timeoutMs: LOAD_TIMEOUT_MS });
  const lines = output.split('\n').filter((line) => line.includes('\t'));
  return new Map(lines.map((line) => [line.split('\t')[0]!, Number(line.split('\t')[1])]));
}

async function measure(candidate: Candidate, jars: string, load: Load): Promise<Figures> {
  const { bootstrap, pid } = candidate;
  const figures: Figures = new Map();
  let cpuBefore = cpuSeconds(pid);
  const spent = (): number => {
    const before = cpuBefore;
    cpuBefore = cpuSeconds(pid);
    return cpuBefore - before;
  };
  for (const [phase, ms] of await javaTopics(jars, bootstrap, load)) {
    figures.set(`${phase}, ${load.topics} in batches of ${load.batch}, ms`, ms);
  }
  figures.set('broker CPU s of all that', spent());
  for (const [phase, ms] of await kafkajsTopics(bootstrap, load.singles)) {
    figures.set(`${phase}, ${load.singles} one by one (kafkajs), ms`, ms);
  }
  figures.set('broker CPU s of these', spent());
  figures.set('memory afterwards, MB', residentMegabytes(pid));
  return figures;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      topics: { type: 'string', default: '10000' },
      batch: { type: 'string', default: '100' },
      singles: { type: 'string', default: '500' },
      pairs: { type: 'string', default: '1' },
    },
  });
  const load: Load = {
    topics: count('topics', values.topics),
    batch: count('batch', values.batch),
    singles: count('singles', values.singles),
  };
  const jars = await kafkaJars(KAFKA_VERSION);
  const runs = await sideBySide({
    pairs: count('pairs', values.pairs),
    candidates: CANDIDATES,
    measure: (candidate: Candidate) => measure(candidate, jars, load),
  });
  console.log(`\n${circumstances()}\n`);
  printTable(runs);
}

void main();
