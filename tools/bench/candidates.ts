/** The brokers that are measured, each as its users start it, and what the system tells of their processes. */
import { readFileSync } from 'node:fs';
import { startBrokerProcess } from '../../compat-tests/broker-process';
import { startReferenceKafka } from '../../compat-tests/reference-kafka';

export const KAFKA_VERSION = '4.4.0';

export type SideName = 'odradek' | 'kafka';

/** A broker under measurement. */
export interface Candidate {
  readonly bootstrap: string;
  readonly pid: number;
  /** From the command to the moment it serves. */
  readonly readyMs: number;
  stop(): Promise<unknown>;
}

export interface StartOptions {
  readonly dataDir: string;
  /** `key=value` of server.properties. */
  readonly overrides?: readonly string[];
  /** Words for Odradek's Node; nothing for Kafka. */
  readonly nodeWords?: readonly string[];
}

/** Starts a broker with its defaults but for `overrides`; rejects when it does not get ready. */
export async function startCandidate(name: SideName, options: StartOptions): Promise<Candidate> {
  if (name === 'kafka') return startReferenceKafka({ version: KAFKA_VERSION, ...options });
  const startedMs = performance.now();
  const broker = await startBrokerProcess(options);
  return { ...broker, readyMs: performance.now() - startedMs };
}

export const CANDIDATES: Readonly<Record<string, (dataDir: string) => Promise<Candidate>>> = {
  odradek: (dataDir) => startCandidate('odradek', { dataDir }),
  kafka: (dataDir) => startCandidate('kafka', { dataDir }),
};

/** Memory of its own, in MB: resident less what is mapped from files. */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return (kilobytes('VmRSS') - kilobytes('RssFile')) / 1024;
}

/** CPU seconds that the process has used so far; the kernel counts in hundredths. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Bytes that the process has had read from disk so far, its page cache misses included. */
export function bytesReadFromDisk(pid: number): number {
  return Number(/^read_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

/** Whether the process still runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
