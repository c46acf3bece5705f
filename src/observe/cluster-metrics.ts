/** Rows of the table of metrics: the controller. (Kafka: the beans of `kafka.controller`.) */
import { NO_LEADER, type PartitionImage } from '../cluster/metadata-image';
import { counter, gauge, type MetricRow } from './metric-row';
import type { Scrape } from './scrape';

const CONTROLLER = 'kafka_controller_kafkacontroller_';

function countPartitions({ services }: Scrape, counts: (partition: PartitionImage) => boolean): number {
  let found = 0;
  for (const { partitions } of services.metadata.image.topics()) {
    for (const partition of partitions) if (counts(partition)) found++;
  }
  return found;
}

function countTopics({ services }: Scrape): number {
  return [...services.metadata.image.topics()].length;
}

export const clusterMetrics: readonly MetricRow[] = [
  gauge(`${CONTROLLER}activecontrollercount`, '1 where this broker is the controller', ({ services }) =>
    Number(services.metadata.image.controllerId === services.brokerId),
  ),
  gauge(
    `${CONTROLLER}activebrokercount`,
    'Brokers of the cluster',
    ({ services }) => services.metadata.image.brokers.size,
  ),
  gauge(`${CONTROLLER}fencedbrokercount`, 'Brokers that are fenced: there are none', () => 0),
  gauge(`${CONTROLLER}globaltopiccount`, 'Topics of the cluster', countTopics),
  gauge(`${CONTROLLER}globalpartitioncount`, 'Partitions of the cluster', (scrape) =>
    countPartitions(scrape, () => true),
  ),
  gauge(`${CONTROLLER}offlinepartitionscount`, 'Partitions without a leader', (scrape) =>
    countPartitions(scrape, ({ leader }) => leader === NO_LEADER),
  ),
  gauge(`${CONTROLLER}preferredreplicaimbalancecount`, 'Partitions that the first replica does not lead', (scrape) =>
    countPartitions(scrape, ({ leader, replicas }) => leader !== replicas[0]),
  ),
  counter(
    'kafka_controller_controllerstats_uncleanleaderelections_total',
    'Leaders that were not in sync: one broker elects none',
    () => 0,
  ),
];
