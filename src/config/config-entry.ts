/**
 * Settings as DescribeConfigs and CreateTopics answer them: the effective value, where it comes from, its synonyms.
 * Owns the wire's numbers for sources and types. Does not know requests: the handler picks keys and hides what was not
 * asked for. Source: Kafka's `ConfigHelper`.
 */
import { type BrokerConfig, type ConfigKey, definitionOf } from './broker-config';
import { type ConfigType, type ConfigValue, formatConfigValue } from './definition';
import { definitions } from './definitions';
import { formerDefault, type TopicOverrides, topicConfigKeys, topicDefinitionOf, topicValue } from './topic-config';

/** Where a value comes from, as numbered on the wire (DescribeConfigsResponse ConfigSource). */
export const ConfigSource = {
  TOPIC_CONFIG: 1,
  DYNAMIC_BROKER_CONFIG: 2,
  DYNAMIC_DEFAULT_BROKER_CONFIG: 3,
  STATIC_BROKER_CONFIG: 4,
  DEFAULT_CONFIG: 5,
} as const;

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

/** Coarser units of the same setting, as Kafka lists them. */
const BROKER_SYNONYMS: Readonly<Partial<Record<ConfigKey, readonly ConfigKey[]>>> = {
  'log.roll.ms': ['log.roll.hours'],
  'log.roll.jitter.ms': ['log.roll.jitter.hours'],
  'log.flush.interval.ms': ['log.flush.scheduler.interval.ms'],
  'log.retention.ms': ['log.retention.minutes', 'log.retention.hours'],
};

const brokerKeys = Object.keys(definitions) as readonly ConfigKey[];

function visibleText(type: ConfigType, value: ConfigValue): string | null {
  return type === 'password' ? null : formatConfigValue(type, value);
}

/** What the broker's settings say about `keys`: those that were given, then the defaults that are not null. */
function brokerSynonyms(config: BrokerConfig, keys: readonly ConfigKey[]): ConfigSynonym[] {
  const given: ConfigSynonym[] = [];
  const defaults: ConfigSynonym[] = [];
  for (const name of keys) {
    const { type, default: fallback } = definitionOf(name);
    if (config.isSet(name)) {
      given.push({ name, value: visibleText(type, config.get(name)), source: ConfigSource.STATIC_BROKER_CONFIG });
    }
    if (fallback !== null) {
      defaults.push({ name, value: visibleText(type, fallback), source: ConfigSource.DEFAULT_CONFIG });
    }
  }
  return [...given, ...defaults];
}

function describeBrokerConfig(config: BrokerConfig, name: ConfigKey): ConfigEntry {
  const definition = definitionOf(name);
  return {
    name,
    value: visibleText(definition.type, config.get(name)),
    source: config.isSet(name) ? ConfigSource.STATIC_BROKER_CONFIG : ConfigSource.DEFAULT_CONFIG,
    readOnly: definition.update === 'read-only',
    isSensitive: definition.type === 'password',
    type: TYPE_NUMBER[definition.type],
    documentation: definition.doc,
    synonyms: brokerSynonyms(config, [name, ...(BROKER_SYNONYMS[name] ?? [])]),
  };
}

/** All settings of the broker, sorted by name. */
export function describeBrokerConfigs(config: BrokerConfig): readonly ConfigEntry[] {
  return [...brokerKeys].sort().map((name) => describeBrokerConfig(config, name));
}

/** All settings of a topic, sorted by name, with the ones of its own in `overrides`. */
export function describeTopicConfigs(config: BrokerConfig, overrides: TopicOverrides): readonly ConfigEntry[] {
  return [...topicConfigKeys].sort().map((name) => {
    const { definition, synonyms } = topicDefinitionOf(name);
    const value = formatConfigValue(definition.type, topicValue(config, overrides, name));
    const own = overrides.has(name) ? [{ name, value, source: ConfigSource.TOPIC_CONFIG }] : [];
    const keys = synonyms.map((synonym) => synonym.key);
    const inherited = formerDefault(config, overrides, name) === undefined ? brokerSynonyms(config, keys) : [];
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
  });
}
