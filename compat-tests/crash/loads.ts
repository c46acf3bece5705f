/**
 * Loads that go on while the broker is killed and comes back, and remember what was acknowledged. Values are numbers
 * from 0 up, one sequence per load, sent in order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { type Consumer, Kafka, logLevel, type Producer } from 'kafkajs';
import { kafkaJars } from '../clients/java/jars';

/** What a load was told: value → offset where it was told one. */
export type Acknowledged = Map<number, string>;

export interface Load {
  readonly topic: string;
  readonly acknowledged: Acknowledged;
  /** Ends the load after what is under way; then `acknowledged` does not change any more. */
  stop(): Promise<void>;
}

const BATCH = 20;
/** Between two batches: the checks read everything again. */
const PAUSE_MS = 2;
/** More patience than the broker's absence needs: a load that gives up would test nothing. */
const RETRY = { initialRetryTime: 30, maxRetryTime: 300, retries: 1000 };

export function kafkaClient(bootstrap: string): Kafka {
  const quiet = { logLevel: logLevel.NOTHING, connectionTimeout: 1000, requestTimeout: 5000 };
  return new Kafka({ clientId: 'crash', brokers: [bootstrap], retry: RETRY, ...quiet });
}

/** Sends batch after batch; a batch that failed is sent anew only by the idempotent producer's own retries. */
async function pump(producer: Producer, topic: string, state: { running: boolean; acknowledged: Acknowledged }) {
  for (let next = 0; state.running; next += BATCH) {
    const values = Array.from({ length: BATCH }, (_, at) => next + at);
    const messages = values.map((value) => ({ value: String(value) }));
    const [answer] = await producer.send({ topic, acks: -1, messages });
    for (const value of values) state.acknowledged.set(value, String(Number(answer?.baseOffset) + value - next));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** One kafkajs producer that waits for each batch. */
export async function startKafkajsLoad(bootstrap: string, topic: string, idempotent: boolean): Promise<Load> {
  const producer = kafkaClient(bootstrap).producer({ idempotent, maxInFlightRequests: 1, retry: RETRY });
  await producer.connect();
  const state = { running: true, acknowledged: new Map<number, string>() };
  const pumping = pump(producer, topic, state);
  return {
    topic,
    acknowledged: state.acknowledged,
    stop: async () => {
      state.running = false;
      await pumping;
      await producer.disconnect();
    },
  };
}

/** Kafka's own verifiable producer: idempotent, five batches in flight. */
export async function startJavaLoad(bootstrap: string, topic: string): Promise<Load> {
  const jars = await kafkaJars('4.4.0');
  const config = path.join(__dirname, 'producer.properties');
  const words = ['--bootstrap-server', bootstrap, '--topic', topic, '--acks', '-1', '--throughput', '2000'];
  const main = 'org.apache.kafka.tools.VerifiableProducer';
  const options = ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=off'];
  const child = spawn('java', [...options, '-cp', `${jars}/*`, main, ...words, '--command-config', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const acknowledged: Acknowledged = new Map();
  const ended = readAcknowledged(child, acknowledged);
  return {
    topic,
    acknowledged,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function readAcknowledged(child: ChildProcess, acknowledged: Acknowledged): Promise<void> {
  let rest = '';
  child.stdout?.on('data', (data: Buffer) => {
    const lines = (rest + data.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.includes('"producer_send_success"')) continue;
      const { value, offset } = JSON.parse(line) as { value: string; offset: number };
      acknowledged.set(Number(value), String(offset));
    }
  });
  child.stderr?.pipe(process.stderr);
  return new Promise((resolve) => child.once('close', () => resolve()));
}

/** A group of one that reads a topic and commits after each batch; remembers what it read and what it committed. */
export interface Reader {
  readonly groupId: string;
  readonly topic: string;
  readonly values: number[];
  /** The highest offset whose commit was acknowledged. */
  committed(): number;
  stop(): Promise<void>;
}

export async function startReader(bootstrap: string, topic: string): Promise<Reader> {
  const groupId = `crash-${topic}`;
  const consumer: Consumer = kafkaClient(bootstrap).consumer({ groupId, maxWaitTimeInMs: 200, sessionTimeout: 6000 });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const values: number[] = [];
  let committed = 0;
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch, resolveOffset }) => {
      for (const message of batch.messages) values.push(Number(message.value));
      resolveOffset(batch.lastOffset());
      const offset = String(Number(batch.lastOffset()) + 1);
      await consumer.commitOffsets([{ topic, partition: batch.partition, offset }]);
      committed = Number(offset);
    },
  });
  return { groupId, topic, values, committed: () => committed, stop: () => consumer.disconnect() };
}

/** All values of partition 0 with their offsets, in the order of the log. */
export async function readAll(bootstrap: string, topic: string): Promise<{ value: number; offset: string }[]> {
  const kafka = kafkaClient(bootstrap);
  const admin = kafka.admin();
  await admin.connect();
  const [end] = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const count = Number(end?.high);
  const consumer = kafka.consumer({ groupId: `read-${topic}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const read: { value: number; offset: string }[] = [];
  await new Promise<void>((resolve) => {
    if (count === 0) resolve();
    void consumer.run({
      eachBatch: async ({ batch }) => {
        for (const { value, offset } of batch.messages) read.push({ value: Number(value), offset });
        if (read.length >= count) resolve();
      },
    });
  });
  await consumer.disconnect();
  return read;
}
