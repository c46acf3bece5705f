/** How a whole broker behaves on its sockets: bad bytes, odd framing, order, silence, and peers that vanish. */
import { newMetadataRequest } from './codec/generated/03-metadata';
import { newFindCoordinatorRequest } from './codec/generated/10-find-coordinator';
import { newApiVersionsRequest } from './codec/generated/18-api-versions';
import { apis } from './codec/generated/apis';
import { ErrorCode } from './codec/generated/errors';
import type { EmbeddedBroker } from './start-broker';
import { RawClient } from './testing/raw-client';
import { TestBrokers } from './testing/test-broker';
import { requestFrame, type WireClient, type WireRequest } from './testing/wire-client';
import { createTopic, fetchRequest, fetchValues, produce, produceCall } from './testing/wire-records';

const brokers = new TestBrokers();
let broker: EmbeddedBroker;
let client: WireClient;
let raws: RawClient[] = [];
let topicCount = 0;

const metadata = { api: apis.Metadata, version: 9, request: newMetadataRequest({ topics: [] }) };
const versions = { api: apis.ApiVersions, version: 0, request: newApiVersionsRequest() };

beforeAll(async () => {
  broker = await brokers.start();
  client = await brokers.connect(broker);
});

afterEach(async () => {
  for (const raw of raws) raw.close();
  raws = [];
  // Whatever a test did to its own connections, others are served.
  expect((await client.call(metadata)).brokers.length).toBe(1);
});

afterAll(() => brokers.close());

async function raw(): Promise<RawClient> {
  const opened = await RawClient.open(broker.port);
  raws.push(opened);
  return opened;
}

async function newTopic(): Promise<string> {
  const topic = `topic-${++topicCount}`;
  await createTopic(client, topic);
  return topic;
}

function frame<Q, R>(call: WireRequest<Q, R>, correlationId: number): Buffer {
  return requestFrame(call, correlationId, 'raw');
}

function correlationIds(peer: RawClient): number[] {
  return peer.frames.map((body) => body.readInt32BE(0));
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('bytes that are no requests', () => {
  it.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['the start of a TLS handshake', Buffer.from([0x16, 0x03, 0x01, 0x02])],
    ['a negative length', int32(-1)],
    ['a very negative length', int32(-1431655766)],
  ])('%s: the connection closes cleanly and nothing is answered', async (_name, bytes) => {
    const peer = await raw();
    peer.send(bytes);
    await peer.waitClosed();
    expect([peer.receivedBytes, peer.ended, peer.error]).toEqual([0, true, undefined]);
  });

  it('many of them leave memory and a producer alone', async () => {
    const topic = await newTopic();
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 20; round++) {
      const peers = await Promise.all(Array.from({ length: 10 }, raw));
      for (const peer of peers) peer.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
      expect(await produce(client, { topic, values: [`value ${round}`] })).toBe(round);
      for (const peer of peers) await peer.waitClosed();
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });

  it('three bytes of a length: it waits for the fourth', async () => {
    const peer = await raw();
    peer.send(Buffer.from([0x16, 0x03, 0x01]));
    await pause(200);
    expect(peer.closed).toBe(false);
  });

  it('a request before a negative length is answered', async () => {
    const peer = await raw();
    peer.send(frame(versions, 7), int32(-1));
    await peer.waitClosed();
    expect(correlationIds(peer)).toEqual([7]);
  });

  it.each([
    ['an unknown key', Buffer.from([0, 0, 0, 10, 3, 231, 0, 0, 0, 0, 0, 1, 255, 255])],
    ['an unsupported version', Buffer.from([0, 0, 0, 11, 0, 0, 0, 99, 0, 0, 0, 1, 255, 255, 0])],
  ])('%s: closed, and the request behind it is not answered', async (_name, bytes) => {
    const peer = await raw();
    peer.send(bytes, frame(metadata, 2));
    await peer.waitClosed();
    expect(peer.receivedBytes).toBe(0);
  });
});

describe('framing', () => {
  it('one byte a packet', async () => {
    const peer = await raw();
    for (const byte of frame(metadata, 11)) {
      peer.send(Buffer.from([byte]));
      await pause(1);
    }
    await peer.waitFrames(1);
    expect(correlationIds(peer)).toEqual([11]);
  });

  it('many requests in one packet', async () => {
    const peer = await raw();
    peer.send(...[1, 2, 3, 4, 5].map((id) => frame(metadata, id)));
    await peer.waitFrames(5);
    expect(correlationIds(peer)).toEqual([1, 2, 3, 4, 5]);
  });

  it('the end of one request glued to the start of the next', async () => {
    const [a, b] = [frame(metadata, 21), frame(versions, 22)];
    const peer = await raw();
    peer.send(a.subarray(0, -2));
    await pause(20);
    peer.send(a.subarray(-2), b.subarray(0, 4));
    await pause(20);
    peer.send(b.subarray(4));
    await peer.waitFrames(2);
    expect(correlationIds(peer)).toEqual([21, 22]);
  });
});

describe('order', () => {
  const poll = (topic: string, maxWaitMs: number) => {
    return { api: apis.Fetch, version: 11, request: fetchRequest({ topic, maxWaitMs }) };
  };

  it('requests behind a long poll wait for it', async () => {
    const topic = await newTopic();
    const peer = await raw();
    const startMs = performance.now();
    peer.send(frame(poll(topic, 400), 1), frame(metadata, 2), frame(versions, 3));
    await pause(200);
    expect(peer.receivedBytes).toBe(0);
    await peer.waitFrames(3);
    expect(correlationIds(peer)).toEqual([1, 2, 3]);
    expect(performance.now() - startMs).toBeGreaterThan(390);
  });

  it('data end the long poll, and order holds', async () => {
    const topic = await newTopic();
    const peer = await raw();
    peer.send(frame(poll(topic, 20_000), 1), frame(metadata, 2));
    await pause(50);
    await produce(client, { topic, values: ['x'] });
    await peer.waitFrames(2);
    expect(correlationIds(peer)).toEqual([1, 2]);
  });

  it('holds over fifty mixed requests, and over their records', async () => {
    const topic = await newTopic();
    const peer = await raw();
    const ids = Array.from({ length: 50 }, (_, id) => id);
    const frames = ids.map((id) => {
      if (id % 3 === 0) return frame(produceCall({ topic, values: [`${id}`], acks: id % 2 ? 1 : -1 }), id);
      return id % 3 === 1 ? frame(metadata, id) : frame(poll(topic, 5), id);
    });
    peer.send(...frames);
    await peer.waitFrames(50);
    expect(correlationIds(peer)).toEqual(ids);
    expect(await fetchValues(client, { topic })).toEqual(ids.filter((id) => id % 3 === 0).map(String));
  });
});

describe('produce without acknowledgement', () => {
  it('has no answer, and its records are stored', async () => {
    const topic = await newTopic();
    const peer = await raw();
    peer.send(frame(produceCall({ topic, values: ['quiet'], acks: 0 }), 1), frame(metadata, 2));
    await peer.waitFrames(1);
    await pause(50);
    expect(correlationIds(peer)).toEqual([2]);
    expect(await fetchValues(client, { topic })).toEqual(['quiet']);
  });

  it('stores what came before the client closed', async () => {
    const topic = await newTopic();
    const peer = await raw();
    const calls = Array.from({ length: 20 }, (_, id) => frame(produceCall({ topic, values: [`${id}`], acks: 0 }), id));
    peer.send(...calls);
    peer.socket.end();
    await peer.waitClosed();
    expect((await fetchValues(client, { topic })).length).toBe(20);
  });

  it.each([
    ['an unknown partition', 'topic-1', 7],
    ['an internal topic', '__consumer_offsets', 0],
  ])('to %s closes the connection', async (_name, topic, partition) => {
    await client.call({ api: apis.FindCoordinator, version: 2, request: newFindCoordinatorRequest({ key: 'g' }) });
    const peer = await raw();
    peer.send(frame(produceCall({ topic, partition, values: ['lost'], acks: 0 }), 1));
    await peer.waitClosed();
    expect(peer.receivedBytes).toBe(0);
  });
});

describe('clients', () => {
  it.each([null, ''])('with the id %p are served', async (clientId) => {
    const other = await brokers.connect(broker, clientId);
    for (const version of [1, 9]) expect((await other.call({ ...metadata, version })).brokers.length).toBe(1);
  });

  it('with an empty software name are told so, and may ask again', async () => {
    const ask = (clientSoftwareName: string) => {
      const request = newApiVersionsRequest({ clientSoftwareName, clientSoftwareVersion: '1.0' });
      return client.call({ api: apis.ApiVersions, version: 3, request });
    };
    expect((await ask('')).errorCode).toBe(ErrorCode.INVALID_REQUEST);
    expect((await ask('test')).errorCode).toBe(ErrorCode.NONE);
  });

  it('that vanish during a long poll leave nothing behind', async () => {
    const topic = await newTopic();
    const call = { api: apis.Fetch, version: 11, request: fetchRequest({ topic, maxWaitMs: 30_000 }) };
    const before = process.getActiveResourcesInfo().length;
    for (let round = 0; round < 5; round++) {
      const peers = await Promise.all(Array.from({ length: 30 }, raw));
      for (const peer of peers) peer.send(frame(call, 1));
      await pause(20);
      for (const [at, peer] of peers.entries()) {
        if (at % 2) peer.socket.destroy();
        else peer.socket.resetAndDestroy();
      }
    }
    await pause(100);
    expect(process.getActiveResourcesInfo().length).toBeLessThan(before + 20);
    expect(await produce(client, { topic, values: ['wakes them'] })).toBe(0);
    expect(await fetchValues(client, { topic })).toEqual(['wakes them']);
  });
});
