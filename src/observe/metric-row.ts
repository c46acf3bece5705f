/** The shape of one row of the table of metrics, and of what a row yields at a scrape. */
import type { Scrape } from './scrape';

export interface Sample {
  readonly value: number;
  /** By name; a label of the row may be missing, as with the numbers for all topics together. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface MetricRow {
  /** As the usual rules of Prometheus' JMX exporter name Kafka's bean. */
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
  readonly collect: (scrape: Scrape) => Iterable<Sample>;
}

const NO_LABELS = {};

export function sample(value: number, labels: Sample['labels'] = NO_LABELS): Sample {
  return { value, labels };
}

/** A gauge of one value. */
export function gauge(name: string, help: string, read: (scrape: Scrape) => number): MetricRow {
  return { name, type: 'gauge', help, labels: [], collect: (scrape) => [sample(read(scrape))] };
}

/** A counter of one value. */
export function counter(name: string, help: string, read: (scrape: Scrape) => number): MetricRow {
  return { ...gauge(name, help, read), type: 'counter' };
}

/** The quantiles that Kafka's beans have, with the text that the exporter's rules make of their names. */
export const QUANTILES: readonly (readonly [number, string])[] = [
  [0.5, '0.50'],
  [0.75, '0.75'],
  [0.95, '0.95'],
  [0.98, '0.98'],
  [0.99, '0.99'],
  [0.999, '0.999'],
];
