/**
 * Whether a client may make these settings of a broker at run time, and what the sentence for the client is if not.
 * Pure. Source of rules, their order and their words: Kafka's `DynamicBrokerConfig.validateConfigs`.
 */
import { err, ok, type Result } from '../base/result';
import {
  type BrokerConfig,
  type ConfigKey,
  checkClientValue,
  definitionOf,
  describeProblem,
  isConfigKey,
} from './broker-config';
import { checkConsistency } from './consistency';
import type { Definition } from './definition';
import { definitions } from './definitions';

export interface BrokerSettings {
  /** For one broker, or for all of them. */
  readonly scope: 'broker' | 'cluster';
  /** All settings that the scope shall have. */
  readonly settings: ReadonlyMap<string, string>;
}

const LISTENER_PREFIX = /^listener\.name\.[^.]*\./;
/** Certificates belong to a listener. */
const STORE_KEYS = /^ssl\.(keystore|truststore|key\.password)/;
/** Dynamic in Kafka; here a socket is opened at the start or not at all. */
const LISTENER_PLAN: readonly ConfigKey[] = ['listeners', 'listener.security.protocol.map'];

/** The row of a setting, also where it is made for one listener. */
function rowOf(name: string): Definition | undefined {
  const base = name.replace(LISTENER_PREFIX, '');
  return isConfigKey(base) ? definitionOf(base) : undefined;
}

function isPerBroker(name: string): boolean {
  if (isConfigKey(name)) return definitionOf(name).update === 'per-broker';
  return LISTENER_PREFIX.test(name) && rowOf(name)?.update !== 'cluster-wide';
}

function refuse(sentence: string, names: readonly string[]): string | undefined {
  return names.length > 0 ? `${sentence}: [${names.join(', ')}]` : undefined;
}

function namesProblem({ settings }: BrokerSettings): string | undefined {
  const names = [...settings.keys()];
  const readOnly = names.filter((name) => isConfigKey(name) && definitionOf(name).update === 'read-only');
  const stores = names.filter((name) => STORE_KEYS.test(name));
  return (
    refuse('Cannot update these configs dynamically', readOnly) ??
    refuse('These security configs can be dynamically updated only per-listener using the listener prefix', stores)
  );
}

function valuesProblem({ settings }: BrokerSettings): string | undefined {
  for (const [name, source] of settings) {
    const row = rowOf(name);
    const checked = row && checkClientValue({ name, source }, row);
    if (checked && !checked.ok) return checked.error;
  }
  return undefined;
}

function scopeProblem({ scope, settings }: BrokerSettings): string | undefined {
  if (scope === 'broker') return undefined;
  const sentence = 'Cannot update these configs at default cluster level, broker id must be specified';
  return refuse(sentence, [...settings.keys()].filter(isPerBroker));
}

function threadsProblem(current: BrokerConfig, changed: BrokerConfig): string | undefined {
  for (const key of Object.keys(definitions) as ConfigKey[]) {
    if (!definitionOf(key).inSteps) continue;
    const [before, after] = [Number(current.get(key)), Number(changed.get(key))];
    if (after >= before / 2 && after <= before * 2) continue;
    // Kafka's cleaner looks at its threads itself, and in other words.
    if (key.startsWith('log.cleaner.')) {
      const limit = after > before ? 'increased to more than double' : 'reduced to less than half';
      return `Log cleaner threads cannot be ${limit} the current value ${before}`;
    }
    const limit = after > before ? 'should not be greater than double' : 'should be at least half';
    const problem = `Dynamic thread count update validation failed for ${key}=${after}`;
    return `${problem}, value ${limit} the current value ${before}`;
  }
  return undefined;
}

/** What is wrong with the settings taken together that was not wrong before. */
function togetherProblem(current: BrokerConfig, { scope, settings }: BrokerSettings): string | undefined {
  const { config: changed } = current.withRuntime({ ...current.runtimeSettings, [scope]: settings });
  const moved = LISTENER_PLAN.find((key) => current.textOf(key) !== changed.textOf(key));
  if (moved !== undefined) return `${moved} cannot be changed while the broker runs`;
  const known = new Set(checkConsistency(current).map(describeProblem));
  const problem = checkConsistency(changed).find((each) => !known.has(describeProblem(each)));
  return problem ? describeProblem(problem) : threadsProblem(current, changed);
}

/** The error is a sentence for the client (INVALID_REQUEST). */
export function checkBrokerSettings(current: BrokerConfig, settings: BrokerSettings): Result<undefined, string> {
  const problem =
    namesProblem(settings) ?? valuesProblem(settings) ?? scopeProblem(settings) ?? togetherProblem(current, settings);
  return problem === undefined ? ok(undefined) : err(problem);
}
