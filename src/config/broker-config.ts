/**
 * The broker's settings as typed values: `config.get('log.segment.bytes')` is a number. Owns validation of each value
 * by the definition table and the knowledge of what was set and what is a default. Does not read files or the
 * environment (layers.ts) and does not relate keys to each other (consistency.ts).
 * A running broker's settings change in place (`takeOver`): who reads one when it is needed has the one that counts.
 * Invariant: of the layers the first one that has a key counts: this broker's settings made at run time, those made for
 * all brokers, those given at the start, the default.
 */
import { err, ok, type Result } from '../base/result';
import { type ConfigValue, type Definition, explainType, formatConfigValue, parseConfigValue } from './definition';
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

/** Settings made at run time: name to text, as they are stored. */
export interface RuntimeSettings {
  /** For this broker alone. */
  readonly broker: ReadonlyMap<string, string>;
  /** For all brokers of the cluster. */
  readonly cluster: ReadonlyMap<string, string>;
}

/** Where a value was set. */
export type ConfigLayer = 'broker' | 'cluster' | 'start';

export interface LayerValue {
  readonly layer: ConfigLayer;
  readonly value: ConfigValue;
}

const NO_RUNTIME_SETTINGS: RuntimeSettings = { broker: new Map(), cluster: new Map() };

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

/** As `checkConfigValue`, for a client: the error is Kafka's sentence. Source: its `ConfigDef`. */
export function checkClientValue(
  { name, source }: { readonly name: string; readonly source: string },
  definition: Definition,
): Result<ConfigValue, string> {
  const { type, check } = definition;
  const parsed = parseConfigValue(type, source);
  if (!parsed.ok) return err(`Invalid value ${source} for configuration ${name}: ${explainType(type)}`);
  const { value } = parsed;
  if (!check || check.test(value)) return parsed;
  const wrong = Array.isArray(value) ? value.find((element) => !check.test([element])) : formatConfigValue(type, value);
  const shown = check.isToldWhole ? `[${[value].flat().join(', ')}]` : wrong;
  const reason = check.explain?.(value, name) ?? `must be ${check.allowed}`;
  return err(`Invalid value ${shown ?? ''} for configuration ${name}: ${reason}`);
}

/** One line for the operator: key, value, what is allowed. */
export function describeProblem(problem: ConfigProblem): string {
  return problem.value === null
    ? `${problem.key}: ${problem.reason}`
    : `${problem.key}=${problem.value}: ${problem.reason}`;
}

/** Known settings of `settings` whose values are possible; all others are problems, but for names that are unknown. */
function parseSettings(settings: ReadonlyMap<string, string>): {
  readonly values: Map<ConfigKey, ConfigValue>;
  readonly unknown: Map<string, string>;
  readonly problems: ConfigProblem[];
} {
  const values = new Map<ConfigKey, ConfigValue>();
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
  return { values, unknown, problems };
}

export class BrokerConfig {
  readonly #given: ReadonlyMap<ConfigKey, ConfigValue>;
  /** Settings given that the table does not know; custom listeners' prefixed keys among them. */
  readonly unknown: ReadonlyMap<string, string>;
  #runtime = NO_RUNTIME_SETTINGS;
  #broker: ReadonlyMap<ConfigKey, ConfigValue> = new Map();
  #cluster: ReadonlyMap<ConfigKey, ConfigValue> = new Map();
  #effective: ReadonlyMap<ConfigKey, ConfigValue>;

  private constructor(given: ReadonlyMap<ConfigKey, ConfigValue>, unknown: ReadonlyMap<string, string>) {
    this.#given = given;
    this.#effective = given;
    this.unknown = unknown;
  }

  /** Checks every known setting; all problems are reported at once. */
  static parse(settings: ReadonlyMap<string, string>): Result<BrokerConfig, readonly ConfigProblem[]> {
    const { values, unknown, problems } = parseSettings(settings);
    if (problems.length > 0) return err(problems);
    // Two names of one thing (Kafka: AbstractKafkaConfig.populateSynonyms).
    const id = values.get('node.id') ?? values.get('broker.id');
    for (const name of ['node.id', 'broker.id'] as const) {
      if (id !== undefined && !values.has(name)) values.set(name, id);
    }
    return ok(new BrokerConfig(values, unknown));
  }

  /** For embedding and tests: throws a `RangeError` naming the first problem. */
  static of(settings: Readonly<Partial<Record<ConfigKey, string>>> = {}): BrokerConfig {
    const parsed = BrokerConfig.parse(new Map(Object.entries(settings)));
    if (!parsed.ok) throw new RangeError(parsed.error.map(describeProblem).join('; '));
    return parsed.value;
  }

  get<K extends ConfigKey>(key: K): ConfigValueOf<K> {
    const value = this.#effective.get(key);
    return (value === undefined ? definitions[key].default : value) as ConfigValueOf<K>;
  }

  /** Whether the value was given, at the start or at run time, as opposed to defaulted. */
  isSet(key: ConfigKey): boolean {
    return this.#effective.has(key);
  }

  /** The effective value as Kafka writes it; null when there is none. Passwords come out: callers hide them. */
  textOf(key: ConfigKey): string | null {
    return formatConfigValue(definitionOf(key).type, this.get(key));
  }

  /** The values that were given for `key`, the one that counts first. */
  layersOf(key: ConfigKey): LayerValue[] {
    const found: LayerValue[] = [];
    const look = (layer: ConfigLayer, values: ReadonlyMap<ConfigKey, ConfigValue>): void => {
      const value = values.get(key);
      if (value !== undefined) found.push({ layer, value });
    };
    look('broker', this.#broker);
    look('cluster', this.#cluster);
    look('start', this.#given);
    return found;
  }

  /** What was set at run time, with the names that the table does not know. */
  get runtimeSettings(): RuntimeSettings {
    return this.#runtime;
  }

  /** These settings with others made at run time; settings that are impossible are left out and told. */
  withRuntime(runtime: RuntimeSettings): {
    readonly config: BrokerConfig;
    readonly problems: readonly ConfigProblem[];
  } {
    const config = new BrokerConfig(this.#given, this.unknown);
    const broker = parseSettings(runtime.broker);
    const cluster = parseSettings(runtime.cluster);
    config.#runtime = runtime;
    config.#broker = broker.values;
    config.#cluster = cluster.values;
    config.#effective = new Map([...this.#given, ...cluster.values, ...broker.values]);
    return { config, problems: [...broker.problems, ...cluster.problems] };
  }

  /** From now on these settings are what `other` has; it comes of `withRuntime`. */
  takeOver(other: BrokerConfig): void {
    this.#runtime = other.#runtime;
    this.#broker = other.#broker;
    this.#cluster = other.#cluster;
    this.#effective = other.#effective;
  }
}
