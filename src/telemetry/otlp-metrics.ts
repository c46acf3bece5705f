/**
 * What clients push: metrics in OpenTelemetry's protocol (OTLP v1, `MetricsData`). Owns which of it is understood:
 * numbers (gauges, sums) and the count and sum of histograms; what else there may be is left out. Pure.
 * What a push takes of memory and time is proportional to its bytes: attributes of the resource count for each point,
 * so there are few; and texts are cut while they are bytes, since a piece of a long text keeps all of it in memory.
 */
import { ProtobufReader } from './protobuf-reader';

/** Bytes of help, labels and their values. */
export const LONGEST_TEXT = 250;
/** A point that has more shows one more. */
export const MOST_ATTRIBUTES = 16;
/** What lies behind so many points is not read: a few compressed bytes could hold the loop for long. */
export const MOST_POINTS = 5000;

export interface PushedPoint {
  /** Kafka's name of the metric: `org.apache.kafka.producer.…`. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'sum';
  /** The value is what came since the last push, not what ever came. */
  readonly isDelta: boolean;
  readonly value: number;
  readonly attributes: ReadonlyMap<string, string>;
}

const DELTA = 1;

/** Field numbers of OTLP's messages. */
const MetricsData = { resourceMetrics: 1 } as const;
const ResourceMetrics = { resource: 1, scopeMetrics: 2 } as const;
const Resource = { attributes: 1 } as const;
const ScopeMetrics = { metrics: 2 } as const;
const Metric = { name: 1, description: 2, gauge: 5, sum: 7, histogram: 9 } as const;
const Data = { dataPoints: 1, aggregationTemporality: 2 } as const;
const NumberPoint = { asDouble: 4, asInt: 6, attributes: 7 } as const;
const HistogramPoint = { count: 4, sum: 5, attributes: 9 } as const;
const KeyValue = { key: 1, value: 2 } as const;
const AnyValue = { string: 1, bool: 2, int: 3, double: 4 } as const;

/** The points of a push. Throws `MalformedMessage`. */
export function readOtlpMetrics(bytes: Buffer): PushedPoint[] {
  const found: PushedPoint[] = [];
  const reader = new ProtobufReader(bytes);
  reader.fields((field) => {
    if (field === MetricsData.resourceMetrics) readResourceMetrics(reader.message(), found);
  });
  return found;
}

function readResourceMetrics(reader: ProtobufReader, found: PushedPoint[]): void {
  const attributes = new Map<string, string>();
  const scopes: ProtobufReader[] = [];
  reader.fields((field) => {
    if (field === ResourceMetrics.resource) readAttributesOf(reader.message(), Resource.attributes, attributes);
    if (field === ResourceMetrics.scopeMetrics) scopes.push(reader.message());
  });
  for (const scope of scopes) {
    scope.fields((field) => {
      if (field === ScopeMetrics.metrics) readMetric(scope.message(), attributes, found);
    });
  }
}

function readMetric(reader: ProtobufReader, resource: ReadonlyMap<string, string>, found: PushedPoint[]): void {
  let name = '';
  let help = '';
  const data: { field: number; reader: ProtobufReader }[] = [];
  reader.fields((field) => {
    if (field === Metric.name) name = reader.text();
    else if (field === Metric.description) help = reader.text(LONGEST_TEXT);
    else if (field === Metric.gauge || field === Metric.sum || field === Metric.histogram) {
      data.push({ field, reader: reader.message() });
    }
  });
  for (const each of data) {
    const read = each.field === Metric.histogram ? readHistogramPoint : readNumberPoint;
    const kind = each.field === Metric.gauge ? 'gauge' : 'sum';
    const points: ProtobufReader[] = [];
    let isDelta = false;
    each.reader.fields((field) => {
      if (field === Data.dataPoints) points.push(each.reader.message());
      if (field === Data.aggregationTemporality && kind === 'sum') isDelta = each.reader.unsigned() === DELTA;
    });
    for (const point of points) {
      if (found.length >= MOST_POINTS) return;
      const { values, attributes } = read(point, resource);
      for (const [suffix, value] of values) found.push({ name: name + suffix, help, kind, isDelta, value, attributes });
    }
  }
}

interface Point {
  /** By the suffix of the name; what comes twice counts as it came last. */
  readonly values: Map<string, number>;
  readonly attributes: Map<string, string>;
}

function readNumberPoint(reader: ProtobufReader, resource: ReadonlyMap<string, string>): Point {
  const point: Point = { values: new Map(), attributes: new Map(resource) };
  reader.fields((field) => {
    if (field === NumberPoint.asDouble) point.values.set('', reader.double());
    else if (field === NumberPoint.asInt) point.values.set('', reader.sfixed64());
    else if (field === NumberPoint.attributes) readAttribute(reader.message(), point.attributes);
  });
  return point;
}

function readHistogramPoint(reader: ProtobufReader, resource: ReadonlyMap<string, string>): Point {
  const point: Point = { values: new Map(), attributes: new Map(resource) };
  reader.fields((field) => {
    if (field === HistogramPoint.count) point.values.set('.count', reader.fixed64());
    else if (field === HistogramPoint.sum) point.values.set('.sum', reader.double());
    else if (field === HistogramPoint.attributes) readAttribute(reader.message(), point.attributes);
  });
  return point;
}

function readAttributesOf(reader: ProtobufReader, wanted: number, attributes: Map<string, string>): void {
  reader.fields((field) => {
    if (field === wanted) readAttribute(reader.message(), attributes);
  });
}

function readAttribute(reader: ProtobufReader, attributes: Map<string, string>): void {
  let key = '';
  let value = '';
  reader.fields((field) => {
    if (field === KeyValue.key) key = reader.text(LONGEST_TEXT);
    else if (field === KeyValue.value) value = readValue(reader.message());
  });
  if (attributes.size <= MOST_ATTRIBUTES || attributes.has(key)) attributes.set(key, value);
}

function readValue(reader: ProtobufReader): string {
  let value = '';
  reader.fields((field) => {
    if (field === AnyValue.string) value = reader.text(LONGEST_TEXT);
    else if (field === AnyValue.bool) value = String(reader.bool());
    else if (field === AnyValue.int) value = String(reader.int64());
    else if (field === AnyValue.double) value = String(reader.double());
  });
  return value;
}
