/**
 * Notices a client that cannot reach the address it was told, as behind a port mapping: it asks where the brokers are,
 * again and again or on a connection that it keeps, and never comes to one. One line in the log then says what to set.
 * Knows clients by their address only: another client there that gets through hides one that does not.
 */
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';
import type { ConnectionInfo } from '../base/transport';
import { ApiKey } from '../codec/generated/apis';
import type { Endpoint } from './broker-services';

/** How long a client has to come to the address. */
const PATIENCE_MS = 10_000;
/** How long tools that only look are around. */
const CURIOSITY_MS = 3_000;
/** Addresses that are watched, and that have been reported, at most. */
const MAX_PEERS = 1000;

/** What a client asks before it knows where to go, and may ask of any broker. */
const LOCATING: ReadonlySet<number> = new Set([
  ApiKey.Metadata,
  ApiKey.FindCoordinator,
  ApiKey.SaslHandshake,
  ApiKey.ApiVersions,
  ApiKey.InitProducerId,
  ApiKey.DescribeCluster,
]);

/** A client that was told an address and has not been seen there. */
interface Told {
  readonly sinceMs: number;
  readonly endpoint: Endpoint;
  /** Connections on which it was told and that are still open. */
  readonly openConnections: Set<number>;
  lastMs: number;
}

export interface BootstrapWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The address that a client of this connection is told. */
  readonly endpoint: (connection: ConnectionInfo) => Endpoint | undefined;
}

export class BootstrapWatch {
  readonly #o: BootstrapWatchOptions;
  readonly #told = new Map<string, Told>();
  readonly #reported = new Set<string>();
  #timer: Timer | undefined;

  constructor(options: BootstrapWatchOptions) {
    this.#o = options;
  }

  /** A request is about to be handled. */
  onRequest(apiKey: number, connection: ConnectionInfo): void {
    if (apiKey === ApiKey.Metadata) this.#onTold(connection);
    else if (this.#told.size > 0 && !LOCATING.has(apiKey)) this.#told.delete(connection.peerAddress);
  }

  onClose(connection: ConnectionInfo): void {
    this.#told.get(connection.peerAddress)?.openConnections.delete(connection.id);
  }

  close(): void {
    this.#timer?.cancel();
    this.#told.clear();
  }

  #onTold(connection: ConnectionInfo): void {
    const { peerAddress, id } = connection;
    const nowMs = this.#o.clock.monotonicMs();
    const told = this.#told.get(peerAddress);
    if (told === undefined) {
      const endpoint = this.#o.endpoint(connection);
      if (endpoint === undefined || this.#told.size >= MAX_PEERS || this.#reported.has(peerAddress)) return;
      this.#told.set(peerAddress, {
        sinceMs: nowMs,
        endpoint,
        openConnections: new Set([id]),
        lastMs: nowMs,
      });
      this.#arm();
    } else {
      told.lastMs = nowMs;
      told.openConnections.add(id);
    }
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#told.size === 0) return;
    const [oldest] = this.#told.values();
    const delayMs = oldest!.sinceMs + PATIENCE_MS - this.#o.clock.monotonicMs();
    this.#timer = this.#o.clock.schedule(delayMs, () => {
      this.#timer = undefined;
      this.#check();
      this.#arm();
    });
  }

  #check(): void {
    const dueMs = this.#o.clock.monotonicMs() - PATIENCE_MS;
    for (const [peerAddress, told] of this.#told) {
      if (told.sinceMs > dueMs) break;
      this.#told.delete(peerAddress);
      // Who asks and is gone at once only wanted to know.
      if (told.openConnections.size > 0 || told.lastMs - told.sinceMs > CURIOSITY_MS)
        this.#report(peerAddress, told.endpoint);
    }
  }

  #report(peer: string, { host, port }: Endpoint): void {
    if (this.#reported.size >= MAX_PEERS) return;
    this.#reported.add(peer);
    this.#o.logger.warn(
      'a client was told where this broker is and has not come there: if it cannot reach that address, set ' +
        'advertised.listeners to one that it can',
      { peer, address: `${host}:${port}`, setting: 'advertised.listeners' },
    );
  }
}
