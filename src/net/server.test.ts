/** Listening, limits on connections, reaping of idle ones, and an orderly end. */
import { systemClock } from '../base/clock';
import { silentLogger } from '../base/logger';
import { ManualClock } from '../testing/manual-clock';
import { RawClient, until } from '../testing/raw-client';
import { ScriptedHandler, textFrame } from '../testing/scripted-handler';
import { Server, type ServerLimits, type ServerOptions } from './server';

const LIMITS: ServerLimits = {
  maxFrameBytes: 1_000_000,
  requestMemoryBytes: 10_000_000,
  mostConnections: 100,
  maxConnections: 100,
  maxConnectionsPerIp: 100,
  maxConnectionsPerIpOverrides: new Map(),
  maxIdleMs: 0,
};

let servers: Server[] = [];
let clients: RawClient[] = [];

function build(limits: Partial<ServerLimits> = {}, o: Partial<ServerOptions> = {}): [Server, ScriptedHandler] {
  const handler = new ScriptedHandler();
  const options = { handler, limits: { ...LIMITS, ...limits }, clock: systemClock, logger: silentLogger, ...o };
  const server = new Server(options);
  servers.push(server);
  return [server, handler];
}

async function open(port: number, host?: string): Promise<RawClient> {
  const client = await RawClient.open(port, host === undefined ? {} : { host });
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients) client.close();
  for (const server of servers) await server.close(50);
  clients = [];
  servers = [];
});

const local = { name: 'PLAINTEXT', host: '127.0.0.1', port: 0 };

describe('listening', () => {
  it('binds a free port and tells handlers both ends of each connection', async () => {
    const [server, handler] = build();
    const bound = await server.listen(local);
    expect(bound).toEqual({ name: 'PLAINTEXT', host: '127.0.0.1', port: expect.any(Number), isLocalhost: false });
    const client = await open(bound.port);
    await until(() => handler.opened.length === 1);
    expect(handler.opened[0]).toEqual({
      id: 1,
      listenerName: 'PLAINTEXT',
      localAddress: '127.0.0.1',
      localPort: bound.port,
      peerAddress: '127.0.0.1',
      peerPort: client.socket.localPort,
    });
  });

  it('tells how many connections and requests there are', async () => {
    const [server, handler] = build();
    const { port } = await server.listen(local);
    await server.listen({ ...local, name: 'OTHER' });
    const [client, other] = [await open(port), await open(port)];
    client.send(textFrame('a'), textFrame('b'), textFrame('c'));
    await until(() => handler.requests.length === 1);
    other.close();
    await until(() => server.connectionCount === 1);
    expect(server.numbers()).toEqual({
      listeners: [
        { listener: 'PLAINTEXT', open: 1, created: 2, closed: 1 },
        { listener: 'OTHER', open: 0, created: 0, closed: 0 },
      ],
      connections: [handler.opened[0]],
      waitingRequests: 2,
      runningRequests: 1,
      requestMemoryBytes: LIMITS.requestMemoryBytes,
      requestMemoryUsedBytes: 3,
    });
  });

  it('says which port is taken', async () => {
    const [first] = build();
    const { port } = await first.listen(local);
    const [second] = build();
    await expect(second.listen({ ...local, port })).rejects.toThrow(
      `cannot listen on PLAINTEXT://127.0.0.1:${port}: port ${port} is in use by another process`,
    );
  });

  it('says which address this machine does not have', async () => {
    const [server] = build();
    await expect(server.listen({ ...local, host: '192.0.2.1' })).rejects.toThrow('has no address "192.0.2.1"');
  });

  it('binds localhost and all addresses so that IPv4 loopback reaches it, unmapped', async () => {
    for (const host of ['localhost', '']) {
      const [server, handler] = build();
      const bound = await server.listen({ ...local, host });
      await open(bound.port, '127.0.0.1');
      await until(() => handler.opened.length === 1);
      expect(handler.opened[0]!.localAddress).toBe('127.0.0.1');
      expect(handler.opened[0]!.peerAddress).toBe('127.0.0.1');
    }
  });
});

describe('limits', () => {
  it('refuses connections over the total and the limit of their address, until one closes', async () => {
    const [server] = build({ maxConnectionsPerIp: 1, maxConnectionsPerIpOverrides: new Map([['127.0.0.1', 2]]) });
    const { port } = await server.listen(local);
    const first = await open(port);
    await open(port);
    await until(() => server.connectionCount === 2);
    await (await open(port)).waitClosed();
    first.close();
    await until(() => server.connectionCount === 1);
    await open(port);
    await until(() => server.connectionCount === 2);
    for (const none of [{ maxConnections: 0 }, { mostConnections: 0 }]) {
      const [small] = build(none);
      await (await open((await small.listen(local)).port)).waitClosed();
    }
  });

  it('closes idle connections cleanly, not those with a request under way', async () => {
    const clock = new ManualClock();
    const [server, handler] = build({ maxIdleMs: 10_000 }, { clock });
    const { port } = await server.listen(local);
    const [silent, asked, waiting] = [await open(port), await open(port), await open(port)];
    asked.send(textFrame('one'));
    await until(() => handler.requests.length === 1);
    handler.requests[0]!.answer('1');
    await asked.waitFrames(1);
    waiting.send(textFrame('long poll'));
    await until(() => handler.requests.length === 2);
    await clock.advance(9_000);
    expect([silent.closed, asked.closed]).toEqual([false, false]);
    await clock.advance(3_000);
    await silent.waitClosed();
    await asked.waitClosed();
    expect([silent.error, asked.error, waiting.closed]).toEqual([undefined, undefined, false]);
    handler.requests[1]!.answer('late');
    await waiting.waitFrames(1);
    await clock.advance(12_000);
    await waiting.waitClosed();
    expect(clock.timerCount).toBe(0);
  });

  it('closes a peer that stops in the middle of a frame while others wait for memory', async () => {
    const clock = new ManualClock();
    const [server, handler] = build({ requestMemoryBytes: 1000 }, { clock });
    const { port } = await server.listen(local);
    const [stalled, other] = [await open(port), await open(port)];
    stalled.send(textFrame('x'.repeat(5000)).subarray(0, 4000));
    await until(() => server.connectionCount === 2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    other.send(textFrame('y'.repeat(500_000)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(handler.requests).toEqual([]);
    await clock.advance(16_000);
    await stalled.waitClosed();
    await until(() => handler.requests.length === 1);
    expect(handler.texts[0]!.length).toBe(500_000);
    handler.requests[0]!.answer('done');
    await other.waitFrames(1);
  });
});

describe('closing', () => {
  it('finishes requests under way, starts no more, and leaves nothing', async () => {
    const [server, handler] = build();
    const { port } = await server.listen(local);
    const [idle, busy] = [await open(port), await open(port)];
    busy.send(textFrame('one'), textFrame('two'));
    await until(() => handler.requests.length === 1);
    const closed = server.close(2000);
    await idle.waitClosed();
    expect(handler.cancelled.length).toBeGreaterThan(0);
    handler.requests[0]!.answer('1');
    await closed;
    await busy.waitClosed();
    expect(busy.texts).toEqual(['1']);
    expect(handler.texts).toEqual(['one']);
    await expect(RawClient.open(port)).rejects.toThrow('ECONNREFUSED');
  });

  it('cuts what has not finished in time', async () => {
    const [server, handler] = build();
    const { port } = await server.listen(local);
    const busy = await open(port);
    busy.send(textFrame('for ever'));
    await until(() => handler.requests.length === 1);
    await server.close(50);
    await busy.waitClosed();
    expect(server.connectionCount).toBe(0);
  });
});
