/** Which brokers get the replicas of new partitions: checks what a client assigned, or places them. Pure. */
import type { Random } from '../../base/random';
import { err, ok, type Result } from '../../base/result';
import { ErrorCode } from '../../codec/generated/errors';
import type { PartitionImage } from '../metadata-image';
import { placeReplicas } from '../replica-placement';

/** Replicas of each new partition, the preferred leader first. */
type Assignment = readonly (readonly number[])[];

export interface AssignmentContext {
  /** Brokers that live. */
  readonly brokerIds: readonly number[];
  readonly random: Random;
}

/** Replicas that the broker places itself; `firstPartition` is more than 0 when a topic grows. */
export function placedAssignment(
  counts: { partitionCount: number; replicationFactor: number; firstPartition: number },
  { brokerIds, random }: AssignmentContext,
): Result<Assignment, ErrorCode> {
  const { replicationFactor } = counts;
  if (replicationFactor > brokerIds.length) {
    return err(
      ErrorCode.INVALID_REPLICATION_FACTOR,
      `The target replication factor of ${replicationFactor} cannot be reached because only ${brokerIds.length} ` +
        'broker(s) are registered or some brokers have all their log directories cordoned.',
    );
  }
  return ok(placeReplicas({ brokerIds, ...counts }, random));
}

/** Checks an assignment that a client made: known brokers, none twice, equally many for each partition. */
export function checkedAssignment(
  assignment: Assignment,
  replicationFactor: number,
  { brokerIds }: AssignmentContext,
): Result<Assignment, ErrorCode> {
  for (const replicas of assignment) {
    const problem = replicasProblem(replicas, replicationFactor, brokerIds);
    if (problem) return err(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem);
  }
  return ok(assignment);
}

function replicasProblem(
  replicas: readonly number[],
  replicationFactor: number,
  brokerIds: readonly number[],
): string | undefined {
  const start = 'The manual partition assignment includes';
  if (replicas.length === 0) return `${start} an empty replica list.`;
  const sorted = [...replicas].sort((a, b) => a - b);
  for (const [i, id] of sorted.entries()) {
    if (!brokerIds.includes(id)) return `${start} broker ${id}, but no such broker is registered.`;
    if (id === sorted[i - 1]) return `${start} the broker ${id} more than once.`;
  }
  if (replicas.length !== replicationFactor) {
    return (
      `${start} a partition with ${replicas.length} replica(s), but this is not consistent with previous ` +
      `partitions, which have ${replicationFactor} replica(s).`
    );
  }
  return undefined;
}

/** Partitions as they begin: all replicas in sync, the first one leads. */
export function newPartitions(assignment: Assignment, firstPartition: number): PartitionImage[] {
  return assignment.map((replicas, i) => ({
    partition: firstPartition + i,
    leader: replicas[0]!,
    leaderEpoch: 0,
    partitionEpoch: 0,
    replicas,
    isr: replicas,
  }));
}
