/**
 * Connections and framing: what reaches the port without being a request, how requests may lie in packets, in which
 * order answers come, and when a connection ends.
 */
import { newMetadataRequest, newMetadataRequestTopic } from '../../src/codec/generated/03-metadata';
import { newApiVersionsRequest } from '../../src/codec/generated/18-api-versions';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { Reader } from '../../src/codec/reader';
import { requestFrame } from '../../src/testing/wire-client';
import { batchOf } from './batches';
import { endOffset, fetchCall, metadata, produce, produceCall, stored } from './data-calls';
import { eventually, pause, timed, useBroker, withSettings } from './fixture';

const broker = useBroker();

const HTTP_REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
/** The start of a TLS handshake: content type 22, version 3.1, and a length. */
const CLIENT_HELLO = Buffer.from('16030100f0010000ec0303', 'hex');
const KNOWN_TOPICS = ['offered', 'asked', 'heard'];

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function apiVersionsFrame(correlationId: number): Buffer {
  return requestFrame({ api: apis.ApiVersions, version: 0, request: newApiVersionsRequest() }, correlationId, 'raw');
}

function metadataFrame(correlationId: number): Buffer {
  const topics = KNOWN_TOPICS.map((name) => newMetadataRequestTopic({ name }));
  const request = newMetadataRequest({ topics, allowAutoTopicCreation: false });
  return requestFrame({ api: apis.Metadata, version: 8, request }, correlationId, 'raw');
}

/** The topic names that an answer to `metadataFrame` tells of. */
function topicsTold(frame: Buffer): (string | null)[] {
  const answer = apis.Metadata.decodeResponse(new Reader(frame.subarray(4)), 8);
  return answer.topics.map(({ name }) => name).sort();
}

function correlationIds(frames: readonly Buffer[]): number[] {
  return frames.map((frame) => frame.readInt32BE(0));
}

describe('what is no request', () => {
  broker.scenario(
    'an HTTP request is hung up on, again and again, beside a producer at work (KAFKA-4493)',
    async () => {
      const topic = await broker.topic();
      const producer = await broker.connect();
      const before = process.memoryUsage().rss;
      for (let round = 0; round < 20; round++) {
        const strangers = await Promise.all(Array.from({ length: 10 }, () => broker.connectRaw()));
        for (const stranger of strangers) stranger.send(HTTP_REQUEST);
        await stored(producer, { topic, records: batchOf([`round ${round}`]) });
        for (const stranger of strangers) {
          await stranger.waitClosed();
          expect(stranger.receivedBytes).toBe(0);
        }
      }
      expect(await endOffset(producer, topic)).toBe(20);
      // "GET " read as a size is 1.1 GB.
      expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
    },
  );

  broker.scenario('a TLS handshake on the plaintext port is hung up on', async () => {
    const stranger = await broker.connectRaw();
    stranger.send(CLIENT_HELLO);
    await stranger.waitClosed();
    expect(stranger.receivedBytes).toBe(0);
  });

  broker.scenario('three bytes are no size yet, and are waited with', async () => {
    const stranger = await broker.connectRaw();
    stranger.send(CLIENT_HELLO.subarray(0, 3));
    await pause(150);
    expect(stranger.closed).toBe(false);
    stranger.send(CLIENT_HELLO.subarray(3, 4));
    await stranger.waitClosed();
  });

  broker.scenario('negative frame lengths end the connection, alone and behind a good request', async () => {
    for (const size of [-1, -1431655766, -2147483648]) {
      const stranger = await broker.connectRaw();
      stranger.send(int32(size));
      await stranger.waitClosed();
    }
    const half = await broker.connectRaw();
    half.send(apiVersionsFrame(7));
    expect(correlationIds(await half.waitFrames(1))).toEqual([7]);
    half.send(int32(-1));
    await half.waitClosed();
    const other = await broker.connect();
    expect((await metadata(other, [])).brokers).toHaveLength(1);
  });
});

describe('frames and packets', () => {
  broker.scenario('a request may come a byte at a time', async () => {
    const client = await broker.connectRaw();
    for (const byte of metadataFrame(31)) {
      client.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [frame] = await client.waitFrames(1);
    expect(frame!.readInt32BE(0)).toBe(31);
    expect(topicsTold(frame!)).toEqual(KNOWN_TOPICS.toSorted());
  });

  broker.scenario('five requests in one packet get five answers in order', async () => {
    const client = await broker.connectRaw();
    client.send(...[1, 2, 3, 4, 5].map(metadataFrame));
    expect(correlationIds(await client.waitFrames(5))).toEqual([1, 2, 3, 4, 5]);
    for (const frame of client.frames) expect(topicsTold(frame)).toEqual(KNOWN_TOPICS.toSorted());
  });

  broker.scenario('packets may end anywhere: in a body, and in the next size', async () => {
    const client = await broker.connectRaw();
    const bytes = Buffer.concat([metadataFrame(1), apiVersionsFrame(2), metadataFrame(3)]);
    const first = metadataFrame(1).length;
    for (const [from, to] of [
      [0, first - 2],
      [first - 2, first + 3],
      [first + 3, bytes.length],
    ] as const) {
      client.send(bytes.subarray(from, to));
      await pause(20);
    }
    expect(correlationIds(await client.waitFrames(3))).toEqual([1, 2, 3]);
    expect(topicsTold(client.frames[2]!)).toEqual(KNOWN_TOPICS.toSorted());
  });

  broker.scenario('answers come in the order of requests, also behind one that waits', async () => {
    const topic = await broker.topic();
    const client = await broker.connectRaw();
    const wait = fetchCall([{ topic }], { maxWaitMs: 400, minBytes: 1 });
    const { tookMs } = await timed(async () => {
      client.send(requestFrame(wait, 1, 'raw'), metadataFrame(2), apiVersionsFrame(3));
      await pause(150);
      expect(client.frames).toEqual([]);
      return client.waitFrames(3);
    });
    expect(correlationIds(client.frames)).toEqual([1, 2, 3]);
    expect(tookMs).toBeGreaterThanOrEqual(390);
  });

  broker.scenario('a request sees what the one before it on the same connection did', async () => {
    const topic = await broker.topic();
    const client = await broker.connect();
    const ends = [];
    for (let round = 0; round < 5; round++) {
      client.post(produceCall([{ topic, records: batchOf(['one', 'two']) }], { acks: 0 }));
      ends.push(await endOffset(client, topic));
    }
    expect(ends).toEqual([2, 4, 6, 8, 10]);
  });
});

describe('requests that cannot be answered', () => {
  broker.scenario('an unknown API key ends the connection; what follows is not answered', async () => {
    const client = await broker.connectRaw();
    const frame = apiVersionsFrame(1);
    frame.writeInt16BE(999, 4);
    client.send(frame, apiVersionsFrame(2));
    await client.waitClosed();
    expect(client.receivedBytes).toBe(0);
  });

  broker.scenario('a version that is not served ends the connection; what follows is not answered', async () => {
    for (const [api, version] of [
      [apis.Produce, 99],
      [apis.Metadata, -1],
      [apis.FindCoordinator, 99],
    ] as const) {
      const client = await broker.connectRaw();
      const frame = apiVersionsFrame(1);
      frame.writeInt16BE(api.key, 4);
      frame.writeInt16BE(version, 6);
      client.send(frame, apiVersionsFrame(2));
      await client.waitClosed();
      expect(client.receivedBytes).toBe(0);
    }
  });

  broker.scenario('a body that ends too early ends the connection', async () => {
    const client = await broker.connectRaw();
    const whole = metadataFrame(1);
    const cut = Buffer.from(whole.subarray(0, whole.length - 3));
    cut.writeInt32BE(cut.length - 4);
    client.send(cut, apiVersionsFrame(2));
    await client.waitClosed();
    expect(client.receivedBytes).toBe(0);
  });
});

describe('produce without acknowledgement', () => {
  broker.scenario('is stored and not answered: the next answer is the next request’s', async () => {
    const topic = await broker.topic();
    const client = await broker.connectRaw();
    const unanswered = produceCall([{ topic, records: batchOf(['quiet']) }], { acks: 0, version: 7 });
    client.send(requestFrame(unanswered, 1, 'raw'), metadataFrame(2));
    expect(correlationIds(await client.waitFrames(1))).toEqual([2]);
    expect(await endOffset(await broker.connect(), topic)).toBe(1);
  });

  broker.scenario('tells an error by closing (KAFKA-3010)', async () => {
    const anyone = await broker.connect();
    for (const topic of ['__consumer_offsets', 'no-such-topic']) {
      const client = await broker.connect();
      client.post(produceCall([{ topic, records: batchOf(['refused']) }], { acks: 0, version: 7 }));
      await client.closedByBroker();
    }
    expect((await metadata(anyone, [])).brokers).toHaveLength(1);
  });
});

describe('client ids', () => {
  broker.scenario('null and empty ones are served (KAFKA-3088)', async () => {
    const topic = await broker.topic();
    for (const [at, clientId] of [null, ''].entries()) {
      const client = await broker.connect(clientId);
      expect((await metadata(client, [topic])).topics[0]!.errorCode).toBe(ErrorCode.NONE);
      expect(await stored(client, { topic, records: batchOf(['x']) })).toBe(at);
    }
  });
});

describe('clients that go away', () => {
  withSettings({ 'connections.max.idle.ms': 600 }, (own) => {
    own.scenario('idle connections are closed, busy ones are not, those that never spoke are', async () => {
      const [silent, busy, mute, stalled] = await Promise.all([
        own.connectRaw(),
        own.connect(),
        own.connectRaw(),
        own.connectRaw(),
      ]);
      silent.send(apiVersionsFrame(1));
      await silent.waitFrames(1);
      stalled.send(CLIENT_HELLO.subarray(0, 3));
      const { tookMs } = await timed(async () => {
        while (!silent.closed || !mute.closed || !stalled.closed) {
          await metadata(busy, []);
          await pause(50);
        }
      });
      expect(tookMs).toBeGreaterThan(450);
      for (const gone of [silent, mute, stalled]) {
        expect(gone.ended).toBe(true);
        expect(gone.error).toBeUndefined();
      }
      expect((await metadata(busy, [])).brokers).toHaveLength(1);
    });
  });

  withSettings({}, (own) => {
    own.scenario('nothing is left of requests that waited when their clients left (KAFKA-7610)', async () => {
      const topic = await own.topic();
      const anyone = await own.connect();
      const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
      const before = timers();
      const wait = fetchCall([{ topic }], { maxWaitMs: 60_000, minBytes: 1 });
      for (let round = 0; round < 20; round++) {
        const clients = await Promise.all(Array.from({ length: 20 }, () => own.connectRaw()));
        for (const client of clients) client.send(requestFrame(wait, 1, 'raw'));
        await metadata(anyone, []);
        for (const client of clients) client.close();
      }
      await eventually('the timers of their waits to go', {
        attempt: async () => timers(),
        holds: (count) => count <= before + 3,
      });
      expect((await produce(anyone, { topic, records: batchOf(['late']) })).errorCode).toBe(ErrorCode.NONE);
    });
  });
});
