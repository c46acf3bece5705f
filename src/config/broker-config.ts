/**
 * The broker's settings as typed values: `config.get('log.segment.bytes')` is a number. Owns validation of each value
 * by the definition table and the knowledge of what was set and what is a default. Does not read files or the
 * environment (layers.ts) and does not relate keys to each other (consistency.ts). Immutable.
 */
import { err, ok, type Result } from '../base/result';
import { type ConfigValue, type Definition, formatConfigValue, parseConfigValue } from './definition';
import { definitions } from './definitions';

export type ConfigKey = keyof typeof definitions;

/** The type of the value of `K`, as its row in the table has it. */
export type ConfigValueOf<K extends ConfigKey> = (typeof definitions)[K] extends Definition<infer T> ? T : never;

/** A setting that stops the start. */
export interface ConfigProblem {
  readonly key: string;
  /** As given; null for a sensitive one. */
  readonly value: string | null;
  /** What is allowed, or why it is refused. */
  readonly reason: string;
}

export function isConfigKey(name: string): name is ConfigKey {
  return Object.hasOwn(definitions, name);
}

export function definitionOf(key: ConfigKey): Definition {
  return definitions[key];
}

/** Parses and checks one value against its row; the error says what is allowed. */
export function checkConfigValue(definition: Definition, source: string): Result<ConfigValue, string> {
  const parsed = parseConfigValue(definition.type, source);
  if (!parsed.ok) return err(`must be ${parsed.error}`);
  if (definition.check && !definition.check.test(parsed.value)) return err(`must be ${definition.check.allowed}`);
  return parsed;
}

/** One line for the operator: key, value, what is allowed. */
export function describeProblem(problem: ConfigProblem): string {
  return problem.value === null
    ? `${problem.key}: ${problem.reason}`
    : `${problem.key}=${problem.value}: ${problem.reason}`;
}

export class BrokerConfig {
  readonly #values: ReadonlyMap<string, ConfigValue>;
  /** Settings given that the table does not know; custom listeners' prefixed keys among them. */
  readonly unknown: ReadonlyMap<string, string>;

  private constructor(values: ReadonlyMap<string, ConfigValue>, unknown: ReadonlyMap<string, string>) {
    this.#values = values;
    this.unknown = unknown;
  }

  /** Checks every known setting; all problems are reported at once. */
  static parse(settings: ReadonlyMap<string, string>): Result<BrokerConfig, readonly ConfigProblem[]> {
    const values = new Map<string, ConfigValue>();
    const unknown = new Map<string, string>();
    const problems: ConfigProblem[] = [];
    for (const [key, source] of settings) {
      if (!isConfigKey(key)) {
        unknown.set(key, source);
        continue;
      }
      const definition = definitionOf(key);
      const checked = checkConfigValue(definition, source);
      if (checked.ok) values.set(key, checked.value);
      else problems.push({ key, value: definition.type === 'password' ? null : source, reason: checked.error });
    }
    if (problems.length > 0) return err(problems);
    // Two names of one thing (Kafka: AbstractKafkaConfig.populateSynonyms).
    const id = values.get('node.id') ?? values.get('broker.id');
    for (const name of ['node.id', 'broker.id']) if (id !== undefined && !values.has(name)) values.set(name, id);
    return ok(new BrokerConfig(values, unknown));
  }

  /** For embedding and tests: throws a `RangeError` naming the first problem. */
  static of(settings: Readonly<Partial<Record<ConfigKey, string>>> = {}): BrokerConfig {
    const parsed = BrokerConfig.parse(new Map(Object.entries(settings)));
    if (!parsed.ok) throw new RangeError(parsed.error.map(describeProblem).join('; '));
    return parsed.value;
  }

  get<K extends ConfigKey>(key: K): ConfigValueOf<K> {
    const value = this.#values.get(key);
    return (value === undefined ? definitions[key].default : value) as ConfigValueOf<K>;
  }

  /** Whether the value was given, as opposed to defaulted. */
  isSet(key: ConfigKey): boolean {
    return this.#values.has(key);
  }

  /** The effective value as Kafka writes it; null when there is none. Passwords come out: callers hide them. */
  textOf(key: ConfigKey): string | null {
    return formatConfigValue(definitionOf(key).type, this.get(key));
  }
}
