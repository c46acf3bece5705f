/** Who leads a partition. Pure. Source: Kafka's `PartitionLeaderElectionAlgorithms`, without unclean elections. */
import { NO_LEADER, type PartitionImage, type TopicImage } from '../metadata-image';

/** Whether the replica of `partition` on `brokerId` can lead: its broker lives and its disk works. */
export type ReplicaCheck = (topic: string, partition: number, brokerId: number) => boolean;

/** The first replica, in order of preference, that is in sync and can lead. */
export function electLeader(replicas: readonly number[], isr: readonly number[], canLead: (id: number) => boolean) {
  return replicas.find((id) => isr.includes(id) && canLead(id)) ?? NO_LEADER;
}

/**
 * `topic` with a new leadership for each of its partitions: a new epoch, also under the same leader, so that
 * readers notice what an unclean stop may have taken from the log (KIP-320).
 */
export function renewLeaderships(topic: TopicImage, canLead: ReplicaCheck): TopicImage {
  return { ...topic, partitions: topic.partitions.map((partition) => renew(topic.name, partition, canLead)) };
}

/** `topic` with a new leadership for the partition numbered `partition`. */
export function renewLeadership(topic: TopicImage, partition: number, canLead: ReplicaCheck): TopicImage {
  const partitions = topic.partitions.map((each) =>
    each.partition === partition ? renew(topic.name, each, canLead) : each,
  );
  return { ...topic, partitions };
}

function renew(topic: string, partition: PartitionImage, canLead: ReplicaCheck): PartitionImage {
  return {
    ...partition,
    leader: electLeader(partition.replicas, partition.isr, (id) => canLead(topic, partition.partition, id)),
    leaderEpoch: partition.leaderEpoch + 1,
    partitionEpoch: partition.partitionEpoch + 1,
  };
}
