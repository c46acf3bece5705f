/**
 * Whether a topic can get more partitions, and what it will be then. Pure.
 * Source: Kafka's `ReplicationControlManager.createPartitions`.
 */
import { err, ok, type Result } from '../../base/result';
import { ErrorCode } from '../../codec/generated/errors';
import type { MetadataImage, TopicImage } from '../metadata-image';
import { type AssignmentContext, checkedAssignment, newPartitions, placedAssignment } from './replica-assignment';
import type { NewPartitions } from './topic-requests';

/** All topics of a request grow by at most this many partitions, as with Kafka's controller. */
const MOST_PARTITIONS = 10_000;

/** Whether the topics that exist would grow by more than is allowed at once. */
export function isExcessiveGrowth(requests: readonly NewPartitions[], image: MetadataImage): boolean {
  const additions = requests.map(({ name, totalCount }) => {
    const topic = image.topic(name);
    return topic === undefined ? 0 : Math.max(0, totalCount - topic.partitions.length);
  });
  return additions.reduce((sum, count) => sum + count, 0) > MOST_PARTITIONS;
}

/** The topic with its new partitions, or why not. */
export function planPartitions(
  request: NewPartitions,
  image: MetadataImage,
  context: AssignmentContext,
): Result<TopicImage, ErrorCode> {
  const topic = image.topic(request.name);
  if (!topic) {
    return err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  }
  const present = topic.partitions.length;
  const additional = request.totalCount - present;
  if (additional === 0) return err(ErrorCode.INVALID_PARTITIONS, `Topic already has ${present} partition(s).`);
  if (additional < 0) {
    return err(
      ErrorCode.INVALID_PARTITIONS,
      `The topic ${topic.name} currently has ${present} partition(s); ${request.totalCount} would not be an increase.`,
    );
  }
  if (request.assignments && request.assignments.length !== additional) {
    return err(
      ErrorCode.INVALID_REPLICA_ASSIGNMENT,
      `Attempted to add ${additional} additional partition(s), but only ${request.assignments.length} ` +
        'assignment(s) were specified.',
    );
  }
  const replicationFactor = topic.partitions[0]!.replicas.length;
  const assignment = request.assignments
    ? checkedAssignment(request.assignments, replicationFactor, context)
    : placedAssignment({ partitionCount: additional, replicationFactor, firstPartition: present }, context);
  if (!assignment.ok) return assignment;
  return ok({ ...topic, partitions: [...topic.partitions, ...newPartitions(assignment.value, present)] });
}
