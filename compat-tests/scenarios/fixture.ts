/**
 * The broker under a file of scenarios, and wire clients for its tests. Owns their lives: clients end with their test,
 * the broker with the file. `COMPAT_BOOTSTRAP=HOST:PORT` puts a broker that runs already in its place, to try the
 * scenarios themselves against another Kafka; those that need settings of their own are then left out.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Api } from '../../src/codec/api';
import { newApiVersionsRequest } from '../../src/codec/generated/18-api-versions';
import {
  newCreatableTopic,
  newCreatableTopicConfig,
  newCreateTopicsRequest,
} from '../../src/codec/generated/19-create-topics';
import { newDeleteTopicsRequest } from '../../src/codec/generated/20-delete-topics';
import { apis } from '../../src/codec/generated/apis';
import { RawClient } from '../../src/testing/raw-client';
import { TestBrokers } from '../../src/testing/test-broker';
import { WireClient } from '../../src/testing/wire-client';
import { EARLIEST, listOffset } from './data-calls';

const FOREIGN_BOOTSTRAP = process.env.COMPAT_BOOTSTRAP;
const REQUEST_TIMEOUT_MS = 10_000;
const POLL_MS = 10;
const PATIENCE_MS = 10_000;

let names = 0;

/** A name that no other test uses, also of a broker that lives longer than one run. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${process.pid}-${Date.now().toString(36)}-${++names}`;
}

/** An API and a version of it that a scenario cannot do without. */
export type Needed = readonly [Pick<Api<never, unknown>, 'key' | 'name'>, number];

export interface ScenarioOptions {
  /** Versions that another broker may not serve any more. */
  readonly needs?: readonly Needed[];
  /** How Kafka itself behaves where this code differs from it on purpose. */
  readonly kafkaDiffers?: string;
}

/** Broker settings by name. */
export type Settings = Readonly<Record<string, string | number | boolean>>;

export class BrokerUnderTest {
  readonly #brokers = new TestBrokers();
  readonly #open: { close(): void }[] = [];
  readonly #settings: () => Settings | Promise<Settings>;
  readonly #dataDir: string | undefined;
  /** Another broker, which may serve APIs that this code does not. */
  readonly isForeign: boolean;
  #address = { host: '', port: 0 };
  #served: ReadonlyMap<number, { minVersion: number; maxVersion: number }> = new Map();

  constructor(o: { settings?: () => Settings | Promise<Settings>; isForeign: boolean; isOnDisk?: boolean }) {
    this.#settings = o.settings ?? (() => ({}));
    this.isForeign = o.isForeign;
    this.#dataDir = o.isOnDisk ? mkdtempSync(path.join(tmpdir(), 'odradek-scenario-')) : undefined;
  }

  get host(): string {
    return this.#address.host;
  }

  get port(): number {
    return this.#address.port;
  }

  /** What the broker says that it serves, by API key. */
  get served(): ReadonlyMap<number, { readonly minVersion: number; readonly maxVersion: number }> {
    return this.#served;
  }

  async start(): Promise<void> {
    if (this.isForeign) {
      const [host = '', port = ''] = (FOREIGN_BOOTSTRAP ?? '').split(':');
      this.#address = { host, port: Number(port) };
    } else {
      const dataDir = this.#dataDir === undefined ? {} : { dataDir: this.#dataDir };
      this.#address = await this.#brokers.start({ config: await this.#settings(), ...dataDir });
    }
    const client = await this.connect();
    const { apiKeys } = await client.call({ api: apis.ApiVersions, version: 0, request: newApiVersionsRequest() });
    this.#served = new Map(apiKeys.map((versions) => [versions.apiKey, versions]));
  }

  async close(): Promise<void> {
    this.closeClients();
    await this.#brokers.close();
    if (this.#dataDir !== undefined) rmSync(this.#dataDir, { recursive: true, force: true });
  }

  /** Stops a broker on disk and starts it again, on another port; clients are gone. `change` sees its directory. */
  async restart(change: (dataDir: string) => void = () => undefined): Promise<void> {
    if (this.#dataDir === undefined) throw new Error('nothing is left of a broker in memory');
    this.closeClients();
    await this.#brokers.close();
    change(this.#dataDir);
    await this.start();
  }

  closeClients(): void {
    for (const client of this.#open.splice(0)) client.close();
  }

  /** A connection that speaks requests. */
  async connect(clientId: string | null = 'scenario'): Promise<WireClient> {
    const client = await WireClient.connect(this.port, { host: this.host, clientId });
    this.#open.push(client);
    return client;
  }

  /** A connection that speaks bytes. */
  async connectRaw(): Promise<RawClient> {
    const client = await RawClient.open(this.port, { host: this.host });
    this.#open.push(client);
    return client;
  }

  /** A new topic with those settings; its name. */
  async topic(
    o: { name?: string; partitions?: number; configs?: Readonly<Record<string, string | number>> } = {},
  ): Promise<string> {
    const name = o.name ?? uniqueName('topic');
    const configs = Object.entries(o.configs ?? {}).map(([key, value]) =>
      newCreatableTopicConfig({ name: key, value: String(value) }),
    );
    const topic = newCreatableTopic({ name, numPartitions: o.partitions ?? 1, replicationFactor: 1, configs });
    const client = await this.connect();
    const request = newCreateTopicsRequest({ topics: [topic], timeoutMs: REQUEST_TIMEOUT_MS });
    const { topics } = await client.call({ api: apis.CreateTopics, version: 4, request });
    if (topics[0]?.errorCode !== 0) throw new Error(`topic not made: ${topics[0]?.errorMessage}`);
    // Kafka may answer before its leaders serve.
    if (this.isForeign)
      await eventually('leaders', { attempt: () => isServed(client, topic), holds: (served) => served });
    return name;
  }

  async deleteTopic(topic: string): Promise<void> {
    const client = await this.connect();
    const request = newDeleteTopicsRequest({ topicNames: [topic], timeoutMs: REQUEST_TIMEOUT_MS });
    const { responses } = await client.call({ api: apis.DeleteTopics, version: 4, request });
    if (responses[0]?.errorCode !== 0) throw new Error(`topic not deleted: error ${responses[0]?.errorCode}`);
  }

  /** A test of this broker; not one of a broker that lacks what it needs. */
  scenario(name: string, run: () => Promise<void>, options: ScenarioOptions = {}): void {
    if (this.isForeign && options.kafkaDiffers !== undefined) return;
    it(name, async () => {
      const lacking = (options.needs ?? []).find(([api, version]) => !this.serves(api, version));
      if (lacking === undefined) await run();
      else if (this.isForeign) console.log(`left out: ${name}: the broker has no ${lacking[0].name} ${lacking[1]}`);
      else throw new Error(`the broker has no ${lacking[0].name} ${lacking[1]}`);
    });
  }

  serves(api: Pick<Api<never, unknown>, 'key'>, version: number): boolean {
    const versions = this.#served.get(api.key);
    return versions !== undefined && versions.minVersion <= version && version <= versions.maxVersion;
  }

  /** Those of the versions from `from` to `to` that the broker serves. */
  versions(api: Pick<Api<never, unknown>, 'key' | 'maxVersion'>, from = 0, to = api.maxVersion): number[] {
    const all = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    return all.filter((version) => this.serves(api, version));
  }
}

async function isServed(client: WireClient, topic: { name: string; numPartitions: number }): Promise<boolean> {
  for (let partition = 0; partition < topic.numPartitions; partition++) {
    const { errorCode } = await listOffset(client, { topic: topic.name, partition, timestamp: EARLIEST });
    if (errorCode !== 0) return false;
  }
  return true;
}

function lifecycle(broker: BrokerUnderTest): void {
  beforeAll(() => broker.start());
  afterEach(() => broker.closeClients());
  afterAll(() => broker.close());
}

/** Called at the top of a file: one broker with settings as they are by default, for all its tests. */
export function useBroker(): BrokerUnderTest {
  const broker = new BrokerUnderTest({ isForeign: FOREIGN_BOOTSTRAP !== undefined });
  lifecycle(broker);
  return broker;
}

/** Scenarios of a broker of their own, with `settings`. */
export function withSettings(settings: Settings, scenarios: (broker: BrokerUnderTest) => void): void {
  const text = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  withBroker(`with ${text.join(', ') || 'a broker of this code'}`, { settings: () => settings, scenarios });
}

/** The same where the settings depend on the machine, or where data shall outlive the broker. */
export function withBroker(
  name: string,
  o: {
    readonly settings?: () => Settings | Promise<Settings>;
    readonly isOnDisk?: boolean;
    readonly scenarios: (broker: BrokerUnderTest) => void;
  },
): void {
  if (FOREIGN_BOOTSTRAP !== undefined) return;
  describe(name, () => {
    const broker = new BrokerUnderTest({ ...o, isForeign: false });
    lifecycle(broker);
    o.scenarios(broker);
  });
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves with what `attempt` gives once `holds` says so; fails with `what` when that takes too long. */
export async function eventually<T>(
  what: string,
  o: { attempt: () => Promise<T>; holds: (value: T) => boolean },
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await o.attempt();
    if (o.holds(value)) return value;
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
    await pause(POLL_MS);
  }
}

/** What `run` gives, and how long it took in milliseconds. */
export async function timed<T>(run: () => Promise<T>): Promise<{ value: T; tookMs: number }> {
  const startedMs = performance.now();
  const value = await run();
  return { value, tookMs: performance.now() - startedMs };
}
