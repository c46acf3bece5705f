/**
 * Whether the broker can serve, and what keeps it from that: for the load balancer or the orchestrator that asks. Owns
 * the phases of its life and the sentences.
 */
import type { LogDirDescription } from '../log/log-dir-description';

export type Phase = 'starting' | 'serving' | 'stopping';

/** What decides, beyond the phase; none while the broker starts. */
export interface Facts {
  readonly logDirs: readonly LogDirDescription[];
  /** Partitions whose log cannot be used. */
  readonly offlinePartitions: number;
}

/** What is missing, in words; nothing where the broker is ready. */
export function whatIsMissing(phase: Phase, facts: Facts | undefined): readonly string[] {
  if (phase === 'stopping') return ['the broker is stopping'];
  if (phase === 'starting' || facts === undefined) return ['the broker is starting'];
  const failed = facts.logDirs.filter(({ hasFailed }) => hasFailed);
  const missing = failed.map(({ path }) => `the log directory ${path} cannot be used`);
  if (facts.offlinePartitions > 0) missing.push(`the logs of ${facts.offlinePartitions} partitions cannot be used`);
  return missing;
}
