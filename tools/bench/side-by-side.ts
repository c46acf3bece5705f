/**
 * Candidates one after the other on this machine, in alternation (A B A B …), each on an empty data directory that goes
 * with it. Owns the order of events and the directories.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { KAFKA_VERSION } from './candidates';
import type { Figures } from './figures';

export interface Comparison<C extends { stop(): Promise<unknown> }> {
  readonly pairs: number;
  readonly candidates: Readonly<Record<string, (dataDir: string) => Promise<C>>>;
  measure(candidate: C, name: string): Promise<Figures>;
}

/** The figures of each candidate, one set for each pair; progress goes to standard error. */
export async function sideBySide<C extends { stop(): Promise<unknown> }>(
  o: Comparison<C>,
): Promise<Map<string, Figures[]>> {
  const runs = new Map<string, Figures[]>(Object.keys(o.candidates).map((name) => [name, []]));
  for (let pair = 1; pair <= o.pairs; pair++) {
    for (const [name, start] of Object.entries(o.candidates)) {
      const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-bench-'));
      try {
        const candidate = await start(dataDir);
        try {
          runs.get(name)?.push(await o.measure(candidate, name));
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
