/** Order, back-pressure and closing of one connection, over real sockets. */
import { systemClock } from '../base/clock';
import { silentLogger } from '../base/logger';
import { RawClient, until } from '../testing/raw-client';
import { ScriptedHandler, textFrame } from '../testing/scripted-handler';
import { Server, type ServerLimits } from './server';

const LIMITS: ServerLimits = {
  maxFrameBytes: 1_000_000,
  requestMemoryBytes: 10_000_000,
  mostConnections: 100,
  maxConnections: 100,
  maxConnectionsPerIp: 100,
  maxConnectionsPerIpOverrides: new Map(),
  maxIdleMs: 0,
};

let server: Server;
let handler: ScriptedHandler;
let port: number;
let clients: RawClient[] = [];

async function start(limits: Partial<ServerLimits> = {}): Promise<void> {
  handler = new ScriptedHandler();
  server = new Server({ handler, limits: { ...LIMITS, ...limits }, clock: systemClock, logger: silentLogger });
  port = (await server.listen({ name: 'PLAINTEXT', host: '127.0.0.1', port: 0 })).port;
}

async function client(o: { allowHalfOpen?: boolean } = {}): Promise<RawClient> {
  const opened = await RawClient.open(port, o);
  clients.push(opened);
  return opened;
}

/** Waits until `count` requests have started. */
async function started(count: number): Promise<void> {
  await until(() => handler.requests.length >= count, `${count} started requests`);
}

const pause = (ms = 30): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

beforeEach(() => start());

afterEach(async () => {
  for (const opened of clients) opened.close();
  clients = [];
  await server.close(100);
});

describe('order', () => {
  it('starts a request when the answers before it are ready, and answers in order', async () => {
    const peer = await client();
    peer.send(textFrame('one'), textFrame('two'), textFrame('three'));
    await started(1);
    await pause();
    expect(handler.texts).toEqual(['one']);
    handler.requests[0]!.answer('1');
    await started(2);
    handler.requests[1]!.answer('2');
    await started(3);
    handler.requests[2]!.answer('3');
    await peer.waitFrames(3);
    expect(peer.texts).toEqual(['1', '2', '3']);
  });

  it('lets allowed requests overlap after their first stage, answers still in order', async () => {
    const peer = await client();
    peer.send(textFrame('overlap a'), textFrame('overlap b'), textFrame('other'), textFrame('overlap c'));
    await started(1);
    await pause();
    expect(handler.texts).toEqual(['overlap a']);
    handler.requests[0]!.passFirstStage();
    await started(2);
    handler.requests[1]!.passFirstStage();
    handler.requests[1]!.answer('b');
    await pause();
    expect(handler.texts).toEqual(['overlap a', 'overlap b']);
    expect(peer.texts).toEqual([]);
    handler.requests[0]!.answer('a');
    await started(3);
    handler.requests[2]!.passFirstStage();
    await pause();
    expect(handler.texts.length).toBe(3);
    handler.requests[2]!.answer('other');
    await started(4);
    handler.requests[3]!.answer('c');
    await peer.waitFrames(4);
    expect(peer.texts).toEqual(['a', 'b', 'other', 'c']);
  });

  it('leaves no gap for a request without an answer', async () => {
    const peer = await client();
    peer.send(textFrame('quiet'), textFrame('loud'));
    await started(1);
    handler.requests[0]!.answer();
    await started(2);
    handler.requests[1]!.answer('heard');
    await peer.waitFrames(1);
    expect(peer.texts).toEqual(['heard']);
  });

  it('holds the next request back for the time of a mute', async () => {
    const peer = await client();
    peer.send(textFrame('one'), textFrame('two'));
    await started(1);
    handler.requests[0]!.answer('1', { muteMs: 100 });
    await peer.waitFrames(1);
    await pause();
    expect(handler.texts).toEqual(['one']);
    await started(2);
  });
});

describe('back-pressure', () => {
  it('stops reading a peer that pipelines without end', async () => {
    const peer = await client();
    const frame = textFrame('x'.repeat(100_000));
    for (let sent = 0; sent < 400; sent++) peer.send(frame);
    await pause(200);
    expect(peer.socket.writableLength).toBeGreaterThan(10_000_000);
    handler.echo = true;
    handler.requests[0]!.answer('first');
    await until(() => handler.requests.length === 400);
    await until(() => peer.receivedBytes === 399 * frame.length + textFrame('first').length);
  });

  it('uses the memory of a frame again that was answered as free, on any connection, and no other', async () => {
    const [one, other] = [await client(), await client()];
    const large = (letter: string): Buffer => textFrame(letter.repeat(50_000));
    one.send(large('a'));
    await started(1);
    one.send(large('b'));
    handler.requests[0]!.answer('kept');
    await started(2);
    handler.requests[1]!.answer('free', { frameIsFree: true });
    expect((await one.waitFrames(2)).map(String)).toEqual(['kept', 'free']);
    other.send(large('c'));
    await started(3);
    const [a, b, c] = handler.requests.map(({ frame }) => frame);
    expect([c!.buffer === a!.buffer, c!.buffer === b!.buffer]).toEqual([false, true]);
    expect(handler.texts).toEqual(['a', 'b', 'c'].map((letter) => letter.repeat(50_000)));
    expect(String(a)).toBe(handler.texts[0]);
  });

  it('starts nothing while the peer does not read its answers', async () => {
    const peer = await client();
    peer.socket.pause();
    handler.echo = true;
    const frame = textFrame('x'.repeat(200_000));
    for (let sent = 0; sent < 150; sent++) peer.send(frame);
    await pause(300);
    expect(handler.requests.length).toBeLessThan(150);
    peer.socket.resume();
    await until(() => peer.receivedBytes === 150 * frame.length);
  });

  it('keeps the frames of all connections within the request memory', async () => {
    await server.close(0);
    await start({ requestMemoryBytes: 300_000 });
    const peers = await Promise.all(Array.from({ length: 8 }, () => client()));
    const frame = textFrame('y'.repeat(900_000));
    for (const peer of peers) peer.send(frame);
    await started(1);
    await pause(200);
    expect(handler.requests.length).toBe(1);
    for (let served = 1; served <= 8; served++) {
      await started(served);
      handler.requests[served - 1]!.answer('done');
    }
    for (const peer of peers) await peer.waitFrames(1);
  });
});

describe('closing', () => {
  it('closes after the answer that says so and serves nothing behind it', async () => {
    const peer = await client();
    peer.send(textFrame('one'), textFrame('last'), textFrame('never'));
    await started(1);
    handler.requests[0]!.answer('1');
    await started(2);
    handler.requests[1]!.answer('bye', { closeAfter: true });
    await peer.waitClosed();
    expect(peer.texts).toEqual(['1', 'bye']);
    expect([peer.ended, peer.error]).toEqual([true, undefined]);
    expect(handler.texts).toEqual(['one', 'last']);
    await until(() => server.connectionCount === 0);
  });

  it('answers what came before an invalid length, then closes cleanly', async () => {
    handler.echo = true;
    const peer = await client();
    peer.send(textFrame('valid'), Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.alloc(100_000));
    await peer.waitClosed();
    expect(peer.texts).toEqual(['valid']);
    expect(peer.ended).toBe(true);
  });

  it('closes at once on bytes that are no frame', async () => {
    const peer = await client();
    peer.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
    await peer.waitClosed();
    expect(peer.receivedBytes).toBe(0);
  });

  it('cancels waits when the peer vanishes, and drops the late answer', async () => {
    const peer = await client();
    peer.send(textFrame('long poll'));
    await started(1);
    peer.socket.resetAndDestroy();
    await until(() => handler.cancelled.length > 0);
    await until(() => server.connectionCount === 0);
    let released = 0;
    const region = { length: 10, read: async () => 0, release: () => void released++ };
    handler.requests[0]!.answer([region]);
    await pause();
    expect(released).toBe(1);
  });

  it('serves everything that arrived before the peer ended its side', async () => {
    handler.echo = true;
    const peer = await client({ allowHalfOpen: true });
    peer.send(textFrame('one'), textFrame('two'), textFrame('three'));
    peer.socket.end();
    await peer.waitClosed();
    expect(peer.texts).toEqual(['one', 'two', 'three']);
  });

  it('gives up a request that has no answer soon after the peer ended', async () => {
    const peer = await client();
    peer.send(textFrame('long poll'));
    await started(1);
    peer.socket.end();
    await until(() => server.connectionCount === 0);
    expect(handler.cancelled.length).toBeGreaterThan(0);
  });

  it('survives a request that fails without an answer', async () => {
    const peer = await client();
    peer.send(textFrame('bug'));
    await started(1);
    handler.requests[0]!.fail(new Error('a bug'));
    await peer.waitClosed();
    const other = await client();
    other.send(textFrame('fine'));
    await started(2);
    handler.requests[1]!.answer('ok');
    expect((await other.waitFrames(1)).map(String)).toEqual(['ok']);
  });

  it('cuts a connection whose answer cannot be read', async () => {
    const peer = await client();
    peer.send(textFrame('fetch'));
    await started(1);
    let released = 0;
    const region = { length: 10, read: () => Promise.reject(new Error('EIO')), release: () => void released++ };
    handler.requests[0]!.answer([region]);
    await peer.waitClosed();
    expect(released).toBe(1);
  });
});
