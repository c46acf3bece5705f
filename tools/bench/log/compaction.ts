/**
 * Compaction of very many keys: `node tools/run.js tools/bench/log/main.ts compaction --help`. Each broker in turn gets
 * a compacted topic, some keys twice, and nothing is cleaned before all is there: the bytes are the same for each.
 * Then it cleans under a key map of the given size and is read back: the last value of every key must be there, and
 * nothing else. Beside it a producer tells what that costs others.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildBatch, type NewRecord } from '../../../src/records/batch-builder';
import * as batchHeader from '../../../src/records/batch-header';
import { decodeRecords } from '../../../src/records/record-codec';
import { cpuSeconds, residentMegabytes } from '../candidates';
import { count } from '../count';
import { singleRecordBatch } from './batches';
import { InFlight } from './in-flight';
import { compareSides, type FigureLog, percentile, SIDE_HELP, SIDE_OPTIONS, type Side } from './sides';
import { Wire } from './wire';

const HELP = `Usage: node tools/run.js tools/bench/log/main.ts compaction [options]

  --keys N          different keys (default 10000000)
  --buffer-mb N     log.cleaner.dedupe.buffer.size (default 16)
  --segment-mb N    segment.bytes (default 64)
  --value-bytes N   bytes of a value (default 16)
  --rewritten N     how many of a hundred keys get a second value (default 5); work grows with the square of both
${SIDE_HELP}

Ends with 1 where a broker does not give back the last value of every key.
`;

const TOPIC = 'compacted';
const RECORDS_PER_BATCH = 2000;
const IN_FLIGHT = 4;
const PRODUCER_PAUSE_MS = 5;
/** How long the producer is watched while nothing is cleaned. */
const QUIET_MS = 10_000;
/** No record is so old that it may be cleaned. */
const NOTHING_YET_MS = '1000000000000';
const POLL_MS = 500;
const FETCH_BYTES = 4 * 1024 * 1024;

interface Plan {
  readonly keys: number;
  readonly bufferMb: number;
  readonly segmentMb: number;
  readonly valueBytes: number;
  /** Keys below this have a second value. */
  readonly rewritten: number;
}

/** First all keys with `round` 0, then those that get a second value with 1. */
function batchOf(first: number, round: number, { keys, valueBytes, rewritten }: Plan): Buffer {
  const records: NewRecord[] = [];
  const timestamp = Date.now();
  for (let key = first; key < Math.min(round === 0 ? keys : rewritten, first + RECORDS_PER_BATCH); key++) {
    const value = Buffer.alloc(valueBytes, 0x2e);
    value[0] = 0x30 + round;
    records.push({ timestamp, key: Buffer.from(String(key)), value });
  }
  return buildBatch({ records });
}

async function fill(wire: Wire, { signal }: Side, plan: Plan): Promise<void> {
  const inFlight = new InFlight(IN_FLIGHT);
  for (const round of [0, 1]) {
    for (let first = 0; first < (round === 0 ? plan.keys : plan.rewritten); first += RECORDS_PER_BATCH) {
      signal.throwIfAborted();
      await inFlight.start(() => wire.produce(TOPIC, [[0, batchOf(first, round, plan)]]));
    }
    await inFlight.settled();
    console.error(`    produced values number ${round + 1}`);
  }
}

/** The active segment is never cleaned: records that do not fit into it begin another one. */
async function beginSegment(wire: Wire, plan: Plan): Promise<void> {
  const filler = { timestamp: Date.now(), key: Buffer.from('end'), value: Buffer.alloc(900_000) };
  for (let bytes = 0; bytes <= (plan.segmentMb + 1) * 1024 * 1024; bytes += 900_000) {
    await wire.produce(TOPIC, [[0, buildBatch({ records: [filler] })]]);
  }
}

/** How far the cleaner came, as the checkpoint says; -1 while there is none. */
function cleanOffset({ dataDir }: Side): number {
  const file = path.join(dataDir, 'cleaner-offset-checkpoint');
  if (!existsSync(file)) return -1;
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${TOPIC} 0 `));
  return Number(line?.split(' ')[2] ?? -1);
}

function logBytes({ dataDir }: Side): number {
  const directory = path.join(dataDir, `${TOPIC}-0`);
  let bytes = 0;
  for (const name of readdirSync(directory)) {
    if (name.endsWith('.log')) bytes += statSync(path.join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

/** Latencies of a producer to another topic until `isOver`, in ms. */
async function produceBeside(bootstrap: string, isOver: () => boolean): Promise<number[]> {
  const wire = await Wire.open(bootstrap);
  const latencies: number[] = [];
  const value = Buffer.alloc(1000, 0x2e);
  while (!isOver()) {
    const startedMs = performance.now();
    await wire.produce('beside', [[0, singleRecordBatch(value)]]);
    latencies.push(performance.now() - startedMs);
    await sleep(PRODUCER_PAUSE_MS);
  }
  wire.close();
  return latencies;
}

/** Throws unless every key has its last value, and keys below the clean part have no other. */
async function expectLastValues(wire: Wire, { keys, rewritten }: Plan, cleanTo: number): Promise<void> {
  const newest = new Uint8Array(keys);
  let records = 0;
  for (let offset = 0; ; ) {
    const bytes = (await wire.fetch(TOPIC, [{ partition: 0, offset, maxBytes: FETCH_BYTES }])).get(0)!;
    if (bytes.length === 0) break;
    for (let at = 0; at + batchHeader.LOG_OVERHEAD < bytes.length; ) {
      const end = at + batchHeader.sizeInBytes(bytes, at);
      if (end > bytes.length) break;
      const decoded = decodeRecords(bytes, at);
      if (!decoded.ok) throw new Error(`batch at ${offset}: ${decoded.error}`);
      for (const { key, value, offset: where } of decoded.value) {
        if (String(key) === 'end') continue;
        if (where < cleanTo) records++;
        newest[Number(String(key))] = value![0]!;
      }
      offset = batchHeader.lastOffset(bytes, at) + 1;
      at = end;
    }
  }
  const wrong = newest.findIndex((round, key) => round !== (key < rewritten ? 0x31 : 0x30));
  if (wrong >= 0) throw new Error(`key ${wrong} does not have its last value but ${newest[wrong]}`);
  if (records > keys) throw new Error(`${records} records are left of ${keys} keys`);
}

/** What was seen of the cleaner until it had done all. */
interface Watched {
  readonly latenciesMs: readonly number[];
  /** Memory when each checkpoint was seen first, MB. */
  readonly memoryMb: readonly number[];
  readonly largestMb: number;
}

/** Watches until the checkpoint is at `end`, with a producer beside it. */
async function watchCleaning(side: Side, end: number): Promise<Watched> {
  let isClean = false;
  const beside = produceBeside(side.bootstrap, () => isClean || side.signal.aborted);
  const memoryMb: number[] = [];
  let reached = -1;
  let largestMb = 0;
  while (!isClean) {
    await sleep(POLL_MS, undefined, { signal: side.signal });
    const nowMb = residentMegabytes(side.pid);
    largestMb = Math.max(largestMb, nowMb);
    const offset = cleanOffset(side);
    if (offset > reached) {
      reached = offset;
      memoryMb.push(nowMb);
      console.error(`    clean to ${offset} of ${end}, ${Math.round(nowMb)} MB of memory`);
    }
    isClean = offset >= end;
  }
  return { latenciesMs: await beside, memoryMb, largestMb };
}

async function measure(side: Side, figures: FigureLog, plan: Plan): Promise<void> {
  const wire = await Wire.open(side.bootstrap);
  const configs = {
    'cleanup.policy': 'compact',
    'segment.bytes': String(plan.segmentMb * 1024 * 1024),
    'min.cleanable.dirty.ratio': '0.01',
    'min.compaction.lag.ms': NOTHING_YET_MS,
    'file.delete.delay.ms': '1000',
  };
  await wire.createTopics([
    { name: TOPIC, partitions: 1, configs },
    { name: 'beside', partitions: 1 },
  ]);
  const cpuBefore = cpuSeconds(side.pid);
  await fill(wire, side, plan);
  const dirtyMb = logBytes(side) / 2 ** 20;
  await beginSegment(wire, plan);
  figures.set('dirty log, MB', dirtyMb);
  figures.set('CPU-s to take it', cpuSeconds(side.pid) - cpuBefore);
  const quietUntilMs = performance.now() + QUIET_MS;
  const quiet = await produceBeside(side.bootstrap, () => performance.now() > quietUntilMs);
  figures.set('producer beside, p50 ms: quiet', percentile(quiet, 0.5));
  figures.set('producer beside, p99 ms: quiet', percentile(quiet, 0.99));
  figures.set('memory before cleaning, MB', residentMegabytes(side.pid));
  const [startedMs, cpuStart] = [performance.now(), cpuSeconds(side.pid)];
  await wire.alterTopic(TOPIC, { 'min.compaction.lag.ms': '0' });
  wire.close();
  const { latenciesMs, memoryMb, largestMb } = await watchCleaning(side, plan.keys + plan.rewritten);
  const [seconds, cpu] = [(performance.now() - startedMs) / 1000, cpuSeconds(side.pid) - cpuStart];
  figures.set('cleaning, s', seconds);
  figures.set('cleaning, CPU-s', cpu);
  figures.set('MB of dirty log a second', dirtyMb / seconds);
  figures.set('MB of dirty log a CPU second', dirtyMb / cpu);
  figures.set('checkpoints seen (passes)', memoryMb.length);
  figures.set('memory after the first pass, MB', memoryMb[0] ?? Number.NaN);
  figures.set('memory after the last pass, MB', memoryMb.at(-1) ?? Number.NaN);
  figures.set('largest memory while cleaning, MB', largestMb);
  figures.set('producer beside, p50 ms: while cleaning', percentile(latenciesMs, 0.5));
  figures.set('producer beside, p99 ms: while cleaning', percentile(latenciesMs, 0.99));
  const reader = await Wire.open(side.bootstrap);
  await expectLastValues(reader, plan, cleanOffset(side));
  reader.close();
  figures.set('last value of every key', 'yes');
}

/** The command; `words` are what follows its name. */
export async function compaction(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      keys: { type: 'string', default: '10000000' },
      'buffer-mb': { type: 'string', default: '16' },
      'segment-mb': { type: 'string', default: '64' },
      'value-bytes': { type: 'string', default: '16' },
      rewritten: { type: 'string', default: '5' },
      ...SIDE_OPTIONS,
    },
  });
  if (values.help === true) return console.log(HELP);
  const plan: Plan = {
    keys: count('keys', values.keys),
    bufferMb: count('buffer-mb', values['buffer-mb']),
    segmentMb: count('segment-mb', values['segment-mb']),
    valueBytes: count('value-bytes', values['value-bytes']),
    rewritten: Math.floor((count('keys', values.keys) * count('rewritten', values.rewritten)) / 100),
  };
  const overrides = [`log.cleaner.dedupe.buffer.size=${plan.bufferMb * 1024 * 1024}`, 'log.cleaner.backoff.ms=1000'];
  console.error(`${plan.keys} keys, ${plan.rewritten} of them twice`);
  await compareSides({ ...values, overrides }, (side, figures) => measure(side, figures, plan));
}
