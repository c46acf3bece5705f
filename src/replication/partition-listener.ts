/** What happens to partitions of this broker, for those that keep state per partition (the coordinators). */
import type { TopicPartition } from '../base/topic-partition';

export interface PartitionListener {
  /** This broker serves the partition as leader from now on; again for every new epoch. */
  onLeader(partition: TopicPartition, leaderEpoch: number): void;
  /** Another broker leads, or none does. */
  onFollower(partition: TopicPartition, leaderEpoch: number): void;
  /** Records below `offset` are visible to consumers and will stay. */
  onHighWatermark(partition: TopicPartition, offset: number): void;
  onDeleted(partition: TopicPartition): void;
  /** Its storage failed: nothing can be read or written until the broker starts anew. */
  onFailed(partition: TopicPartition): void;
}
