/** What a whole broker makes for a request is gone with it: requests leave nothing to the old generation. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { newHeartbeatRequest } from './codec/generated/12-heartbeat';
import { apis } from './codec/generated/apis';
import type { EmbeddedBroker } from './start-broker';
import { growthOfOldBytesAsync } from './testing/old-generation';
import { TestBrokers } from './testing/test-broker';
import { requestFrame } from './testing/wire-client';
import { createTopic, fetchRequest, produceCall } from './testing/wire-records';

const LENGTH_BYTES = 4;
const brokers = new TestBrokers();
const sockets: Socket[] = [];

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await brokers.close();
});

async function open(broker: EmbeddedBroker): Promise<Socket> {
  const socket = connect(broker.port, broker.host);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Keeps nothing of its own; answers are small, so each comes in one piece. */
function exchange(socket: Socket, frame: Buffer): Promise<void> {
  socket.write(frame);
  return new Promise((resolve, reject) => {
    socket.once('data', (answer: Buffer) => {
      if (answer.length === LENGTH_BYTES + answer.readInt32BE(0)) resolve();
      else reject(new Error(`${answer.length} bytes came, the first ${answer.readInt32BE(0)}`));
    });
  });
}

it('lets fetches that wait, the appends that they wait for and requests to groups die young', async () => {
  const broker = await brokers.start();
  await createTopic(await brokers.connect(broker), 't');
  const [producer, consumer] = [await open(broker), await open(broker)];
  const append = requestFrame(produceCall({ topic: 't', values: ['x'.repeat(100)] }), 1, 'p');
  const beat = newHeartbeatRequest({ groupId: 'g', memberId: 'm' });
  const heartbeat = requestFrame({ api: apis.Heartbeat, version: 4, request: beat }, 1, 'p');
  let offset = 0;
  const growthBytes = await growthOfOldBytesAsync(async () => {
    const request = fetchRequest({ topic: 't', offset, maxWaitMs: 10_000 });
    const fetched = exchange(consumer, requestFrame({ api: apis.Fetch, version: 11, request }, 1, 'c'));
    await exchange(producer, append);
    await exchange(producer, heartbeat);
    await fetched;
    offset++;
  }, 8000);
  expect(growthBytes).toBeLessThan(3e6);
});
