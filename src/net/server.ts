/**
 * The listening sockets and the connections they accepted. Owns their limits (count, count per address, idleness), the
 * request memory they share, and an orderly end. Knows no API; the bytes of one connection are `connection.ts`'s.
 */
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';
import { SlabMemory } from '../base/slab-memory';
import { StartFailure } from '../base/start-failure';
import type { ConnectionAdmission, ConnectionHandler, ListenerCounts, NetworkNumbers } from '../base/transport';
import { AcceptQueue } from './accept-queue';
import { BusyPoll } from './busy-poll';
import { Connection } from './connection';
import { plainAddress } from './plain-address';
import { ReadShare } from './read-share';
import { RequestMemory } from './request-memory';

export interface ListenerSpec {
  readonly name: string;
  /** Empty for all addresses. `localhost` is bound on both of its addresses. */
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
}

/** A listener that is bound. */
export interface BoundListener {
  readonly name: string;
  /** As configured. */
  readonly host: string;
  readonly port: number;
  /** Whether the name `localhost` leads to it, whichever address that resolves to. */
  readonly isLocalhost: boolean;
}

export interface ServerLimits {
  readonly maxFrameBytes: number;
  /** For the frames of all connections together. */
  readonly requestMemoryBytes: number;
  /** For which there are descriptors. */
  readonly mostConnections: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerIp: number;
  /** By peer address. */
  readonly maxConnectionsPerIpOverrides: ReadonlyMap<string, number>;
  /** 0 or less for never. */
  readonly maxIdleMs: number;
}

export interface ServerOptions {
  readonly handler: ConnectionHandler;
  readonly limits: ServerLimits;
  /** Without it, everyone is served at once. */
  readonly admission?: ConnectionAdmission;
  /** How long the loop stays awake for a next request, in milliseconds; without it, not at all. */
  readonly busyPollMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const EVERYONE: ConnectionAdmission = { delayMs: () => 0, refusalMs: () => 0 };
const BACKLOG = 511;
/** A peer that stops in the middle of a frame may do so for this long while request memory is short. */
const STALLED_MS = 10_000;
const LONGEST_REAP_INTERVAL_MS = 5_000;
const SHORTEST_REAP_INTERVAL_MS = 50;

export class Server {
  readonly #o: ServerOptions;
  readonly #memory: RequestMemory;
  readonly #readShare: ReadShare;
  readonly #busyPoll: BusyPoll;
  readonly #frameMemory = new SlabMemory();
  readonly #sockets: NetServer[] = [];
  readonly #queues: AcceptQueue[] = [];
  readonly #connections = new Set<Connection>();
  readonly #countByAddress = new Map<string, number>();
  readonly #countByListener = new Map<string, ListenerCounts>();
  #lastConnectionId = 0;
  #reaper: Timer | undefined;
  #onEmpty: (() => void) | undefined;
  #closing = false;

  constructor(options: ServerOptions) {
    this.#o = options;
    this.#memory = new RequestMemory(options.limits.requestMemoryBytes);
    this.#readShare = new ReadShare(options.clock);
    this.#busyPoll = new BusyPoll({ windowMs: options.busyPollMs ?? 0, clock: options.clock });
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  numbers(): NetworkNumbers {
    const requests = { waitingRequests: 0, runningRequests: 0 };
    for (const { waitingRequests, runningRequests } of this.#connections) {
      requests.waitingRequests += waitingRequests;
      requests.runningRequests += runningRequests;
    }
    return {
      listeners: [...this.#countByListener.values()],
      connections: [...this.#connections].map(({ info }) => info),
      ...requests,
      requestMemoryBytes: this.#o.limits.requestMemoryBytes,
      requestMemoryUsedBytes: this.#memory.usedBytes,
    };
  }

  /** Binds one listener and accepts from then on; rejects with `StartFailure`. */
  async listen(spec: ListenerSpec): Promise<BoundListener> {
    this.#countByListener.set(spec.name, { listener: spec.name, open: 0, created: 0, closed: 0 });
    if (spec.host === 'localhost') return this.#listenOnLocalhost(spec);
    const bound = await this.#bind(spec, spec.host || undefined, spec.port);
    const isLocalhost = bound.address === '::';
    return { name: spec.name, host: spec.host, port: bound.port, isLocalhost };
  }

  /** Stops accepting, lets requests that are under way finish for `graceMs`, then cuts what is left. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const closed = this.#sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve())));
    for (const queue of this.#queues) queue.close();
    for (const connection of [...this.#connections]) connection.drain();
    await this.#untilEmpty(graceMs);
    for (const connection of [...this.#connections]) connection.destroy();
    this.#reaper?.cancel();
    await Promise.all(closed);
  }

  async #listenOnLocalhost(spec: ListenerSpec): Promise<BoundListener> {
    const first = await this.#bind(spec, '127.0.0.1', spec.port);
    const isLocalhost = await this.#bind(spec, '::1', first.port).then(
      () => true,
      (error: Error) => {
        this.#o.logger.debug('localhost is bound on IPv4 only', { listener: spec.name, reason: error.message });
        return false;
      },
    );
    return { name: spec.name, host: spec.host, port: first.port, isLocalhost };
  }

  #bind(spec: ListenerSpec, host: string | undefined, port: number): Promise<{ address: string; port: number }> {
    const socket = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true, keepAlive: true });
    const { admission = EVERYONE, clock } = this.#o;
    const queue = new AcceptQueue({
      listenerName: spec.name,
      admission,
      clock,
      addressOf: ({ remoteAddress }) => remoteAddress && plainAddress(remoteAddress),
      serve: (accepted) => this.#accept(spec.name, accepted),
    });
    this.#queues.push(queue);
    socket.on('connection', (accepted) => {
      const held = this.#heldSockets;
      if (held > 0 && held + this.#connections.size >= this.#o.limits.mostConnections) accepted.destroy();
      else queue.add(accepted);
    });
    return new Promise((resolve, reject) => {
      socket.once('error', (error: NodeJS.ErrnoException) => reject(listenFailure(spec, error)));
      socket.listen({ host, port, backlog: BACKLOG }, () => {
        socket.removeAllListeners('error');
        socket.on('error', (error) => this.#o.logger.error('accepting failed', { listener: spec.name, error }));
        this.#sockets.push(socket);
        const address = socket.address();
        if (address === null || typeof address === 'string') reject(new StartFailure(`${spec.name}: no address`));
        else resolve(address);
      });
    });
  }

  /** Accepted, and not served yet. */
  get #heldSockets(): number {
    return this.#queues.reduce((sum, { held }) => sum + held, 0);
  }

  #accept(listenerName: string, socket: Socket): void {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    if (remoteAddress === undefined || localAddress === undefined || this.#closing) {
      socket.destroy();
      return;
    }
    const peerAddress = plainAddress(remoteAddress);
    const refusal = this.#refusal(peerAddress);
    if (refusal !== undefined) {
      this.#o.logger.warn('connection refused', { listener: listenerName, peer: peerAddress, reason: refusal });
      socket.destroy();
      return;
    }
    this.#countByAddress.set(peerAddress, (this.#countByAddress.get(peerAddress) ?? 0) + 1);
    const connection = new Connection({
      socket,
      info: {
        id: ++this.#lastConnectionId,
        listenerName,
        localAddress: plainAddress(localAddress),
        localPort: localPort ?? 0,
        peerAddress,
        peerPort: remotePort ?? 0,
      },
      handler: this.#o.handler,
      memory: this.#memory,
      readShare: this.#readShare,
      frameMemory: this.#frameMemory,
      maxFrameBytes: this.#o.limits.maxFrameBytes,
      busyPoll: this.#busyPoll,
      clock: this.#o.clock,
      logger: this.#o.logger,
      onClosed: (closed) => this.#onClosed(closed),
    });
    this.#connections.add(connection);
    const counts = this.#countByListener.get(listenerName);
    if (counts) {
      counts.open++;
      counts.created++;
    }
    if (this.#reaper === undefined) this.#scheduleReaper();
  }

  /** Why a further connection from `peerAddress` is not served. */
  #refusal(peerAddress: string): string | undefined {
    const { mostConnections, maxConnections, maxConnectionsPerIp, maxConnectionsPerIpOverrides } = this.#o.limits;
    if (this.#connections.size >= mostConnections) return `no file descriptors for more than ${mostConnections}`;
    if (this.#connections.size >= maxConnections) return `max.connections (${maxConnections}) reached`;
    const limit = maxConnectionsPerIpOverrides.get(peerAddress) ?? maxConnectionsPerIp;
    const count = this.#countByAddress.get(peerAddress) ?? 0;
    return count >= limit ? `max.connections.per.ip (${limit}) reached` : undefined;
  }

  #onClosed(connection: Connection): void {
    this.#connections.delete(connection);
    const { peerAddress, listenerName } = connection.info;
    const counts = this.#countByListener.get(listenerName);
    if (counts) {
      counts.open--;
      counts.closed++;
    }
    const count = (this.#countByAddress.get(peerAddress) ?? 1) - 1;
    if (count > 0) this.#countByAddress.set(peerAddress, count);
    else this.#countByAddress.delete(peerAddress);
    if (this.#connections.size > 0) return;
    this.#reaper?.cancel();
    this.#reaper = undefined;
    this.#onEmpty?.();
  }

  #scheduleReaper(): void {
    const { maxIdleMs } = this.#o.limits;
    const wantedMs = maxIdleMs > 0 ? maxIdleMs / 10 : LONGEST_REAP_INTERVAL_MS;
    const intervalMs = Math.max(SHORTEST_REAP_INTERVAL_MS, Math.min(LONGEST_REAP_INTERVAL_MS, wantedMs));
    this.#reaper = this.#o.clock.schedule(intervalMs, () => {
      this.#reap();
      this.#reaper = undefined;
      if (this.#connections.size > 0) this.#scheduleReaper();
    });
  }

  /** Closes connections on which nothing happens, and those whose peer holds memory that others wait for. */
  #reap(): void {
    const { maxIdleMs } = this.#o.limits;
    const nowMs = this.#o.clock.monotonicMs();
    for (const connection of [...this.#connections]) {
      if (maxIdleMs > 0 && connection.idleMs(nowMs) > maxIdleMs) {
        this.#o.logger.debug('closing an idle connection', { peer: connection.info.peerAddress });
        connection.drain();
      } else if (this.#memory.parkedReaders > 0 && connection.stalledMs(nowMs) > STALLED_MS) {
        this.#o.logger.warn('closing a stalled connection: request memory is short', {
          peer: connection.info.peerAddress,
        });
        connection.destroy();
      }
    }
  }

  #untilEmpty(graceMs: number): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#o.clock.schedule(graceMs, resolve);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

function listenFailure(spec: ListenerSpec, error: NodeJS.ErrnoException): StartFailure {
  const where = `${spec.name}://${spec.host.includes(':') ? `[${spec.host}]` : spec.host}:${spec.port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartFailure(`cannot listen on ${where}: port ${spec.port} is in use by another process`);
    case 'EACCES':
      return new StartFailure(`cannot listen on ${where}: no permission for port ${spec.port}`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartFailure(`cannot listen on ${where}: this machine has no address "${spec.host}"`);
    default:
      return new StartFailure(`cannot listen on ${where}: ${error.message}`);
  }
}
