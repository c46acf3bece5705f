/**
 * The settings of groups and of subscriptions of client metrics: what a client may set, and what is told. Pure: they
 * are maps of texts, kept by the cluster layer. Source of rules and sentences: Kafka's `GroupConfig` and
 * `ClientMetricsConfigs`.
 */
import { linearPattern } from '../base/linear-pattern';
import { type BrokerConfig, type ConfigKey, checkClientValue, isConfigKey } from './broker-config';
import { parseList } from './definition';
import {
  clientMetricsDefinitions,
  groupDefinitions,
  PUSH_INTERVAL_MS,
  type ResourceTable,
} from './resource-definitions';

export type ResourceScope = 'groups' | 'client-metrics';

export interface ResourceProblem {
  /** Whether Kafka answers INVALID_REQUEST rather than INVALID_CONFIG. */
  readonly isRequest: boolean;
  readonly message: string;
}

const DEAD_LETTERS = 'errors.deadletterqueue.topic.name';

type Settings = ReadonlyMap<string, string>;

export function resourceTable(scope: ResourceScope): ResourceTable {
  return scope === 'groups' ? groupDefinitions : clientMetricsDefinitions;
}

/** Why a resource cannot have these settings. */
export function checkResourceConfigs(
  config: BrokerConfig,
  { scope, name, settings }: { readonly scope: ResourceScope; readonly name: string; readonly settings: Settings },
): ResourceProblem | undefined {
  if (name === '') {
    const message =
      scope === 'groups' ? 'Default group resources are not allowed.' : "Subscription name can't be empty";
    return { isRequest: true, message };
  }
  const message = namesProblem(scope, settings);
  if (message !== undefined) return { isRequest: scope === 'client-metrics', message };
  for (const [key, source] of settings) {
    const checked = checkClientValue({ name: key, source }, resourceTable(scope)[key]!.definition);
    if (!checked.ok) return { isRequest: false, message: checked.error };
  }
  return scope === 'groups' ? groupProblem(config, settings) : metricsProblem(settings);
}

function namesProblem(scope: ResourceScope, settings: Settings): string | undefined {
  const unknown = [...settings.keys()].find((key) => !Object.hasOwn(resourceTable(scope), key));
  if (unknown === undefined) return undefined;
  return scope === 'groups'
    ? `Unknown group config name: ${unknown}`
    : `Unknown client metrics configuration: ${unknown}`;
}

/** The broker's bound of a group's setting; its name comes of the setting's own. */
function bound(config: BrokerConfig, synonym: ConfigKey, side: 'min' | 'max'): number | undefined {
  const [, prefix, rest] = /^(group\.[a-z]+\.)(.*)$/.exec(synonym) ?? [];
  const names = [`${prefix}${side}.${rest}`, `${prefix}${side}.${rest?.replace(/^num\./, '')}`];
  const key = names.find(isConfigKey);
  return key === undefined ? undefined : Number(config.get(key));
}

function boundsProblem(config: BrokerConfig, key: string, source: string): string | undefined {
  const { synonym, definition } = groupDefinitions[key]!;
  if (synonym === undefined || definition.type !== 'int') return undefined;
  const [least, most, value] = [bound(config, synonym, 'min'), bound(config, synonym, 'max'), Number(source)];
  if (value >= (least ?? value) && value <= (most ?? value)) return undefined;
  if (least === undefined) return `${key} must be less than or equal to ${most}`;
  return `${key} must be in the range ${least} to ${most} inclusive.`;
}

function groupProblem(config: BrokerConfig, settings: Settings): ResourceProblem | undefined {
  for (const [key, source] of settings) {
    const message = boundsProblem(config, key, source);
    if (message !== undefined) return { isRequest: false, message };
  }
  const assignor = settings.get('streams.assignor.name');
  const assignors = config.get('group.streams.assignors');
  if (assignor !== undefined && !assignors.includes(assignor)) {
    const known = `Registered assignors are: [${assignors.join(', ')}].`;
    const message = `streams.assignor.name '${assignor}' is not a registered task assignor. ${known}`;
    return { isRequest: false, message };
  }
  for (const kind of ['consumer', 'share', 'streams'] as const) {
    const [session, heartbeat] = [`${kind}.session.timeout.ms`, `${kind}.heartbeat.interval.ms`];
    const value = (key: string) => Number(settings.get(key) ?? config.get(groupDefinitions[key]!.synonym!));
    if ((settings.has(session) || settings.has(heartbeat)) && value(session) <= value(heartbeat)) {
      return { isRequest: false, message: `${session} must be greater than ${heartbeat}` };
    }
  }
  if (settings.get(DEAD_LETTERS)?.startsWith('__')) {
    return { isRequest: false, message: `${DEAD_LETTERS}: DLQ topic name must not start with '__'` };
  }
  return undefined;
}

const CLIENT_PROPERTIES: ReadonlySet<string> = new Set([
  'client_instance_id',
  'client_id',
  'client_software_name',
  'client_software_version',
  'client_source_address',
  'client_source_port',
]);

function metricsProblem(settings: Settings): ResourceProblem | undefined {
  const intervalMs = settings.get('interval.ms');
  const { least, most } = PUSH_INTERVAL_MS;
  if (intervalMs !== undefined && (Number(intervalMs) < least || Number(intervalMs) > most)) {
    const allowed = `interval must be between ${least} and ${most} (1 hour)`;
    return { isRequest: true, message: `Invalid value ${intervalMs} for interval.ms, ${allowed}` };
  }
  const pairs = parseList(settings.get('match') ?? '').filter((pair) => pair !== '');
  const wrong = pairs.find((pair) => {
    const [property, pattern, more] = pair.split('=');
    return more !== undefined || !CLIENT_PROPERTIES.has(property!.trim()) || !linearPattern((pattern ?? '[').trim());
  });
  return wrong === undefined ? undefined : { isRequest: false, message: `Illegal client matching pattern: ${wrong}` };
}
