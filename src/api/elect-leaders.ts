/**
 * ElectLeaders (key 43), versions 0 to 2 (KIP-183, KIP-460): on one broker, what is asked for is the case already
 * (ELECTION_NOT_NEEDED) or impossible, because the only replica failed.
 *
 * - Null instead of partitions: all of them; then partitions that need no election are left out.
 * - An unknown type of election is told for the whole (from version 1 on) and for each partition that is named.
 */
import { type ElectionType, refuseElection } from '../cluster/controller/election-request';
import {
  type ElectLeadersRequest,
  type ElectLeadersResponse,
  newElectLeadersResponse,
  newPartitionResult,
  newReplicaElectionResult,
} from '../codec/generated/43-elect-leaders';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

const TYPES: readonly ElectionType[] = ['preferred', 'unclean'];

export const electLeaders: Handler<ElectLeadersRequest, ElectLeadersResponse> = ({ broker, apiVersion }, request) => {
  const { image } = broker.metadata;
  const type = TYPES[request.electionType];
  if (type === undefined) return unknownType(request, apiVersion);
  const named = request.topicPartitions;
  const wanted =
    named ?? [...image.topics()].map((topic) => ({ topic: topic.name, partitions: topic.partitions.map((_, i) => i) }));
  return newElectLeadersResponse({
    replicaElectionResults: wanted.map(({ topic, partitions }) => {
      const outcomes = partitions.map((partition) => {
        const refusal = refuseElection({ topic, partition }, type, image);
        return newPartitionResult({ partitionId: partition, ...refusal });
      });
      const partitionResult = named
        ? outcomes
        : outcomes.filter(({ errorCode }) => errorCode !== ErrorCode.ELECTION_NOT_NEEDED);
      return newReplicaElectionResult({ topic, partitionResult });
    }),
  });
};

function unknownType({ electionType, topicPartitions }: ElectLeadersRequest, apiVersion: number): ElectLeadersResponse {
  const errorCode = ErrorCode.INVALID_REQUEST;
  const errorMessage = `Unknown election type ${electionType}`;
  return newElectLeadersResponse({
    errorCode: apiVersion >= 1 ? errorCode : ErrorCode.NONE,
    replicaElectionResults: (topicPartitions ?? []).map(({ topic, partitions }) => {
      const partitionResult = partitions.map((partitionId) =>
        newPartitionResult({ partitionId, errorCode, errorMessage }),
      );
      return newReplicaElectionResult({ topic, partitionResult });
    }),
  });
}
