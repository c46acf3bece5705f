/**
 * AlterPartitionReassignments (key 45), versions 0 and 1 (KIP-455): on one broker the only assignment is the present
 * one, which is taken at once; others name brokers that do not exist. Each partition succeeds or fails for itself.
 */
import { checkReassignment } from '../cluster/controller/election-request';
import {
  type AlterPartitionReassignmentsRequest,
  type AlterPartitionReassignmentsResponse,
  newAlterPartitionReassignmentsResponse,
  newReassignablePartitionResponse,
  newReassignableTopicResponse,
} from '../codec/generated/45-alter-partition-reassignments';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

export const alterPartitionReassignments: Handler<
  AlterPartitionReassignmentsRequest,
  AlterPartitionReassignmentsResponse
> = ({ broker }, { topics, allowReplicationFactorChange }) =>
  newAlterPartitionReassignmentsResponse({
    allowReplicationFactorChange,
    errorMessage: null,
    responses: topics.map(({ name, partitions }) =>
      newReassignableTopicResponse({
        name,
        partitions: partitions.map(({ partitionIndex, replicas }) => {
          const reassignment = { topic: name, partition: partitionIndex, replicas };
          const outcome = checkReassignment(reassignment, broker.metadata.image);
          return newReassignablePartitionResponse({
            partitionIndex,
            errorCode: outcome.ok ? ErrorCode.NONE : outcome.error,
            errorMessage: outcome.ok ? null : (outcome.message ?? null),
          });
        }),
      }),
    ),
  });
