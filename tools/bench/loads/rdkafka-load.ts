/**
 * The load of librdkafka's `rdkafka_performance`, as many processes as there are producers or consumers, and its
 * figures. A megabyte is 2^20 bytes here, as in the other loads; the program itself prints millions.
 */
import { run } from '../../../compat-tests/checks';
import { rdkafkaProgram } from './rdkafka-program';

const LOAD_TIMEOUT_MS = 120_000;
const MEGABYTE = 2 ** 20;

export interface RdkafkaResult {
  /** Of all processes together. */
  readonly records: number;
  readonly bytes: number;
  readonly recordsPerSecond: number;
  readonly megabytesPerSecond: number;
}

export interface RdkafkaProduce {
  readonly bootstrap: string;
  readonly topic: string;
  /** Of each producer. */
  readonly records: number;
  readonly recordBytes: number;
  readonly acks: 'all' | '1' | '0';
  readonly producers: number;
}

export interface RdkafkaConsume {
  readonly bootstrap: string;
  readonly topic: string;
  readonly partitions: number;
  /** That each consumer reads, from the start. */
  readonly records: number;
  readonly consumers: number;
}

/** The last row of its table of so many columns, as numbers. */
export function lastRow(output: string, columns: number): number[] {
  const rows = output.split('\n').filter((line) => /^\|\s+\d/.test(line));
  const row = (rows.at(-1) ?? '').split('|').slice(1).map(Number);
  if (row.length !== columns || row.some(Number.isNaN)) throw new Error(`unexpected:\n${output.slice(-2000)}`);
  return row;
}

interface Moved {
  readonly records: number;
  readonly bytes: number;
  readonly ms: number;
}

/** What a producer's last row tells; throws when not all records were delivered. */
export function produced(output: string, records: number): Moved {
  const [ms = 0, , bytes = 0, , delivered, , , failed] = lastRow(output, 11);
  if (delivered !== records || failed !== 0) throw new Error(`${delivered} of ${records} delivered, ${failed} failed`);
  return { records, bytes, ms };
}

/** What a consumer's last row tells, which reads its last batch to the end; throws when it did not read all. */
export function consumed(output: string, records: number): Moved {
  const [ms = 0, read = 0, bytes = 0, , , , failed] = lastRow(output, 8);
  if (read < records || failed !== 0) throw new Error(`${read} of ${records} read, ${failed} errors`);
  return { records: read, bytes, ms };
}

async function together(
  times: number,
  words: readonly string[],
  read: (output: string) => Moved,
): Promise<RdkafkaResult> {
  const program = await rdkafkaProgram();
  const one = async (): Promise<Moved> => read(await run(program, words, { timeoutMs: LOAD_TIMEOUT_MS }));
  const all = await Promise.all(Array.from({ length: times }, one));
  const sum = (of: (moved: Moved) => number): number => all.reduce((total, moved) => total + of(moved), 0);
  const [records, bytes] = [sum((moved) => moved.records), sum((moved) => moved.bytes)];
  const seconds = Math.max(...all.map(({ ms }) => ms)) / 1000;
  return { records, bytes, recordsPerSecond: records / seconds, megabytesPerSecond: bytes / MEGABYTE / seconds };
}

/** As fast as they go, in the batches of the other loads; the time is the slowest producer's. */
export function rdkafkaProduce(load: RdkafkaProduce): Promise<RdkafkaResult> {
  const words = ['-P', '-u', '-b', load.bootstrap, '-t', load.topic, '-s', String(load.recordBytes)];
  words.push('-c', String(load.records), '-a', load.acks === 'all' ? '-1' : load.acks);
  words.push('-X', 'linger.ms=5', '-X', 'batch.size=65536');
  return together(load.producers, words, (output) => produced(output, load.records));
}

/** Each reads all partitions, in no group. */
export function rdkafkaConsume(load: RdkafkaConsume): Promise<RdkafkaResult> {
  const words = ['-C', '-u', '-b', load.bootstrap, '-t', load.topic, '-o', 'beginning', '-c', String(load.records)];
  for (let partition = 0; partition < load.partitions; partition++) words.push('-p', String(partition));
  return together(load.consumers, words, (output) => consumed(output, load.records));
}
