/** A whole broker in memory whose time moves by hand, with clients over real sockets. */
import { silentLogger } from '../base/logger';
import { type RunningBroker, runBroker } from '../broker';
import { loadConfig } from '../config/layers';
import { MemoryFileSystem } from '../log/memory-file-system';
import { ManualClock } from './manual-clock';
import { WireClient } from './wire-client';

export class ClockedBroker {
  readonly clock: ManualClock;
  readonly #files: MemoryFileSystem;
  #broker: RunningBroker;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #clients: WireClient[] = [];

  private constructor(
    broker: RunningBroker,
    o: { clock: ManualClock; files: MemoryFileSystem; settings: Readonly<Record<string, string>> },
  ) {
    this.#broker = broker;
    this.clock = o.clock;
    this.#files = o.files;
    this.#settings = o.settings;
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<ClockedBroker> {
    const clock = new ManualClock();
    const files = new MemoryFileSystem(clock);
    return new ClockedBroker(await run(settings, clock, files), { clock, files, settings });
  }

  /** The port of the first listener. */
  get port(): number {
    return this.#broker.endpoints[0]!.port;
  }

  async connect(clientId?: string | null): Promise<WireClient> {
    const client = await WireClient.connect(this.port, clientId === undefined ? {} : { clientId });
    this.#clients.push(client);
    return client;
  }

  /** Stops it and starts another one on the same files; clients must connect anew. */
  async restart(): Promise<void> {
    await this.#stop();
    this.#broker = await run(this.#settings, this.clock, this.#files);
  }

  /** For `afterEach`. */
  async close(): Promise<void> {
    await this.#stop();
  }

  async #stop(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close();
    let isClosed = false;
    const closed = this.#broker.close().then(() => {
      isClosed = true;
    });
    while (!isClosed) await this.clock.advance(100);
    await closed;
  }
}

function run(
  settings: Readonly<Record<string, string>>,
  clock: ManualClock,
  fileSystem: MemoryFileSystem,
): Promise<RunningBroker> {
  const overrides = Object.entries({ listeners: 'PLAINTEXT://127.0.0.1:0', ...settings }).map(
    ([key, value]) => `${key}=${value}`,
  );
  const loaded = loadConfig({ overrides, dataDir: '/data' });
  if (!loaded.ok) throw new Error(loaded.error.map(({ key, reason }) => `${key} ${reason}`).join('; '));
  return runBroker({ ...loaded.value, logger: silentLogger, clock, fileSystem });
}
