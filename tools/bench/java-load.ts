/**
 * The load: Kafka's own performance tools, run against one broker and read for their figures. They were written by
 * neither side's measurer and drive both brokers alike.
 */
import { run } from '../../compat-tests/checks';

const JAVA_OPTIONS = ['-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
const LOAD_TIMEOUT_MS = 240_000;

export interface Target {
  readonly jars: string;
  readonly bootstrap: string;
}

function perfTool(target: Target, main: string, words: readonly string[]): Promise<string> {
  return run('java', [...JAVA_OPTIONS, '-cp', `${target.jars}/*`, `org.apache.kafka.tools.${main}`, ...words], {
    timeoutMs: LOAD_TIMEOUT_MS,
  });
}

function figure(text: string, pattern: RegExp): number {
  const match = pattern.exec(text);
  if (match?.[1] === undefined) throw new Error(`no ${pattern} in:\n${text.slice(-2000)}`);
  return Number(match[1]);
}

export interface Throughput {
  readonly recordsPerSecond: number;
  readonly megabytesPerSecond: number;
}

export interface ProduceLoad {
  readonly topic: string;
  readonly records: number;
  readonly recordBytes: number;
  readonly acks: string;
}

/** One batched producer, as fast as it goes. The tool counts a megabyte as 2^20 bytes. */
export async function produce(target: Target, load: ProduceLoad): Promise<Throughput> {
  const words = ['--bootstrap-server', target.bootstrap, '--topic', load.topic, '--throughput', '-1'];
  words.push('--num-records', String(load.records), '--record-size', String(load.recordBytes));
  words.push('--command-property', `acks=${load.acks}`, 'batch.size=65536', 'linger.ms=5');
  const last = (await perfTool(target, 'ProducerPerformance', words)).trim().split('\n').at(-1) ?? '';
  return {
    recordsPerSecond: figure(last, /([\d.]+) records\/sec/),
    megabytesPerSecond: figure(last, /\(([\d.]+) MB\/sec\)/),
  };
}

/** One consumer from the start of the topic; joining the group is not counted. */
export async function consume(target: Target, topic: string, records: number): Promise<Throughput> {
  const words = ['--bootstrap-server', target.bootstrap, '--topic', topic, '--num-records', String(records)];
  const output = await perfTool(target, 'ConsumerPerformance', [...words, '--hide-header', '--timeout', '30000']);
  const columns = (output.trim().split('\n').at(-1) ?? '').split(',').map(Number);
  const [megabytesPerSecond, recordsPerSecond] = [columns[8], columns[9]];
  if (megabytesPerSecond === undefined || recordsPerSecond === undefined) throw new Error(`unexpected: ${output}`);
  return { recordsPerSecond, megabytesPerSecond };
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** One record after the other, each sent and read back before the next. */
export async function endToEnd(target: Target, topic: string, records: number): Promise<Latency> {
  const output = await perfTool(target, 'EndToEndLatency', [target.bootstrap, topic, String(records), 'all', '100']);
  const percentiles = /50th = ([\d.]+), 99th = ([\d.]+)/.exec(output);
  if (percentiles === null) throw new Error(`unexpected: ${output}`);
  return { p50Ms: Number(percentiles[1]), p99Ms: Number(percentiles[2]) };
}
