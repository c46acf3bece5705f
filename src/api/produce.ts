/**
 * Produce (key 0), versions 0 to 13.
 *
 * - Versions 0 to 2 may carry message sets of formats 0 and 1, which the log converts; from 3 on there must be exactly
 *   one v2 batch for each partition, or that partition gets INVALID_RECORD. zstd needs version 7 (KIP-110).
 * - The answer has what was asked, in its order: version 1 throttle time, 2 append time, 5 log start, 8 record errors
 *   (KIP-467), 10 the leader to ask instead (KIP-951). From 13 on topics go by id (KIP-516).
 * - Never creates a topic. Internal topics take records only from Kafka's own admin tools.
 * - Batches of transactions are refused with an error that ends a producer, since there are no transactions yet.
 * - acks 0 is not answered; an error closes the connection. acks must be -1, 0 or 1.
 * - Two stages: the next Produce of the connection may start when this one has its places in the logs.
 */
import { Later } from '../base/later';
import { ZERO_UUID } from '../base/random';
import {
  newBatchIndexAndErrorMessage,
  newLeaderIdAndEpoch,
  newNodeEndpoint,
  newPartitionProduceResponse,
  newProduceResponse,
  newTopicProduceResponse,
  type PartitionProduceResponse,
  type ProduceRequest,
  type ProduceResponse,
  type TopicProduceData,
} from '../codec/generated/00-produce';
import { ErrorCode } from '../codec/generated/errors';
import type { AppendEntry, PartitionAppendResult } from '../replication/append-request';
import { CurrentLeaders } from './current-leader';
import { checkProducedRecords, isTransactionalBatch } from './produced-records';
import { CLOSE_CONNECTION, type Handler, type HandlerAnswer, NO_ANSWER, type RequestContext } from './request-context';

/** Kafka's tools that repair internal topics give this client id. */
const ADMIN_CLIENT_ID = '__admin_client';
const FIRST_VERSION_WITH_LEADERS = 10;
/** Replaced, never changed, where there is one. */
const NO_HINT = newLeaderIdAndEpoch();
const NO_TRANSACTIONS = 'Transactions are not supported yet';

/** `append` returns when the entries have their places. */
const IN_PLACE = Later.of<void>(undefined);

/** One partition of the request: refused at once, or the `entry`-th append. */
interface Wanted {
  readonly index: number;
  readonly topic: string;
  readonly refused: PartitionProduceResponse | undefined;
  readonly entry: number;
}

interface WantedTopic {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: readonly Wanted[];
}

export const produce: Handler<ProduceRequest, ProduceResponse> = (context, request) => {
  const entries: AppendEntry[] = [];
  const refuseAll = hasTransactionalRecords(request);
  const topics = request.topicData.map((topic) => prepareTopic(topic, { context, entries, refuseAll }));
  const { acks } = request;
  const appended = context.broker.replicaManager.append({
    requiredAcks: acks,
    origin: 'client',
    internalTopicsAllowed: context.clientId === ADMIN_CLIENT_ID,
    entries,
  });
  return {
    staged: true,
    firstStage: IN_PLACE,
    answer: appended.map((results) => respond(context, acks, { topics, results })),
  };
};

function hasTransactionalRecords(request: ProduceRequest): boolean {
  return request.topicData.some(({ partitionData }) =>
    partitionData.some(({ records }) => Buffer.isBuffer(records) && isTransactionalBatch(records)),
  );
}

function prepareTopic(
  data: TopicProduceData,
  o: { context: RequestContext; entries: AppendEntry[]; refuseAll: boolean },
): WantedTopic {
  const { context, entries } = o;
  const byId = data.topicId !== ZERO_UUID;
  const topic = byId ? (context.broker.metadata.image.topicById(data.topicId)?.name ?? '') : data.name;
  const partitions = data.partitionData.map(({ index, records }): Wanted => {
    const refuse = (code: ErrorCode, message: string | null): Wanted => {
      return { index, topic, refused: failure(index, code, message), entry: -1 };
    };
    if (o.refuseAll) return refuse(ErrorCode.UNSUPPORTED_VERSION, NO_TRANSACTIONS);
    if (byId && topic === '') return refuse(ErrorCode.UNKNOWN_TOPIC_ID, null);
    if (context.broker.metadata.image.partition(topic, index) === undefined) {
      return refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, null);
    }
    const checked = checkProducedRecords(records, context.apiVersion);
    if (!checked.ok) return refuse(checked.error, checked.message ?? null);
    entries.push({ topic, partition: index, records: checked.value });
    return { index, topic, refused: undefined, entry: entries.length - 1 };
  });
  return { name: data.name, topicId: data.topicId, partitions };
}

function failure(index: number, errorCode: ErrorCode, errorMessage: string | null): PartitionProduceResponse {
  return newPartitionProduceResponse({ index, errorCode, errorMessage, baseOffset: -1 });
}

function respond(
  context: RequestContext,
  acks: number,
  { topics, results }: { topics: readonly WantedTopic[]; results: readonly PartitionAppendResult[] },
): HandlerAnswer<ProduceResponse> {
  const leaders = new CurrentLeaders(context);
  const describe = ({ topic, index, refused, entry }: Wanted): PartitionProduceResponse => {
    const answer = refused ?? appended(results[entry]!);
    if (answer.errorCode === ErrorCode.NOT_LEADER_OR_FOLLOWER && context.apiVersion >= FIRST_VERSION_WITH_LEADERS) {
      answer.currentLeader = newLeaderIdAndEpoch(leaders.hint(topic, index));
    }
    return answer;
  };
  const responses = topics.map(({ name, topicId, partitions }) =>
    newTopicProduceResponse({ name, topicId, partitionResponses: partitions.map(describe) }),
  );
  if (acks === 0) return answerUnacknowledged(context, responses);
  return newProduceResponse({ responses, nodeEndpoints: leaders.endpoints.map(newNodeEndpoint) });
}

function appended(result: PartitionAppendResult): PartitionProduceResponse {
  return {
    index: result.partition,
    errorCode: result.errorCode,
    errorMessage: result.errorMessage,
    recordErrors: result.recordErrors.map(({ batchIndex, message }) =>
      newBatchIndexAndErrorMessage({ batchIndex, batchIndexErrorMessage: message }),
    ),
    baseOffset: result.baseOffset,
    logAppendTimeMs: result.logAppendTimeMs,
    logStartOffset: result.logStartOffset,
    currentLeader: NO_HINT,
  };
}

/** A producer that wants no answers learns of an error by losing its connection: it then asks for metadata. */
function answerUnacknowledged(
  { broker, clientId }: RequestContext,
  responses: ProduceResponse['responses'],
): typeof NO_ANSWER | typeof CLOSE_CONNECTION {
  for (const { name, topicId, partitionResponses } of responses) {
    const failed = partitionResponses.find(({ errorCode }) => errorCode !== ErrorCode.NONE);
    if (failed === undefined) continue;
    const { index: partition, errorCode } = failed;
    const topic = name === '' ? topicId : name;
    broker.logger.info('produce without acks failed; closing the connection', {
      clientId,
      topic,
      partition,
      errorCode,
    });
    return CLOSE_CONNECTION;
  }
  return NO_ANSWER;
}
