/**
 * Where a client is told to find a broker. Owns the choice between what is configured (`advertised.listeners`, the
 * registrations of other brokers) and what the client's own connection shows.
 * Without `advertised.listeners` a client is told the address and port by which it came: that one surely reaches.
 */
import type { ConnectionInfo } from '../base/transport';
import type { ImagePublisher } from '../cluster/image-publisher';
import type { Endpoint } from './broker-services';

export interface ClientEndpointsOptions {
  readonly brokerId: number;
  readonly metadata: ImagePublisher;
  /**
   * What `advertised.listeners` says of this broker; undefined where it is not set. A port of 0 means the bound one.
   */
  readonly advertised: readonly (Endpoint & { readonly listener: string })[] | undefined;
}

export class ClientEndpoints {
  readonly #o: ClientEndpointsOptions;
  readonly #localhostListeners = new Set<string>();
  readonly #boundPorts = new Map<string, number>();

  constructor(options: ClientEndpointsOptions) {
    this.#o = options;
  }

  /** Whether clients are told the address by which they came. */
  get isAutomatic(): boolean {
    return this.#o.advertised === undefined;
  }

  /** A listener is bound; `isLocalhost`: the name `localhost` leads to it, whichever address that stands for. */
  onBound(bound: { name: string; port: number; isLocalhost: boolean }): void {
    this.#boundPorts.set(bound.name, bound.port);
    if (bound.isLocalhost) this.#localhostListeners.add(bound.name);
  }

  /** The address of broker `brokerId` on the listener of `connection`; undefined where there is none. */
  endpoint(brokerId: number, connection: ConnectionInfo): Endpoint | undefined {
    const { advertised, metadata } = this.#o;
    const { listenerName } = connection;
    if (brokerId !== this.#o.brokerId) {
      const endpoints = metadata.image.brokers.get(brokerId)?.endpoints;
      return endpoints?.find(({ listener }) => listener === listenerName);
    }
    if (advertised === undefined) return this.#addressOf(connection);
    const mine = advertised.find(({ listener }) => listener === listenerName);
    return mine && { host: mine.host, port: mine.port || (this.#boundPorts.get(listenerName) ?? 0) };
  }

  #addressOf({ listenerName, localAddress, localPort }: ConnectionInfo): Endpoint {
    const isLoopback = localAddress === '127.0.0.1' || localAddress === '::1';
    const host = isLoopback && this.#localhostListeners.has(listenerName) ? 'localhost' : localAddress;
    return { host, port: localPort };
  }
}
