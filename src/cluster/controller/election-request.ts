/**
 * What a client's wish for another leader means where one broker holds every partition: whoever can lead leads
 * already, and who does not lead cannot. Pure. Source of codes: Kafka's `ReplicationControlManager.electLeader`.
 */
import { err, ok, type Result } from '../../base/result';
import type { TopicPartition } from '../../base/topic-partition';
import { ErrorCode } from '../../codec/generated/errors';
import { type MetadataImage, NO_LEADER } from '../metadata-image';

export type ElectionType = 'preferred' | 'unclean';

/** Why there is no election. */
export interface ElectionRefusal {
  readonly errorCode: ErrorCode;
  readonly errorMessage: string;
}

/** ELECTION_NOT_NEEDED where the leader is the one that was asked for. */
export function refuseElection(
  { topic, partition }: TopicPartition,
  type: ElectionType,
  image: MetadataImage,
): ElectionRefusal {
  const unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  if (!image.topic(topic)) return { errorCode: unknown, errorMessage: `No such topic as ${topic}` };
  const found = image.partition(topic, partition);
  if (!found) return { errorCode: unknown, errorMessage: `No such partition as ${topic}-${partition}` };
  const isNeeded = type === 'preferred' ? found.leader !== found.replicas[0] : found.leader === NO_LEADER;
  if (!isNeeded) {
    const errorMessage = 'Leader election not needed for topic partition.';
    return { errorCode: ErrorCode.ELECTION_NOT_NEEDED, errorMessage };
  }
  return type === 'preferred'
    ? { errorCode: ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, errorMessage: 'The preferred leader was not available.' }
    : {
        errorCode: ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        errorMessage: 'Eligible topic partition leaders are not available.',
      };
}

export interface Reassignment extends TopicPartition {
  /** Broker ids in order of preference; null: give up the reassignment under way. */
  readonly replicas: readonly number[] | null;
}

/** Where there is one broker, only the present assignment is possible, and nothing is ever under way. */
export function checkReassignment(
  { topic, partition, replicas }: Reassignment,
  image: MetadataImage,
): Result<void, ErrorCode> {
  if (!image.topic(topic)) {
    return err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `Unable to find a topic named ${topic}.`);
  }
  const found = image.partition(topic, partition);
  if (!found) return err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `Unable to find partition ${topic}:${partition}.`);
  if (replicas === null) return err(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS);
  const problem = replicasProblem(replicas, image);
  if (problem) return err(ErrorCode.INVALID_REPLICA_ASSIGNMENT, `The manual partition assignment includes ${problem}.`);
  const isPresent = replicas.length === found.replicas.length && replicas.every((id, i) => id === found.replicas[i]);
  return isPresent ? ok(undefined) : err(ErrorCode.INVALID_REPLICA_ASSIGNMENT, 'Replicas cannot be moved here.');
}

function replicasProblem(replicas: readonly number[], image: MetadataImage): string | undefined {
  if (replicas.length === 0) return 'an empty replica list';
  const sorted = [...replicas].sort((a, b) => a - b);
  const twice = sorted.find((id, i) => id === sorted[i + 1]);
  const unknown = sorted.find((id) => !image.brokers.has(id));
  if (unknown !== undefined) return `broker ${unknown}, but no such broker is registered`;
  return twice === undefined ? undefined : `the broker ${twice} more than once`;
}
