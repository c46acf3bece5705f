/** Connections of clients over their quota: what is not read, not started and not waited for meanwhile. */
import { silentLogger } from '../base/logger';
import { ManualClock } from '../testing/manual-clock';
import { RawClient, until } from '../testing/raw-client';
import { ScriptedHandler, textFrame } from '../testing/scripted-handler';
import { RequestMemory, type RequestReader } from './request-memory';
import { Server } from './server';

const LIMITS = {
  maxFrameBytes: 10_000_000,
  requestMemoryBytes: 100_000_000,
  mostConnections: 100,
  maxConnections: 100,
  maxConnectionsPerIp: 100,
  maxConnectionsPerIpOverrides: new Map(),
  maxIdleMs: 0,
};
const MUTE_MS = 60_000;
/** How long a connection waits for a peer that does not close its side. */
const LINGER_MS = 1000;
/** Together more than the system holds for a socket that is not read, and not more than would be read ahead. */
const FRAME = textFrame('x'.repeat(1_000_000));
const MANY = 30;
const HELD_BY_PEER = 15_000_000;

let clock: ManualClock;
let handler: ScriptedHandler;
let server: Server;
let peer: RawClient;

beforeEach(async () => {
  clock = new ManualClock();
  handler = new ScriptedHandler();
  server = new Server({ handler, limits: LIMITS, clock, logger: silentLogger });
  const { port } = await server.listen({ name: 'PLAINTEXT', host: '127.0.0.1', port: 0 });
  peer = await RawClient.open(port, { allowHalfOpen: true });
});
afterEach(async () => {
  peer.close();
  const closed = server.close(0);
  await clock.advance(MUTE_MS);
  await closed;
});

/** Sends a request and waits until the handler has it. */
async function start(text: string): Promise<void> {
  peer.send(textFrame(text));
  await until(() => handler.texts.at(-1) === text, `the start of ${text}`);
}

/** Waits until nothing has left the peer for a while. */
async function stuck(): Promise<void> {
  let before = -1;
  for (let still = 0; still < 5; still++) {
    if (peer.socket.writableLength !== before) still = 0;
    before = peer.socket.writableLength;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

it('is not read at all, and goes on when the time has passed', async () => {
  await start('one');
  handler.requests[0]!.answer('1', { muteMs: MUTE_MS });
  await peer.waitFrames(1);
  for (let i = 0; i < MANY; i++) peer.send(FRAME);
  await stuck();
  expect(peer.socket.writableLength).toBeGreaterThan(HELD_BY_PEER);
  await clock.advance(MUTE_MS - 1);
  expect(handler.texts).toEqual(['one']);
  handler.echo = true;
  await clock.advance(1);
  await until(() => handler.requests.length === 1 + MANY);
});

it('is muted for the longest time of several, and others are not', async () => {
  await start('overlap 1');
  handler.requests[0]!.passFirstStage();
  await start('overlap 2');
  handler.requests[1]!.answer('2', { muteMs: 100 });
  handler.requests[0]!.answer('1', { muteMs: MUTE_MS });
  await peer.waitFrames(2);
  peer.send(textFrame('three'));
  await clock.advance(MUTE_MS - 1);
  const other = await RawClient.open(peer.socket.remotePort!);
  other.send(textFrame('other'));
  await until(() => handler.texts.includes('other'));
  expect(handler.texts).not.toContain('three');
  await clock.advance(1);
  await until(() => handler.texts.includes('three'));
  other.close();
});

it('is muted also by what has no answer', async () => {
  await start('one');
  handler.requests[0]!.answer(undefined, { muteMs: MUTE_MS });
  peer.send(textFrame('two'));
  await clock.advance(MUTE_MS - 1);
  expect(handler.texts).toEqual(['one']);
  await clock.advance(1);
  await until(() => handler.texts.includes('two'));
});

it('reads nothing ahead for a client that may have to pause', async () => {
  handler.readsAhead = false;
  await start('one');
  for (let i = 0; i < MANY; i++) peer.send(FRAME);
  await stuck();
  expect(peer.socket.writableLength).toBeGreaterThan(HELD_BY_PEER);
  handler.echo = true;
  handler.requests[0]!.answer('1');
  await until(() => handler.requests.length === 1 + MANY);
});

it('ends at once when the broker stops', async () => {
  await start('one');
  handler.requests[0]!.answer('1', { muteMs: MUTE_MS });
  await peer.waitFrames(1);
  peer.send(textFrame('two'));
  const closed = server.close(MUTE_MS);
  await until(() => peer.ended, 'the end of the stream');
  peer.socket.end();
  await closed;
  expect(handler.texts).toEqual(['one']);
});

it('is not muted any more once there is nothing left to serve', async () => {
  await start('one');
  const closed = server.close(MUTE_MS);
  handler.requests[0]!.answer('1', { muteMs: MUTE_MS });
  await until(() => peer.ended, 'the end of the stream');
  await clock.advance(LINGER_MS);
  await closed;
  expect(clock.monotonicMs()).toBeLessThan(MUTE_MS);
});

it('serves what a peer sent that has gone meanwhile', async () => {
  peer.send(textFrame('one'), textFrame('two'));
  await until(() => handler.texts.length === 1);
  peer.socket.end();
  await until(() => handler.cancelled.length === 1);
  handler.requests[0]!.answer('1', { muteMs: MUTE_MS });
  await peer.waitFrames(1);
  await clock.advance(MUTE_MS - 1);
  expect(handler.texts).toEqual(['one']);
  await clock.advance(1);
  await until(() => handler.texts.includes('two'));
});

it('does not stand in the way of those who wait for request memory', () => {
  const resumed: string[] = [];
  const reader = (name: string, missing: number): RequestReader => ({
    heldBytes: () => 1000,
    missingBytes: () => missing,
    resume: () => resumed.push(name),
  });
  const memory = new RequestMemory(1000);
  const [muted, other] = [reader('muted', 1), reader('other', 500)];
  for (const each of [muted, other]) {
    memory.join();
    memory.received(1000);
    memory.mayRead(each);
  }
  expect(resumed).toEqual(['muted']);
  memory.withdraw(muted);
  expect(resumed).toEqual(['muted', 'other']);
});
