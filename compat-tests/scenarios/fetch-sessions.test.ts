/** Fetch sessions (KIP-227): what starts, continues and ends one, and what is told within one. */
import type { FetchResponse } from '../../src/codec/generated/01-fetch';
import { ErrorCode } from '../../src/codec/generated/errors';
import type { WireClient } from '../../src/testing/wire-client';
import { batchOf, valuesIn } from './batches';
import { deleteRecords, type FetchOptions, fetchMany, recordsOf, stored, type WantedRecords } from './data-calls';
import { eventually, uniqueName, useBroker } from './fixture';

const broker = useBroker();

/** The partitions told of, with their errors and values. */
function told(answer: FetchResponse): string[] {
  return answer.responses.flatMap(({ topic, partitions }) =>
    partitions.map((data) =>
      `${topic}-${data.partitionIndex} ${data.errorCode} ${valuesIn(recordsOf(data)).join()}`.trim(),
    ),
  );
}

/** A session of one connection: sends the next epoch each time. */
class Session {
  readonly #client: WireClient;
  id = 0;
  epoch = 0;

  constructor(client: WireClient) {
    this.#client = client;
  }

  async fetch(wanted: readonly WantedRecords[] = [], o: FetchOptions = {}): Promise<string[]> {
    const answer = await this.answer(wanted, o);
    expect([answer.errorCode, answer.sessionId]).toEqual([ErrorCode.NONE, this.id || answer.sessionId]);
    this.id = answer.sessionId;
    this.epoch++;
    return told(answer);
  }

  answer(wanted: readonly WantedRecords[] = [], o: FetchOptions = {}): Promise<FetchResponse> {
    return fetchMany(this.#client, wanted, { sessionId: this.id, sessionEpoch: this.epoch, ...o });
  }
}

describe('the life of a session', () => {
  broker.scenario('it starts with all, goes on with news only, and ends with all', async () => {
    const topic = await broker.topic({ partitions: 2 });
    const client = await broker.connect();
    const session = new Session(client);
    const all = [0, 1].map((partition) => ({ topic, partition }));
    expect(await session.fetch(all)).toEqual([`${topic}-0 0`, `${topic}-1 0`]);
    expect(session.id).toBeGreaterThan(0);
    expect(await session.fetch()).toEqual([]);
    await stored(client, { topic, partition: 1, records: batchOf(['news']) });
    expect(await session.fetch()).toEqual([`${topic}-1 0 news`]);
    expect(await session.fetch([{ topic, partition: 1, offset: 1 }])).toEqual([]);

    const last = await session.answer(all, { sessionEpoch: -1 });
    expect(last).toMatchObject({ errorCode: ErrorCode.NONE, sessionId: 0 });
    expect(told(last)).toEqual([`${topic}-0 0`, `${topic}-1 0 news`]);
    expect(await session.answer([], { sessionEpoch: session.epoch })).toMatchObject({
      errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
      sessionId: 0,
      responses: [],
    });
  });

  broker.scenario('who wants none gets none', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    for (let round = 0; round < 2; round++) {
      const answer = await fetchMany(client, [{ topic }], { sessionId: 0, sessionEpoch: -1 });
      expect(answer).toMatchObject({ errorCode: ErrorCode.NONE, sessionId: 0 });
      expect(told(answer)).toEqual([`${topic}-0 0`]);
    }
  });

  broker.scenario('epoch 0 within a session starts another one', async () => {
    const topic = await broker.topic();
    const session = new Session(await broker.connect());
    await session.fetch([{ topic }]);
    const renewed = await session.answer([{ topic }], { sessionEpoch: 0 });
    expect(renewed.errorCode).toBe(ErrorCode.NONE);
    expect([0, session.id]).not.toContain(renewed.sessionId);
    expect((await session.answer()).errorCode).toBe(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
  });
});

describe('wrong ids and epochs', () => {
  broker.scenario('are told for the whole answer; the session goes on at the right epoch', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const session = new Session(client);
    await session.fetch([{ topic }]);
    const unknown = session.id === 1 ? 2 : session.id - 1;
    expect(await fetchMany(client, [{ topic }], { sessionId: unknown, sessionEpoch: 3 })).toMatchObject({
      errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
      sessionId: 0,
      responses: [],
    });
    await session.fetch();
    for (const sessionEpoch of [session.epoch - 1, session.epoch + 1, session.epoch + 100]) {
      expect(await session.answer([], { sessionEpoch })).toMatchObject({
        errorCode: ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        sessionId: 0,
        responses: [],
      });
    }
    await stored(client, { topic, records: batchOf(['still here']) });
    expect(await session.fetch()).toEqual([`${topic}-0 0 still here`]);
  });
});

describe('what a session is about', () => {
  broker.scenario('a forgotten partition is never told of again, until it is wanted again', async () => {
    const topic = await broker.topic({ partitions: 2 });
    const client = await broker.connect();
    const session = new Session(client);
    await session.fetch([0, 1].map((partition) => ({ topic, partition })));
    for (const partition of [0, 1]) await stored(client, { topic, partition, records: batchOf([`p${partition}`]) });
    expect(await session.fetch([], { forgotten: [{ topic, partitions: [1] }] })).toEqual([`${topic}-0 0 p0`]);
    await stored(client, { topic, partition: 1, records: batchOf(['unheard']) });
    expect(await session.fetch([{ topic, partition: 0, offset: 1 }])).toEqual([]);
    expect(await session.fetch([{ topic, partition: 1, offset: 0 }])).toEqual([`${topic}-1 0 p1,unheard`]);
  });

  broker.scenario('a session about nothing is none', async () => {
    const topic = await broker.topic();
    const session = new Session(await broker.connect());
    await session.fetch([{ topic }]);
    const answer = await session.answer([], { forgotten: [{ topic, partitions: [0] }] });
    expect(answer).toMatchObject({ errorCode: ErrorCode.NONE, sessionId: 0, responses: [] });
    expect((await session.answer([], { sessionEpoch: 2 })).errorCode).toBe(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
  });

  broker.scenario('a partition may be added later', async () => {
    const topic = await broker.topic({ partitions: 2 });
    const session = new Session(await broker.connect());
    await session.fetch([{ topic, partition: 0 }]);
    expect(await session.fetch([{ topic, partition: 1 }])).toEqual([`${topic}-1 0`]);
    expect(await session.fetch()).toEqual([]);
  });
});

describe('what is news', () => {
  broker.scenario('a moved high watermark and a moved log start, once each', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const session = new Session(client);
    await session.fetch([{ topic }]);
    expect(await session.fetch()).toEqual([]);
    await stored(client, { topic, records: batchOf(['a', 'b']) });
    // The reader stands behind the new records already: only the high watermark is new.
    expect(await session.fetch([{ topic, offset: 2 }])).toEqual([`${topic}-0 0`]);
    expect(await session.fetch()).toEqual([]);
    expect(await deleteRecords(client, { topic, offset: 1 })).toMatchObject({ errorCode: 0, lowWatermark: 1 });
    expect(await session.fetch()).toEqual([`${topic}-0 0`]);
    expect(await session.fetch()).toEqual([]);
  });

  broker.scenario('an error, each time, and its end, once', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const session = new Session(client);
    expect(await session.fetch([{ topic, offset: 1 }])).toEqual([`${topic}-0 ${ErrorCode.OFFSET_OUT_OF_RANGE}`]);
    for (let round = 0; round < 2; round++) {
      expect(await session.fetch()).toEqual([`${topic}-0 ${ErrorCode.OFFSET_OUT_OF_RANGE}`]);
    }
    await stored(client, { topic, records: batchOf(['x']) });
    expect(await session.fetch()).toEqual([`${topic}-0 0`]);
    expect(await session.fetch()).toEqual([]);
  });

  broker.scenario('a topic that nobody knows is told of each time, and never made', async () => {
    const missing = uniqueName('missing');
    const session = new Session(await broker.connect());
    for (let round = 0; round < 3; round++) {
      expect(await session.fetch(round === 0 ? [{ topic: missing }] : [])).toEqual([
        `${missing}-0 ${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}`,
      ]);
    }
  });

  broker.scenario('a topic that is deleted becomes an error', async () => {
    const [topic, other] = [await broker.topic(), await broker.topic()];
    const session = new Session(await broker.connect());
    await session.fetch([{ topic }, { topic: other }]);
    await broker.deleteTopic(topic);
    const seen = await eventually('the error', {
      attempt: () => session.fetch(),
      holds: (partitions) => partitions.length > 0,
    });
    expect(seen).toEqual([`${topic}-0 ${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}`]);
  });
});
