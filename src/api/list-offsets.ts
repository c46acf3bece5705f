/**
 * ListOffsets (key 2), versions 0 to 11.
 *
 * - By time: the first record, in offset order, that is not older. -1 latest and -2 earliest in all versions; -3 the
 *   record of the largest timestamp from 7 (KIP-734), -4 earliest local from 8 (KIP-405), -5 latest tiered from 9
 *   (KIP-1005), -6 earliest not tiered yet from 11 (KIP-1023): without tiered storage the last two find nothing.
 *   Other negative times are UNSUPPORTED_VERSION.
 * - Isolation level from version 2: nothing at or beyond the last stable offset for read_committed. Leader epochs from
 *   version 4 (KIP-320).
 * - Version 0 answers with a list of offsets: where segments begin that were last written by the time, newest first,
 *   the log end (high watermark) as if written now.
 */
import {
  type ListOffsetsPartition,
  type ListOffsetsPartitionResponse,
  type ListOffsetsRequest,
  type ListOffsetsResponse,
  newListOffsetsPartitionResponse,
  newListOffsetsResponse,
  newListOffsetsTopicResponse,
} from '../codec/generated/02-list-offsets';
import { ErrorCode } from '../codec/generated/errors';
import type { FetchIsolation } from '../replication/fetch-request';
import {
  EARLIEST_LOCAL_TIMESTAMP,
  EARLIEST_TIMESTAMP,
  LATEST_TIERED_TIMESTAMP,
  LATEST_TIMESTAMP,
  MAX_TIMESTAMP,
} from '../replication/partition';
import { duplicates } from './duplicates';
import type { Handler, RequestContext } from './request-context';

/** KIP-1023: the first offset that is not in tiered storage yet. */
const EARLIEST_PENDING_UPLOAD_TIMESTAMP = -6;

const FIRST_VERSION_OF: ReadonlyMap<number, number> = new Map([
  [LATEST_TIMESTAMP, 0],
  [EARLIEST_TIMESTAMP, 0],
  [MAX_TIMESTAMP, 7],
  [EARLIEST_LOCAL_TIMESTAMP, 8],
  [LATEST_TIERED_TIMESTAMP, 9],
  [EARLIEST_PENDING_UPLOAD_TIMESTAMP, 11],
]);

const CONSUMER = -1;
const READ_COMMITTED = 1;
const FIRST_WITHOUT_LISTS = 1;
const FIRST_WITH_EPOCHS = 4;

export const listOffsets: Handler<ListOffsetsRequest, ListOffsetsResponse> = async (context, request) => {
  const isolation = isolationOf(request);
  const topics = await Promise.all(
    request.topics.map(async ({ name, partitions }) => {
      const twice = duplicates(partitions.map(({ partitionIndex }) => String(partitionIndex)));
      const answers = partitions.map((partition) =>
        context.apiVersion >= FIRST_WITHOUT_LISTS && twice.has(String(partition.partitionIndex))
          ? failure(partition, ErrorCode.INVALID_REQUEST)
          : lookUp(context, partition, { topic: name, isolation }),
      );
      return newListOffsetsTopicResponse({ name, partitions: await Promise.all(answers) });
    }),
  );
  return newListOffsetsResponse({ topics });
};

function isolationOf({ replicaId, isolationLevel }: ListOffsetsRequest): FetchIsolation {
  if (replicaId !== CONSUMER) return 'log-end';
  return isolationLevel === READ_COMMITTED ? 'last-stable' : 'high-watermark';
}

function failure({ partitionIndex }: ListOffsetsPartition, errorCode: ErrorCode): ListOffsetsPartitionResponse {
  return newListOffsetsPartitionResponse({ partitionIndex, errorCode });
}

async function lookUp(
  { apiVersion, broker }: RequestContext,
  partition: ListOffsetsPartition,
  { topic, isolation }: { topic: string; isolation: FetchIsolation },
): Promise<ListOffsetsPartitionResponse> {
  const { partitionIndex, timestamp, currentLeaderEpoch } = partition;
  if (timestamp < 0 && apiVersion < (FIRST_VERSION_OF.get(timestamp) ?? Number.POSITIVE_INFINITY)) {
    return failure(partition, ErrorCode.UNSUPPORTED_VERSION);
  }
  const lookup = { topic, partition: partitionIndex, isolation, currentLeaderEpoch };
  if (apiVersion < FIRST_WITHOUT_LISTS) {
    const listed = await broker.replicaManager.offsetsBefore({ ...lookup, timestamp }, partition.maxNumOffsets);
    if (!listed.ok) return failure(partition, listed.error);
    return newListOffsetsPartitionResponse({ partitionIndex, oldStyleOffsets: listed.value });
  }
  const isPendingUpload = timestamp === EARLIEST_PENDING_UPLOAD_TIMESTAMP;
  const found = await broker.replicaManager.offsetForTimestamp({
    ...lookup,
    timestamp: isPendingUpload ? LATEST_TIERED_TIMESTAMP : timestamp,
  });
  if (!found.ok) return failure(partition, found.error);
  const { offset, timestampMs, leaderEpoch } = found.value;
  const answer = newListOffsetsPartitionResponse({ partitionIndex, offset, timestamp: timestampMs });
  if (apiVersion >= FIRST_WITH_EPOCHS) answer.leaderEpoch = leaderEpoch;
  return answer;
}
