/**
 * Rows of the table of metrics: replicas and partitions of this broker. (Kafka: `kafka.server:type=ReplicaManager`,
 * `kafka.cluster:type=Partition`.)
 */
import type { Partition } from '../replication/partition';
import { counter, gauge, type MetricRow, sample } from './metric-row';
import type { Scrape } from './scrape';

const MANAGER = 'kafka_server_replicamanager_';

function isOffline(partition: Partition | undefined): boolean {
  return partition === undefined || partition.hasFailed;
}

function count({ services }: Scrape, counts: (partition: Partition | undefined) => boolean): number {
  let found = 0;
  for (const [, partition] of services.replicaManager.partitions()) if (counts(partition)) found++;
  return found;
}

/** Over the partitions that this broker leads. */
function countLed(scrape: Scrape, counts: (partition: Partition) => boolean): number {
  return count(scrape, (partition) => partition?.isLeader === true && counts(partition));
}

const isUnderReplicated = ({ replication: { inSync, replicas } }: Partition): boolean => inSync < replicas;
const isUnderMinIsr = ({ replication: { inSync, minInSync } }: Partition): boolean => inSync < minInSync;
const isAtMinIsr = ({ replication: { inSync, minInSync } }: Partition): boolean => inSync === minInSync;

function byPartition(name: string, help: string, read: (partition: Partition) => number): MetricRow {
  return {
    name: `kafka_cluster_partition_${name}`,
    type: 'gauge',
    help,
    labels: ['topic', 'partition'],
    collect: function* ({ services }) {
      for (const [{ topic, partition }, hosted] of services.replicaManager.partitions()) {
        if (hosted?.isLeader) yield sample(read(hosted), { topic, partition: String(partition) });
      }
    },
  };
}

export const partitionMetrics: readonly MetricRow[] = [
  gauge(`${MANAGER}partitioncount`, 'Partitions on this broker', (scrape) => count(scrape, () => true)),
  gauge(`${MANAGER}leadercount`, 'Partitions that this broker leads', (scrape) => countLed(scrape, () => true)),
  gauge(`${MANAGER}offlinereplicacount`, 'Partitions whose log cannot be used', (scrape) => count(scrape, isOffline)),
  gauge(`${MANAGER}underreplicatedpartitions`, 'Partitions with replicas out of sync', (scrape) =>
    countLed(scrape, isUnderReplicated),
  ),
  gauge(`${MANAGER}underminisrpartitioncount`, 'Partitions with too few replicas in sync for acks=all', (scrape) =>
    countLed(scrape, isUnderMinIsr),
  ),
  gauge(`${MANAGER}atminisrpartitioncount`, 'Partitions with as many in-sync replicas as acks=all needs', (scrape) =>
    countLed(scrape, isAtMinIsr),
  ),
  gauge(`${MANAGER}reassigningpartitions`, 'Partitions on their way to other brokers: there are none', () => 0),
  counter(`${MANAGER}isrshrinks_total`, 'Replicas that fell out of sync: one broker has no others', () => 0),
  counter(`${MANAGER}isrexpands_total`, 'Replicas that came into sync: one broker has no others', () => 0),
  counter(`${MANAGER}failedisrupdates_total`, 'Failed changes of in-sync replicas', () => 0),
  {
    name: 'kafka_server_replicafetchermanager_maxlag',
    type: 'gauge',
    help: 'Messages that followers here are behind: there are no followers',
    labels: ['clientId'],
    collect: () => [sample(0, { clientId: 'Replica' })],
  },
  byPartition('underreplicated', '1 where replicas are out of sync', (partition) =>
    Number(isUnderReplicated(partition)),
  ),
  byPartition('underminisr', '1 where too few are in sync for acks=all', (partition) =>
    Number(isUnderMinIsr(partition)),
  ),
  byPartition('atminisr', '1 where just enough are in sync for acks=all', (partition) => Number(isAtMinIsr(partition))),
  byPartition('replicascount', 'Replicas', ({ replication }) => replication.replicas),
  byPartition('insyncreplicascount', 'Replicas in sync', ({ replication }) => replication.inSync),
  byPartition(
    'laststableoffsetlag',
    'Messages of open transactions, hidden from read_committed readers',
    ({ highWatermark, lastStableOffset }) => highWatermark - lastStableOffset,
  ),
];
