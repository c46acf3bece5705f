/** Produce over real replicas in memory: what is stored, what is answered, and where nothing is. */
import {
  newPartitionProduceData,
  newProduceRequest,
  newTopicProduceData,
  type PartitionProduceResponse,
  type ProduceRequest,
} from '../codec/generated/00-produce';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { Writer } from '../codec/writer';
import { buildBatch } from '../records/batch-builder';
import { convertDown } from '../records/down-conversion';
import { startDataBroker } from '../testing/data-context';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { RecordingLogger } from '../testing/recording-logger';
import { testBatch } from '../testing/replica-fixture';
import { produce } from './produce';
import { CLOSE_CONNECTION, NO_ANSWER, type Staged } from './request-context';

type Part = [topic: string, partition: number, records: Buffer | null];

function request(parts: Part[], o: Partial<ProduceRequest> & { byId?: boolean } = {}): ProduceRequest {
  const topicData = parts.map(([topic, index, records]) =>
    newTopicProduceData({
      ...(o.byId ? { topicId: topic } : { name: topic }),
      partitionData: [newPartitionProduceData({ index, records })],
    }),
  );
  return newProduceRequest({ acks: o.acks ?? -1, timeoutMs: 1000, topicData });
}

const api = apis.Produce;

async function setUp() {
  const broker = await startDataBroker();
  const id = await broker.createTopic('t', { partitions: 2 });
  const send = async (parts: Part[], version = 8, o: { acks?: number; byId?: boolean; clientId?: string } = {}) => {
    const { clientId, ...rest } = o;
    const context = broker.context(version, clientId === undefined ? {} : { clientId });
    const response = await answerOf(produce(context, request(parts, rest)));
    // Every answer must fit its version.
    api.encodeResponse(new Writer(), response, version);
    return response;
  };
  const shown = async (...given: Parameters<typeof send>): Promise<unknown[]> => {
    const response = await send(...given);
    return response.responses.flatMap(({ name, partitionResponses }) =>
      partitionResponses.map((one: PartitionProduceResponse) => [name, one.index, one.errorCode, one.baseOffset]),
    );
  };
  const end = (partition: number): number => {
    const offsets = broker.replicas.replicaManager.partitionOffsets({ topic: 't', partition });
    return offsets.ok ? offsets.value.logEndOffset : -1;
  };
  return { broker, id, send, shown, end };
}

describe('Produce', () => {
  it.each([0, 1, 2, 3, 5, 8, 9, 10, 12])('stores batches, version %d', async (version) => {
    const { shown, end } = await setUp();
    expect(await shown([['t', 1, testBatch(3)]], version)).toEqual([['t', 1, 0, 0]]);
    expect(await shown([['t', 1, testBatch(2)]], version, { acks: 1 })).toEqual([['t', 1, 0, 3]]);
    expect([end(0), end(1)]).toEqual([0, 5]);
  });

  it('goes by topic ids from version 13 on', async () => {
    const { send, id } = await setUp();
    const answer = await send(
      [
        [id, 0, testBatch()],
        ['unknownTopicIdAAAAAAAA', 0, testBatch()],
      ],
      13,
      { byId: true },
    );
    expect(
      answer.responses.map(({ topicId, partitionResponses }) => [topicId, partitionResponses[0]?.errorCode]),
    ).toEqual([
      [id, ErrorCode.NONE],
      ['unknownTopicIdAAAAAAAA', ErrorCode.UNKNOWN_TOPIC_ID],
    ]);
  });

  it('answers for all that was asked, in order, with an error where it belongs', async () => {
    const { shown, broker } = await setUp();
    const bad = Buffer.concat([testBatch(), testBatch()]);
    const parts: Part[] = [
      ['missing', 0, testBatch()],
      ['t', 1, bad],
      ['t', 7, testBatch()],
      ['t', 8, bad],
      ['t', 0, testBatch()],
    ];
    expect(await shown(parts, 9)).toEqual([
      ['missing', 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1],
      ['t', 1, ErrorCode.INVALID_RECORD, -1],
      ['t', 7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1],
      ['t', 8, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1],
      ['t', 0, ErrorCode.NONE, 0],
    ]);
    expect(broker.replicas.broker.metadata.image.topic('missing')).toBeUndefined();
  });

  it('takes message sets up to version 2', async () => {
    const { shown } = await setUp();
    const set = convertDown(testBatch(2), { toMagic: 1, firstOffset: 0 });
    if (!set.ok) throw new Error('not converted');
    expect(await shown([['t', 0, Buffer.from(set.value)]], 2)).toEqual([['t', 0, 0, 0]]);
    expect(await shown([['t', 0, Buffer.from(set.value)]], 3)).toEqual([['t', 0, ErrorCode.INVALID_RECORD, -1]]);
  });

  it('tells of the records that are to blame', async () => {
    const { broker, send } = await setUp();
    await broker.createTopic('c', { configs: { 'cleanup.policy': 'compact' } });
    const answer = await send([['c', 0, testBatch(2)]]);
    const [response] = answer.responses[0]!.partitionResponses;
    expect(response).toMatchObject({ errorCode: ErrorCode.INVALID_RECORD, errorMessage: expect.any(String) });
    expect(response?.recordErrors.map(({ batchIndex }) => batchIndex)).toEqual([0, 1]);
  });

  it.each([2, -2])('refuses acks %d', async (acks) => {
    const { shown, end } = await setUp();
    expect(await shown([['t', 0, testBatch()]], 8, { acks })).toEqual([['t', 0, ErrorCode.INVALID_REQUIRED_ACKS, -1]]);
    expect(end(0)).toBe(0);
  });

  it('lets only the admin client write internal topics', async () => {
    const { broker, shown } = await setUp();
    await broker.createTopic('__consumer_offsets');
    expect(await shown([['__consumer_offsets', 0, testBatch()]])).toEqual([
      ['__consumer_offsets', 0, ErrorCode.INVALID_TOPIC_EXCEPTION, -1],
    ]);
    expect(await shown([['__consumer_offsets', 0, testBatch()]], 8, { clientId: '__admin_client' })).toEqual([
      ['__consumer_offsets', 0, 0, 0],
    ]);
  });

  it('refuses transactions as a whole, with a reason', async () => {
    const { send, end } = await setUp();
    const batch = testBatch(1, { isTransactional: true, producerId: 1, producerEpoch: 0, baseSequence: 0 });
    const answer = await send([
      ['t', 0, batch],
      ['t', 1, testBatch()],
    ]);
    for (const { partitionResponses } of answer.responses) {
      expect(partitionResponses).toMatchObject([
        {
          errorCode: ErrorCode.UNSUPPORTED_VERSION,
          baseOffset: -1,
          errorMessage: expect.stringMatching(/Transactions/),
        },
      ]);
    }
    expect([end(0), end(1)]).toEqual([0, 0]);
  });

  it('has the append time of topics that want it', async () => {
    const { broker, send } = await setUp();
    await broker.createTopic('stamped', { configs: { 'message.timestamp.type': 'LogAppendTime' } });
    const answer = await send([
      ['stamped', 0, testBatch()],
      ['t', 0, testBatch()],
    ]);
    expect(answer.responses.map(({ partitionResponses }) => partitionResponses[0]?.logAppendTimeMs)).toEqual([
      broker.replicas.clock.nowMs(),
      -1,
    ]);
  });
});

describe('Produce without acks', () => {
  it('is not answered', async () => {
    const { broker, end } = await setUp();
    const staged = produce(broker.context(8), request([['t', 0, testBatch(4)]], { acks: 0 })) as Staged<unknown>;
    expect(staged.firstStage.isThere).toBe(true);
    expect(await staged.answer.promise()).toBe(NO_ANSWER);
    expect(end(0)).toBe(4);
  });

  it('closes the connection at an error, and says why in the log', async () => {
    const { broker } = await setUp();
    const logger = new RecordingLogger();
    const context = handlerContext({ apiVersion: 8, broker: { ...broker.context(8).broker, logger } });
    const parts: Part[] = [
      ['t', 0, testBatch()],
      ['t', 9, testBatch()],
    ];
    const staged = produce(context, request(parts, { acks: 0 })) as Staged<unknown>;
    expect(await staged.answer.promise()).toBe(CLOSE_CONNECTION);
    expect(logger.of('info').map(({ fields }) => fields)).toMatchObject([{ topic: 't', partition: 9, errorCode: 3 }]);
  });
});

describe('Produce to another broker’s partition', () => {
  const elsewhere = { leader: 2, leaderEpoch: 5, partitionEpoch: 0, replicas: [2], isr: [2], partition: 0 };

  it('tells the leader from version 10 on', async () => {
    const { broker, send } = await setUp();
    const { metadata } = broker.replicas.broker;
    const brokers = new Map(metadata.image.brokers);
    const endpoints = [{ listener: 'PLAINTEXT', host: 'broker2', port: 9093, securityProtocol: 'PLAINTEXT' }];
    brokers.set(2, { id: 2, rack: 'r2', endpoints });
    const topic = {
      name: 'e',
      id: 'elsewhereAAAAAAAAAAAAA',
      isInternal: false,
      partitions: [elsewhere],
      configs: new Map(),
    };
    await metadata.apply({ brokers, topics: [topic] });
    const answer = await send([['e', 0, testBatch()]], 10);
    expect(answer.responses[0]?.partitionResponses).toMatchObject([
      { errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER, currentLeader: { leaderId: 2, leaderEpoch: 5 } },
    ]);
    expect(answer.nodeEndpoints).toEqual([{ nodeId: 2, host: 'broker2', port: 9093, rack: 'r2' }]);
    expect((await send([['e', 0, testBatch()]], 9)).nodeEndpoints).toEqual([]);
  });
});

it('keeps a producer’s batches apart from others', async () => {
  const { shown } = await setUp();
  const batch = (baseSequence: number): Buffer =>
    buildBatch({
      records: [{ timestamp: 1_767_000_000_000, key: null, value: Buffer.from('x') }],
      producerId: 7,
      producerEpoch: 0,
      baseSequence,
    });
  expect(await shown([['t', 0, batch(0)]])).toEqual([['t', 0, 0, 0]]);
  expect(await shown([['t', 0, batch(0)]])).toEqual([['t', 0, 0, 0]]);
  expect(await shown([['t', 0, batch(5)]])).toEqual([['t', 0, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1]]);
});
