/**
 * AlterReplicaLogDirs (key 34), versions 0 to 2 (KIP-113): moves partitions between the broker's log directories.
 *
 * - NONE says that the move is under way; DescribeLogDirs tells how far. Another directory replaces the target of a
 *   move, the directory in which the partition is ends it.
 * - A path is one of those that DescribeLogDirs tells, or LOG_DIR_NOT_FOUND; KAFKA_STORAGE_ERROR where its volume or
 *   the partition's log fails, INVALID_REPLICA_ASSIGNMENT where it takes no partitions (KIP-1066).
 * - A partition that is unknown gets UNKNOWN_TOPIC_OR_PARTITION, and lies there when it is created.
 * - Of a partition that is named for several directories the last one counts.
 */
import { partitionKey, type TopicPartition } from '../base/topic-partition';
import {
  type AlterReplicaLogDirsRequest,
  type AlterReplicaLogDirsResponse,
  newAlterReplicaLogDirPartitionResult,
  newAlterReplicaLogDirsResponse,
  newAlterReplicaLogDirTopicResult,
} from '../codec/generated/34-alter-replica-log-dirs';
import type { Handler } from './request-context';

export const alterReplicaLogDirs: Handler<AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse> = async (
  { broker },
  { dirs },
) => {
  const wanted = new Map<string, TopicPartition & { readonly path: string }>();
  for (const { path, topics } of dirs) {
    for (const { name: topic, partitions } of topics) {
      for (const partition of partitions) wanted.set(partitionKey(topic, partition), { topic, partition, path });
    }
  }
  const results = new Map<string, ReturnType<typeof newAlterReplicaLogDirPartitionResult>[]>();
  for (const { topic, partition, path } of wanted.values()) {
    const errorCode = await broker.replicaManager.alterLogDir({ topic, partition }, path);
    const partitions = results.get(topic) ?? [];
    results.set(topic, partitions);
    partitions.push(newAlterReplicaLogDirPartitionResult({ partitionIndex: partition, errorCode }));
  }
  return newAlterReplicaLogDirsResponse({
    results: [...results].map(([topicName, partitions]) => newAlterReplicaLogDirTopicResult({ topicName, partitions })),
  });
};
