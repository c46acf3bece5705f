/**
 * The record of what was measured, as `docs/benchmarks/figures.json` keeps it: every figure of every run. A later
 * session that measures some scenarios again takes their place; each scenario's runs are of one session, so that its
 * ratios are of one machine on one day.
 */
import type { SideName } from '../candidates';
import type { Machine, Versions } from '../machine';
import type { Group } from '../scenario';

/** One scenario against one broker, once. */
export interface Run {
  readonly pair: number;
  readonly side: SideName;
  readonly group: Group;
  readonly scenario: string;
  /** Name → value; empty where it failed. */
  readonly figures: Readonly<Record<string, number>>;
  /** Why it failed. */
  readonly error?: string;
}

export interface Session {
  /** UTC, ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly pairs: number;
  readonly scale: number;
  readonly minutes: number;
  /** Why scenarios are missing or pairs incomplete. */
  readonly remarks: readonly string[];
  readonly runs: readonly Run[];
}

export interface Recorded {
  readonly sessions: readonly Session[];
}

/** With the session's scenarios in the place of what older sessions had of them. */
export function merged(recorded: Recorded, session: Session): Recorded {
  const again = new Set(session.runs.map(({ scenario }) => scenario));
  const older = recorded.sessions
    .map((old) => ({ ...old, runs: old.runs.filter(({ scenario }) => !again.has(scenario)) }))
    .filter(({ runs }) => runs.length > 0);
  return { sessions: [...older, session] };
}
