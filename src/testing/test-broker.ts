/** Brokers for tests: in memory unless told otherwise, closed when the test file is done. */
import { type EmbeddedBroker, type StartBrokerOptions, startBroker } from '../start-broker';
import { WireClient } from './wire-client';

export class TestBrokers {
  readonly #brokers: EmbeddedBroker[] = [];
  readonly #clients: WireClient[] = [];

  async start(options: StartBrokerOptions = {}): Promise<EmbeddedBroker> {
    const broker = await startBroker({ logLevel: 'error', ...options });
    this.#brokers.push(broker);
    return broker;
  }

  async connect(broker: EmbeddedBroker, clientId?: string | null): Promise<WireClient> {
    const options = clientId === undefined ? { host: broker.host } : { host: broker.host, clientId };
    const client = await WireClient.connect(broker.port, options);
    this.#clients.push(client);
    return client;
  }

  /** For `afterEach` or `afterAll`. */
  async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close();
    for (const broker of this.#brokers.splice(0)) await broker.close();
  }
}
