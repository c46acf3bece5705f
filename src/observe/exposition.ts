/**
 * The text that Prometheus scrapes: families of samples, and what Node.js and the system tell of this process.
 * prom-client is used here only: it checks names and labels, makes the text, and collects the latter. Owns how a scrape
 * spares the event loop: some samples in each turn, however many topics there are. Keeps no sample between scrapes.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../base/clock';
import type { Sample } from './metric-row';

/** Samples that are made into text in one turn of the loop: a few milliseconds. */
const SLICE = 500;
/** Characters of labels in one turn: groups and clients choose how long their names are. */
const SLICE_CHARS = 200_000;
/** The lines HELP and TYPE. */
const HEAD_LINES = 2;

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
  readonly samples: Iterable<Sample>;
}

/** Once for this process, however many brokers run and ran in it: what watches it cannot be given back. */
let ofProcess: Registry | undefined;

function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

export class Exposition {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #clock: Clock;
  readonly #process = processRegistry();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The text of `families`, in pieces, and of this process. */
  async *pieces(families: Iterable<Family>): AsyncIterable<string> {
    for (const family of families) yield* this.#family(family);
    yield await this.#process.metrics();
  }

  async *#family(family: Family): AsyncIterable<string> {
    let isFirst = true;
    for (const slice of slices(family.samples)) {
      const text = await textOf(family, slice);
      yield isFirst ? text : text.split('\n').slice(HEAD_LINES).join('\n');
      yield '\n';
      isFirst = false;
      await new Promise<void>((resolve) => this.#clock.immediate(resolve));
    }
  }
}

/** At least one, which may be empty. */
function* slices(samples: Iterable<Sample>): Iterable<Sample[]> {
  let slice: Sample[] = [];
  let chars = 0;
  for (const sample of samples) {
    slice.push(sample);
    for (const label in sample.labels) chars += sample.labels[label]!.length;
    if (slice.length < SLICE && chars < SLICE_CHARS) continue;
    yield slice;
    slice = [];
    chars = 0;
  }
  yield slice;
}

function textOf({ name, type, help, labels }: Family, samples: readonly Sample[]): Promise<string> {
  const registry = new Registry();
  const options = { name, help, labelNames: labels, registers: [registry] };
  if (type === 'gauge') {
    const gauge = new Gauge(options);
    for (const { labels: values, value } of samples) gauge.set(values, value);
  } else {
    const counter = new Counter(options);
    for (const { labels: values, value } of samples) counter.inc(values, value);
  }
  return registry.getSingleMetricAsString(name);
}
