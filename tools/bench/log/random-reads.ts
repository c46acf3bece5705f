/**
 * Random reads of a large log beside a small one: `node tools/run.js tools/bench/log/main.ts random-reads --help`. The
 * logs are written as segment files of equal batches, with their indexes, into the data directory of a broker that is
 * down, which is much faster than producing; each broker then reads the same offsets of both.
 */
import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { encodeSnapshot } from '../../../src/log/producer-snapshot';
import { buildBatch } from '../../../src/records/batch-builder';
import * as batchHeader from '../../../src/records/batch-header';
import { cpuSeconds, residentMegabytes } from '../candidates';
import { count } from '../count';
import { circumstances } from '../side-by-side';
import { percentile, printFigures, type Side, sidesOf, withSide } from './sides';
import { Wire } from './wire';

const HELP = `Usage: node tools/run.js tools/bench/log/main.ts random-reads [options]

  --large-mb N      size of the large log (default 20480)
  --small-mb N      size of the small log (default 200)
  --segment-mb N    segment.bytes of both (default 1024)
  --reads N         offsets that are read of each (default 1000)
  --sides LIST      odradek, kafka or both (default odradek,kafka)
  --dir DIR         where the data go meanwhile (default: the temporary folder); needs the size of both logs

Each read must give the record of its offset. Prints the times and their ratio, large by small; the aim is 1.2 at most.
`;

const BATCH_BYTES = 16_384;
const RECORDS_PER_BATCH = 16;
const INDEX_INTERVAL_BYTES = 4096;
const READ_BYTES = 16_384;
const BATCHES_AT_ONCE = 1024;

interface Plan {
  readonly largeMb: number;
  readonly smallMb: number;
  readonly segmentMb: number;
  readonly reads: number;
}

function template(timestamp: number): Buffer {
  const value = Buffer.alloc(Math.floor(BATCH_BYTES / RECORDS_PER_BATCH) - 12, 0x2e);
  return buildBatch({ records: Array.from({ length: RECORDS_PER_BATCH }, () => ({ timestamp, key: null, value })) });
}

/** Writes the segment that begins at `baseOffset`; the base offset of a batch is not part of its checksum. */
function writeSegment(directory: string, baseOffset: number, batches: number): void {
  const name = String(baseOffset).padStart(20, '0');
  const timestamp = 1_700_000_000_000 + baseOffset;
  const batch = template(timestamp);
  const log = openSync(path.join(directory, `${name}.log`), 'w');
  const block = Buffer.alloc(batch.length * BATCHES_AT_ONCE);
  const entries = Buffer.alloc(8 * batches);
  let entryCount = 0;
  let sinceEntry = 0;
  for (let first = 0; first < batches; first += BATCHES_AT_ONCE) {
    const here = Math.min(BATCHES_AT_ONCE, batches - first);
    for (let i = 0; i < here; i++) {
      const relative = (first + i) * RECORDS_PER_BATCH;
      batch.copy(block, i * batch.length);
      batchHeader.patchBaseOffset(block, i * batch.length, baseOffset + relative);
      if (sinceEntry > INDEX_INTERVAL_BYTES) {
        entries.writeInt32BE(relative + RECORDS_PER_BATCH - 1, 8 * entryCount);
        entries.writeInt32BE((first + i) * batch.length, 8 * entryCount + 4);
        entryCount++;
        sinceEntry = 0;
      }
      sinceEntry += batch.length;
    }
    writeSync(log, block, 0, here * batch.length);
  }
  // Or the broker's first fsync would wait for gigabytes of it.
  fsyncSync(log);
  closeSync(log);
  const times = Buffer.alloc(12);
  batchHeader.writeInt64(times, 0, timestamp);
  times.writeInt32BE(RECORDS_PER_BATCH - 1, 8);
  for (const [suffix, bytes] of [
    ['index', entries.subarray(0, 8 * entryCount)],
    ['timeindex', times],
  ] as const) {
    const file = openSync(path.join(directory, `${name}.${suffix}`), 'w');
    writeSync(file, bytes);
    closeSync(file);
  }
}

/** Fills a partition that has no records; gives its log end. */
function fill(directory: string, megabytes: number, segmentMb: number): number {
  const { length } = template(0);
  const perSegment = Math.floor((segmentMb * 2 ** 20) / length);
  let left = Math.floor((megabytes * 2 ** 20) / length);
  let offset = 0;
  while (left > 0) {
    const batches = Math.min(left, perSegment);
    writeSegment(directory, offset, batches);
    offset += batches * RECORDS_PER_BATCH;
    left -= batches;
  }
  // Without it a start would look for producers in every batch.
  writeFileSync(path.join(directory, `${String(offset).padStart(20, '0')}.snapshot`), encodeSnapshot([]));
  return offset;
}

/** Milliseconds of each read; throws where an answer does not hold the offset. */
async function readAt(wire: Wire, topic: string, offsets: readonly number[]): Promise<number[]> {
  const times: number[] = [];
  for (const offset of offsets) {
    const startedMs = performance.now();
    const answer = await wire.fetch(topic, [{ partition: 0, offset, maxBytes: READ_BYTES }]);
    times.push(performance.now() - startedMs);
    const bytes = answer.get(0)!;
    const first = bytes.length > 0 ? batchHeader.baseOffset(bytes, 0) : -1;
    if (first > offset || first + RECORDS_PER_BATCH <= offset) throw new Error(`${topic} at ${offset}: got ${first}`);
  }
  return times;
}

async function measure(created: Side, plan: Plan): Promise<Map<string, number | string>> {
  const setup = await Wire.open(created.bootstrap);
  const configs = { 'segment.bytes': String(Math.min(2 ** 31 - 1, plan.segmentMb * 2 ** 20)), 'retention.ms': '-1' };
  await setup.createTopics(['large', 'small'].map((name) => ({ name, partitions: 1, configs })));
  setup.close();
  const ends = new Map<string, number>();
  const side = await created.restart(() => {
    for (const [topic, megabytes] of [
      ['large', plan.largeMb],
      ['small', plan.smallMb],
    ] as const) {
      console.error(`  writing ${megabytes} MB`);
      ends.set(topic, fill(path.join(created.dataDir, `${topic}-0`), megabytes, plan.segmentMb));
    }
  });
  const figures = new Map<string, number | string>([
    ['start on both logs, ms', side.readyMs],
    ['memory after the start, MB', residentMegabytes(side.pid)],
  ]);
  const wire = await Wire.open(side.bootstrap);
  const medians = new Map<string, number>();
  // The small one first, and once more at the end: what is warm by then is warm for both.
  for (const topic of ['small', 'large', 'small', 'large']) {
    const end = ends.get(topic)!;
    const offsets = Array.from({ length: plan.reads }, (_, i) =>
      Math.floor(((i * 7919 + 13) % plan.reads) * (end / plan.reads)),
    );
    const cpuBefore = cpuSeconds(side.pid);
    const times = await readAt(wire, topic, offsets);
    medians.set(topic, percentile(times, 0.5));
    figures.set(`${topic}: median, ms`, percentile(times, 0.5));
    figures.set(`${topic}: p99, ms`, percentile(times, 0.99));
    figures.set(`${topic}: broker CPU, µs a read`, ((cpuSeconds(side.pid) - cpuBefore) / plan.reads) * 1e6);
  }
  wire.close();
  figures.set('median, large by small', medians.get('large')! / medians.get('small')!);
  return figures;
}

/** The command; `words` are what follows its name. */
export async function randomReads(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      'large-mb': { type: 'string', default: '20480' },
      'small-mb': { type: 'string', default: '200' },
      'segment-mb': { type: 'string', default: '1024' },
      reads: { type: 'string', default: '1000' },
      sides: { type: 'string', default: 'odradek,kafka' },
      dir: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return console.log(HELP);
  const plan: Plan = {
    largeMb: count('large-mb', values['large-mb']),
    smallMb: count('small-mb', values['small-mb']),
    segmentMb: count('segment-mb', values['segment-mb']),
    reads: count('reads', values.reads),
  };
  const columns = new Map<string, Map<string, number | string>>();
  for (const name of sidesOf(values.sides)) {
    console.error(`${name}:`);
    columns.set(name, await withSide(name, { under: values.dir }, (side) => measure(side, plan)));
  }
  console.log(circumstances());
  printFigures(columns);
}
