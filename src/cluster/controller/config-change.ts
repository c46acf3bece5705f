/**
 * What the settings of a resource will be after a client's change, or why there is none. Pure: an image and a change
 * in, all settings of the resource out. Source of order, codes and sentences: Kafka's `ConfigurationControlManager` and
 * `ConfigAdminManager`.
 */
import { err, ok, type Result } from '../../base/result';
import { ErrorCode } from '../../codec/generated/errors';
import { type BrokerConfig, definitionOf, isConfigKey } from '../../config/broker-config';
import { type Definition, formatConfigValue } from '../../config/definition';
import { runtimeOnlySettings } from '../../config/internal-settings';
import { checkResourceConfigs, type ResourceScope } from '../../config/resource-configs';
import { checkBrokerSettings } from '../../config/runtime-settings';
import {
  checkTopicConfigs,
  FORMER_DEFAULT_PREFIX,
  isTopicConfigKey,
  splitOverrides,
  topicDefinitionOf,
} from '../../config/topic-config';
import type { ConfigScope, MetadataImage } from '../metadata-image';
import { topicNameProblem } from '../topic-name';

export interface ConfigOperation {
  readonly key: string;
  readonly kind: 'set' | 'delete' | 'append' | 'subtract';
  /** Not used by `delete`. */
  readonly value: string;
}

export interface ConfigChange {
  readonly resource: { readonly scope: ConfigScope | 'topics'; readonly name: string };
  readonly operations: readonly ConfigOperation[];
  /** Whether settings that are not named go back to their defaults. */
  readonly replacesAll: boolean;
}

export interface ConfigChangeContext {
  readonly image: MetadataImage;
  readonly config: BrokerConfig;
}

type Settings = ReadonlyMap<string, string>;

/** Longer values are refused, as by Kafka's controller. */
const LONGEST_VALUE = 32_767;

/** All settings that the resource will have. */
export function planConfigs(change: ConfigChange, context: ConfigChangeContext): Result<Settings, ErrorCode> {
  const { scope, name } = change.resource;
  switch (scope) {
    case 'topics':
      return planTopicConfigs(change, context);
    case 'brokers':
      return planBrokerConfigs(change, context);
    case 'groups':
    case 'client-metrics':
      return planResourceConfigs({ ...change, resource: { scope, name } }, context);
  }
}

function planTopicConfigs(change: ConfigChange, { image, config }: ConfigChangeContext): Result<Settings, ErrorCode> {
  const { name } = change.resource;
  const topic = image.topic(name);
  const { own, former } = splitOverrides(topic?.configs ?? new Map());
  const rows = (key: string) => (isTopicConfigKey(key) ? topicDefinitionOf(key).definition : undefined);
  const changed = applyOperations(change, own, (key, kind) => {
    const row = rows(key);
    return row?.type === 'list' ? ok(row) : noList(key, kind);
  });
  if (!changed.ok) return changed;
  const tooLong = lengthProblem(changed.value);
  if (tooLong !== undefined) return err(ErrorCode.INVALID_CONFIG, tooLong);
  if (name === '') return err(ErrorCode.INVALID_REQUEST, 'Default topic resources are not allowed.');
  const problem = topicNameProblem(name);
  if (problem !== undefined) return err(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
  // A client that sets the real key speaks louder than what another broker had for a default.
  for (const { key, kind } of change.operations) if (kind !== 'delete') former.delete(FORMER_DEFAULT_PREFIX + key);
  const checked = checkTopicConfigs(config, changed.value);
  if (!checked.ok) return err(ErrorCode.INVALID_CONFIG, checked.error);
  if (!topic) return err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `The topic '${name}' does not exist.`);
  return ok(new Map([...changed.value, ...former]));
}

function noList(key: string, kind: string): Result<never, ErrorCode> {
  const message = `Can't ${kind.toUpperCase()} to key ${key} because its type is not LIST.`;
  return err(ErrorCode.INVALID_CONFIG, message);
}

/** Kafka's controller knows no lists among these settings. */
function planResourceConfigs(
  change: ConfigChange & { readonly resource: { readonly scope: ResourceScope } },
  { image, config }: ConfigChangeContext,
): Result<Settings, ErrorCode> {
  const { scope, name } = change.resource;
  const changed = applyOperations(change, image.configs({ scope, name }), noList);
  if (!changed.ok) return changed;
  const tooLong = lengthProblem(changed.value);
  if (tooLong !== undefined) return err(ErrorCode.INVALID_CONFIG, tooLong);
  const problem = checkResourceConfigs(config, { scope, name, settings: changed.value });
  if (!problem) return changed;
  return err(problem.isRequest ? ErrorCode.INVALID_REQUEST : ErrorCode.INVALID_CONFIG, problem.message);
}

function planBrokerConfigs(change: ConfigChange, { image, config }: ConfigChangeContext): Result<Settings, ErrorCode> {
  const { name } = change.resource;
  const own = image.configs({ scope: 'brokers', name });
  const changed = applyOperations(change, own, (key, kind) => {
    const isKnown = isConfigKey(key) && !runtimeOnlySettings.has(key);
    if (!isKnown) return err(ErrorCode.INVALID_CONFIG, `Unknown config name: ${key}`);
    const row = definitionOf(key);
    if (row.type === 'list') return ok(row);
    return err(ErrorCode.INVALID_CONFIG, `Config value ${kind} is not allowed for config key: ${key}`);
  });
  if (!changed.ok) return changed;
  const scope = name === '' ? 'cluster' : 'broker';
  const checked = checkBrokerSettings(config, { scope, settings: changed.value });
  if (!checked.ok) return err(ErrorCode.INVALID_REQUEST, checked.error);
  const tooLong = lengthProblem(changed.value);
  return tooLong === undefined ? changed : err(ErrorCode.INVALID_CONFIG, tooLong);
}

function lengthProblem(settings: Settings): string | undefined {
  if ([...settings.values()].every((value) => value.length <= LONGEST_VALUE)) return undefined;
  const limit = `the maximum value size of ${LONGEST_VALUE} bytes`;
  return `The configuration value cannot be added because it exceeds ${limit}.`;
}

type ListRow = (key: string, kind: 'append' | 'subtract') => Result<Definition, ErrorCode>;

function applyOperations(change: ConfigChange, current: Settings, listRow: ListRow): Result<Settings, ErrorCode> {
  const settings = new Map(change.replacesAll ? [] : current);
  for (const { key, kind, value } of change.operations) {
    if (kind === 'set') settings.set(key, value);
    else if (kind === 'delete') settings.delete(key);
    else {
      const row = listRow(key, kind);
      if (!row.ok) return row;
      const before = settings.get(key) ?? formatConfigValue('list', row.value.default) ?? '';
      const elements = before.split(',').filter((element) => element !== '');
      const named = value.split(',');
      const other = new Set(kind === 'append' ? elements : named);
      const rest = (kind === 'append' ? named : elements).filter((element) => !other.has(element));
      const after = kind === 'append' ? [...elements, ...rest] : rest;
      settings.set(key, after.join(','));
    }
  }
  return ok(settings);
}
