/**
 * Subscriptions of client metrics (KIP-714): which metrics of which clients are wanted, and how often. Pure: settings
 * in, what one client is asked for out. Source: Kafka's `ClientMetricsConfigs` and `ClientMetricsManager`.
 */
import { type LinearPattern, linearPattern } from '../base/linear-pattern';
import { clientMetricsDefinitions } from '../config/resource-definitions';
import { crc32c } from '../records/checksum';

/** What a pattern may ask of a client. */
export interface ClientAttributes {
  readonly client_instance_id: string;
  readonly client_id: string;
  readonly client_software_name: string;
  readonly client_software_version: string;
  readonly client_source_address: string;
  readonly client_source_port: string;
}

export interface Subscription {
  /** Prefixes of names of metrics; `*` for all. */
  readonly metrics: readonly string[];
  readonly intervalMs: number;
  readonly match: readonly (readonly [keyof ClientAttributes, LinearPattern | undefined])[];
}

/** What one client is asked for. */
export interface Wanted {
  readonly subscriptionId: number;
  readonly metrics: readonly string[];
  readonly pushIntervalMs: number;
}

const ALL_METRICS = '*';
const DEFAULT_INTERVAL_MS = Number(clientMetricsDefinitions['interval.ms']!.definition.default);
/** Longer names of clients match nothing: patterns must not cost the event loop much. */
const LONGEST_ATTRIBUTE = 1000;

function listOf(source: string | undefined): string[] {
  return (source ?? '')
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
}

/**
 * `settings` have been checked (config/resource-configs.ts), but maybe by another version: what is no pattern here
 * matches nobody.
 */
export function parseSubscription(settings: ReadonlyMap<string, string>): Subscription {
  const match = listOf(settings.get('match')).map((pair) => {
    const [attribute, pattern] = pair.split('=');
    return [attribute!.trim() as keyof ClientAttributes, linearPattern(pattern!.trim())] as const;
  });
  const intervalMs = Number(settings.get('interval.ms') ?? DEFAULT_INTERVAL_MS);
  return { metrics: listOf(settings.get('metrics')), intervalMs, match };
}

function matches({ match }: Subscription, client: ClientAttributes): boolean {
  return match.every(([attribute, pattern]) => {
    const value = client[attribute];
    return value.length <= LONGEST_ATTRIBUTE && pattern?.matches(value) === true;
  });
}

/** What `client` is asked for by all subscriptions that match: their metrics together, as often as the most eager. */
export function wantedOf(subscriptions: Iterable<Subscription>, client: ClientAttributes): Wanted {
  const wanted = new Set<string>();
  let pushIntervalMs = DEFAULT_INTERVAL_MS;
  for (const subscription of subscriptions) {
    if (!matches(subscription, client)) continue;
    for (const prefix of subscription.metrics) wanted.add(prefix);
    pushIntervalMs = Math.min(pushIntervalMs, subscription.intervalMs);
  }
  const metrics = wanted.has(ALL_METRICS) ? [ALL_METRICS] : [...wanted].sort();
  const subscriptionId = idOf(metrics, pushIntervalMs, client.client_instance_id);
  return { subscriptionId, metrics, pushIntervalMs };
}

/** Another one for other metrics, another interval or another client. */
function idOf(metrics: readonly string[], pushIntervalMs: number, instanceId: string): number {
  const bytes = Buffer.from(instanceId, 'base64url');
  let id = crc32c(Buffer.from(`[${metrics.join(', ')}]${pushIntervalMs}`));
  for (let at = 0; at + 4 <= bytes.length; at += 4) id ^= bytes.readInt32BE(at);
  return id | 0;
}
