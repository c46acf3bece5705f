/** Rows of the table of metrics: requests by API. (Kafka: the beans of `kafka.network:type=RequestMetrics`.) */
import { type MetricRow, QUANTILES, type Sample, sample } from './metric-row';
import type { ApiNumbers, RequestTimes } from './request-numbers';
import type { Scrape } from './scrape';

const PREFIX = 'kafka_network_requestmetrics_';

const PARTS: readonly (readonly [keyof RequestTimes, string])[] = [
  ['totaltimems', 'Milliseconds from the arrival of a request to the last byte of its answer'],
  ['requestqueuetimems', 'Milliseconds that a request waits for its turn on its connection'],
  ['localtimems', 'Milliseconds for which a request holds the event loop'],
  ['remotetimems', 'Milliseconds that a request waits for the disk, for records or for other members'],
  ['responsequeuetimems', 'Milliseconds that an answer waits for earlier answers of its connection'],
  ['responsesendtimems', 'Milliseconds until the system has taken the whole answer'],
  ['throttletimems', 'Milliseconds for which a quota keeps a connection from being read'],
];

/** The names under which Kafka counts an API. Fetches are told apart by who fetches: here, consumers only. */
function namesOf({ name }: ApiNumbers): readonly string[] {
  return name === 'Fetch' ? ['Fetch', 'FetchConsumer'] : [name];
}

function* each(scrape: Scrape, samples: (api: ApiNumbers, request: string) => Iterable<Sample>): Iterable<Sample> {
  for (const api of scrape.requests.apis()) for (const request of namesOf(api)) yield* samples(api, request);
}

function* quantiles(times: RequestTimes, part: keyof RequestTimes, o: { request: string; nowMs: number }) {
  for (const [q, quantile] of QUANTILES) {
    yield sample(times[part].quantile(q, o.nowMs), { request: o.request, quantile });
  }
}

export const requestMetrics: readonly MetricRow[] = [
  {
    name: `${PREFIX}requests_total`,
    type: 'counter',
    help: 'Requests that were answered',
    labels: ['request', 'version'],
    collect: (scrape) =>
      each(scrape, function* ({ countByVersion }, request) {
        for (const [version, count] of countByVersion.entries()) {
          if (count !== undefined) yield sample(count, { request, version: String(version) });
        }
      }),
  },
  ...PARTS.flatMap(([part, help]): MetricRow[] => [
    {
      name: PREFIX + part,
      type: 'gauge',
      help: `${help}, of the last five to ten minutes`,
      labels: ['request', 'quantile'],
      collect: (scrape) =>
        each(scrape, ({ times }, request) => quantiles(times, part, { request, nowMs: scrape.nowMs })),
    },
    {
      name: `${PREFIX}${part}_count`,
      type: 'counter',
      help: `Requests of which it was measured: ${help}`,
      labels: ['request'],
      collect: (scrape) => each(scrape, ({ times }, request) => [sample(times[part].count, { request })]),
    },
  ]),
];
