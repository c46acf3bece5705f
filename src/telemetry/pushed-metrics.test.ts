/** What is kept of pushes, under which names, for how long and how much. */
import { LONGEST_TEXT, type PushedPoint } from './otlp-metrics';
import { PushedMetrics } from './pushed-metrics';

const point = (o: Partial<PushedPoint>): PushedPoint => ({
  name: 'org.apache.kafka.producer.x',
  help: 'help',
  kind: 'gauge',
  isDelta: false,
  value: 1,
  attributes: new Map(),
  ...o,
});

const own = (id: string, expiresAtMs = 1000) => ({ labels: { client_instance_id: id }, expiresAtMs });

function values(metrics: PushedMetrics, nowMs = 0): unknown {
  return [...metrics.series(nowMs).values()].flat().map(({ name, labels, value }) => [name, labels, value]);
}

it('keeps the last gauges and adds up sums, client by client', () => {
  const metrics = new PushedMetrics();
  const total = { name: 'org.apache.kafka.producer.record.total', kind: 'sum', isDelta: true } as const;
  metrics.onPush('a', [point({ value: 1 }), point({ ...total, value: 10 })], own('a'));
  metrics.onPush('b', [point({ value: 7 })], own('b'));
  metrics.onPush('a', [point({ ...total, value: 5 })], own('a'));
  expect(values(metrics)).toEqual([
    ['org_apache_kafka_producer_x', { client_instance_id: 'b' }, 7],
    ['org_apache_kafka_producer_record_total', { client_instance_id: 'a' }, 15],
  ]);
  metrics.onPush('a', [point({ ...total, isDelta: false, value: 100 })], own('a'));
  expect(values(metrics)).toContainEqual(['org_apache_kafka_producer_record_total', { client_instance_id: 'a' }, 100]);
});

it('forgets a client when its time is over', () => {
  const metrics = new PushedMetrics();
  metrics.onPush('a', [point({})], own('a', 500));
  metrics.onPush('b', [point({})], own('b', 1000));
  expect([metrics.series(499).size, metrics.clientCount]).toEqual([1, 2]);
  metrics.series(500);
  expect(metrics.clientCount).toBe(1);
  metrics.series(1000);
  expect(metrics.clientCount).toBe(0);
});

it('makes names and labels that Prometheus takes and that look like nobody else', () => {
  const metrics = new PushedMetrics();
  const attributes = new Map([
    ['a-b', 'x'],
    ['1st', 'y'],
    ['__name__', 'z'],
    ['client_instance_id', 'forged'],
  ]);
  metrics.onPush('a', [point({ name: 'kafka_server_x{"}', attributes }), point({ name: '' })], own('a'));
  expect(values(metrics)).toEqual([['client_kafka_server_x___', { a_b: 'x', client_instance_id: 'a' }, 1]]);
});

it('leaves out sums that are none, and types that differ from the first', () => {
  const metrics = new PushedMetrics();
  metrics.onPush('a', [point({ value: Number.NaN }), point({ name: 's', kind: 'sum', value: -1 })], own('a'));
  metrics.onPush('b', [point({ kind: 'sum', value: 2 })], own('b'));
  expect(values(metrics)).toEqual([['org_apache_kafka_producer_x', { client_instance_id: 'a' }, Number.NaN]]);
});

it('keeps so much of one client, and of all', () => {
  const metrics = new PushedMetrics();
  const many = Array.from({ length: 3000 }, (_, i) => point({ attributes: new Map([['i', String(i)]]) }));
  metrics.onPush('a', many, own('a'));
  expect([...metrics.series(0).values()].flat()).toHaveLength(1000);
  for (let client = 0; client < 60; client++) metrics.onPush(String(client), many, own(String(client)));
  expect([metrics.clientCount, [...metrics.series(0).values()].flat().length]).toEqual([50, 50_000]);
  const labels = new Map(Array.from({ length: 17 }, (_, i) => [`l${i}`, 'x']));
  const other = new PushedMetrics();
  other.onPush('a', [point({ attributes: labels }), point({ name: 'x'.repeat(300) })], own('a'));
  expect(values(other)).toEqual([]);
});

it('keeps so many characters of all', () => {
  const metrics = new PushedMetrics();
  const text = 'x'.repeat(LONGEST_TEXT);
  const attributes = (i: number) => new Map(Array.from({ length: 16 }, (_, at) => [`l${i}_${at}`, text] as const));
  const many = Array.from({ length: 1000 }, (_, i) => point({ attributes: attributes(i) }));
  for (let client = 6; client < 10; client++) metrics.onPush(String(client), many, own(String(client)));
  expect(metrics.clientCount).toBe(3);
  metrics.onPush('9', [], own('9'));
  for (let client = 20; client < 22; client++) metrics.onPush(String(client), many, own(String(client)));
  // With the one that has nothing.
  expect(metrics.clientCount).toBe(4);
});

it('gives the series of one name so many labels and no more', () => {
  const metrics = new PushedMetrics();
  const labelled = (i: number) => point({ attributes: new Map([[`l${i}`, 'x']]) });
  metrics.onPush(
    'a',
    Array.from({ length: 1000 }, (_, i) => labelled(i)),
    own('a'),
  );
  metrics.onPush('b', [labelled(5), labelled(500)], own('b'));
  const [series] = [...metrics.series(0).values()];
  expect(new Set(series!.flatMap(({ labels }) => Object.keys(labels))).size).toBe(64);
  expect(series!.filter(({ labels }) => Object.values(labels).includes('b'))).toHaveLength(1);
});

it('adds sums up to the largest number, which Prometheus still takes', () => {
  const metrics = new PushedMetrics();
  for (let push = 0; push < 2; push++) {
    metrics.onPush('a', [point({ kind: 'sum', isDelta: true, value: 1.7e308 })], own('a'));
  }
  expect(values(metrics)).toEqual([['org_apache_kafka_producer_x', { client_instance_id: 'a' }, Number.MAX_VALUE]]);
});
