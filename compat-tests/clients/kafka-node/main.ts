/**
 * kafka-node, a client of the 0.8–0.10 age: message formats v0 and v1, Produce and Fetch 0–2, groups of the first
 * version. The package is fetched once into `.cache/kafka-node`, without scripts.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type BrokerProcess, startBrokerProcess } from '../../broker-process';
import { type Checks, run, runChecks } from '../../checks';

const CACHE = path.join(__dirname, '..', '..', '..', '.cache', 'kafka-node');
const VERSION = '5.0.0';
const PATIENCE_MS = 20_000;

type Callback<T> = (error: Error | null, result: T) => void;

interface Message {
  readonly value: string | Buffer | null;
  readonly key?: string | Buffer | null;
  readonly partition: number;
  readonly offset: number;
}

interface Emitter {
  on(event: string, listener: (argument: never) => void): void;
}

interface Client extends Emitter {
  createTopics(topics: readonly object[], callback: Callback<unknown[]>): void;
  close(callback: () => void): void;
}

interface Producer extends Emitter {
  send(payloads: readonly object[], callback: Callback<Record<string, Record<string, number>>>): void;
}

interface Consumer extends Emitter {
  close(force: boolean, callback: () => void): void;
}

/** The part of kafka-node that is used here. */
interface KafkaNode {
  KafkaClient: new (options: object) => Client;
  Producer: new (client: Client, options?: object) => Producer;
  KeyedMessage: new (key: string, value: string) => object;
  Consumer: new (client: Client, topics: readonly object[], options: object) => Consumer;
  ConsumerGroup: new (options: object, topics: readonly string[]) => Consumer;
  Offset: new (client: Client) => { fetch(payloads: readonly object[], callback: Callback<object>): void };
  Admin: new (
    client: Client,
  ) => {
    listGroups(callback: Callback<object>): void;
    describeGroups(groups: readonly string[], callback: Callback<Record<string, { state: string }>>): void;
  };
}

async function loadKafkaNode(): Promise<KafkaNode> {
  if (!existsSync(path.join(CACHE, 'node_modules', 'kafka-node'))) {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(path.join(CACHE, 'package.json'), '{"private": true}');
    const words = [
      'install',
      '--ignore-scripts',
      '--omit=optional',
      '--no-audit',
      '--no-fund',
      `kafka-node@${VERSION}`,
    ];
    await run('npm', words, { cwd: CACHE });
  }
  return createRequire(path.join(CACHE, 'package.json'))('kafka-node') as KafkaNode;
}

function promised<T>(start: (callback: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, result) => (error ? reject(new Error(JSON.stringify(error) + String(error))) : resolve(result)));
  });
}

/** The first `count` messages that `consumer` gives. */
function take(consumer: Consumer, count: number): Promise<Message[]> {
  return new Promise((resolve, reject) => {
    const seen: Message[] = [];
    const late = setTimeout(() => reject(new Error(`${seen.length} of ${count} messages`)), PATIENCE_MS);
    consumer.on('error', (error: Error) => reject(error));
    consumer.on('offsetOutOfRange', (error: Error) => reject(error));
    consumer.on('message', (message: Message) => {
      if (seen.push(message) !== count) return;
      clearTimeout(late);
      resolve(seen);
    });
  });
}

function same(actual: readonly unknown[], expected: readonly unknown[]): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${JSON.stringify(actual).slice(0, 500)} instead of ${JSON.stringify(expected).slice(0, 500)}`);
}

/** One client with its connections, and what the steps do with it. */
class Session {
  readonly #kafka: KafkaNode;
  readonly #host: string;

  constructor(kafka: KafkaNode, broker: BrokerProcess) {
    this.#kafka = kafka;
    this.#host = broker.bootstrap;
  }

  get kafka(): KafkaNode {
    return this.#kafka;
  }

  /** Runs `use` with a client of its own, which is closed afterwards. */
  async withClient<T>(use: (client: Client) => Promise<T>): Promise<T> {
    const client = new this.#kafka.KafkaClient({ kafkaHost: this.#host, connectRetryOptions: { retries: 1 } });
    await new Promise<void>((resolve, reject) => {
      client.on('ready', () => resolve());
      client.on('error', (error: Error) => reject(error));
    });
    try {
      return await use(client);
    } finally {
      await new Promise<void>((resolve) => client.close(resolve));
    }
  }

  send(payloads: readonly object[], options: object = {}): Promise<Record<string, Record<string, number>>> {
    return this.withClient((client) => {
      const producer = new this.#kafka.Producer(client, options);
      return promised((callback) => producer.send(payloads, callback));
    });
  }

  /** The first `count` messages of partition 0 from the start. */
  read(topic: string, count: number): Promise<Message[]> {
    return this.withClient(async (client) => {
      const options = { autoCommit: false, fromOffset: true };
      const consumer = new this.#kafka.Consumer(client, [{ topic, partition: 0, offset: 0 }], options);
      const messages = await take(consumer, count);
      await new Promise<void>((resolve) => consumer.close(false, resolve));
      return messages;
    });
  }

  /** The first `count` messages that a member of `groupId` gets; it commits and leaves. */
  async readAsGroup(groupId: string, topic: string, count: number): Promise<Message[]> {
    const options = { kafkaHost: this.#host, groupId, fromOffset: 'earliest', autoCommit: true };
    const consumer = new this.#kafka.ConsumerGroup(options, [topic]);
    const messages = await take(consumer, count);
    await new Promise<void>((resolve) => consumer.close(true, resolve));
    return messages;
  }
}

const values = (count: number): string[] => Array.from({ length: count }, (_, at) => `value ${at}`);

async function checkRecords(checks: Checks, session: Session): Promise<void> {
  const { kafka } = session;
  await checks.check('createTopics', () =>
    session.withClient(async (client) => {
      const topic = { topic: 'made', partitions: 3, replicationFactor: 1 };
      same((await promised<unknown[]>((callback) => client.createTopics([topic], callback))) ?? [], []);
    }),
  );
  for (const [codec, attributes] of [
    ['none', 0],
    ['gzip', 1],
  ] as const) {
    for (const requireAcks of [1, -1, 0]) {
      await checks.check(`produce and fetch, ${codec}, acks ${requireAcks}`, async () => {
        const topic = `kn-${codec}-${requireAcks}`;
        await session.withClient((client) =>
          promised((callback) => client.createTopics([{ topic, partitions: 1, replicationFactor: 1 }], callback)),
        );
        await session.send([{ topic, messages: values(100), attributes, partition: 0 }], { requireAcks });
        const messages = await session.read(topic, 100);
        same(
          messages.map(({ value }) => String(value)),
          values(100),
        );
        same(
          messages.map(({ offset }) => offset),
          values(100).map((_, at) => at),
        );
      });
    }
  }
  await checks.check('keyed messages', async () => {
    await session.send([{ topic: 'made', messages: [new kafka.KeyedMessage('k', 'v')], partition: 0 }]);
    const [message] = await session.read('made', 1);
    same([String(message?.key), String(message?.value)], ['k', 'v']);
  });
}

async function checkGroups(checks: Checks, session: Session): Promise<void> {
  const { kafka } = session;
  await checks.check('offsets: latest and earliest', () =>
    session.withClient(async (client) => {
      const offset = new kafka.Offset(client);
      const fetch = (time: number): Promise<object> =>
        promised((callback) => offset.fetch([{ topic: 'kn-none-1', partition: 0, time, maxNum: 1 }], callback));
      same([await fetch(-1), await fetch(-2)], [{ 'kn-none-1': { 0: [100] } }, { 'kn-none-1': { 0: [0] } }]);
    }),
  );
  await checks.check('a group commits, and the next member goes on', async () => {
    const first = await session.readAsGroup('kn-group', 'kn-none-1', 100);
    same(
      first.map(({ value }) => String(value)),
      values(100),
    );
    await session.send([{ topic: 'kn-none-1', messages: ['one more'], partition: 0 }]);
    const [next] = await session.readAsGroup('kn-group', 'kn-none-1', 1);
    same([next?.offset, String(next?.value)], [100, 'one more']);
  });
  await checks.check('admin lists and describes groups', () =>
    session.withClient(async (client) => {
      const admin = new kafka.Admin(client);
      const listed = JSON.stringify(await promised((callback) => admin.listGroups(callback)));
      if (!listed.includes('"kn-group":"consumer"')) throw new Error(listed);
      const described = await promised<Record<string, { state: string }>>((callback) =>
        admin.describeGroups(['kn-group'], callback),
      );
      same([described['kn-group']?.state], ['Empty']);
    }),
  );
}

async function suite(checks: Checks): Promise<void> {
  const kafka = await loadKafkaNode();
  const broker = await startBrokerProcess();
  const session = new Session(kafka, broker);
  await checkRecords(checks, session);
  await checkGroups(checks, session);
  await broker.stop();
}

runChecks(suite);
