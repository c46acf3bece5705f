/** A broker that is scraped over HTTP after real traffic: its numbers are those of what was sent. */
import { newMetadataRequest } from './codec/generated/03-metadata';
import { apis } from './codec/generated/apis';
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
