/**
 * Random reads of a large log beside a small one: `node tools/run.js tools/bench/log/main.ts random-reads --help`. The
 * logs are written as segment files of equal batches, with their indexes, into the data directory of a broker that is
 * down, which is much faster than producing; each broker then reads the same offsets of both. All files are read once
 * just before, so that the page cache holds both logs alike, and reads for which the broker still went to the disk are
 * told apart.
 */
import { closeSync, fsyncSync, openSync, readdirSync, readSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { encodeSnapshot } from '../../../src/log/producer-snapshot';
import { buildBatch } from '../../../src/records/batch-builder';
import * as batchHeader from '../../../src/records/batch-header';
import { bytesReadFromDisk, cpuSeconds, residentMegabytes } from '../candidates';
import { count } from '../count';
import { compareSides, type FigureLog, percentile, SIDE_HELP, SIDE_OPTIONS, type Side } from './sides';
import { Wire } from './wire';

const HELP = `Usage: node tools/run.js tools/bench/log/main.ts random-reads [options]

  --large-mb N      size of the large log (default 20480)
  --small-mb N      size of the small log (default 200)
  --segment-mb N    segment.bytes of both (default 1024)
  --reads N         offsets that are read of each in a round (default 1000)
  --rounds N        rounds that count, other offsets in each; one more comes before them (default 3)
${SIDE_HELP}

Each read must give the record of its offset. Prints the times and their ratio, large by small; the aim is 1.2 at most.
Times are those of reads from memory; the others are counted. The data take the size of both logs.
`;

const BATCH_BYTES = 16_384;
const RECORDS_PER_BATCH = 16;
const INDEX_INTERVAL_BYTES = 4096;
const READ_BYTES = 16_384;
const BATCHES_AT_ONCE = 1024;
const WARMING_BYTES = 4 * 1024 * 1024;

interface Plan {
  readonly largeMb: number;
  readonly smallMb: number;
  readonly segmentMb: number;
  readonly reads: number;
  readonly rounds: number;
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

/** Reads all files of a partition, so that the page cache holds them. */
function warm(directory: string): void {
  const target = Buffer.allocUnsafe(WARMING_BYTES);
  for (const name of readdirSync(directory)) {
    const file = openSync(path.join(directory, name), 'r');
    while (readSync(file, target) > 0);
    closeSync(file);
  }
}

/** What was seen of the reads of a log. */
class Reads {
  readonly fromMemoryMs: number[] = [];
  readonly fromDiskMs: number[] = [];
  cpuSeconds = 0;

  get count(): number {
    return this.fromMemoryMs.length + this.fromDiskMs.length;
  }
}

/** Reads at each offset; throws where an answer does not hold it. */
async function readAt(
  { wire, pid }: { readonly wire: Wire; readonly pid: number },
  topic: string,
  offsets: readonly number[],
): Promise<Reads> {
  const reads = new Reads();
  const cpuBefore = cpuSeconds(pid);
  let diskBytes = bytesReadFromDisk(pid);
  for (const offset of offsets) {
    const startedMs = performance.now();
    const answer = await wire.fetch(topic, [{ partition: 0, offset, maxBytes: READ_BYTES }]);
    const tookMs = performance.now() - startedMs;
    const diskBytesNow = bytesReadFromDisk(pid);
    (diskBytesNow > diskBytes ? reads.fromDiskMs : reads.fromMemoryMs).push(tookMs);
    diskBytes = diskBytesNow;
    const bytes = answer.get(0)!;
    const first = bytes.length > 0 ? batchHeader.baseOffset(bytes, 0) : -1;
    if (first > offset || first + RECORDS_PER_BATCH <= offset) throw new Error(`${topic} at ${offset}: got ${first}`);
  }
  reads.cpuSeconds = cpuSeconds(pid) - cpuBefore;
  return reads;
}

/** Offsets all over the log in no order, others in each round. */
function offsetsOf(end: number, round: number, { reads, rounds }: Plan): number[] {
  const stretch = end / reads;
  return Array.from({ length: reads }, (_, i) =>
    Math.floor((((i * 7919 + 13) % reads) + round / (rounds + 1)) * stretch),
  );
}

function tell(figures: FigureLog, name: string, rounds: readonly Reads[]): { medianMs: number; cpuMicros: number } {
  const fromMemoryMs = rounds.flatMap((each) => each.fromMemoryMs);
  const fromDiskMs = rounds.flatMap((each) => each.fromDiskMs);
  let [cpu, reads] = [0, 0];
  for (const each of rounds) {
    cpu += each.cpuSeconds;
    reads += each.count;
  }
  const [medianMs, cpuMicros] = [percentile(fromMemoryMs, 0.5), (cpu / reads) * 1e6];
  figures.set(`${name}: median, ms`, medianMs);
  figures.set(`${name}: p99, ms`, percentile(fromMemoryMs, 0.99));
  figures.set(`${name}: broker CPU, µs a read`, cpuMicros);
  figures.set(`${name}: reads from disk`, `${fromDiskMs.length} of ${reads}`);
  if (fromDiskMs.length > 0) figures.set(`${name}: median of those, ms`, percentile(fromDiskMs, 0.5));
  return { medianMs, cpuMicros };
}

/** Makes both logs while the broker is down; gives it again, and the logs' ends. */
async function prepared(created: Side, plan: Plan): Promise<{ side: Side; ends: ReadonlyMap<string, number> }> {
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
      console.error(`    writing ${megabytes} MB`);
      ends.set(topic, fill(path.join(created.dataDir, `${topic}-0`), megabytes, plan.segmentMb));
    }
  });
  return { side, ends };
}

async function measure(created: Side, figures: FigureLog, plan: Plan): Promise<void> {
  const { side, ends } = await prepared(created, plan);
  figures.set('start on both logs, ms', side.readyMs);
  figures.set('memory after the start, MB', residentMegabytes(side.pid));
  for (const topic of ends.keys()) warm(path.join(side.dataDir, `${topic}-0`));
  const wire = await Wire.open(side.bootstrap);
  const rounds = new Map<string, Reads[]>([...ends.keys()].map((topic) => [topic, []]));
  for (let round = 0; round <= plan.rounds; round++) {
    for (const [topic, end] of ends) {
      const reads = await readAt({ wire, pid: side.pid }, topic, offsetsOf(end, round, plan));
      // What is warm after the first round is warm for both.
      if (round > 0) rounds.get(topic)!.push(reads);
      else if (topic === 'large') figures.set('large, first round: median, ms', percentile(reads.fromMemoryMs, 0.5));
    }
  }
  wire.close();
  const large = tell(figures, 'large', rounds.get('large')!);
  const small = tell(figures, 'small', rounds.get('small')!);
  figures.set('median, large by small', large.medianMs / small.medianMs);
  figures.set('broker CPU, large by small', large.cpuMicros / small.cpuMicros);
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
      rounds: { type: 'string', default: '3' },
      ...SIDE_OPTIONS,
    },
  });
  if (values.help === true) return console.log(HELP);
  const plan: Plan = {
    largeMb: count('large-mb', values['large-mb']),
    smallMb: count('small-mb', values['small-mb']),
    segmentMb: count('segment-mb', values['segment-mb']),
    reads: count('reads', values.reads),
    rounds: count('rounds', values.rounds),
  };
  await compareSides(values, (side, figures) => measure(side, figures, plan));
}
