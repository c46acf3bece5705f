/** Steps about records: Produce, Fetch with and without sessions, offsets, producer ids, deleting records. */
import { newPartitionProduceData, newProduceRequest, newTopicProduceData } from '../../src/codec/generated/00-produce';
import {
  newFetchPartition,
  newFetchRequest,
  newFetchTopic,
  newForgottenTopic,
} from '../../src/codec/generated/01-fetch';
import {
  newListOffsetsPartition,
  newListOffsetsRequest,
  newListOffsetsTopic,
} from '../../src/codec/generated/02-list-offsets';
import {
  newDeleteRecordsPartition,
  newDeleteRecordsRequest,
  newDeleteRecordsTopic,
} from '../../src/codec/generated/21-delete-records';
import { newInitProducerIdRequest } from '../../src/codec/generated/22-init-producer-id';
import {
  newOffsetForLeaderEpochRequest,
  newOffsetForLeaderPartition,
  newOffsetForLeaderTopic,
} from '../../src/codec/generated/23-offset-for-leader-epoch';
import type { Dice } from './dice';
import { goodBatch, type ProducerState, producerBatch, records } from './plan-batches';
import { legacySet } from './plan-legacy';
import { later, type PlanContext, PREFIX_SIGN, type RecordsSpec, type Step } from './steps';

const FIRST_PRODUCE_WITH_BATCHES = 3;
const FIRST_PRODUCE_WITH_IDS = 13;
const FIRST_FETCH_WITH_IDS = 13;
const MISSING = `${PREFIX_SIGN}missing`;
/**
 * What ListOffsets takes for a timestamp, with the first version that may; two are times before and after everything.
 */
const SPECIAL_TIMES: readonly (readonly [number, number])[] = [
  [-1, 0],
  [-2, 0],
  [1, 0],
  [4_000_000_000_000, 0],
  [-3, 7],
  [-4, 8],
  [-5, 9],
  [-6, 11],
];
/** The offsets that a round's partitions come to, roughly. */
const USUAL_OFFSETS = 40;
const ENOUGH_BYTES = 1_000_000;

type Target = { readonly topic: string; readonly partitions: number[] };

function plain(dice: Dice, version: number): RecordsSpec {
  return version < FIRST_PRODUCE_WITH_BATCHES
    ? legacySet(dice, { isGood: true })
    : { batches: [goodBatch(dice)], trailing: 0 };
}

export class DataPlanner {
  readonly #context: PlanContext;
  readonly #producers = new Map<string, ProducerState>();

  constructor(context: PlanContext) {
    this.#context = context;
  }

  step(): Step {
    const { dice } = this.#context;
    switch (dice.integer(16)) {
      case 0:
        return this.#listOffsets();
      case 1:
        return this.#listOffsets();
      case 2:
        return this.#deleteRecords();
      case 3:
        return this.#endOfEpoch();
      case 4:
        return this.newProducer(dice.integer(3));
      case 5:
      case 6:
      case 7:
      case 8:
        return this.#fetch();
      default:
        return this.#produce();
    }
  }

  newProducer(producer: number): Step {
    const { dice, version } = this.#context;
    const chosen = version('InitProducerId', 0, 5);
    const request = newInitProducerIdRequest({
      transactionalId: null,
      transactionTimeoutMs: dice.pick([-1, 0, 60_000]),
    });
    for (const key of [...this.#producers.keys()]) if (key.startsWith(`${producer} `)) this.#producers.delete(key);
    return { api: 'InitProducerId', version: chosen, request, connection: 'data', mayWait: false, producer };
  }

  /** Topics with partitions to ask for; now and then some that are not there. */
  #targets(): Target[] {
    const { dice, topics } = this.#context;
    const targets = dice.some(topics).map(({ name, partitions }) => {
      const chosen = dice.some(Array.from({ length: partitions }, (_, at) => at));
      if (dice.oneIn(15)) chosen.push(dice.pick([partitions + 4, -1]));
      return { topic: name, partitions: chosen };
    });
    if (dice.oneIn(15)) targets.push({ topic: MISSING, partitions: [0] });
    return targets;
  }

  #produce(): Step {
    const { dice, version } = this.#context;
    const chosen = version('Produce');
    const acks = dice.oneIn(10) ? dice.pick([0, 2, -2]) : dice.pick([1, -1]);
    // Without an answer it would not show which partitions took their records.
    const isPlain = acks === 0;
    const topicData = this.#targets().map(({ topic, partitions }) =>
      newTopicProduceData({
        ...this.#named({ topic, isById: chosen >= FIRST_PRODUCE_WITH_IDS }),
        partitionData: partitions.map((index) =>
          newPartitionProduceData({
            index,
            records: later({
              $: 'records',
              spec: isPlain ? plain(dice, chosen) : this.#recordsFor(topic, index, chosen),
            }),
          }),
        ),
      }),
    );
    const request = newProduceRequest({ acks, timeoutMs: 5000, topicData });
    return { api: 'Produce', version: chosen, request, connection: 'data', mayWait: false };
  }

  #named({ topic, isById }: { topic: string; isById: boolean }): { name: string } | { topicId: string } {
    return isById ? { topicId: later({ $: 'topicId', topic }) } : { name: topic };
  }

  #recordsFor(topic: string, partition: number, version: number): RecordsSpec {
    const { dice } = this.#context;
    if (version < FIRST_PRODUCE_WITH_BATCHES) return legacySet(dice);
    if (!dice.oneIn(3)) return records(dice, goodBatch(dice));
    const index = dice.integer(2);
    const key = `${index} ${topic} ${partition}`;
    const state = this.#producers.get(key) ?? { index, epoch: 0, nextSequence: 0 };
    this.#producers.set(key, state);
    return records(dice, producerBatch(dice, state));
  }

  #fetch(): Step {
    const { dice, version } = this.#context;
    const chosen = version('Fetch');
    const isById = chosen >= FIRST_FETCH_WITH_IDS;
    const isSession = chosen >= 7 && dice.oneIn(3);
    // Sessions by id and by name are not the same.
    const session = isById ? 0 : 1;
    const isNew = dice.oneIn(4);
    const targets = isSession && !isNew && dice.oneIn(3) ? [] : this.#targets();
    const topics = targets.map(({ topic, partitions }) => {
      const { name, topicId } = { name: undefined, topicId: undefined, ...this.#named({ topic, isById }) };
      return newFetchTopic({
        ...(name === undefined ? {} : { topic: name }),
        ...(topicId === undefined ? {} : { topicId }),
        partitions: partitions.map((partition) => this.#wanted(partition, chosen)),
      });
    });
    const request = newFetchRequest({
      maxWaitMs: dice.pick([0, 0, 0, 20]),
      minBytes: this.#isSizeKnown() ? dice.pick([0, 1, 1, 500]) : dice.pick([0, 1]),
      maxBytes: this.#isSizeKnown() && dice.oneIn(4) ? dice.pick([0, 1, 100, 1000]) : ENOUGH_BYTES,
      isolationLevel: chosen >= 4 ? dice.integer(2) : 0,
      topics,
      ...(isSession
        ? this.#sessionFields({ session, isNew, isById })
        : { sessionId: 0, sessionEpoch: dice.oneIn(10) ? 0 : -1 }),
    });
    const isTracked = isSession;
    return {
      api: 'Fetch',
      version: chosen,
      request,
      connection: 'data',
      mayWait: false,
      ...(isTracked && { session }),
    };
  }

  /** Two brokers do not compress alike: limits mean the same only where none of them does. */
  #isSizeKnown(): boolean {
    return this.#context.topics.every(({ configs }) => (configs['compression.type'] ?? 'producer') === 'producer');
  }

  #sessionFields({ session, isNew, isById }: { session: number; isNew: boolean; isById: boolean }): object {
    const { dice, topics } = this.#context;
    if (isNew) return { sessionId: dice.oneIn(2) ? 0 : later({ $: 'sessionId', session }), sessionEpoch: 0 };
    const plus = dice.oneIn(10) ? dice.pick([-1, 1]) : 0;
    const forgotten = dice.oneIn(5) ? [dice.pick(topics)] : [];
    return {
      sessionId: later({ $: 'sessionId', session }),
      sessionEpoch: dice.oneIn(15) ? -1 : later({ $: 'sessionEpoch', session, plus }),
      forgottenTopicsData: forgotten.map(({ name, partitions }) =>
        newForgottenTopic({
          ...(isById ? { topicId: later<string>({ $: 'topicId', topic: name }) } : { topic: name }),
          partitions: [dice.integer(partitions)],
        }),
      ),
    };
  }

  #wanted(partition: number, version: number): ReturnType<typeof newFetchPartition> {
    const { dice } = this.#context;
    return newFetchPartition({
      partition,
      fetchOffset: dice.oneIn(12) ? dice.pick([-1, -2, 10_000]) : dice.oneIn(2) ? 0 : dice.integer(USUAL_OFFSETS),
      partitionMaxBytes: this.#isSizeKnown() && dice.oneIn(4) ? dice.pick([0, 1, 200, 1000]) : ENOUGH_BYTES,
      currentLeaderEpoch: version >= 9 && dice.oneIn(8) ? dice.pick([0, 0, 1]) : -1,
      lastFetchedEpoch: version >= 12 && dice.oneIn(8) ? dice.pick([0, 0, 1]) : -1,
      logStartOffset: -1,
    });
  }

  #listOffsets(): Step {
    const { dice, version } = this.#context;
    const chosen = version('ListOffsets', 1, 11);
    const topics = this.#targets().map(({ topic, partitions }) =>
      newListOffsetsTopic({
        name: topic,
        partitions: partitions.map((partitionIndex) =>
          newListOffsetsPartition({
            partitionIndex,
            timestamp: dice.oneIn(2) ? this.#time() : dice.pick(SPECIAL_TIMES.filter(([, from]) => chosen >= from))[0],
            currentLeaderEpoch: dice.oneIn(8) ? dice.pick([0, 1]) : -1,
          }),
        ),
      }),
    );
    const request = newListOffsetsRequest({
      replicaId: -1,
      isolationLevel: chosen >= 2 ? dice.integer(2) : 0,
      topics,
      timeoutMs: chosen >= 10 ? 1000 : 0,
    });
    return { api: 'ListOffsets', version: chosen, request, connection: 'data', mayWait: false };
  }

  /** At a record, or a millisecond beside one. */
  #time(): number {
    const { dice } = this.#context;
    return later({ $: 'time', plus: dice.integer(61) * 1000 + dice.pick([-1, 0, 0, 1]) });
  }

  #deleteRecords(): Step {
    const { dice, version } = this.#context;
    const topics = this.#targets().map(({ topic, partitions }) =>
      newDeleteRecordsTopic({
        name: topic,
        partitions: partitions.map((partitionIndex) =>
          newDeleteRecordsPartition({ partitionIndex, offset: dice.pick([-1, 0, 1, 2, 5, 30, 10_000, -2]) }),
        ),
      }),
    );
    const request = newDeleteRecordsRequest({ topics, timeoutMs: 5000 });
    return { api: 'DeleteRecords', version: version('DeleteRecords'), request, connection: 'data', mayWait: false };
  }

  #endOfEpoch(): Step {
    const { dice, version } = this.#context;
    const chosen = version('OffsetForLeaderEpoch', 2);
    const topics = this.#targets().map(({ topic, partitions }) =>
      newOffsetForLeaderTopic({
        topic,
        partitions: partitions.map((partition) =>
          newOffsetForLeaderPartition({
            partition,
            leaderEpoch: dice.pick([0, 0, 1, -1, 5]),
            currentLeaderEpoch: dice.oneIn(4) ? dice.pick([0, 1]) : -1,
          }),
        ),
      }),
    );
    const request = newOffsetForLeaderEpochRequest({ ...(chosen >= 3 && { replicaId: -1 }), topics });
    return { api: 'OffsetForLeaderEpoch', version: chosen, request, connection: 'data', mayWait: false };
  }
}
