/**
 * The load of Kafka's own performance tools, run against one broker and read for their figures. They were written by
 * neither side's measurer and drive both brokers alike. The tools count a megabyte as 2^20 bytes.
 */
import path from 'node:path';
import { run } from '../../../compat-tests/checks';

const HEAP = '-Xmx512m';
/** Ten producers fill 320 MB of buffers: with less they collect garbage instead of producing. */
const HEAP_OF_SEVERAL = '-Xmx2g';
const LOG_LEVEL = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error';
const LOAD_TIMEOUT_MS = 240_000;
const MEGABYTE = 2 ** 20;
/** Of a producer's records: what is sent before its figures count, while the tool's JVM is still cold. */
const WARM_UP_SHARE = 0.25;

export interface Target {
  readonly jars: string;
  readonly bootstrap: string;
}

/** Runs a tool to its end, or several of it at once in one JVM; # in a word is then the number of the run. */
function perfTool(target: Target, tool: string, { words, times = 1 }: ToolRun): Promise<string> {
  const program =
    times === 1
      ? [`org.apache.kafka.tools.${tool}`, ...words.map((word) => word.replace('#', '0'))]
      : [path.join(__dirname, 'Many.java'), tool, String(times), ...words];
  const options = { timeoutMs: LOAD_TIMEOUT_MS };
  return run('java', [times === 1 ? HEAP : HEAP_OF_SEVERAL, LOG_LEVEL, '-cp', `${target.jars}/*`, ...program], options);
}

interface ToolRun {
  readonly words: readonly string[];
  readonly times?: number;
}

/** All numbers that `pattern`, a global one, finds; throws where there are not as many as expected. */
function numbers(text: string, pattern: RegExp, expected: number): number[] {
  const found = [...text.matchAll(pattern)].map((match) => Number(match[1]));
  if (found.length !== expected) throw new Error(`${found.length} of ${expected} ${pattern} in:\n${text.slice(-2000)}`);
  return found;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export interface Throughput {
  readonly recordsPerSecond: number;
  readonly megabytesPerSecond: number;
  /** Of the records' values, all that were moved. */
  readonly bytes: number;
  /** Of all kinds, as the clients counted them. */
  readonly requests: number;
}

export interface ProduceLoad {
  readonly topic: string;
  /** Of each producer. */
  readonly records: number;
  /** Random capital letters; or `payloadFile`, whose lines are as long. */
  readonly recordBytes: number;
  readonly payloadFile?: string;
  readonly acks: '0' | '1' | 'all';
  /** 1 by default. */
  readonly producers?: number;
  /** none by default. */
  readonly compression?: string;
  /** 5 by default. */
  readonly lingerMs?: number;
}

/** Batched producers, as fast as they go; their rates are those after a quarter of their records. */
export async function produce(target: Target, load: ProduceLoad): Promise<Throughput> {
  const producers = load.producers ?? 1;
  const words = ['--bootstrap-server', target.bootstrap, '--topic', load.topic, '--throughput', '-1'];
  words.push(
    '--num-records',
    String(load.records),
    '--warmup-records',
    String(Math.floor(load.records * WARM_UP_SHARE)),
  );
  if (load.payloadFile === undefined) words.push('--record-size', String(load.recordBytes));
  else words.push('--payload-file', load.payloadFile);
  words.push('--print-metrics', '--command-property', `acks=${load.acks}`, `linger.ms=${load.lingerMs ?? 5}`);
  words.push('batch.size=65536', 'client.id=bench-#', `compression.type=${load.compression ?? 'none'}`);
  const output = await perfTool(target, 'ProducerPerformance', { words, times: producers });
  const recordsPerSecond = sum(numbers(output, /steady state records sent, ([\d.]+) records\/sec/g, producers));
  return {
    recordsPerSecond,
    megabytesPerSecond: (recordsPerSecond * load.recordBytes) / MEGABYTE,
    bytes: producers * load.records * load.recordBytes,
    requests: sum(numbers(output, /^producer-metrics:request-total:\S+\s+: ([\d.]+)$/gm, producers)),
  };
}

export interface ConsumeLoad {
  readonly topic: string;
  /** That each consumer reads. */
  readonly records: number;
  readonly recordBytes: number;
  /** Each in a group of its own; 1 by default. */
  readonly consumers?: number;
}

const COLUMNS = /^\S+ \S+, \S+ \S+, [\d.]+, [\d.]+, (\d+), [\d.]+, (-?\d+), (\d+), [\d.]+, [\d.]+$/gm;

/**
 * Consumers that read a topic from its start. Joining the group is not counted: the rates are those of fetching,
 * added up.
 */
export async function consume(target: Target, load: ConsumeLoad): Promise<Throughput> {
  const consumers = load.consumers ?? 1;
  const words = ['--bootstrap-server', target.bootstrap, '--topic', load.topic, '--num-records', String(load.records)];
  words.push('--group', `bench-${load.topic}-${Date.now()}-#`, '--command-property', 'client.id=bench-#');
  words.push('--hide-header', '--timeout', '30000', '--print-metrics');
  const output = await perfTool(target, 'ConsumerPerformance', { words, times: consumers });
  const rows = [...output.matchAll(COLUMNS)].map(([, records, , ms]) => ({ records: Number(records), ms: Number(ms) }));
  if (rows.length !== consumers) throw new Error(`unexpected: ${output.slice(0, 2000)}`);
  const recordsPerSecond = sum(rows.map(({ records, ms }) => (records / ms) * 1000));
  return {
    recordsPerSecond,
    megabytesPerSecond: (recordsPerSecond * load.recordBytes) / MEGABYTE,
    bytes: sum(rows.map(({ records }) => records)) * load.recordBytes,
    requests: sum(numbers(output, /^consumer-metrics:request-total:\S+\s+: ([\d.]+)$/gm, consumers)),
  };
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** One record of 100 B after the other, acks=all, each sent and read back before the next; whole milliseconds. */
export async function endToEnd(target: Target, topic: string, records: number): Promise<Latency> {
  const words = ['--bootstrap-server', target.bootstrap, '--topic', topic, '--num-records', String(records)];
  words.push('--producer-acks', 'all', '--record-size', '100');
  const output = await perfTool(target, 'EndToEndLatency', { words });
  const percentiles = /50th = ([\d.]+), 99th = ([\d.]+), 99\.9th = ([\d.]+)/.exec(output);
  if (percentiles === null) throw new Error(`unexpected: ${output}`);
  return { p50Ms: Number(percentiles[1]), p99Ms: Number(percentiles[2]), p999Ms: Number(percentiles[3]) };
}
