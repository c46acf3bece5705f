/**
 * A broker for one test file and kafkajs clients for its tests. Owns their lives: what a test opened is closed after
 * it, the broker after the file. Waiting is on conditions, bounded, never on a guess of time.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Admin,
  type AdminConfig,
  type Consumer,
  type ConsumerConfig,
  type EachMessagePayload,
  Kafka,
  type KafkaMessage,
  logLevel,
  type Producer,
  type ProducerConfig,
} from 'kafkajs';
import { type BrokerProcess, startBrokerProcess } from '../broker-process';

const PATIENCE_MS = 20_000;
const POLL_MS = 20;

/** What a test saw of one message. */
export interface Seen {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly message: KafkaMessage;
}

export function seen({ topic, partition, message }: EachMessagePayload): Seen {
  return {
    topic,
    partition,
    offset: message.offset,
    key: message.key?.toString() ?? null,
    value: message.value?.toString() ?? null,
    message,
  };
}

/** Resolves when `holds` does; fails with `what` when that takes too long. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** `count` messages with values `PREFIX0`, `PREFIX1`… */
export function messages(count: number, prefix = 'value-'): { value: string }[] {
  return Array.from({ length: count }, (_, at) => ({ value: `${prefix}${at}` }));
}

export function valuesOf(messages: readonly { readonly value: string | Buffer | null }[]): string[] {
  return messages.map(({ value }) => String(value));
}

/** The protocol's name of the error that `attempt` fails with, however deep kafkajs has wrapped it. */
export async function errorType(attempt: Promise<unknown>): Promise<string> {
  const failure = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  for (let error = failure; error instanceof Error; error = error.cause) {
    if ('type' in error) return String(error.type);
  }
  return `no error of the protocol: ${String(failure)}`;
}

interface Closable {
  disconnect(): Promise<void>;
}

export class Fixture {
  readonly #overrides: readonly string[];
  #dataDir = '';
  readonly #open = new Set<Closable>();
  #broker: BrokerProcess | undefined;
  #kafka: Kafka | undefined;

  constructor(overrides: readonly string[]) {
    this.#overrides = overrides;
  }

  get broker(): BrokerProcess {
    if (this.#broker === undefined) throw new Error('the broker does not run');
    return this.#broker;
  }

  get kafka(): Kafka {
    if (this.#kafka === undefined) throw new Error('the broker does not run');
    return this.#kafka;
  }

  /** Starts the broker; again after `kill` or `stop`, on the same port and data. */
  async start(): Promise<void> {
    if (this.#dataDir === '') this.#dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-kafkajs-'));
    const port = this.#broker?.port ?? 0;
    this.#broker = await startBrokerProcess({ port, dataDir: this.#dataDir, overrides: this.#overrides });
    this.#kafka = this.client();
  }

  async end(): Promise<void> {
    await this.closeClients();
    await this.broker.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  async closeClients(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((client) => client.disconnect()));
  }

  client(): Kafka {
    return new Kafka({
      clientId: 'odradek-compat',
      brokers: [this.broker.bootstrap],
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 50, maxRetryTime: 500, retries: 20 },
    });
  }

  /** A name that nothing else uses. */
  name(prefix = 'topic'): string {
    return `${prefix}-${randomUUID()}`;
  }

  async producer(config: ProducerConfig = {}): Promise<Producer> {
    return this.#opened(this.kafka.producer(config));
  }

  async admin(config: AdminConfig = {}): Promise<Admin> {
    return this.#opened(this.kafka.admin(config));
  }

  /** A connected member of `config.groupId`, of a group of its own when there is none; short waits for tests. */
  async consumer(config: Partial<ConsumerConfig> = {}): Promise<Consumer> {
    const defaults = { groupId: this.name('group'), maxWaitTimeInMs: 100, heartbeatInterval: 300 };
    return this.#opened(this.kafka.consumer({ ...defaults, ...config }));
  }

  async #opened<T extends Closable & { connect(): Promise<void> }>(client: T): Promise<T> {
    this.#open.add(client);
    await client.connect();
    return client;
  }

  /** A new topic. */
  async topic(numPartitions = 1): Promise<string> {
    const topic = this.name();
    const admin = await this.admin();
    await admin.createTopics({ topics: [{ topic, numPartitions }] });
    return topic;
  }

  async send(topic: string, messages: { value: string }[]): Promise<void> {
    const producer = await this.producer();
    await producer.send({ topic, messages });
  }

  /** The first `count` messages that a member of `groupId` gets from the beginning; it commits, leaves and closes. */
  async read(topic: string, count: number, config: Partial<ConsumerConfig> = {}): Promise<Seen[]> {
    const consumer = await this.consumer(config);
    const got: Seen[] = [];
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async (payload) => {
        if (got.length < count) got.push(seen(payload));
      },
    });
    await until(`${count} messages of ${topic}`, () => got.length >= count);
    await consumer.stop();
    this.#open.delete(consumer);
    await consumer.disconnect();
    return got;
  }
}

/** Called at the top of a test file: a broker that runs while its tests do, with these `key=value` settings. */
export function useBroker(...overrides: readonly string[]): Fixture {
  const fixture = new Fixture(overrides);
  beforeAll(() => fixture.start());
  afterEach(() => fixture.closeClients());
  afterAll(() => fixture.end());
  return fixture;
}
