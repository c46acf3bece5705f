/**
 * What a scenario of the bench is and what its run gets. Owns the shapes that scenarios, their runner and the report
 * share, and the reckoning of what a load cost the broker; starts nothing and knows no scenario.
 */
import { type Candidate, cpuSeconds, type SideName } from './candidates';
import type { Figures } from './figures';

export interface Broker extends Candidate {
  readonly name: SideName;
  /** Of 127.0.0.1. */
  readonly port: number;
  readonly dataDir: string;
  /** The folder with Kafka's jars. */
  readonly jars: string;
  /** Factor for counts of records and for seconds of load; 1 is the real run. */
  readonly scale: number;
  /** The most memory of its own so far, in MB (`residentMegabytes`), sampled since it was ready. */
  peakMegabytes(): number;
  /** Set while a profile is taken: it is of exactly what runs inside. */
  profiled?<T>(load: () => Promise<T>): Promise<T>;
}

/** A target of the project for one figure of a scenario. Exactly one of `atLeast` and `atMost` is given. */
export interface Target {
  /** Which row of the table of targets this belongs to: 'consume, warm'. */
  readonly what: string;
  readonly figure: string;
  /** `ratio`: Odradek's figure through Kafka's, median of the pairs; `own`: Odradek's figure itself, median. */
  readonly of: 'ratio' | 'own';
  readonly atLeast?: number;
  /** Besides: reached by at least half of the figures of the same row of targets. */
  readonly halfAtLeast?: number;
  readonly atMost?: number;
}

/** What a scenario needs beside Java and Kafka's jars; the command of that name must be there. */
export type Need = 'cc' | 'make';

export const GROUPS = ['start', 'produce', 'unbatched', 'consume', 'mixed', 'crowd', 'limit'] as const;
export type Group = (typeof GROUPS)[number];

export interface Scenario {
  readonly group: Group;
  /** Unique; words of it select it on the command line: 'produce 1 KB, acks=all, lz4'. */
  readonly name: string;
  readonly targets?: readonly Target[];
  readonly needs?: readonly Need[];
  /** Rejects with an error that says what went wrong; the other scenarios go on. Leaves no topic of size behind. */
  run(broker: Broker): Promise<Figures>;
}

/** What a load has moved: what its cost is divided by. */
export interface Moved {
  /** Of records, as their sender counts them: without framing, before compression. */
  readonly bytes?: number;
  readonly requests?: number;
}

export const CPU_PER_GB = 'broker CPU-s/GB';
export const CPU_PER_MILLION_REQUESTS = 'broker CPU-s/million requests';

/** Runs a load and adds to `figures` what it cost the broker, for each GB (10^9 bytes) and each million requests. */
export async function cost<M extends Moved>(broker: Broker, figures: Figures, load: () => Promise<M>): Promise<M> {
  const before = cpuSeconds(broker.pid);
  const moved = await (broker.profiled === undefined ? load() : broker.profiled(load));
  const seconds = cpuSeconds(broker.pid) - before;
  if (moved.bytes !== undefined) figures.set(CPU_PER_GB, seconds / (moved.bytes / 1e9));
  if (moved.requests !== undefined) figures.set(CPU_PER_MILLION_REQUESTS, seconds / (moved.requests / 1e6));
  return moved;
}
