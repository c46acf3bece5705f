/**
 * What producing compressed batches costs a broker: CPU seconds for each GB that it receives, by codec, size of records
 * and size of batches, beside Apache Kafka. Both inflate every batch to check its records. Counts processor time alone,
 * which bears a machine that has other work.
 */
import { parseArgs } from 'node:util';
import {
  newPartitionProduceData,
  newProduceRequest,
  newTopicProduceData,
} from '../../../src/codec/generated/00-produce';
import { apis } from '../../../src/codec/generated/apis';
import { buildBatch } from '../../../src/records/batch-builder';
import { Codec, prepareCodec } from '../../../src/records/compression';
import { requestFrame } from '../../../src/testing/wire-client';
import { cpuSeconds } from '../candidates';
import { count } from '../count';
import { requests } from '../loads/own-load';
import { compareSides, type FigureLog, SIDE_HELP, SIDE_OPTIONS, type Side } from '../log/sides';
import { withTopic } from '../topic';
import { jsonRecords } from './json-records';

const HELP = `Usage: node tools/run.js tools/bench/compressed/main.ts [options]

  --seconds S       how long each load runs, after half of that to warm up (default 2)
  --warm-s S        how long all codecs run before anything is measured: Java compiles for a while (default 20)
  --codecs LIST     of none, gzip, snappy, lz4 and zstd (default all)
${SIDE_HELP}

Needs Linux and a C compiler. Two connections with five requests under way on each send the same batches of JSON again
and again: records of 100 B and 1 KB, batches of 16 KB, 64 KB and 1 MB before they are compressed.
`;

const TOPIC = { name: 'compressed', partitions: 1 };
const RECORD_BYTES = [100, 1024];
/** The largest stays below the brokers' limit when it is not compressed. */
const BATCH_BYTES = { '16 KB': 16_384, '64 KB': 65_536, '1 MB': 1_000_000 };
/** Of a record without key and headers in a batch, about. */
const RECORD_OVERHEAD_BYTES = 10;
/** Different batches for each load. */
const FRAMES = 8;
const PRODUCE_VERSION = 7;

interface Plan {
  readonly codec: Codec;
  readonly recordBytes: number;
  readonly batchBytes: number;
}

function frame(plan: Plan, seed: number): Buffer {
  const values = jsonRecords(
    Math.floor(plan.batchBytes / (plan.recordBytes + RECORD_OVERHEAD_BYTES)),
    plan.recordBytes,
    seed,
  );
  const timestamp = Date.now();
  const batch = buildBatch({ records: values.map((value) => ({ timestamp, key: null, value })), codec: plan.codec });
  const partitionData = [newPartitionProduceData({ index: 0, records: batch })];
  const topicData = [newTopicProduceData({ name: TOPIC.name, partitionData })];
  const request = newProduceRequest({ acks: 1, timeoutMs: 30_000, topicData });
  return requestFrame({ api: apis.Produce, version: PRODUCE_VERSION, request }, 1, 'load');
}

/** CPU seconds of the broker for each GB of requests. */
async function measure({ bootstrap, pid }: Side, plan: Plan, seconds: number): Promise<number> {
  const port = Number(bootstrap.split(':')[1]);
  const frames = Array.from({ length: FRAMES }, (_, seed) => frame(plan, seed));
  // Correlation id, topics, the name, partitions, the index.
  const errorAt = 4 + 4 + 2 + TOPIC.name.length + 4 + 4;
  const load = { port, frames, errorAt, connections: 2, depth: 5 };
  return withTopic(port, TOPIC, async () => {
    await requests({ ...load, seconds: Math.max(1, Math.ceil(seconds / 2)) });
    const before = cpuSeconds(pid);
    const { sentBytes } = await requests({ ...load, seconds });
    return ((cpuSeconds(pid) - before) / sentBytes) * 1e9;
  });
}

function codecsOf(words: string): (keyof typeof Codec)[] {
  return words.split(',').map((word) => {
    const known = (Object.keys(Codec) as (keyof typeof Codec)[]).find((name) => name === word);
    if (known === undefined) throw new Error(`--codecs takes ${Object.keys(Codec).join(', ')}, not ${word}`);
    return known;
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...SIDE_OPTIONS,
      seconds: { type: 'string', default: '2' },
      'warm-s': { type: 'string', default: '20' },
      codecs: { type: 'string', default: Object.keys(Codec).join(',') },
    },
  });
  if (values.help) return console.log(HELP);
  const seconds = count('seconds', values.seconds);
  const warmSeconds = count('warm-s', values['warm-s']);
  const codecs = codecsOf(values.codecs);
  await prepareCodec(Codec.zstd);
  await compareSides(values, async (side: Side, figures: FigureLog) => {
    for (const codec of codecs) {
      const plan = { codec: Codec[codec], recordBytes: RECORD_BYTES[0]!, batchBytes: BATCH_BYTES['64 KB'] };
      await measure(side, plan, Math.ceil(warmSeconds / codecs.length));
    }
    for (const codec of codecs) {
      for (const recordBytes of RECORD_BYTES) {
        for (const [size, batchBytes] of Object.entries(BATCH_BYTES)) {
          const plan = { codec: Codec[codec], recordBytes, batchBytes };
          figures.set(`${codec}, ${recordBytes} B, ${size}: CPU-s/GB`, await measure(side, plan, seconds));
        }
      }
    }
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
