/**
 * Settings as DescribeConfigs and CreateTopics answer them: the effective value, where it comes from, its synonyms.
 * Owns the wire's numbers for sources and types. Does not know requests: the handler picks keys and hides what was not
 * asked for. Source: Kafka's `ConfigHelper`.
 */
import { type BrokerConfig, type ConfigKey, type ConfigLayer, definitionOf, isConfigKey } from './broker-config';
import { type ConfigType, type ConfigValue, formatConfigValue } from './definition';
import { definitions } from './definitions';
import { OWN_PREFIX } from './definitions-own';
import { internalSettings } from './internal-settings';
import { type ResourceScope, resourceTable } from './resource-configs';
import {
  FORMER_DEFAULT_PREFIX,
  formerDefault,
  type TopicConfigKey,
  type TopicOverrides,
  topicConfigKeys,
  topicDefinitionOf,
  topicValue,
} from './topic-config';

/** Where a value comes from, as numbered on the wire (DescribeConfigsResponse ConfigSource). */
export const ConfigSource = {
  TOPIC_CONFIG: 1,
  DYNAMIC_BROKER_CONFIG: 2,
  DYNAMIC_DEFAULT_BROKER_CONFIG: 3,
  STATIC_BROKER_CONFIG: 4,
  DEFAULT_CONFIG: 5,
  DYNAMIC_BROKER_LOGGER_CONFIG: 6,
  CLIENT_METRICS_CONFIG: 7,
  GROUP_CONFIG: 8,
} as const;

const LAYER_SOURCE: Readonly<Record<ConfigLayer, number>> = {
  broker: ConfigSource.DYNAMIC_BROKER_CONFIG,
  cluster: ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
  start: ConfigSource.STATIC_BROKER_CONFIG,
};

/** The order in which sources are told, which is that of precedence. */
const SOURCES: readonly number[] = [...Object.values(LAYER_SOURCE), ConfigSource.DEFAULT_CONFIG];

/** The wire's number for a type that is not known. */
const UNKNOWN_TYPE = 0;

/** The wire's number of each type (DescribeConfigsResponse ConfigType). */
const TYPE_NUMBER: Readonly<Record<ConfigType, number>> = {
  boolean: 1,
  string: 2,
  int: 3,
  short: 4,
  long: 5,
  double: 6,
  list: 7,
  class: 8,
  password: 9,
};

export interface ConfigSynonym {
  readonly name: string;
  readonly value: string | null;
  /** One of `ConfigSource`. */
  readonly source: number;
}

export interface ConfigEntry {
  readonly name: string;
  /** Null where there is none, and always for what is sensitive. */
  readonly value: string | null;
  /** One of `ConfigSource`. */
  readonly source: number;
  readonly readOnly: boolean;
  readonly isSensitive: boolean;
  /** The wire's number of the type. */
  readonly type: number;
  readonly documentation: string;
  /** Values that would count, from the one that does downwards. */
  readonly synonyms: readonly ConfigSynonym[];
}

/** The same setting in coarser units, as Kafka lists them. */
const BROKER_SYNONYMS: Readonly<Partial<Record<ConfigKey, readonly ConfigKey[]>>> = {
  'log.roll.ms': ['log.roll.ms', 'log.roll.hours'],
  'log.roll.jitter.ms': ['log.roll.jitter.ms', 'log.roll.jitter.hours'],
  'log.flush.interval.ms': ['log.flush.interval.ms', 'log.flush.scheduler.interval.ms'],
  'log.retention.ms': ['log.retention.ms', 'log.retention.minutes', 'log.retention.hours'],
  'log.retention.minutes': ['log.retention.ms', 'log.retention.minutes', 'log.retention.hours'],
};

/** What Kafka must be given has no default there. */
const WITHOUT_DEFAULT: ReadonlySet<string> = new Set<ConfigKey>(['node.id', 'process.roles']);

const brokerKeys = Object.keys(definitions) as readonly ConfigKey[];

function visibleText(type: ConfigType, value: ConfigValue): string | null {
  return type === 'password' ? null : formatConfigValue(type, value);
}

/** What the broker's settings say about the settings `keys`. */
function statedSynonyms(config: BrokerConfig, keys: readonly ConfigKey[]): ConfigSynonym[] {
  const found: ConfigSynonym[] = [];
  for (const key of keys) {
    const { type, default: fallback } = definitionOf(key);
    for (const { layer, value } of config.layersOf(key)) {
      found.push({ name: key, value: visibleText(type, value), source: LAYER_SOURCE[layer] });
    }
    if (fallback !== null && !WITHOUT_DEFAULT.has(key)) {
      found.push({ name: key, value: visibleText(type, fallback), source: ConfigSource.DEFAULT_CONFIG });
    }
  }
  return found;
}

/**
 * By precedence of their sources. Kafka leaves out what comes before the first entry of `name` itself, so that a
 * default in hours alone shows no synonym for the setting in milliseconds.
 */
function ordered(found: readonly ConfigSynonym[], name: string): ConfigSynonym[] {
  const sorted = SOURCES.flatMap((source) => found.filter((synonym) => synonym.source === source));
  const first = sorted.findIndex((synonym) => synonym.name === name);
  return first < 0 ? [] : sorted.slice(first);
}

function brokerSynonyms(config: BrokerConfig, name: ConfigKey): ConfigSynonym[] {
  return ordered(statedSynonyms(config, BROKER_SYNONYMS[name] ?? [name]), name);
}

function describeBrokerConfig(config: BrokerConfig, name: ConfigKey): ConfigEntry {
  const definition = definitionOf(name);
  const synonyms = brokerSynonyms(config, name);
  return {
    name,
    value: visibleText(definition.type, config.get(name)),
    source: synonyms[0]?.source ?? ConfigSource.DEFAULT_CONFIG,
    readOnly: definition.update === 'read-only',
    isSensitive: definition.type === 'password',
    type: TYPE_NUMBER[definition.type],
    documentation: definition.doc,
    synonyms,
  };
}

const LISTENER_PREFIX = /^listener\.name\.[^.]*\./;

/**
 * A setting that is no row of the table: one that is made for a listener has the type of the setting for all of them;
 * of any other who set it knows what it means, and it may be a secret.
 */
function describeOther(config: BrokerConfig, name: string): ConfigEntry {
  const base = name.replace(LISTENER_PREFIX, '');
  const type = base !== name && isConfigKey(base) ? definitionOf(base).type : undefined;
  const isSensitive = type === undefined || type === 'password';
  const { broker, cluster } = config.runtimeSettings;
  const layers = [
    [broker.get(name), ConfigSource.DYNAMIC_BROKER_CONFIG],
    [cluster.get(name), ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG],
    [config.unknown.get(name), ConfigSource.STATIC_BROKER_CONFIG],
  ] as const;
  const own = layers.flatMap(([text, source]) =>
    text === undefined ? [] : [{ name, value: isSensitive ? null : text, source }],
  );
  const inherited = type !== undefined && isConfigKey(base) ? statedSynonyms(config, [base]) : [];
  const synonyms = ordered([...own, ...inherited], name);
  return {
    name,
    value: synonyms[0]?.value ?? null,
    source: synonyms[0]?.source ?? ConfigSource.DEFAULT_CONFIG,
    isSensitive,
    readOnly: true,
    type: type === undefined ? UNKNOWN_TYPE : TYPE_NUMBER[type],
    documentation: base !== name && isConfigKey(base) ? definitionOf(base).doc : '',
    synonyms,
  };
}

function byName(a: ConfigEntry, b: ConfigEntry): number {
  return a.name < b.name ? -1 : 1;
}

/** All settings of the broker, sorted by name; those that Kafka does not have or not tell only where they were set. */
export function describeBrokerConfigs(config: BrokerConfig): readonly ConfigEntry[] {
  const isTold = (name: ConfigKey): boolean =>
    config.isSet(name) || !(name.startsWith(OWN_PREFIX) || internalSettings.has(name));
  const { broker, cluster } = config.runtimeSettings;
  const given = new Set([...config.unknown.keys(), ...cluster.keys(), ...broker.keys()]);
  const others = [...given].filter((name) => !isConfigKey(name));
  return [
    ...brokerKeys.filter(isTold).map((name) => describeBrokerConfig(config, name)),
    ...others.map((name) => describeOther(config, name)),
  ].sort(byName);
}

/** The settings made at run time for all brokers of the cluster, sorted by name. */
export function describeClusterConfigs(config: BrokerConfig): readonly ConfigEntry[] {
  const source = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG;
  const entries = [...config.runtimeSettings.cluster].map(([name, text]) => {
    const entry = isConfigKey(name) ? describeBrokerConfig(config, name) : describeOther(config, name);
    const value = entry.isSensitive ? null : text;
    return { ...entry, value, source, synonyms: [{ name, value, source }] };
  });
  return entries.sort(byName);
}

/** The levels of the broker's loggers, by name (KIP-412). */
export function describeLoggers(levels: ReadonlyMap<string, string>): readonly ConfigEntry[] {
  return [...levels].map(([name, value]) => ({
    name,
    value,
    source: ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG,
    readOnly: false,
    isSensitive: false,
    type: UNKNOWN_TYPE,
    documentation: '',
    synonyms: [],
  }));
}

const NO_OVERRIDES: TopicOverrides = new Map();

/** Settings that Kafka keeps to itself: they can be set, but nobody is told of them. */
const listedTopicConfigKeys = topicConfigKeys.filter((name) => !name.startsWith('internal.')).sort();

function describeTopicConfig(config: BrokerConfig, overrides: TopicOverrides, name: TopicConfigKey): ConfigEntry {
  const { definition, synonyms } = topicDefinitionOf(name);
  const value = formatConfigValue(definition.type, topicValue(config, overrides, name));
  const own = overrides.has(name) ? [{ name, value, source: ConfigSource.TOPIC_CONFIG }] : [];
  const [synonym] = synonyms;
  const isInherited = synonym && formerDefault(config, overrides, name) === undefined;
  const inherited = isInherited ? brokerSynonyms(config, synonym.key) : [];
  return {
    name,
    value,
    source: own[0]?.source ?? inherited[0]?.source ?? ConfigSource.DEFAULT_CONFIG,
    readOnly: false,
    isSensitive: false,
    type: TYPE_NUMBER[definition.type],
    documentation: definition.doc,
    synonyms: [...own, ...inherited],
  };
}

/**
 * Tells all settings of a topic, sorted by name, with the ones of its own in `overrides`. For one request: what topics
 * inherit of `config` is found out once for all of them.
 */
export function topicDescriber(config: BrokerConfig): (overrides: TopicOverrides) => readonly ConfigEntry[] {
  let inherited: readonly ConfigEntry[] | undefined;
  return (overrides) => {
    inherited ??= listedTopicConfigKeys.map((name) => describeTopicConfig(config, NO_OVERRIDES, name));
    if (overrides.size === 0) return inherited;
    return listedTopicConfigKeys.map((name, i) => {
      const isOwn = overrides.has(name) || overrides.has(FORMER_DEFAULT_PREFIX + name);
      return isOwn ? describeTopicConfig(config, overrides, name) : inherited![i]!;
    });
  };
}

/** What a group or a subscription of client metrics inherits of its broker; subscriptions have nothing to inherit. */
function resourceDefaults(config: BrokerConfig, scope: ResourceScope, name: string): ConfigSynonym[] {
  const { definition, synonym } = resourceTable(scope)[name]!;
  if (synonym) return brokerSynonyms(config, synonym);
  if (scope === 'client-metrics') return [];
  const value = formatConfigValue(definition.type, definition.default);
  return [{ name, value, source: ConfigSource.DEFAULT_CONFIG }];
}

/** All settings of a group or a subscription of client metrics, with the ones of its own in `overrides`. */
export function describeResourceConfigs(
  config: BrokerConfig,
  scope: ResourceScope,
  overrides: ReadonlyMap<string, string>,
): readonly ConfigEntry[] {
  const source = scope === 'groups' ? ConfigSource.GROUP_CONFIG : ConfigSource.CLIENT_METRICS_CONFIG;
  return Object.entries(resourceTable(scope)).map(([name, { definition }]) => {
    const defaults = resourceDefaults(config, scope, name);
    const own = overrides.get(name);
    const fallback = defaults[0] ? defaults[0].value : formatConfigValue(definition.type, definition.default);
    const synonyms = own === undefined ? defaults : [{ name, value: own, source }, ...defaults];
    return {
      name,
      value: own ?? fallback,
      source: synonyms[0]?.source ?? ConfigSource.DEFAULT_CONFIG,
      readOnly: false,
      isSensitive: false,
      type: TYPE_NUMBER[definition.type],
      documentation: definition.doc,
      synonyms,
    };
  });
}
