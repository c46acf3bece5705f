/** Fetch over real replicas in memory: every version, sessions, waits, errors and limits. */
import { isFileRegion } from '../base/chunk';
import { ZERO_UUID } from '../base/random';
import type { Records } from '../codec/field-values';
import {
  type FetchPartition,
  type FetchRequest,
  type FetchResponse,
  newFetchPartition,
  newFetchRequest,
  newFetchTopic,
  newForgottenTopic,
} from '../codec/generated/01-fetch';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { Writer } from '../codec/writer';
import * as batchHeader from '../records/batch-header';
import { startDataBroker } from '../testing/data-context';
import { answerOf } from '../testing/handler-answer';
import { settle } from '../testing/manual-clock';
import { testBatch } from '../testing/replica-fixture';
import { holdConverted } from './converted-records';
import { fetch } from './fetch';
import type { RequestContext } from './request-context';

const MAX = 0x7fffffff;

type Part = [topic: string, partition: number, o?: Partial<FetchPartition>];

interface Limits {
  wait?: number;
  min?: number;
  max?: number;
  isolation?: number;
  session?: number;
  epoch?: number;
  forget?: [topic: string, partition: number][];
  replicaId?: number;
}

function request(version: number, parts: Part[], o: Limits = {}): FetchRequest {
  const named = (topic: string) => (version >= 13 ? { topicId: topic } : { topic });
  return newFetchRequest({
    maxWaitMs: o.wait ?? 0,
    minBytes: o.min ?? 1,
    maxBytes: o.max ?? MAX,
    isolationLevel: o.isolation ?? 0,
    sessionId: o.session ?? 0,
    sessionEpoch: o.epoch ?? -1,
    ...(o.replicaId !== undefined && version < 15 ? { replicaId: o.replicaId } : {}),
    ...(o.replicaId !== undefined && version >= 15
      ? { replicaState: { replicaId: o.replicaId, replicaEpoch: -1 } }
      : {}),
    topics: parts.map(([topic, partition, rest]) =>
      newFetchTopic({
        ...named(topic),
        partitions: [newFetchPartition({ partition, partitionMaxBytes: 1_000_000, ...rest })],
      }),
    ),
    forgottenTopicsData: (o.forget ?? []).map(([topic, partition]) =>
      newForgottenTopic({ ...named(topic), partitions: [partition] }),
    ),
  });
}

/** What an answer says of each partition: topic or id, index, error, high watermark, bytes. */
function shown(response: FetchResponse): unknown[] {
  return response.responses.flatMap(({ topic, topicId, partitions }) =>
    partitions.map(({ partitionIndex, errorCode, highWatermark, records }) => {
      expect(records).not.toBeNull();
      const size = Buffer.isBuffer(records)
        ? records.length
        : (records ?? []).reduce((sum, { length }) => sum + length, 0);
      return [topicId === ZERO_UUID ? topic : topicId, partitionIndex, errorCode, highWatermark, size];
    }),
  );
}

type Appended = [topic: string, partition: number, batch: Buffer];

async function setUp(batches: Appended[] = [], settings: Record<string, string> = {}) {
  const broker = await startDataBroker(settings);
  const ids = { t: await broker.createTopic('t', { partitions: 3 }), u: await broker.createTopic('u') };
  const append = async (topic: string, partition: number, batch: Buffer): Promise<void> => {
    const entries = [{ topic, partition, records: Buffer.from(batch) }];
    const [done] = await broker.replicas.replicaManager
      .append({
        requiredAcks: -1,
        origin: 'client',
        internalTopicsAllowed: false,
        entries,
      })
      .promise();
    if (done?.errorCode !== ErrorCode.NONE) throw new Error(`append: ${done?.errorCode}`);
  };
  for (const batch of batches) await append(...batch);
  const sendIn = async (context: RequestContext, parts: Part[], o?: Limits): Promise<FetchResponse> => {
    const response = await answerOf(fetch(context, request(context.apiVersion, parts, o)));
    // Every answer must fit its version.
    apis.Fetch.encodeResponse(new Writer(), response, context.apiVersion);
    return response;
  };
  const send = (version: number, parts: Part[], o?: Limits) => sendIn(broker.context(version), parts, o);
  return { broker, ids, append, send, sendIn };
}

const one = testBatch(3);

describe('Fetch', () => {
  it.each([0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 15, 16, 17, 18])('gives records, version %d', async (version) => {
    const { send, ids } = await setUp([['t', 1, one]]);
    const name = version >= 13 ? ids.t : 't';
    const answer = await send(version, [
      [name, 0],
      [name, 1],
    ]);
    expect(shown(answer).map((row) => (row as unknown[]).slice(0, 4))).toEqual([
      [name, 0, 0, 0],
      [name, 1, 0, 3],
    ]);
    const size = (shown(answer)[1] as number[])[4]!;
    if (version >= 4) expect(size).toBe(one.length);
    else expect(size).toBeGreaterThan(0);
  });

  it('has no records with an error, whatever the error', async () => {
    const { send, ids } = await setUp([['t', 0, one]]);
    expect(
      shown(
        await send(11, [
          ['t', 9],
          ['missing', 0],
          ['t', 0, { fetchOffset: 50 }],
        ]),
      ),
    ).toEqual([
      ['t', 9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, 0],
      ['t', 0, ErrorCode.OFFSET_OUT_OF_RANGE, -1, 0],
      ['missing', 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, 0],
    ]);
    const unknown = 'unknownTopicIdAAAAAAAA';
    expect(
      shown(
        await send(13, [
          [unknown, 0],
          [ids.t, 9],
        ]),
      ),
    ).toEqual([
      [unknown, 0, ErrorCode.UNKNOWN_TOPIC_ID, -1, 0],
      [ids.t, 9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, 0],
    ]);
  });

  it('gives the first batch whole, then nothing beyond the limits', async () => {
    const large = testBatch(1, { valueBytes: 5000 });
    const { send } = await setUp([
      ['t', 1, large],
      ['t', 1, large],
      ['t', 2, large],
    ]);
    for (const maxBytes of [1, 0, -1]) {
      const parts: Part[] = [0, 1, 2].map((p) => ['t', p, { partitionMaxBytes: maxBytes }]);
      expect(shown(await send(11, parts, { max: 1 })).map((row) => (row as number[])[4])).toEqual([0, large.length, 0]);
    }
  });

  it('is capped by fetch.max.bytes', async () => {
    const large = testBatch(1, { valueBytes: 600 });
    const { append, send } = await setUp([], { 'fetch.max.bytes': '1024' });
    for (const partition of [0, 1, 2]) await append('t', partition, large);
    const sizes = shown(
      await send(
        4,
        [0, 1, 2].map((p) => ['t', p]),
      ),
    ).map((row) => (row as number[])[4]);
    expect(sizes).toEqual([large.length, 0, 0]);
  });

  it('lists aborted transactions for read_committed only', async () => {
    const { send } = await setUp([['t', 0, one]]);
    const aborted = async (isolation: number) =>
      (await send(11, [['t', 0]], { isolation })).responses[0]?.partitions[0]?.abortedTransactions;
    expect([await aborted(0), await aborted(1)]).toEqual([null, []]);
  });

  it('fences by leader epoch, and says who leads from version 16 on', async () => {
    const { send, ids, broker } = await setUp([['t', 0, one]]);
    const epoch = broker.replicas.broker.metadata.image.partition('t', 0)!.leaderEpoch;
    const ask = (version: number, currentLeaderEpoch: number) =>
      send(version, [[version >= 13 ? ids.t : 't', 0, { currentLeaderEpoch }]]);
    expect((shown(await ask(11, epoch + 1))[0] as number[])[2]).toBe(ErrorCode.UNKNOWN_LEADER_EPOCH);
    expect((shown(await ask(11, epoch))[0] as number[])[2]).toBe(ErrorCode.NONE);
    const { metadata } = broker.replicas.broker;
    const topic = metadata.image.topic('t')!;
    const partitions = topic.partitions.map((partition) => ({ ...partition, leaderEpoch: epoch + 1 }));
    await metadata.apply({ topics: [{ ...topic, partitions }] });
    const fenced = await ask(16, epoch);
    expect(fenced.responses[0]?.partitions[0]).toMatchObject({
      errorCode: ErrorCode.FENCED_LEADER_EPOCH,
      currentLeader: { leaderId: 1, leaderEpoch: epoch + 1 },
    });
    expect(fenced.nodeEndpoints).toEqual([{ nodeId: 1, host: 'broker1', port: 9092, rack: 'r1' }]);
    expect((await ask(15, epoch)).responses[0]?.partitions[0]?.currentLeader.leaderId).toBe(-1);
  });

  it('tells where logs diverged instead of giving records', async () => {
    const { send, broker } = await setUp([['t', 0, one]]);
    const epoch = broker.replicas.broker.metadata.image.partition('t', 0)!.leaderEpoch;
    const answer = await send(12, [['t', 0, { fetchOffset: 9, lastFetchedEpoch: epoch }]], { wait: 5000 });
    expect(answer.responses[0]?.partitions[0]).toMatchObject({ errorCode: 0, divergingEpoch: { epoch, endOffset: 3 } });
    expect(shown(answer)).toEqual([['t', 0, 0, 3, 0]]);
  });

  it('shows followers the log end', async () => {
    const { send, ids } = await setUp([['t', 0, one]]);
    expect(shown(await send(11, [['t', 0]], { replicaId: 1 }))).toEqual([['t', 0, 0, 3, one.length]]);
    expect(shown(await send(17, [[ids.t, 0]], { replicaId: 1 }))).toEqual([[ids.t, 0, 0, 3, one.length]]);
  });
});

describe('Fetch waits', () => {
  it('for data, and answers when there is some', async () => {
    const { append, send } = await setUp();
    let answer: FetchResponse | undefined;
    const pending = send(
      11,
      [
        ['t', 0],
        ['u', 0],
      ],
      { wait: 1000 },
    ).then((response) => {
      answer = response;
    });
    await settle();
    expect(answer).toBeUndefined();
    await append('u', 0, one);
    await pending;
    expect(answer && shown(answer)).toEqual([
      ['t', 0, 0, 0, 0],
      ['u', 0, 0, 3, one.length],
    ]);
  });

  it('as long as it may, also beside a partition that nobody knows', async () => {
    const { broker, send } = await setUp();
    let isAnswered = false;
    const pending = send(
      11,
      [
        ['t', 0],
        ['missing', 0],
      ],
      { wait: 1000 },
    ).finally(() => {
      isAnswered = true;
    });
    await broker.replicas.clock.advance(999);
    expect(isAnswered).toBe(false);
    await broker.replicas.clock.advance(1);
    expect(shown(await pending)).toHaveLength(2);
  });

  it('not at all where nothing is known', async () => {
    const { send } = await setUp();
    expect(shown(await send(11, [['missing', 0]], { wait: 10_000 }))).toHaveLength(1);
  });

  it('no longer than the connection lives', async () => {
    const { broker, sendIn } = await setUp();
    const context = broker.context(11);
    const pending = sendIn(context, [['t', 0]], { wait: 60_000 });
    await settle();
    context.close();
    await pending;
  });
});

describe('a fetch session', () => {
  it('goes on with an older version, which hears nothing of epochs', async () => {
    const { send } = await setUp();
    const wanted: Part = ['t', 0, { fetchOffset: 40, lastFetchedEpoch: 0 }];
    const opened = await send(12, [wanted], { session: 0, epoch: 0 });
    expect(opened.responses[0]!.partitions[0]).toMatchObject({ errorCode: 0, divergingEpoch: { epoch: 0 } });
    const older = await send(8, [], { session: opened.sessionId, epoch: 1 });
    expect(older.responses[0]!.partitions[0]).toMatchObject({ errorCode: ErrorCode.OFFSET_OUT_OF_RANGE });
  });

  it('omits what has no news', async () => {
    const { append, send } = await setUp([['t', 0, one]]);
    const opened = await send(
      11,
      [
        ['t', 0, { fetchOffset: 3 }],
        ['t', 1],
      ],
      { session: 0, epoch: 0 },
    );
    expect(opened.sessionId).toBeGreaterThan(0);
    expect(shown(opened)).toHaveLength(2);
    const session = opened.sessionId;
    const quiet = await send(11, [], { session, epoch: 1 });
    expect([quiet.sessionId, shown(quiet)]).toEqual([session, []]);
    await append('t', 1, one);
    expect(shown(await send(11, [], { session, epoch: 2 }))).toEqual([['t', 1, 0, 3, one.length]]);
    const forgetful = await send(11, [], { session, epoch: 3, forget: [['t', 1]] });
    expect(shown(forgetful)).toEqual([]);
    const last = await send(11, [['t', 0]], { session, epoch: -1 });
    expect([last.sessionId, shown(last)]).toEqual([0, [['t', 0, 0, 3, one.length]]]);
  });

  it('works by topic id', async () => {
    const { append, ids, send } = await setUp();
    const { sessionId: session } = await send(
      13,
      [
        [ids.t, 0],
        [ids.u, 0],
      ],
      { session: 0, epoch: 0 },
    );
    await append('u', 0, one);
    expect(shown(await send(13, [], { session, epoch: 1 }))).toEqual([[ids.u, 0, 0, 3, one.length]]);
    expect((await send(12, [], { session, epoch: 2 })).errorCode).toBe(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR);
  });

  it('that is unknown or of another epoch is an error on top', async () => {
    const { send } = await setUp();
    const { sessionId } = await send(7, [['t', 0]], { session: 0, epoch: 0 });
    const refused = { sessionId: 0, responses: [] };
    expect(await send(7, [['t', 0]], { session: sessionId + 1, epoch: 4 })).toMatchObject({
      ...refused,
      errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
    });
    expect(await send(7, [['t', 0]], { session: sessionId, epoch: 9 })).toMatchObject({
      ...refused,
      errorCode: ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    });
  });

  it('is given no data when another request overtook', async () => {
    const { append, send } = await setUp();
    const { sessionId: session } = await send(11, [['t', 0]], { session: 0, epoch: 0 });
    const slow = send(11, [], { session, epoch: 1, wait: 5000 });
    await settle();
    await send(11, [], { session, epoch: 2 });
    await append('t', 0, one);
    expect(await slow).toMatchObject({ errorCode: ErrorCode.INVALID_FETCH_SESSION_EPOCH, responses: [] });
  });
});

describe('Fetch of old versions', () => {
  /** Takes over the regions of an answer. */
  async function bytesOf(records: Records | null | undefined): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (const chunk of Buffer.isBuffer(records) ? [records] : (records ?? [])) {
      if (!isFileRegion(chunk)) {
        parts.push(chunk);
        continue;
      }
      const part = Buffer.alloc(chunk.length);
      await chunk.read(part, 0);
      chunk.release();
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  it('takes bounded memory: a share for each partition, one batch where much is held', async () => {
    const batches: Appended[] = [];
    for (let i = 0; i < 12; i++) batches.push(['t', i % 2, testBatch(1, { valueBytes: 900_000 })]);
    const { send } = await setUp(batches);
    const both: Part[] = [0, 1].map((partition) => ['t', partition, { partitionMaxBytes: MAX }]);
    const sizes = async (version: number): Promise<number[]> => {
      const { partitions } = (await send(version, both)).responses[0]!;
      return Promise.all(partitions.map(async ({ records }) => Math.round((await bytesOf(records)).length / 900_000)));
    };
    for (const version of [1, 3]) expect(await sizes(version)).toEqual([2, 2]);
    expect(await sizes(4)).toEqual([6, 6]);
    const held = holdConverted(Buffer.alloc(64 * 1024 * 1024));
    for (const version of [1, 3]) expect(await sizes(version)).toEqual([1, 0]);
    held.release();
    expect(await sizes(3)).toEqual([2, 2]);
  });

  it('gives message sets, cut where limits are hard', async () => {
    const { send } = await setUp([['t', 0, testBatch(2, { valueBytes: 3000 })]]);
    const bytes = async (version: number, partitionMaxBytes: number): Promise<Buffer> => {
      const answer = await send(version, [['t', 0, { partitionMaxBytes }]]);
      return bytesOf(answer.responses[0]?.partitions[0]?.records);
    };
    for (const [version, magic] of [
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 1],
    ] as const) {
      expect(batchHeader.magic(await bytes(version, 1_000_000))).toBe(magic);
    }
    expect((await bytes(2, 1000)).length).toBe(1000);
    expect((await bytes(3, 1000)).length).toBeGreaterThan(6000);
  });
});
