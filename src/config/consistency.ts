/**
 * Rules that relate settings to each other. Each problem names the key that has to change.
 * Source: Kafka's `KafkaConfig.validateValues`, as far as the settings have an effect here.
 */
import { type BrokerConfig, type ConfigKey, type ConfigProblem, definitionOf } from './broker-config';
import { formatConfigValue } from './definition';
import { definitions } from './definitions';
import { connectionLimits, dataDirs } from './derived-settings';
import { topicValue } from './topic-config';

const NONE: ReadonlyMap<string, string> = new Map();
const MIB = 2 ** 20;

/** Settings given with a value other than the default although they do nothing here. */
export function settingsWithoutEffect(config: BrokerConfig): readonly ConfigKey[] {
  return (Object.keys(definitions) as ConfigKey[]).filter((key) => {
    const definition = definitionOf(key);
    const fallback = formatConfigValue(definition.type, definition.default);
    return definition.effect === 'none' && config.isSet(key) && config.textOf(key) !== fallback;
  });
}

interface Rule {
  readonly key: ConfigKey;
  readonly reason: string;
  readonly isBroken: (config: BrokerConfig) => boolean;
}

const RULES: readonly Rule[] = [
  {
    key: 'broker.id',
    reason: 'must be the same as node.id where both are set',
    isBroken: (c) => c.isSet('broker.id') && c.isSet('node.id') && c.get('broker.id') !== c.get('node.id'),
  },
  {
    key: 'process.roles',
    reason: 'must contain broker; a process that is a controller only is not offered',
    isBroken: (c) => c.get('process.roles').length > 0 && !c.get('process.roles').includes('broker'),
  },
  {
    key: 'log.roll.ms',
    reason: 'must be at least 1',
    isBroken: (c) => topicValue(c, NONE, 'segment.ms') < 1,
  },
  {
    key: 'log.roll.jitter.ms',
    reason: 'must be at least 0',
    isBroken: (c) => topicValue(c, NONE, 'segment.jitter.ms') < 0,
  },
  {
    key: 'log.retention.ms',
    reason: 'must be at least 1, or -1 for no limit',
    isBroken: (c) => topicValue(c, NONE, 'retention.ms') === 0,
  },
  {
    key: 'cordoned.log.dirs',
    reason: 'must name directories of log.dirs (log.dir), or be * alone',
    isBroken: (c) => {
      const cordoned = c.get('cordoned.log.dirs');
      return cordoned.includes('*') ? cordoned.length > 1 : cordoned.some((path) => !dataDirs(c).includes(path));
    },
  },
  {
    key: 'log.cleaner.dedupe.buffer.size',
    reason: 'must be more than 1 MiB for each of log.cleaner.threads',
    isBroken: (c) => c.get('log.cleaner.dedupe.buffer.size') <= MIB * c.get('log.cleaner.threads'),
  },
  {
    key: 'log.cleaner.min.compaction.lag.ms',
    reason: 'must not be larger than log.cleaner.max.compaction.lag.ms',
    isBroken: (c) => c.get('log.cleaner.min.compaction.lag.ms') > c.get('log.cleaner.max.compaction.lag.ms'),
  },
  {
    key: 'group.min.session.timeout.ms',
    reason: 'must not be larger than group.max.session.timeout.ms',
    isBroken: (c) => c.get('group.min.session.timeout.ms') > c.get('group.max.session.timeout.ms'),
  },
  {
    key: 'queued.max.request.bytes',
    reason: 'must be at least socket.request.max.bytes, or -1',
    isBroken: (c) =>
      c.get('queued.max.request.bytes') > 0 && c.get('queued.max.request.bytes') < c.get('socket.request.max.bytes'),
  },
  {
    key: 'max.connections.per.ip.overrides',
    reason: 'must be HOST:COUNT pairs',
    isBroken: (c) => connectionLimits(c) === undefined,
  },
  {
    key: 'max.connections.per.ip',
    reason: 'must not be 0 unless max.connections.per.ip.overrides lets some addresses in',
    isBroken: (c) => c.get('max.connections.per.ip') === 0 && connectionLimits(c)?.size === 0,
  },
];

/** Settings whose value asks for something that is not offered and must not be silently left out. */
function refusedSettings(config: BrokerConfig): ConfigProblem[] {
  const keys = Object.keys(definitions) as ConfigKey[];
  return keys
    .filter((key) => {
      const { effect, type, default: fallback } = definitionOf(key);
      const value = config.textOf(key);
      return effect === 'refused' && value !== formatConfigValue(type, fallback) && value !== '';
    })
    .map((key) => ({ key, value: config.textOf(key), reason: `is not supported. ${definitionOf(key).doc}` }));
}

/** Everything that is wrong with the settings taken together, listeners apart. */
export function checkConsistency(config: BrokerConfig): readonly ConfigProblem[] {
  const broken = RULES.filter((rule) => rule.isBroken(config)).map(({ key, reason }) => ({
    key,
    value: config.textOf(key),
    reason,
  }));
  return [...broken, ...refusedSettings(config)];
}
