/** A broker that is scraped over HTTP after real traffic: its numbers are those of what was sent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newMetadataRequest } from './codec/generated/03-metadata';
import {
  newOffsetCommitRequest,
  newOffsetCommitRequestPartition,
  newOffsetCommitRequestTopic,
} from './codec/generated/08-offset-commit';
import { newFindCoordinatorRequest } from './codec/generated/10-find-coordinator';
import { newApiVersionsRequest } from './codec/generated/18-api-versions';
import { newDeleteTopicsRequest } from './codec/generated/20-delete-topics';
import {
  newAlterableConfig,
  newAlterConfigsResource,
  newIncrementalAlterConfigsRequest,
} from './codec/generated/44-incremental-alter-configs';
import {
  newAlterClientQuotasRequest,
  newAlterClientQuotasRequestEntityData,
  newAlterClientQuotasRequestEntryData,
  newOpData,
} from './codec/generated/49-alter-client-quotas';
import { newGetTelemetrySubscriptionsRequest } from './codec/generated/71-get-telemetry-subscriptions';
import { newPushTelemetryRequest } from './codec/generated/72-push-telemetry';
import { apis } from './codec/generated/apis';
import { otlpMetrics } from './testing/otlp';
import { TestBrokers } from './testing/test-broker';
import { createTopic, fetchRequest, produce, produceRequest } from './testing/wire-records';

const brokers = new TestBrokers();
const LISTENER = { 'odradek.metrics.listener': '127.0.0.1:0' };

afterEach(() => brokers.close());

type Samples = ReadonlyMap<string, number>;

/** Series with their labels → value. */
function parse(text: string): Samples {
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const space = line.lastIndexOf(' ');
    if (samples.has(line.slice(0, space))) throw new Error(`twice: ${line}`);
    samples.set(line.slice(0, space), Number(line.slice(space + 1)));
  }
  return samples;
}

async function scrape(port: number): Promise<Samples> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return parse(await answer.text());
}

const topicMetric = (name: string, topic?: string) =>
  `kafka_server_brokertopicmetrics_${name}_total${topic === undefined ? '' : `{topic="${topic}"}`}`;

it('serves numbers that are exactly those of the traffic', async () => {
  const broker = await brokers.start({ config: LISTENER });
  const client = await brokers.connect(broker);
  await createTopic(client, 'orders', 3);
  await createTopic(client, 'idle');
  let bytesIn = 0;
  for (const [values, partition] of [
    [['a', 'b', 'c'], 0],
    [['d'], 2],
  ] as const) {
    const options = { topic: 'orders', partition, values };
    bytesIn += (produceRequest(options).topicData[0]!.partitionData[0]!.records as Buffer).length;
    await produce(client, options);
  }
  await client.call({ api: apis.Fetch, version: 11, request: fetchRequest({ topic: 'orders' }) });
  await client.call({ api: apis.Metadata, version: 9, request: newMetadataRequest() });
  await client.call({ api: apis.Metadata, version: 9, request: newMetadataRequest() });
  const read = (
    produceRequest({ topic: 'orders', values: ['a', 'b', 'c'] }).topicData[0]!.partitionData[0]!.records as Buffer
  ).length;
  const samples = await scrape(broker.metricsPort!);
  const expected = {
    [topicMetric('messagesin', 'orders')]: 4,
    [topicMetric('messagesin')]: 4,
    [topicMetric('bytesin', 'orders')]: bytesIn,
    [topicMetric('bytesin')]: bytesIn,
    [topicMetric('bytesout', 'orders')]: read,
    [topicMetric('totalproducerequests', 'orders')]: 2,
    [topicMetric('failedproducerequests', 'orders')]: 0,
    [topicMetric('totalfetchrequests', 'orders')]: 1,
    'kafka_network_requestmetrics_requests_total{request="Produce",version="9"}': 2,
    'kafka_network_requestmetrics_requests_total{request="Metadata",version="9"}': 2,
    'kafka_network_requestmetrics_requests_total{request="CreateTopics",version="5"}': 2,
    'kafka_network_requestmetrics_requests_total{request="FetchConsumer",version="11"}': 1,
    'kafka_network_requestmetrics_totaltimems_count{request="Produce"}': 2,
    kafka_server_replicamanager_partitioncount: 4,
    kafka_server_replicamanager_leadercount: 4,
    kafka_server_replicamanager_underreplicatedpartitions: 0,
    kafka_server_replicamanager_offlinereplicacount: 0,
    kafka_controller_kafkacontroller_activecontrollercount: 1,
    kafka_controller_kafkacontroller_offlinepartitionscount: 0,
    kafka_controller_kafkacontroller_globaltopiccount: 2,
    kafka_controller_kafkacontroller_globalpartitioncount: 4,
    'kafka_log_log_logendoffset{topic="orders",partition="0"}': 3,
    'kafka_log_log_logendoffset{topic="orders",partition="2"}': 1,
    'kafka_log_log_logstartoffset{topic="orders",partition="0"}': 0,
    'kafka_log_log_numlogsegments{topic="orders",partition="0"}': 1,
    'kafka_log_log_size{topic="orders",partition="0"}': read,
    'kafka_cluster_partition_underminisr{topic="orders",partition="1"}': 0,
    'kafka_server_socket_server_metrics_connection_count{listener="PLAINTEXT",networkProcessor="0"}': 1,
    'kafka_server_socketservermetrics_connection_count{listener="PLAINTEXT",network_processor="0"}': 1,
    kafka_server_kafkaserver_brokerstate: 3,
    kafka_coordinator_group_groupmetadatamanager_numgroups: 0,
    'kafka_log_logmanager_logdirectoryoffline{logDirectory="/odradek"}': 0,
  };
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, samples.get(name)]))).toEqual(expected);
  expect(samples.has(topicMetric('messagesin', 'idle'))).toBe(false);
});

it('tells how far groups are behind', async () => {
  const broker = await brokers.start({ config: { ...LISTENER, 'offsets.topic.num.partitions': 1 } });
  const client = await brokers.connect(broker);
  await createTopic(client, 'orders');
  await produce(client, { topic: 'orders', values: ['a', 'b', 'c', 'd', 'e'] });
  const key = { coordinatorKeys: ['readers'], keyType: 0 };
  await client.call({ api: apis.FindCoordinator, version: 4, request: newFindCoordinatorRequest(key) });
  const partitions = [newOffsetCommitRequestPartition({ partitionIndex: 0, committedOffset: 2 })];
  const topics = [newOffsetCommitRequestTopic({ name: 'orders', partitions })];
  const request = newOffsetCommitRequest({ groupId: 'readers', generationIdOrMemberEpoch: -1, topics });
  const { topics: answers } = await client.call({ api: apis.OffsetCommit, version: 8, request });
  expect(answers[0]!.partitions[0]!.errorCode).toBe(0);
  const samples = await scrape(broker.metricsPort!);
  const labels = '{consumergroup="readers",topic="orders",partition="0"}';
  expect(samples.get(`kafka_consumergroup_lag${labels}`)).toBe(3);
  expect(samples.get(`kafka_consumergroup_current_offset${labels}`)).toBe(2);
  expect(samples.get('kafka_coordinator_group_groupmetadatamanager_numgroups')).toBe(1);
  expect(samples.get('kafka_coordinator_group_groupmetadatamanager_numgroupsempty')).toBe(1);
});

it('ends the series of a topic with the topic', async () => {
  const broker = await brokers.start({ config: LISTENER });
  const client = await brokers.connect(broker);
  await createTopic(client, 'gone');
  await produce(client, { topic: 'gone', values: ['a'] });
  const namesOf = async () => [...(await scrape(broker.metricsPort!)).keys()].filter((name) => name.includes('gone'));
  expect((await namesOf()).length).toBeGreaterThan(10);
  const request = newDeleteTopicsRequest({ topicNames: ['gone'], timeoutMs: 5000 });
  await client.call({ api: apis.DeleteTopics, version: 5, request });
  expect(await namesOf()).toEqual([]);
});

it('shows what clients push', async () => {
  const broker = await brokers.start({ config: LISTENER });
  const client = await brokers.connect(broker, 'pusher');
  const settings = { metrics: 'org.apache.kafka.producer.', 'interval.ms': '100', match: 'client_id=push.*' };
  const configs = Object.entries(settings).map(([name, value]) => newAlterableConfig({ name, value }));
  const resources = [newAlterConfigsResource({ resourceType: 16, resourceName: 'sub', configs })];
  const alteration = newIncrementalAlterConfigsRequest({ resources });
  const altered = await client.call({ api: apis.IncrementalAlterConfigs, version: 1, request: alteration });
  expect(altered.responses[0]!.errorCode).toBe(0);
  const ask = newGetTelemetrySubscriptionsRequest();
  const asked = await client.call({ api: apis.GetTelemetrySubscriptions, version: 0, request: ask });
  expect(asked).toMatchObject({ errorCode: 0, requestedMetrics: [settings.metrics], pushIntervalMs: 100 });
  const { clientInstanceId, subscriptionId } = asked;
  const metrics = otlpMetrics([{ name: 'org.apache.kafka.producer.record.send.total', delta: 42 }]);
  const push = newPushTelemetryRequest({ clientInstanceId, subscriptionId, terminating: true, metrics });
  expect(await client.call({ api: apis.PushTelemetry, version: 0, request: push })).toMatchObject({ errorCode: 0 });
  const labels = `client_instance_id="${clientInstanceId}",client_id="pusher"`;
  const software = 'client_software_name="unknown",client_software_version="unknown"';
  const samples = await scrape(broker.metricsPort!);
  expect(samples.get(`org_apache_kafka_producer_record_send_total{${labels},${software}}`)).toBe(42);
  expect(samples.get('kafka_server_client_metrics_plugin_export_count')).toBe(1);
});

it('tells which clients are connected', async () => {
  const broker = await brokers.start({ config: LISTENER });
  const [first, second] = [await brokers.connect(broker), await brokers.connect(broker)];
  await brokers.connect(broker);
  const request = newApiVersionsRequest({ clientSoftwareName: 'kit', clientSoftwareVersion: '1.0' });
  for (const client of [first, second]) await client.call({ api: apis.ApiVersions, version: 3, request });
  const samples = await scrape(broker.metricsPort!);
  const count = (name: string, version: string) => {
    const software = `clientSoftwareName="${name}",clientSoftwareVersion="${version}"`;
    const rest = 'listener="PLAINTEXT",networkProcessor="0"';
    return samples.get(`kafka_server_socket_server_metrics_connections_software{${software},${rest}}`);
  };
  expect([count('kit', '1.0'), count('unknown', 'unknown')]).toEqual([2, 1]);
});

it('shows for how long quotas hold clients back', async () => {
  const broker = await brokers.start({ config: LISTENER });
  const [admin, client] = [await brokers.connect(broker), await brokers.connect(broker, 'greedy')];
  await createTopic(admin, 'held');
  const entity = [newAlterClientQuotasRequestEntityData({ entityType: 'client-id', entityName: 'greedy' })];
  const ops = [newOpData({ key: 'producer_byte_rate', value: 1 })];
  const request = newAlterClientQuotasRequest({ entries: [newAlterClientQuotasRequestEntryData({ entity, ops })] });
  await admin.call({ api: apis.AlterClientQuotas, version: 1, request });
  await produce(client, { topic: 'held', values: ['x'.repeat(1000)] });
  const samples = await scrape(broker.metricsPort!);
  const throttled = (api: string) =>
    samples.get(`kafka_network_requestmetrics_throttletimems{request="${api}",quantile="0.99"}`);
  expect(throttled('Produce')).toBeGreaterThan(1000);
  expect(throttled('CreateTopics')).toBe(0);
});

it('is ready while it serves, and says so', async () => {
  const broker = await brokers.start({ config: LISTENER });
  const base = `http://127.0.0.1:${broker.metricsPort}`;
  const [ready, health, other] = [await fetch(`${base}/ready`), await fetch(`${base}/health`), await fetch(`${base}/`)];
  expect([ready.status, await ready.json()]).toEqual([200, { ready: true }]);
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok', phase: 'serving' }]);
  expect(other.status).toBe(404);
  await broker.close();
  await expect(fetch(`${base}/health`)).rejects.toThrow();
});

it('is not ready when a log directory is gone', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-observation-'));
  const broker = await brokers.start({ config: LISTENER, dataDir, logLevel: 'silent' });
  const ready = () => fetch(`http://127.0.0.1:${broker.metricsPort}/ready`);
  expect((await ready()).status).toBe(200);
  rmSync(dataDir, { recursive: true });
  const answer = await ready();
  const missing = [`the log directory ${dataDir} cannot be used`];
  expect([answer.status, await answer.json()]).toEqual([503, { ready: false, missing }]);
  const samples = await scrape(broker.metricsPort!);
  expect(samples.get('kafka_log_logmanager_offlinelogdirectorycount')).toBe(1);
  expect(samples.get(`kafka_log_logmanager_logdirectoryoffline{logDirectory="${dataDir}"}`)).toBe(1);
});

it('serves nothing over HTTP unless it is told to, and says what it cannot listen on', async () => {
  const broker = await brokers.start();
  const other = await brokers.start({ config: { 'odradek.metrics.listener': '' } });
  expect([broker.metricsPort, other.metricsPort]).toEqual([undefined, undefined]);
  const config = { 'odradek.metrics.listener': `127.0.0.1:${broker.port}` };
  await expect(brokers.start({ config })).rejects.toThrow(`cannot listen on http://127.0.0.1:${broker.port}`);
});

/**
 * What the queries of public dashboards for Kafka behind the JMX exporter ask for: Strimzi's for Kafka, and Grafana's
 * own for Kafka. Left out are Java's memory and ZooKeeper, which are not here, and what other exporters tell.
 */
const DASHBOARDS: readonly string[] = [
  'kafka_cluster_partition_atminisr',
  'kafka_cluster_partition_underminisr',
  'kafka_cluster_partition_underreplicated',
  'kafka_controller_controllerstats_uncleanleaderelections_total',
  'kafka_controller_kafkacontroller_activecontrollercount',
  'kafka_controller_kafkacontroller_offlinepartitionscount',
  'kafka_controller_kafkacontroller_preferredreplicaimbalancecount',
  'kafka_log_log_logendoffset',
  'kafka_log_log_logstartoffset',
  'kafka_log_log_size',
  'kafka_log_logmanager_offlinelogdirectorycount',
  'kafka_network_requestmetrics_localtimems',
  'kafka_network_requestmetrics_remotetimems',
  'kafka_network_requestmetrics_requestqueuetimems',
  'kafka_network_requestmetrics_responsequeuetimems',
  'kafka_network_requestmetrics_responsesendtimems',
  'kafka_network_socketserver_networkprocessoravgidle_percent',
  'kafka_server_brokertopicmetrics_bytesin_total',
  'kafka_server_brokertopicmetrics_bytesout_total',
  'kafka_server_brokertopicmetrics_failedfetchrequests_total',
  'kafka_server_brokertopicmetrics_failedproducerequests_total',
  'kafka_server_brokertopicmetrics_fetchmessageconversions_total',
  'kafka_server_brokertopicmetrics_messagesin_total',
  'kafka_server_brokertopicmetrics_producemessageconversions_total',
  'kafka_server_brokertopicmetrics_totalfetchrequests_total',
  'kafka_server_brokertopicmetrics_totalproducerequests_total',
  'kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent',
  'kafka_server_kafkaserver_brokerstate',
  'kafka_server_kafkaserver_linux_disk_read_bytes',
  'kafka_server_kafkaserver_linux_disk_write_bytes',
  'kafka_server_replicamanager_isrexpands_total',
  'kafka_server_replicamanager_isrshrinks_total',
  'kafka_server_replicamanager_leadercount',
  'kafka_server_replicamanager_partitioncount',
  'kafka_server_replicamanager_underminisrpartitioncount',
  'kafka_server_replicamanager_underreplicatedpartitions',
  'kafka_server_socket_server_metrics_connection_count',
  'process_cpu_seconds_total',
  'process_open_fds',
];

it('has data for the queries of public dashboards', async () => {
  const broker = await brokers.start({ config: LISTENER });
  const client = await brokers.connect(broker);
  await createTopic(client, 't');
  await produce(client, { topic: 't', values: ['a'] });
  await client.call({ api: apis.Fetch, version: 11, request: fetchRequest({ topic: 't' }) });
  const present = new Set([...(await scrape(broker.metricsPort!)).keys()].map((series) => series.split('{', 1)[0]));
  expect(DASHBOARDS.filter((name) => !present.has(name))).toEqual([]);
});
