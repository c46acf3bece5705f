/**
 * One pass over the partitions of a fetch, with byte limits as Kafka counts them (`ReplicaManager.readFromLog`): the
 * first batch of the first partition that has data comes whole whatever the limits say, then nothing beyond them.
 */
import { isFileRegion } from '../base/chunk';
import { ZERO_UUID } from '../base/random';
import type { Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import { LARGEST_BUFFERED_READ } from '../log/log-reader';
import type { FetchPartition, FetchRequest, PartitionFetchResult } from './fetch-request';
import type { Partition, PartitionRead, PartitionReadOptions } from './partition';

/** What one fetch may hold in memory until it is sent, however many partitions it reads. */
const BUFFERED_BYTES = 256 * 1024;

export type PartitionLookup = (topic: string, partition: number) => Result<Partition, ErrorCode>;

export interface FetchPass {
  /** In the order of the request. */
  readonly results: PartitionFetchResult[];
  readonly sizeInBytes: number;
  /** There is an error or a divergence: the reader must hear of it at once. */
  readonly isUrgent: boolean;
}

export function readPartitions(request: FetchRequest, lookup: PartitionLookup): FetchPass {
  const results: PartitionFetchResult[] = [];
  let room = Math.max(0, request.maxBytes);
  let sizeInBytes = 0;
  let isUrgent = false;
  let bufferRoom = BUFFERED_BYTES;
  for (const wanted of request.partitions) {
    const limit = Math.max(0, Math.min(wanted.maxBytes, room));
    const minOneBatch = request.hardMaxBytes ? limit > 0 : sizeInBytes === 0;
    const maxBufferedBytes = Math.min(LARGEST_BUFFERED_READ, bufferRoom);
    const limits = { maxBytes: limit, minOneBatch, maxBufferedBytes, isolation: request.isolation };
    const read = readOne(wanted, lookup, limits);
    if (!read.ok) {
      results.push(emptyResult(wanted, read.error));
      isUrgent = true;
      continue;
    }
    results.push(result(wanted, read.value));
    sizeInBytes += read.value.sizeInBytes;
    if (Buffer.isBuffer(read.value.chunk)) bufferRoom -= read.value.sizeInBytes;
    room -= request.hardMaxBytes ? Math.min(limit, read.value.sizeInBytes) : read.value.sizeInBytes;
    isUrgent ||= read.value.divergingEpoch !== null;
  }
  return { results, sizeInBytes, isUrgent };
}

/** Lets go of file regions that will not be sent. */
export function releasePass({ results }: FetchPass): void {
  for (const { records } of results) {
    if (records && isFileRegion(records)) records.release();
  }
}

function readOne(
  wanted: FetchPartition,
  lookup: PartitionLookup,
  limits: Pick<PartitionReadOptions, 'maxBytes' | 'minOneBatch' | 'maxBufferedBytes' | 'isolation'>,
): Result<PartitionRead, ErrorCode> {
  const found = lookup(wanted.topic, wanted.partition);
  if (!found.ok) return found;
  if (!hasTopicId(found.value, wanted.topicId)) return { ok: false, error: ErrorCode.INCONSISTENT_TOPIC_ID };
  const { fetchOffset, currentLeaderEpoch, lastFetchedEpoch } = wanted;
  return found.value.read({ fetchOffset, currentLeaderEpoch, lastFetchedEpoch, ...limits });
}

function hasTopicId(partition: Partition, topicId: string): boolean {
  return topicId === ZERO_UUID || partition.topicId === ZERO_UUID || partition.topicId === topicId;
}

function result({ topic, topicId, partition }: FetchPartition, read: PartitionRead): PartitionFetchResult {
  return {
    topic,
    topicId,
    partition,
    errorCode: ErrorCode.NONE,
    highWatermark: read.highWatermark,
    lastStableOffset: read.lastStableOffset,
    logStartOffset: read.logStartOffset,
    records: read.chunk,
    sizeInBytes: read.sizeInBytes,
    abortedTransactions: read.abortedTransactions,
    divergingEpoch: read.divergingEpoch,
  };
}

/** A result without data; with NONE, for a fetch whose reader is gone. */
export function emptyResult(
  { topic, topicId, partition }: Pick<FetchPartition, 'topic' | 'topicId' | 'partition'>,
  errorCode: ErrorCode,
): PartitionFetchResult {
  return {
    topic,
    topicId,
    partition,
    errorCode,
    highWatermark: -1,
    lastStableOffset: -1,
    logStartOffset: -1,
    records: null,
    sizeInBytes: 0,
    abortedTransactions: null,
    divergingEpoch: null,
  };
}
