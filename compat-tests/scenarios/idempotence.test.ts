/** Idempotent producers: what was sent twice is stored once, what came too early not at all (KIP-98). */
import { ErrorCode } from '../../src/codec/generated/errors';
import type { WireClient } from '../../src/testing/wire-client';
import { batchOf, splitBatches, valuesIn } from './batches';
import { endOffset, fetchAll, newProducerId, PRODUCE_VERSION, produce, produceCall, stored } from './data-calls';
import { eventually, pause, useBroker, withBroker, withSettings } from './fixture';

const broker = useBroker();

interface Producer {
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** A batch of `count` records of that producer, from that sequence on. */
function sequenced(producer: Producer, baseSequence: number, count = 1): Buffer {
  const values = Array.from({ length: count }, (_, at) => `${producer.producerEpoch}/${baseSequence + at}`);
  return batchOf(values, { ...producer, baseSequence });
}

async function send(client: WireClient, topic: string, records: Buffer): Promise<[number, number]> {
  const { errorCode, baseOffset } = await produce(client, { topic, records });
  return [errorCode, baseOffset];
}

describe('what is sent again', () => {
  broker.scenario('each of the last five batches gets its first answer again, and the log does not grow', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const producer = await newProducerId(client);
    const batches = [0, 2, 4, 6, 8, 10].map((sequence) => sequenced(producer, sequence, 2));
    for (const [at, records] of batches.entries()) expect(await send(client, topic, records)).toEqual([0, at * 2]);
    for (const [at, records] of batches.entries()) {
      if (at > 0) expect(await send(client, topic, records)).toEqual([ErrorCode.NONE, at * 2]);
    }
    const [errorCode] = await send(client, topic, batches[0]!);
    expect([ErrorCode.DUPLICATE_SEQUENCE_NUMBER, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER]).toContain(errorCode);
    expect(await endOffset(client, topic)).toBe(12);
  });

  broker.scenario('under LogAppendTime the answer has the time of the first append', async () => {
    const topic = await broker.topic({ configs: { 'message.timestamp.type': 'LogAppendTime' } });
    const client = await broker.connect();
    const records = sequenced(await newProducerId(client), 0);
    const first = await produce(client, { topic, records });
    await pause(5);
    const again = await produce(client, { topic, records });
    expect([again.errorCode, again.baseOffset]).toEqual([ErrorCode.NONE, 0]);
    expect(again.logAppendTimeMs).toBe(first.logAppendTimeMs);
    expect(first.logAppendTimeMs).toBeGreaterThan(0);
  });

  broker.scenario('without a producer id everything is stored', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const records = batchOf(['twice']);
    for (const offset of [0, 1]) expect(await send(client, topic, records)).toEqual([ErrorCode.NONE, offset]);
  });

  withBroker('after a restart', {
    isOnDisk: true,
    scenarios: (own) => {
      own.scenario('the last five batches are still known, and the next one fits', async () => {
        const topic = await own.topic();
        const client = await own.connect();
        const producer = await newProducerId(client);
        const batches = [0, 1, 2, 3, 4].map((sequence) => sequenced(producer, sequence));
        for (const records of batches) await stored(client, { topic, records });
        await own.restart();
        const later = await own.connect();
        for (const [at, records] of batches.entries()) expect(await send(later, topic, records)).toEqual([0, at]);
        expect(await send(later, topic, sequenced(producer, 6))).toEqual([ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1]);
        expect(await send(later, topic, sequenced(producer, 5))).toEqual([ErrorCode.NONE, 5]);
        expect((await newProducerId(later)).producerId).not.toBe(producer.producerId);
      });
    },
  });
});

describe('what comes too early', () => {
  broker.scenario('waits for what is missing: nothing is stored ahead of it', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const producer = await newProducerId(client);
    await stored(client, { topic, records: sequenced(producer, 0) });
    expect(await send(client, topic, sequenced(producer, 2))).toEqual([ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1]);
    expect(await send(client, topic, sequenced(producer, 1))).toEqual([ErrorCode.NONE, 1]);
    expect(await send(client, topic, sequenced(producer, 2))).toEqual([ErrorCode.NONE, 2]);
  });

  broker.scenario(
    'five in flight of which the first fails: the others fail too, and fit when sent again (KAFKA-5494)',
    async () => {
      const topic = await broker.topic({ configs: { 'max.message.bytes': 2000 } });
      const client = await broker.connect();
      const producer = await newProducerId(client);
      await stored(client, { topic, records: sequenced(producer, 0) });
      const tooLarge = batchOf(['x'.repeat(3000)], { ...producer, baseSequence: 1 });
      const rest = [2, 3, 4, 5].map((sequence) => sequenced(producer, sequence));
      const answers = await Promise.all(
        [tooLarge, ...rest].map((records) =>
          client.call(produceCall([{ topic, records }], { version: PRODUCE_VERSION })),
        ),
      );
      expect(answers.map(({ responses }) => responses[0]!.partitionResponses[0]!.errorCode)).toEqual([
        ErrorCode.MESSAGE_TOO_LARGE,
        ...rest.map(() => ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
      ]);
      expect(await endOffset(client, topic)).toBe(1);
      for (const records of [sequenced(producer, 1), ...rest]) await stored(client, { topic, records });
      for (const records of rest) await stored(client, { topic, records });
      expect(valuesIn(await fetchAll(client, { topic }))).toEqual([0, 1, 2, 3, 4, 5].map((at) => `0/${at}`));
    },
  );

  broker.scenario('sequences go on at 0 after the largest one', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const producer = await newProducerId(client);
    const largest = 2 ** 31 - 1;
    expect(await send(client, topic, sequenced(producer, largest - 1, 3))).toEqual([ErrorCode.NONE, 0]);
    expect(await send(client, topic, sequenced(producer, 2))).toEqual([ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1]);
    expect(await send(client, topic, sequenced(producer, 1, 2))).toEqual([ErrorCode.NONE, 3]);
    expect(await send(client, topic, sequenced(producer, largest - 1, 3))).toEqual([ErrorCode.NONE, 0]);
  });
});

describe('epochs', () => {
  broker.scenario('an older one is fenced, a newer one starts at 0 (KAFKA-10687, KIP-360)', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const { producerId } = await newProducerId(client);
    const batch = (producerEpoch: number, sequence: number): Buffer =>
      sequenced({ producerId, producerEpoch }, sequence);
    expect(await send(client, topic, batch(1, 0))).toEqual([ErrorCode.NONE, 0]);
    expect(await send(client, topic, batch(0, 1))).toEqual([ErrorCode.INVALID_PRODUCER_EPOCH, -1]);
    expect(await send(client, topic, batch(2, 5))).toEqual([ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1]);
    expect(await send(client, topic, batch(2, 0))).toEqual([ErrorCode.NONE, 1]);
    expect(await send(client, topic, batch(1, 1))).toEqual([ErrorCode.INVALID_PRODUCER_EPOCH, -1]);
    expect(await endOffset(client, topic)).toBe(2);
  });

  broker.scenario('producer ids are never given twice', async () => {
    const clients = await Promise.all([broker.connect(), broker.connect()]);
    const given = await Promise.all(Array.from({ length: 50 }, (_, at) => newProducerId(clients[at % 2]!)));
    expect(new Set(given.map(({ producerId }) => producerId)).size).toBe(50);
    expect(given.every(({ producerEpoch }) => producerEpoch === 0)).toBe(true);
  });
});

describe('producers that are silent for long', () => {
  withSettings(
    {
      'transactional.id.expiration.ms': 100,
      'producer.id.expiration.ms': 1000,
      'producer.id.expiration.check.interval.ms': 20,
    },
    (own) => {
      own.scenario('are forgotten after their own time only; then any sequence may come first', async () => {
        const topic = await own.topic();
        const client = await own.connect();
        const [known, probe] = [await newProducerId(client), await newProducerId(client)];
        for (const producer of [known, probe]) await stored(client, { topic, records: sequenced(producer, 0, 2) });
        await pause(200);
        // The time of transactional ids has passed; this producer has none.
        expect((await send(client, topic, sequenced(known, 9)))[0]).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
        await stored(client, { topic, records: sequenced(known, 2) });
        await eventually('the producer to be forgotten', {
          attempt: async () => (await send(client, topic, sequenced(probe, 40)))[0],
          holds: (errorCode) => errorCode === ErrorCode.NONE,
        });
        const found = splitBatches(await fetchAll(client, { topic }));
        expect(valuesIn(Buffer.concat(found))).toEqual(['0/0', '0/1', '0/0', '0/1', '0/2', '0/40']);
      });
    },
  );
});
