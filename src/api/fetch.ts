/**
 * Fetch (key 1), versions 0 to 18.
 *
 * - Whole batches, as they lie in the log. Up to version 3 they are converted to the message formats of their time, and
 *   up to 2 the limits are hard, so that the last message may be cut. Topics of codec zstd need version 10 (KIP-110).
 * - Waits up to `maxWaitMs` for `minBytes`; an error on one partition is answered at once, with what the others have.
 *   Partitions that nobody knows do not end the wait, as in Kafka: a reader that goes on asking must not spin.
 * - Sessions from version 7 (KIP-227), leader epochs from 9 (KIP-320), divergence from 12 (KIP-595), topic ids from 13
 *   (KIP-516), the leader to ask instead from 16 (KIP-951). No other replica to prefer, yet.
 * - A client over its quota is answered without data, and its session takes no note (KIP-219); it reads no more at
 *   once than is left of its quota. Followers have no quota of this kind.
 * - Records are zero bytes where there are none, also with an error, never null.
 */

import { isFileRegion } from '../base/chunk';
import { ZERO_UUID } from '../base/random';
import { EMPTY } from '../codec/field-values';
import {
  type FetchableTopicResponse,
  type FetchRequest,
  type FetchResponse,
  newAbortedTransaction,
  newEpochEndOffset,
  newFetchableTopicResponse,
  newFetchResponse,
  newLeaderIdAndEpoch,
  newNodeEndpoint,
  newPartitionData,
  type PartitionData,
} from '../codec/generated/01-fetch';
import { ErrorCode } from '../codec/generated/errors';
import { MAX_INT } from '../config/definition';
import type { FetchIsolation, FetchPartition, PartitionFetchResult } from '../replication/fetch-request';
import { type ConversionLimits, conversionLimits, holdConverted } from './converted-records';
import { CurrentLeaders } from './current-leader';
import { convertFetched, NEWEST_CONVERTED, NEWEST_WITH_MESSAGE_SETS, withoutData } from './fetch-conversion';
import type { FetchContext, PartitionName, PartitionNews, WantedPartition } from './fetch-session';
import type { Handler, RequestContext } from './request-context';

const NEWEST_WITH_HARD_LIMITS = 2;
const NEWEST_WITHOUT_STORAGE_ERROR = 5;
const FIRST_WITH_TOPIC_IDS = 13;
const FIRST_WITH_DIVERGING_EPOCHS = 12;
const FIRST_WITH_REPLICA_STATE = 15;
const FIRST_WITH_LEADERS = 16;
const READ_COMMITTED = 1;
/** What an answer takes without partitions, and a partition without records. */
const ANSWER_BYTES = 32;
const PARTITION_BYTES = 48;
const UNLIMITED: ConversionLimits = {
  requestBytes: Number.POSITIVE_INFINITY,
  partitionBytes: Number.POSITIVE_INFINITY,
};

export const fetch: Handler<FetchRequest, FetchResponse> = async (context, request) => {
  const { apiVersion, broker } = context;
  const replicaId = apiVersion < FIRST_WITH_REPLICA_STATE ? request.replicaId : request.replicaState.replicaId;
  const session = broker.fetchSessions.begin({
    sessionId: request.sessionId,
    sessionEpoch: request.sessionEpoch,
    usesTopicIds: apiVersion >= FIRST_WITH_TOPIC_IDS,
    isFollower: replicaId >= 0,
    wanted: wantedPartitions(request),
    forgotten: forgottenPartitions(request),
  });
  if (session.errorCode !== ErrorCode.NONE) return newFetchResponse({ errorCode: session.errorCode });
  const isolation = isolationOf(replicaId, request.isolationLevel);
  const { throttle } = context;
  const isFollower = replicaId >= 0;
  if (isFollower) throttle.exempt();
  const room = isFollower ? MAX_INT : throttle.fetchRoom({ whole: apiVersion <= NEWEST_WITH_HARD_LIMITS });
  const read = await readKnown(context, request, { partitions: session.partitions, isolation, room });
  const results = apiVersion <= NEWEST_CONVERTED ? await convertAll(context, session, read) : read;
  if (!isFollower && throttle.fetched(() => answerBytes(results))) {
    for (const result of results) releaseRecords(result);
    const { errorCode, sessionId } = session.withoutData();
    return newFetchResponse({ errorCode, sessionId });
  }
  return respond(context, session, results);
};

function isolationOf(replicaId: number, isolationLevel: number): FetchIsolation {
  if (replicaId >= 0) return 'log-end';
  return isolationLevel === READ_COMMITTED ? 'last-stable' : 'high-watermark';
}

function wantedPartitions(request: FetchRequest): WantedPartition[] {
  return request.topics.flatMap(({ topic, topicId, partitions }) =>
    partitions.map((wanted) => ({
      topic,
      topicId,
      partition: wanted.partition,
      fetchOffset: wanted.fetchOffset,
      maxBytes: wanted.partitionMaxBytes,
      currentLeaderEpoch: wanted.currentLeaderEpoch,
      lastFetchedEpoch: wanted.lastFetchedEpoch,
    })),
  );
}

function forgottenPartitions(request: FetchRequest): PartitionName[] {
  return request.forgottenTopicsData.flatMap(({ topic, topicId, partitions }) =>
    partitions.map((partition) => ({ topic, topicId, partition })),
  );
}

/** Reads the partitions that exist; gives results for all, in order. */
async function readKnown(
  context: RequestContext,
  request: FetchRequest,
  session: { partitions: readonly WantedPartition[]; isolation: FetchIsolation; room: number },
): Promise<PartitionFetchResult[]> {
  const { apiVersion, broker } = context;
  const { image } = broker.metadata;
  const known: FetchPartition[] = [];
  // Undefined where the partition is known.
  const unknown = session.partitions.map((wanted) => {
    const topic = wanted.topicId === ZERO_UUID ? wanted.topic : image.topicById(wanted.topicId)?.name;
    if (topic === undefined) return withoutData(wanted, ErrorCode.UNKNOWN_TOPIC_ID);
    if (image.partition(topic, wanted.partition) !== undefined) {
      known.push(knownPartition(wanted, topic, apiVersion));
      return undefined;
    }
    const { topicId, partition } = wanted;
    return withoutData({ topic, topicId, partition }, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });
  if (known.length === 0) return unknown.filter((result) => result !== undefined);
  const limits = apiVersion <= NEWEST_WITH_MESSAGE_SETS ? conversionLimits(known.length) : UNLIMITED;
  const maxBytes = Math.min(request.maxBytes, broker.config.get('fetch.max.bytes'), limits.requestBytes, session.room);
  const read = await broker.replicaManager.fetch({
    maxWaitMs: request.maxWaitMs,
    minBytes: Math.min(request.minBytes, maxBytes),
    maxBytes,
    hardMaxBytes: apiVersion <= NEWEST_WITH_HARD_LIMITS,
    isolation: session.isolation,
    partitions: limits === UNLIMITED ? known : limited(known, limits.partitionBytes),
    onCancel: (run) => context.onClose(run),
  });
  if (known.length === unknown.length) return read;
  let next = 0;
  return unknown.map((result) => result ?? read[next++]!);
}

/** Written out in full: there may be very many partitions, and a spread takes many times as long. */
function knownPartition(wanted: WantedPartition, topic: string, apiVersion: number): FetchPartition {
  const { topicId, partition, fetchOffset, maxBytes, currentLeaderEpoch } = wanted;
  // A session may go on with an older version, whose answers cannot tell where epochs part.
  const lastFetchedEpoch = apiVersion >= FIRST_WITH_DIVERGING_EPOCHS ? wanted.lastFetchedEpoch : -1;
  return { topic, topicId, partition, fetchOffset, maxBytes, currentLeaderEpoch, lastFetchedEpoch };
}

function limited(partitions: readonly FetchPartition[], maxBytes: number): FetchPartition[] {
  return partitions.map((each) => ({ ...each, maxBytes: Math.min(each.maxBytes, maxBytes) }));
}

function convertAll(
  context: RequestContext,
  session: FetchContext,
  results: readonly PartitionFetchResult[],
): Promise<PartitionFetchResult[]> {
  return Promise.all(
    results.map(async (result, i) => {
      const converted = await convertFetched(context, session.partitions[i]!, result);
      const { records } = converted;
      if (context.apiVersion > NEWEST_WITH_MESSAGE_SETS || !Buffer.isBuffer(records)) return converted;
      return { ...converted, records: holdConverted(records) };
    }),
  );
}

function respond(
  context: RequestContext,
  session: FetchContext,
  results: readonly PartitionFetchResult[],
): FetchResponse {
  const { errorCode, sessionId, included } = session.answer(results.map(newsOf));
  const leaders = new CurrentLeaders(context);
  const topics = new Map<string, FetchableTopicResponse>();
  const told = new Set(included);
  for (const [i, result] of results.entries()) {
    if (!told.has(i)) {
      releaseRecords(result);
      continue;
    }
    const { topic, topicId } = session.partitions[i]!;
    const key = topicId === ZERO_UUID ? topic : topicId;
    const response = topics.get(key) ?? newFetchableTopicResponse({ topic, topicId });
    topics.set(key, response);
    response.partitions.push(describe(context, result, leaders));
  }
  const nodeEndpoints = leaders.endpoints.map(newNodeEndpoint);
  return newFetchResponse({ errorCode, sessionId, responses: [...topics.values()], nodeEndpoints });
}

/** About what the answer takes on the wire. */
function answerBytes(results: readonly PartitionFetchResult[]): number {
  let bytes = ANSWER_BYTES;
  for (const { sizeInBytes, errorCode } of results) {
    if (sizeInBytes > 0 || errorCode !== ErrorCode.NONE) bytes += sizeInBytes + PARTITION_BYTES;
  }
  return bytes;
}

function releaseRecords({ records }: PartitionFetchResult): void {
  if (records !== null && isFileRegion(records)) records.release();
}

function newsOf(result: PartitionFetchResult): PartitionNews {
  const { errorCode, highWatermark, logStartOffset, sizeInBytes, divergingEpoch } = result;
  return { errorCode, highWatermark, logStartOffset, sizeInBytes, isDiverging: divergingEpoch !== null };
}

function describe(context: RequestContext, result: PartitionFetchResult, leaders: CurrentLeaders): PartitionData {
  const { abortedTransactions, divergingEpoch, records } = result;
  const data = newPartitionData({
    partitionIndex: result.partition,
    errorCode: errorFor(context.apiVersion, result.errorCode),
    highWatermark: result.highWatermark,
    lastStableOffset: result.lastStableOffset,
    logStartOffset: result.logStartOffset,
    abortedTransactions: abortedTransactions === null ? null : abortedTransactions.map(newAbortedTransaction),
    records: records === null ? EMPTY : Buffer.isBuffer(records) ? records : [records],
  });
  if (divergingEpoch !== null) {
    const { leaderEpoch: epoch, endOffset } = divergingEpoch;
    data.divergingEpoch = newEpochEndOffset({ epoch, endOffset });
  }
  const isElsewhere =
    result.errorCode === ErrorCode.NOT_LEADER_OR_FOLLOWER || result.errorCode === ErrorCode.FENCED_LEADER_EPOCH;
  if (isElsewhere && context.apiVersion >= FIRST_WITH_LEADERS) {
    data.currentLeader = newLeaderIdAndEpoch(leaders.hint(result.topic, result.partition));
  }
  return data;
}

/** Clients of old versions give up at a storage error that they do not know; for the other one they try again. */
function errorFor(apiVersion: number, errorCode: ErrorCode): ErrorCode {
  const isUnknown = errorCode === ErrorCode.KAFKA_STORAGE_ERROR && apiVersion <= NEWEST_WITHOUT_STORAGE_ERROR;
  return isUnknown ? ErrorCode.NOT_LEADER_OR_FOLLOWER : errorCode;
}
