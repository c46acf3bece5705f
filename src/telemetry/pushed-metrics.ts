/**
 * The latest metrics that each client pushed, as series for Prometheus. Owns what of them is kept and for how long:
 * gauges of the last push, sums added up, all of it gone a while after the last push. Everything that a client could
 * make large has a bound.
 */
import { LONGEST_TEXT, MOST_ATTRIBUTES, type PushedPoint } from './otlp-metrics';

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
  /** By name and labels, without its own. */
  series: Map<string, PushedSeries>;
  /** In the names of its series. */
  chars: number;
  expiresAtMs: number;
}

/** Series of one client, and of all together. */
const MAX_CLIENT_SERIES = 1000;
const MAX_SERIES = 50_000;
/** In all names, labels and values of labels. */
const MAX_CHARS = 16_000_000;
/** Different labels of the series of one name: with each sample, all of them are looked at. */
const MAX_FAMILY_LABELS = 64;
/** Sums end here: Prometheus has no counter that is infinite. */
const LARGEST = Number.MAX_VALUE;
/** What names of others than Kafka's own clients begin with, so that none looks like one of the broker's. */
const STANDARD = 'org_apache_kafka_';
const OTHER = 'client_';

export class PushedMetrics {
  /** The one that pushed longest ago first. */
  readonly #clients = new Map<string, ClientSeries>();
  #count = 0;
  #chars = 0;

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
    const client = this.#clients.get(instanceId) ?? { labels: o.labels, series: new Map(), chars: 0, expiresAtMs: 0 };
    this.#drop(instanceId);
    this.#clients.set(instanceId, client);
    client.expiresAtMs = o.expiresAtMs;
    client.series = merge(client, points);
    client.chars = 0;
    for (const key of client.series.keys()) client.chars += key.length;
    this.#count += client.series.size;
    this.#chars += client.chars;
    while (this.#count > MAX_SERIES || this.#chars > MAX_CHARS) this.#drop(this.#clients.keys().next().value!);
  }

  /** The series of all clients, those of one name together. */
  series(nowMs: number): Map<string, PushedSeries[]> {
    const byName = new Map<string, PushedSeries[]>();
    const labelsByName = new Map<string, Set<string>>();
    for (const [instanceId, { series, expiresAtMs }] of this.#clients) {
      if (expiresAtMs <= nowMs) {
        this.#drop(instanceId);
        continue;
      }
      for (const each of series.values()) {
        const sameName = byName.get(each.name);
        // A family has one type: who was first decides.
        if (sameName !== undefined && sameName[0]!.type !== each.type) continue;
        const labels = labelsByName.get(each.name) ?? new Set();
        if (!takeLabels(labels, each)) continue;
        labelsByName.set(each.name, labels);
        if (sameName === undefined) byName.set(each.name, [each]);
        else sameName.push(each);
      }
    }
    return byName;
  }

  #drop(instanceId: string): void {
    const client = this.#clients.get(instanceId);
    if (client === undefined) return;
    this.#count -= client.series.size;
    this.#chars -= client.chars;
    this.#clients.delete(instanceId);
  }
}

/** Whether a family that has `labels` has room for those of `series`, which are then added. */
function takeLabels(labels: Set<string>, series: PushedSeries): boolean {
  const further = Object.keys(series.labels).filter((label) => !labels.has(label));
  if (labels.size + further.length > MAX_FAMILY_LABELS) return false;
  for (const label of further) labels.add(label);
  return true;
}

/** What `client` has after a push: its sums go on, its gauges are those that were pushed. */
function merge({ labels, series }: ClientSeries, points: readonly PushedPoint[]): Map<string, PushedSeries> {
  const next = new Map([...series].filter(([, { type }]) => type === 'counter'));
  for (const point of points) {
    const named = seriesOf(point, labels);
    if (named === undefined) continue;
    const { key, pushed } = named;
    const present = next.get(key);
    if (present !== undefined && point.isDelta) present.value = Math.min(LARGEST, present.value + pushed.value);
    else if (present !== undefined || next.size < MAX_CLIENT_SERIES) next.set(key, pushed);
  }
  return next;
}

function seriesOf(
  point: PushedPoint,
  own: Readonly<Record<string, string>>,
): { readonly key: string; readonly pushed: PushedSeries } | undefined {
  const { kind, value, attributes } = point;
  const name = nameOf(point.name);
  if (name === undefined || attributes.size > MOST_ATTRIBUTES) return undefined;
  if (kind === 'sum' && !(value >= 0 && Number.isFinite(value))) return undefined;
  const labels: Record<string, string> = {};
  for (const [key, text] of attributes) {
    const label = key.replace(/[^a-zA-Z0-9_]/g, '_');
    if (/^[a-zA-Z_]/.test(label) && !label.startsWith('__') && !Object.hasOwn(own, label)) labels[label] = text;
  }
  const help = point.help || `Pushed by clients as ${point.name}`;
  const type = kind === 'sum' ? 'counter' : 'gauge';
  return { key: JSON.stringify([name, labels]), pushed: { name, help, type, labels: { ...labels, ...own }, value } };
}

function nameOf(name: string): string | undefined {
  if (name === '' || name.length > LONGEST_TEXT) return undefined;
  const plain = name.replace(/[^a-zA-Z0-9_]/g, '_');
  return plain.startsWith(STANDARD) ? plain : OTHER + plain;
}
