/**
 * Rows of the table of metrics: connections, requests that wait, how busy the event loop is.
 * (Kafka: `kafka.network`, `kafka.server:type=socket-server-metrics`, `FetchSessionCache`…) What are
 * threads there is the event loop here: its idle share stands for theirs.
 */
import type { ListenerCounts } from '../base/transport';
import { counter, gauge, type MetricRow, type Sample, sample } from './metric-row';
import type { Scrape } from './scrape';

const CLIENT_METRICS = 'kafka_server_client_metrics_';
const SOCKETS = 'kafka_server_socket_server_metrics_';
const SESSIONS = 'kafka_server_fetchsessioncache_';

/** There is one network thread, so to speak. */
const PROCESSOR = '0';

function byListener(
  o: Pick<MetricRow, 'name' | 'type' | 'help'> & { processorLabel?: string },
  read: (counts: ListenerCounts) => number,
): MetricRow {
  const { processorLabel = 'networkProcessor', ...row } = o;
  return {
    ...row,
    labels: ['listener', processorLabel],
    collect: ({ network }) =>
      network.listeners.map((counts) =>
        sample(read(counts), { listener: counts.listener, [processorLabel]: PROCESSOR }),
      ),
  };
}

/** Both spellings that the usual rule sets make of one bean. */
const connectionCounts = [
  { name: `${SOCKETS}connection_count`, type: 'gauge', help: 'Open connections' },
  {
    name: 'kafka_server_socketservermetrics_connection_count',
    type: 'gauge',
    help: 'Open connections',
    processorLabel: 'network_processor',
  },
] as const;

/** Clients choose these names. */
const LONGEST_NAME = 100;

/** How many connections there are of each kind of client, as they call themselves (KIP-511). */
function* bySoftware({ network, services }: Scrape): Iterable<Sample> {
  const counts = new Map<string, { readonly labels: Sample['labels']; count: number }>();
  for (const connection of network.connections) {
    const { name, version } = services.clientSoftware.of(connection);
    const labels = {
      clientSoftwareName: name.slice(0, LONGEST_NAME),
      clientSoftwareVersion: version.slice(0, LONGEST_NAME),
      listener: connection.listenerName,
      networkProcessor: PROCESSOR,
    };
    const key = JSON.stringify(labels);
    const same = counts.get(key);
    if (same) same.count++;
    else counts.set(key, { labels, count: 1 });
  }
  for (const { labels, count } of counts.values()) yield sample(count, labels);
}

export const networkMetrics: readonly MetricRow[] = [
  {
    name: `${SOCKETS}connections_software`,
    type: 'gauge',
    help: 'Open connections by what clients say that they are',
    labels: ['clientSoftwareName', 'clientSoftwareVersion', 'listener', 'networkProcessor'],
    collect: bySoftware,
  },
  ...connectionCounts.map((row) => byListener(row, ({ open }) => open)),
  byListener(
    { name: `${SOCKETS}connection_creation_total`, type: 'counter', help: 'Connections that were accepted' },
    ({ created }) => created,
  ),
  byListener(
    { name: `${SOCKETS}connection_close_total`, type: 'counter', help: 'Connections that ended' },
    ({ closed }) => closed,
  ),
  gauge(
    'kafka_network_requestchannel_requestqueuesize',
    'Requests that wait for their turn',
    (scrape) => scrape.network.waitingRequests,
  ),
  gauge(
    'kafka_network_requestchannel_responsequeuesize',
    'Requests that are served, long polls included',
    (scrape) => scrape.network.runningRequests,
  ),
  gauge(
    'kafka_network_socketserver_memorypoolused',
    'Bytes of requests in memory',
    ({ network }) => network.requestMemoryUsedBytes,
  ),
  gauge(
    'kafka_network_socketserver_memorypoolavailable',
    'Bytes of requests for which there is memory',
    ({ network }) => Math.max(0, network.requestMemoryBytes - network.requestMemoryUsedBytes),
  ),
  gauge(
    'kafka_network_socketserver_networkprocessoravgidle_percent',
    'Idle share of the event loop, 0 to 1',
    (scrape) => scrape.idleShare,
  ),
  gauge(
    'kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent',
    'Idle share of the event loop, 0 to 1',
    ({ idleShare }) => idleShare,
  ),
  {
    name: 'kafka_server_delayedoperationpurgatory_purgatorysize',
    type: 'gauge',
    help: 'Requests that wait: fetches for records; produces wait for no other broker',
    labels: ['delayedOperation'],
    collect: ({ services }) => [
      sample(services.replicaManager.waitingFetches, { delayedOperation: 'Fetch' }),
      sample(0, { delayedOperation: 'Produce' }),
    ],
  },
  gauge(`${SESSIONS}numincrementalfetchsessions`, 'Fetch sessions', ({ services }) => services.fetchSessions.size),
  gauge(
    `${SESSIONS}numincrementalfetchpartitionscached`,
    'Partitions of fetch sessions',
    ({ services }) => services.fetchSessions.partitionCount,
  ),
  counter(
    `${SESSIONS}incrementalfetchsessionevictions_total`,
    'Fetch sessions that gave way',
    ({ services }) => services.fetchSessions.evictions,
  ),
  counter(
    'kafka_server_kafkaserver_linux_disk_read_bytes',
    'Bytes that this process had the disks read',
    (scrape) => scrape.disk.readBytes,
  ),
  counter(
    'kafka_server_kafkaserver_linux_disk_write_bytes',
    'Bytes that this process had the disks write',
    (scrape) => scrape.disk.writeBytes,
  ),
  gauge(
    'odradek_event_loop_longest_hold_ms',
    'Longest time since the last scrape in which nothing could run',
    (scrape) => scrape.longestHoldMs,
  ),
  gauge(
    `${CLIENT_METRICS}instance_count`,
    'Clients that asked which metrics to push',
    ({ services }) => services.telemetry.instanceCount,
  ),
  counter(
    `${CLIENT_METRICS}plugin_export_count`,
    'Pushes of client metrics that were taken',
    ({ services }) => services.telemetry.counts.pushes,
  ),
  counter(
    `${CLIENT_METRICS}plugin_error_count`,
    'Pushes of client metrics that were no metrics',
    ({ services }) => services.telemetry.counts.failedPushes,
  ),
  counter(
    `${CLIENT_METRICS}throttle_count`,
    'Requests about client metrics that came too early',
    ({ services }) => services.telemetry.counts.throttled,
  ),
  counter(
    `${CLIENT_METRICS}unknown_subscription_request_count`,
    'Pushes of client metrics for a subscription of another time',
    ({ services }) => services.telemetry.counts.unknownSubscriptions,
  ),
];
