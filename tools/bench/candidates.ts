/** The brokers that are measured, each as its users start it, and what the system tells of their processes. */
import { readFileSync } from 'node:fs';
import { startBrokerProcess } from '../../compat-tests/broker-process';
import { startReferenceKafka } from '../../compat-tests/reference-kafka';

export const KAFKA_VERSION = '4.4.0';

/** A broker under measurement. */
export interface Candidate {
  readonly bootstrap: string;
  readonly pid: number;
  /** From the command to the moment it serves. */
  readonly readyMs: number;
  stop(): Promise<unknown>;
}

export const CANDIDATES: Readonly<Record<string, (dataDir: string) => Promise<Candidate>>> = {
  odradek: async (dataDir) => {
    const startedMs = performance.now();
    const broker = await startBrokerProcess({ dataDir });
    return { ...broker, readyMs: performance.now() - startedMs };
  },
  kafka: (dataDir) => startReferenceKafka({ version: KAFKA_VERSION, dataDir }),
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
