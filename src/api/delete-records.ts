/**
 * DeleteRecords (key 21), versions 0 to 2 (KIP-107): moves the log start, so that records before it are gone for
 * readers. Offset -1 is the high watermark; beyond it is OFFSET_OUT_OF_RANGE. The low watermark in the answer is the
 * new log start, -1 with an error. A start that is further on already stays.
 */
import {
  type DeleteRecordsPartition,
  type DeleteRecordsPartitionResult,
  type DeleteRecordsRequest,
  type DeleteRecordsResponse,
  newDeleteRecordsPartitionResult,
  newDeleteRecordsResponse,
  newDeleteRecordsTopicResult,
} from '../codec/generated/21-delete-records';
import type { Handler, RequestContext } from './request-context';

const NO_LOW_WATERMARK = -1;

export const deleteRecords: Handler<DeleteRecordsRequest, DeleteRecordsResponse> = async (context, request) => {
  const topics = await Promise.all(
    request.topics.map(async ({ name, partitions }) => {
      const results = partitions.map((partition) => deleteIn(context, name, partition));
      return newDeleteRecordsTopicResult({ name, partitions: await Promise.all(results) });
    }),
  );
  return newDeleteRecordsResponse({ topics });
};

async function deleteIn(
  { broker }: RequestContext,
  topic: string,
  { partitionIndex, offset }: DeleteRecordsPartition,
): Promise<DeleteRecordsPartitionResult> {
  const deleted = await broker.replicaManager.deleteRecords({ topic, partition: partitionIndex, offset });
  return deleted.ok
    ? newDeleteRecordsPartitionResult({ partitionIndex, lowWatermark: deleted.value })
    : newDeleteRecordsPartitionResult({ partitionIndex, lowWatermark: NO_LOW_WATERMARK, errorCode: deleted.error });
}
