/**
 * The settings of one topic: its own ones over the broker's. Checks what a client asks for, and gives the log its
 * `LogConfig`. Pure: a topic's own settings are a map of texts, kept by the cluster layer.
 */
import { err, ok, type Result } from '../base/result';
import { type BrokerConfig, checkClientValue, checkConfigValue } from './broker-config';
import { type ConfigValue, type Definition, formatConfigValue } from './definition';
import type { LogCompressionType, LogConfig, MessageTimestampType } from './log-config';
import { type Synonym, type TopicDefinition, topicDefinitions } from './topic-definitions';

export type TopicConfigKey = keyof typeof topicDefinitions;

/** A topic's own settings, as given: name to text. */
export type TopicOverrides = ReadonlyMap<string, string>;

type ValueOf<K extends TopicConfigKey> = (typeof topicDefinitions)[K] extends TopicDefinition<infer T> ? T : never;

export const topicConfigKeys = Object.keys(topicDefinitions) as readonly TopicConfigKey[];

export function isTopicConfigKey(name: string): name is TopicConfigKey {
  return Object.hasOwn(topicDefinitions, name);
}

export function topicDefinitionOf(key: TopicConfigKey): TopicDefinition {
  return topicDefinitions[key];
}

/**
 * The value a broker setting gives to a topic, or null where it is not set. Negative times and sizes mean "no limit".
 */
export function synonymValue(config: BrokerConfig, synonym: Synonym): ConfigValue {
  const value = config.get(synonym.key);
  if (typeof value !== 'number' || synonym.factor === undefined) return value;
  return value < 0 ? -1 : value * synonym.factor;
}

/**
 * Among the settings of a topic that another broker made: what it took for a default there, to be used until the
 * broker's own settings say something. Such names are never shown. See former-defaults.ts.
 */
export const FORMER_DEFAULT_PREFIX = 'odradek.former.default.';

/** The former default of `key`, unless a setting of this broker takes its place. */
export function formerDefault(
  config: BrokerConfig,
  overrides: TopicOverrides,
  key: TopicConfigKey,
): string | undefined {
  const isSet = topicDefinitionOf(key).synonyms.some((synonym) => config.isSet(synonym.key));
  return isSet ? undefined : overrides.get(FORMER_DEFAULT_PREFIX + key);
}

/** What a topic without a setting of its own gets. */
function topicDefault(config: BrokerConfig, key: TopicConfigKey): ConfigValue {
  const { definition, synonyms } = topicDefinitionOf(key);
  for (const synonym of synonyms) {
    const value = synonymValue(config, synonym);
    if (value !== null) return value;
  }
  return definition.default;
}

/** The effective value of `key`. Overrides that do not parse (they were checked when set) count as absent. */
export function topicValue<K extends TopicConfigKey>(
  config: BrokerConfig,
  overrides: TopicOverrides,
  key: K,
): ValueOf<K> {
  const source = overrides.get(key) ?? formerDefault(config, overrides, key);
  const own = source === undefined ? undefined : checkConfigValue(topicDefinitionOf(key).definition, source);
  return (own?.ok ? own.value : topicDefault(config, key)) as ValueOf<K>;
}

/** Whether the topic would have its segments elsewhere, which is not offered. */
function isRefused(name: TopicConfigKey, source: string): boolean {
  const { effect, type, default: fallback }: Definition = topicDefinitionOf(name).definition;
  return effect === 'refused' && source.trim() !== formatConfigValue(type, fallback);
}

/** What of `overrides` a client can set and see, and what is kept beside it (FORMER_DEFAULT_PREFIX). */
export function splitOverrides(overrides: TopicOverrides): { own: Map<string, string>; former: Map<string, string> } {
  const own = new Map<string, string>();
  const former = new Map<string, string>();
  for (const [name, source] of overrides) (name.startsWith(FORMER_DEFAULT_PREFIX) ? former : own).set(name, source);
  return { own, former };
}

/**
 * Whether a topic may have these settings; the error is a message that names the key (INVALID_CONFIG).
 * Source: Kafka's `LogConfig.validate`.
 */
export function checkTopicConfigs(config: BrokerConfig, overrides: TopicOverrides): Result<undefined, string> {
  const unknown = [...overrides.keys()].find((name) => !isTopicConfigKey(name));
  if (unknown !== undefined) return err(`Unknown topic config name: ${unknown}`);
  const known = [...overrides] as [TopicConfigKey, string][];
  for (const [name, source] of known) {
    const checked = checkClientValue({ name, source }, topicDefinitionOf(name).definition);
    if (!checked.ok) return checked;
  }
  if (known.some(([name, source]) => isRefused(name, source))) {
    return err(
      'Tiered Storage functionality is disabled in the broker. Topic cannot be configured with remote log storage.',
    );
  }
  const minLag = topicValue(config, overrides, 'min.compaction.lag.ms');
  const maxLag = topicValue(config, overrides, 'max.compaction.lag.ms');
  if (minLag > maxLag) {
    const limit = `max.compaction.lag.ms (${formatConfigValue('long', maxLag)})`;
    return err(`conflict topic config setting min.compaction.lag.ms (${minLag}) > ${limit}`);
  }
  return ok(undefined);
}

/** How far a CreateTime may lie before or after the clock; the older common limit fills in for one that is not set. */
function timestampLimit(config: BrokerConfig, overrides: TopicOverrides, side: 'before' | 'after'): number {
  const key = `message.timestamp.${side}.max.ms` as const;
  const common = 'message.timestamp.difference.max.ms';
  if (overrides.has(key)) return topicValue(config, overrides, key);
  if (overrides.has(common)) return topicValue(config, overrides, common);
  if (!config.isSet(`log.${key}`) && config.isSet(`log.${common}`)) return config.get(`log.${common}`);
  return topicValue(config, overrides, key);
}

/** What the log of a topic with these settings of its own needs to know. */
export function topicLogConfig(config: BrokerConfig, overrides: TopicOverrides): LogConfig {
  const value = <K extends TopicConfigKey>(key: K): ValueOf<K> => topicValue(config, overrides, key);
  const cleanup = value('cleanup.policy');
  return {
    segmentBytes: value('segment.bytes'),
    segmentMs: value('segment.ms'),
    segmentJitterMs: value('segment.jitter.ms'),
    segmentIndexBytes: value('segment.index.bytes'),
    indexIntervalBytes: value('index.interval.bytes'),
    retentionMs: value('retention.ms'),
    retentionBytes: value('retention.bytes'),
    flushMessages: value('flush.messages'),
    flushMs: value('flush.ms'),
    maxMessageBytes: value('max.message.bytes'),
    maxDecompressedMessageBytes: value('max.decompressed.message.bytes'),
    cleanupDelete: cleanup.includes('delete'),
    cleanupCompact: cleanup.includes('compact'),
    compressionType: value('compression.type') as LogCompressionType,
    compressionGzipLevel: value('compression.gzip.level'),
    compressionLz4Level: value('compression.lz4.level'),
    compressionZstdLevel: value('compression.zstd.level'),
    messageTimestampType: value('message.timestamp.type') as MessageTimestampType,
    messageTimestampBeforeMaxMs: timestampLimit(config, overrides, 'before'),
    messageTimestampAfterMaxMs: timestampLimit(config, overrides, 'after'),
    fileDeleteDelayMs: value('file.delete.delay.ms'),
    minInsyncReplicas: value('min.insync.replicas'),
    preallocate: value('preallocate'),
    messageDownconversionEnable: value('message.downconversion.enable'),
    uncleanLeaderElectionEnable: value('unclean.leader.election.enable'),
    minCompactionLagMs: value('min.compaction.lag.ms'),
    maxCompactionLagMs: value('max.compaction.lag.ms'),
    deleteRetentionMs: value('delete.retention.ms'),
    minCleanableDirtyRatio: value('min.cleanable.dirty.ratio'),
  };
}
