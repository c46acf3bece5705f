/**
 * Candidates one after the other on this machine, in alternation (A B A B …), each on an empty data directory that goes
 * with it. Owns the order of events and the directories.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { KAFKA_VERSION } from './candidates';

/** Where and when a candidate is measured. */
export interface Turn {
  readonly dataDir: string;
  /** From 1. */
  readonly pair: number;
}

export interface Comparison<C extends { stop(): Promise<unknown> }, M> {
  readonly pairs: number;
  readonly candidates: Readonly<Record<string, (dataDir: string) => Promise<C>>>;
  measure(candidate: C, name: string, turn: Turn): Promise<M>;
}

/** What was measured of each candidate, once for each pair; progress goes to standard error. */
export async function sideBySide<C extends { stop(): Promise<unknown> }, M>(
  o: Comparison<C, M>,
): Promise<Map<string, M[]>> {
  const runs = new Map<string, M[]>(Object.keys(o.candidates).map((name) => [name, []]));
  for (let pair = 1; pair <= o.pairs; pair++) {
    for (const [name, start] of Object.entries(o.candidates)) {
      const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-bench-'));
      try {
        const candidate = await start(dataDir);
        try {
          runs.get(name)?.push(await o.measure(candidate, name, { dataDir, pair }));
        } finally {
          await candidate.stop();
        }
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
      console.error(`pair ${pair} of ${o.pairs}: ${name} done`);
    }
  }
  return runs;
}

/** What a table of figures was measured with. */
export function circumstances(): string {
  const processor = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}`;
  return `Node ${process.version}, Apache Kafka ${KAFKA_VERSION}, ${processor}`;
}
