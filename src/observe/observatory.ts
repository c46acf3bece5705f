/**
 * What operators' tools ask over HTTP, as answers to paths: /metrics, /health and /ready. Owns the broker's phase as it
 * is told here; knows no socket. Answers from before the first log is opened until after the last one is closed.
 */
import type { Clock } from '../base/clock';
import type { ReplicaManager } from '../replication/replica-manager';
import { Exposition, type Family } from './exposition';
import { sample } from './metric-row';
import { metricsTable } from './metrics-table';
import { type Phase, whatIsMissing } from './readiness';
import { openScrape, type Sources } from './scrape';

export interface Report {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | AsyncIterable<string>;
}

/** Kafka's numbers for the states of a broker. */
const BROKER_STATE: Readonly<Record<Phase, number>> = { starting: 1, serving: 3, stopping: 6 };

const BROKER_STATE_FAMILY = {
  name: 'kafka_server_kafkaserver_brokerstate',
  type: 'gauge',
  help: '1: the broker starts; 3: it serves; 6: it stops',
  labels: [],
} as const;

/** Scrapes at the same time; more have to come again. */
const MAX_SCRAPES = 2;
const JSON_TYPE = 'application/json';

const OK = 200;
const UNAVAILABLE = 503;

export class Observatory {
  readonly #exposition: Exposition;
  #phase: Phase = 'starting';
  #parts: Sources | undefined;
  #scrapes = 0;

  constructor(clock: Clock) {
    this.#exposition = new Exposition(clock);
  }

  /** The broker serves, and these are its parts. */
  onServing(parts: Sources): void {
    this.#parts = parts;
    if (this.#phase === 'starting') this.#phase = 'serving';
  }

  onStopping(): void {
    this.#phase = 'stopping';
  }

  /** The answer for `path`; undefined where there is none. */
  async report(path: string): Promise<Report | undefined> {
    switch (path) {
      case '/metrics':
        return this.#metrics();
      case '/health':
        // That it is answered says that the process lives and its loop turns.
        return json(OK, { status: 'ok', phase: this.#phase });
      case '/ready':
        return this.#ready();
      default:
        return undefined;
    }
  }

  async #ready(): Promise<Report> {
    const missing = whatIsMissing(this.#phase, await this.#facts());
    return missing.length === 0 ? json(OK, { ready: true }) : json(UNAVAILABLE, { ready: false, missing });
  }

  async #facts() {
    if (this.#phase !== 'serving' || this.#parts === undefined) return undefined;
    const { services } = this.#parts;
    return { logDirs: await services.describeLogDirs(), offlinePartitions: offlineCount(services.replicaManager) };
  }

  #metrics(): Report {
    if (this.#scrapes >= MAX_SCRAPES) return json(UNAVAILABLE, { error: 'other scrapes are under way' });
    return { status: OK, contentType: this.#exposition.contentType, body: this.#scrape() };
  }

  async *#scrape(): AsyncIterable<string> {
    this.#scrapes++;
    try {
      yield* this.#exposition.pieces(await this.#families());
    } finally {
      this.#scrapes--;
    }
  }

  /** Little before the broker serves and while its parts are being closed. */
  async #families(): Promise<Family[]> {
    const state: Family = { ...BROKER_STATE_FAMILY, samples: [sample(BROKER_STATE[this.#phase])] };
    if (this.#parts === undefined || this.#phase === 'stopping') return [state];
    const scrape = await openScrape(this.#parts);
    const families = metricsTable.map(({ collect, ...family }) => ({ ...family, samples: collect(scrape) }));
    return [state, ...families, ...clientFamilies(this.#parts)];
  }
}

/** What clients pushed (KIP-714): under their names, with labels that say whose it is. */
function clientFamilies({ services }: Sources): Family[] {
  const byName = services.telemetry.pushed.series(services.clock.monotonicMs());
  return [...byName].map(([name, series]) => {
    const { help, type } = series[0]!;
    const labels = [...new Set(series.flatMap((each) => Object.keys(each.labels)))];
    return { name, help, type, labels, samples: series };
  });
}

function json(status: number, value: unknown): Report {
  return { status, contentType: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
}

function offlineCount(replicaManager: ReplicaManager): number {
  let count = 0;
  for (const [, partition] of replicaManager.partitions()) if (partition === undefined || partition.hasFailed) count++;
  return count;
}
