/**
 * What went in and out, by topic and in all, as plain numbers that only grow. Owns when a topic's numbers begin (with
 * its first request) and end (with the topic). What is counted, and what as a failure, is as in Kafka's
 * `BrokerTopicStats`; but a fetch that waited counts once.
 */
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from '../records/batch-header';
import type { AppendEntry, PartitionAppendResult } from './append-request';
import type { PartitionFetchResult } from './fetch-request';

export class TrafficCounts {
  messagesIn = 0;
  bytesIn = 0;
  bytesOut = 0;
  bytesRejected = 0;
  /** Partitions of requests, as in Kafka. */
  produceRequests = 0;
  failedProduceRequests = 0;
  fetchRequests = 0;
  failedFetchRequests = 0;
  /** Messages of old formats that were written in the present one, and the other way round. */
  produceMessageConversions = 0;
  fetchMessageConversions = 0;
}

/** The client's mistake or the wrong broker: Kafka does not count them as failures. */
const NO_PRODUCE_FAILURE: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.MESSAGE_TOO_LARGE,
  ErrorCode.RECORD_LIST_TOO_LARGE,
  ErrorCode.CORRUPT_MESSAGE,
  ErrorCode.KAFKA_STORAGE_ERROR,
]);

const NO_FETCH_FAILURE: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.NONE,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  ErrorCode.KAFKA_STORAGE_ERROR,
  ErrorCode.UNKNOWN_LEADER_EPOCH,
  ErrorCode.FENCED_LEADER_EPOCH,
  ErrorCode.OFFSET_OUT_OF_RANGE,
  ErrorCode.INCONSISTENT_TOPIC_ID,
]);

const TOO_LARGE: ReadonlySet<ErrorCode> = new Set([ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE]);

/** What is known of an append before the log has it: its bytes change there. */
export interface IncomingRecords {
  readonly sizeInBytes: number;
  readonly isOldFormat: boolean;
}

export function incoming({ records }: AppendEntry): IncomingRecords {
  const { MAGIC_POSITION, MAGIC_V2 } = batchHeader;
  const isOldFormat = records.length > MAGIC_POSITION && batchHeader.magic(records) < MAGIC_V2;
  return { sizeInBytes: records.length, isOldFormat };
}

export class TopicTraffic {
  readonly all = new TrafficCounts();
  readonly #isHere: (topic: string) => boolean;
  readonly #topics = new Map<string, TrafficCounts>();

  /** Topics that are not here count in all only: names that clients make up take no memory. */
  constructor(isHere: (topic: string) => boolean) {
    this.#isHere = isHere;
  }

  topics(): Iterable<readonly [string, Readonly<TrafficCounts>]> {
    return this.#topics;
  }

  /** Was, or was to be, appended to a partition. */
  onAppend(records: IncomingRecords, result: PartitionAppendResult): void {
    addAppend(this.all, records, result);
    const counts = this.#of(result.topic);
    if (counts) addAppend(counts, records, result);
  }

  /** Partitions were read, or were to be. */
  onFetch(results: readonly PartitionFetchResult[]): void {
    for (const result of results) {
      addFetch(this.all, result);
      const counts = this.#of(result.topic);
      if (counts) addFetch(counts, result);
    }
  }

  onFetchConversion(topic: string, messages: number): void {
    this.all.fetchMessageConversions += messages;
    const counts = this.#of(topic);
    if (counts) counts.fetchMessageConversions += messages;
  }

  onDeleted(topic: string): void {
    this.#topics.delete(topic);
  }

  #of(topic: string): TrafficCounts | undefined {
    const present = this.#topics.get(topic);
    if (present !== undefined || !this.#isHere(topic)) return present;
    const counts = new TrafficCounts();
    this.#topics.set(topic, counts);
    return counts;
  }
}

function addAppend(counts: TrafficCounts, records: IncomingRecords, result: PartitionAppendResult): void {
  const { errorCode, baseOffset, lastOffset } = result;
  counts.produceRequests++;
  if (errorCode !== ErrorCode.NONE) {
    if (!NO_PRODUCE_FAILURE.has(errorCode)) counts.failedProduceRequests++;
    if (TOO_LARGE.has(errorCode)) counts.bytesRejected += records.sizeInBytes;
    return;
  }
  const messages = baseOffset < 0 ? 0 : lastOffset - baseOffset + 1;
  counts.messagesIn += messages;
  counts.bytesIn += records.sizeInBytes;
  if (records.isOldFormat) counts.produceMessageConversions += messages;
}

function addFetch(counts: TrafficCounts, { errorCode, sizeInBytes }: PartitionFetchResult): void {
  counts.fetchRequests++;
  counts.bytesOut += sizeInBytes;
  if (!NO_FETCH_FAILURE.has(errorCode)) counts.failedFetchRequests++;
}
