/**
 * Loads that go on while the broker is killed and comes back, and remember what was acknowledged. Each sends the
 * numbers from 0 up, in order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { type CompressionTypes, type Consumer, Kafka, logLevel, type Message } from 'kafkajs';
import { kafkaJars } from '../clients/java/jars';

/** What a load was told: number → offset. */
export type Acknowledged = Map<number, number>;

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

export interface KafkajsLoadOptions {
  readonly idempotent: boolean;
  /** Taken by turns; none when left out. */
  readonly compressions?: readonly CompressionTypes[];
  /** The record of a number; its value is the number when left out. */
  readonly message?: (number: number) => Message;
}

/**
 * One kafkajs producer that waits for each batch; one that failed is sent anew only by the producer's own retries.
 */
export async function startKafkajsLoad(bootstrap: string, topic: string, o: KafkajsLoadOptions): Promise<Load> {
  const { idempotent, compressions = [0], message = (number) => ({ value: String(number) }) } = o;
  const producer = kafkaClient(bootstrap).producer({ idempotent, maxInFlightRequests: 1, retry: RETRY });
  await producer.connect();
  const acknowledged: Acknowledged = new Map();
  let isRunning = true;
  const pumping = (async () => {
    for (let next = 0; isRunning; next += BATCH) {
      const numbers = Array.from({ length: BATCH }, (_, at) => next + at);
      const compression = compressions[(next / BATCH) % compressions.length] ?? 0;
      const [answer] = await producer.send({ topic, acks: -1, compression, messages: numbers.map(message) });
      for (const number of numbers) acknowledged.set(number, Number(answer?.baseOffset) + number - next);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  return {
    topic,
    acknowledged,
    stop: async () => {
      isRunning = false;
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
      acknowledged.set(Number(value), offset);
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
