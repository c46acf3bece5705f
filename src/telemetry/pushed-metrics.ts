/**
 * The latest metrics that each client pushed, as series for Prometheus. Owns what of them is kept and for how long:
 * gauges of the last push, sums added up, all of it gone a while after the last push. Everything that a client could
 * make large has a bound.
 */
import type { PushedPoint } from './otlp-metrics';

export interface PushedSeries {
  /** As Prometheus allows names. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/** What is kept of one client. */
interface ClientSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** By name and labels. */
  series: Map<string, PushedSeries>;
  expiresAtMs: number;
}

/** Series of one client, and of all together. */
const MAX_CLIENT_SERIES = 1000;
const MAX_SERIES = 50_000;
const MAX_LABELS = 16;
const MAX_TEXT = 250;
/** What names of others than Kafka's own clients begin with, so that none looks like one of the broker's. */
const STANDARD = 'org_apache_kafka_';
const OTHER = 'client_';

export class PushedMetrics {
  /** The one that pushed longest ago first. */
  readonly #clients = new Map<string, ClientSeries>();
  #count = 0;

  /** Clients of which something is kept. */
  get clientCount(): number {
    return this.#clients.size;
  }

  /** `labels` name the client and are stronger than what it says itself. */
  onPush(
    instanceId: string,
    points: readonly PushedPoint[],
    o: { readonly labels: Readonly<Record<string, string>>; readonly expiresAtMs: number },
  ): void {
    const client = this.#clients.get(instanceId) ?? { labels: o.labels, series: new Map(), expiresAtMs: 0 };
    this.#count -= client.series.size;
    this.#clients.delete(instanceId);
    this.#clients.set(instanceId, client);
    client.expiresAtMs = o.expiresAtMs;
    client.series = merge(client, points);
    this.#count += client.series.size;
    while (this.#count > MAX_SERIES) this.#drop(this.#clients.keys().next().value!);
  }

  /** The series of all clients, those of one name together. */
  series(nowMs: number): Map<string, PushedSeries[]> {
    const byName = new Map<string, PushedSeries[]>();
    for (const [instanceId, { series, expiresAtMs }] of this.#clients) {
      if (expiresAtMs <= nowMs) {
        this.#drop(instanceId);
        continue;
      }
      for (const each of series.values()) {
        const sameName = byName.get(each.name);
        if (sameName === undefined) byName.set(each.name, [each]);
        // A family has one type: who was first decides.
        else if (sameName[0]!.type === each.type) sameName.push(each);
      }
    }
    return byName;
  }

  #drop(instanceId: string): void {
    this.#count -= this.#clients.get(instanceId)?.series.size ?? 0;
    this.#clients.delete(instanceId);
  }
}

/** What `client` has after a push: its sums go on, its gauges are those that were pushed. */
function merge({ labels, series }: ClientSeries, points: readonly PushedPoint[]): Map<string, PushedSeries> {
  const next = new Map([...series].filter(([, { type }]) => type === 'counter'));
  for (const point of points) {
    const pushed = seriesOf(point, labels);
    if (pushed === undefined) continue;
    const key = JSON.stringify([pushed.name, pushed.labels]);
    const present = next.get(key);
    if (present !== undefined && point.isDelta) present.value += pushed.value;
    else if (present !== undefined || next.size < MAX_CLIENT_SERIES) next.set(key, pushed);
  }
  return next;
}

function seriesOf(point: PushedPoint, own: Readonly<Record<string, string>>): PushedSeries | undefined {
  const { kind, value, attributes } = point;
  const name = nameOf(point.name);
  if (name === undefined || attributes.size > MAX_LABELS) return undefined;
  if (kind === 'sum' && !(value >= 0 && Number.isFinite(value))) return undefined;
  const labels: Record<string, string> = {};
  for (const [key, text] of attributes) {
    const label = key.replace(/[^a-zA-Z0-9_]/g, '_').slice(0, MAX_TEXT);
    if (/^[a-zA-Z_]/.test(label) && !label.startsWith('__')) labels[label] = text.slice(0, MAX_TEXT);
  }
  const help = point.help.slice(0, MAX_TEXT) || `Pushed by clients as ${point.name}`;
  return { name, help, type: kind === 'sum' ? 'counter' : 'gauge', labels: { ...labels, ...own }, value };
}

function nameOf(name: string): string | undefined {
  if (name === '' || name.length > MAX_TEXT) return undefined;
  const plain = name.replace(/[^a-zA-Z0-9_]/g, '_');
  return plain.startsWith(STANDARD) ? plain : OTHER + plain;
}
