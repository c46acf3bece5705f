/**
 * Rows of the table of metrics: groups by state (Kafka: `kafka.coordinator.group:type=GroupMetadataManager`) and how
 * far they have read, under the names of the exporter of lag that is usually run beside Kafka.
 */
import { gauge, type MetricRow, type Sample, sample } from './metric-row';
import type { CommittedOffset, Scrape } from './scrape';

const GROUPS = 'kafka_coordinator_group_groupmetadatamanager_';

function groupsIn(name: string, state: string): MetricRow {
  return gauge(
    `${GROUPS}numgroups${name}`,
    `Groups in state ${state}`,
    ({ groups }) => groups.filter((group) => group.state === state).length,
  );
}

/** For each partition in which a group has committed an offset; none where `read` knows nothing. */
function byCommitted(
  name: string,
  help: string,
  read: (scrape: Scrape, committed: CommittedOffset) => number | undefined,
): MetricRow {
  return {
    name: `kafka_consumergroup_${name}`,
    type: 'gauge',
    help,
    labels: ['consumergroup', 'topic', 'partition'],
    collect: function* (scrape): Iterable<Sample> {
      for (const { groupId, committed } of scrape.groups) {
        for (const each of committed) {
          const value = read(scrape, each);
          const labels = { consumergroup: groupId, topic: each.topic, partition: String(each.partition) };
          if (value !== undefined) yield sample(value, labels);
        }
      }
    },
  };
}

function lagOf({ services }: Scrape, { topic, partition, offset }: CommittedOffset): number | undefined {
  const offsets = services.replicaManager.partitionOffsets({ topic, partition });
  return offsets.ok ? Math.max(0, offsets.value.highWatermark - offset) : undefined;
}

export const groupMetrics: readonly MetricRow[] = [
  gauge(`${GROUPS}numgroups`, 'Groups that this broker coordinates', ({ groups }) => groups.length),
  groupsIn('stable', 'Stable'),
  groupsIn('empty', 'Empty'),
  groupsIn('preparingrebalance', 'PreparingRebalance'),
  groupsIn('completingrebalance', 'CompletingRebalance'),
  groupsIn('dead', 'Dead'),
  byCommitted('current_offset', 'Offset that a group has committed', (_, { offset }) => offset),
  byCommitted('lag', 'Messages between what a group has committed and the last one that can be read', lagOf),
];
