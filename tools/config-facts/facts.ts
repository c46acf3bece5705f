/** What Kafka's releases say of their settings: the lines of `protocol/settings/kafka-VERSION.tsv`. */
import path from 'node:path';

/** Newest first. */
export const RELEASES = ['4.4.0', '4.0.2', '3.9.2'] as const;

export function factsFile(version: string): string {
  return path.join(__dirname, '../../protocol/settings', `kafka-${version}.tsv`);
}

export type FactScope = 'broker' | 'topic' | 'group' | 'client-metrics';

export interface SettingFact {
  readonly scope: FactScope;
  readonly name: string;
  readonly type: string;
  /** Null where there is none. */
  readonly default: string | null;
  /** As Kafka's validators print themselves; empty where all values of the type are allowed. */
  readonly allowed: string;
  /** When a change counts; empty for all but brokers. */
  readonly mode: string;
  /** Whether Kafka keeps the setting to itself. */
  readonly isInternal: boolean;
}

export function parseFacts(text: string): SettingFact[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [scope, name, type, fallback, allowed, mode, , internal] = line.split('\t') as string[];
    if (internal === undefined) throw new Error(`not a line of facts: ${line}`);
    return {
      scope: scope as FactScope,
      name: name!,
      type: type!,
      default: fallback === '<null>' || fallback === '<required>' ? null : fallback!,
      allowed: allowed!,
      mode: mode!,
      isInternal: internal === 'internal',
    };
  });
}

/** Of each setting what the newest release that has it says. */
export function newestFacts(releases: readonly (readonly SettingFact[])[]): SettingFact[] {
  const newest = new Map<string, SettingFact>();
  for (const facts of releases) {
    for (const fact of facts) {
      const key = `${fact.scope} ${fact.name}`;
      if (!newest.has(key)) newest.set(key, fact);
    }
  }
  return [...newest.values()];
}
