/**
 * Topics that come and go while the broker is killed, and a record in each: a creation or deletion that was
 * acknowledged holds. One change at a time; one whose answer is lost is asked for again until it is acknowledged.
 */
import { type Admin, type Kafka, KafkaJSProtocolError } from 'kafkajs';
import { kafkaClient } from './loads';

const NAMES = 8;
const PARTITIONS = 2;
const RECORD = { partition: 0, value: 'kept' };

interface TopicState {
  readonly isThere: boolean;
  /** Grows with each change, so that a check knows what was changed beside it. */
  readonly change: number;
}

export interface TopicLoad {
  changes(): number;
  /** What is not as it was acknowledged. */
  wrong(): Promise<string[]>;
  stop(): Promise<void>;
}

interface Clients {
  readonly kafka: Kafka;
  readonly admin: Admin;
}

function hasType(error: unknown, type: string): boolean {
  return error instanceof KafkaJSProtocolError && error.type === type;
}

/** Kept going by a client with patience; what still fails is asked for again. */
async function insist(run: () => Promise<unknown>, isDone: (error: unknown) => boolean): Promise<void> {
  for (;;) {
    try {
      await run();
      return;
    } catch (error) {
      if (isDone(error)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function create({ kafka, admin }: Clients, topic: string): Promise<void> {
  const topics = [{ topic, numPartitions: PARTITIONS }];
  // `false` says that it was there already: an earlier answer was lost.
  await insist(
    () => admin.createTopics({ topics, waitForLeaders: false }),
    () => false,
  );
  // One for each topic: a producer of kafkajs asks for ever about topics that are gone.
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  await insist(
    () => producer.send({ topic, acks: -1, messages: [RECORD] }),
    () => false,
  );
  await producer.disconnect();
}

function remove(admin: Admin, topic: string): Promise<void> {
  return insist(
    () => admin.deleteTopics({ topics: [topic] }),
    (error) => hasType(error, 'UNKNOWN_TOPIC_OR_PARTITION'),
  );
}

async function wrongTopics(kafka: Kafka, states: ReadonlyMap<string, TopicState>): Promise<string[]> {
  const admin = kafka.admin();
  await admin.connect();
  const before = new Map(states);
  const listed = new Set(await admin.listTopics());
  const wrong: string[] = [];
  for (const [name, { isThere, change }] of before) {
    if (states.get(name)?.change !== change) continue;
    if (listed.has(name) !== isThere) wrong.push(`${name} is ${isThere ? 'lost' : 'back'}`);
    if (!isThere || !listed.has(name)) continue;
    const offsets = await admin.fetchTopicOffsets(name).catch((error: unknown) => String(error));
    const records = typeof offsets === 'string' ? offsets : offsets.find(({ partition }) => partition === 0)?.high;
    if (states.get(name)?.change === change && !(Number(records) >= 1)) wrong.push(`${name} has ${records} records`);
  }
  await admin.disconnect();
  return wrong;
}

export async function startTopicLoad(bootstrap: string): Promise<TopicLoad> {
  const kafka = kafkaClient(bootstrap);
  const clients: Clients = { kafka, admin: kafka.admin() };
  await clients.admin.connect();
  const states = new Map<string, TopicState>();
  let isRunning = true;
  let changes = 0;
  const running = (async () => {
    for (; isRunning; changes++) {
      const name = `coming-and-going-${changes % NAMES}`;
      const isThere = states.get(name)?.isThere ?? false;
      // Unknown until it is acknowledged.
      states.delete(name);
      await (isThere ? remove(clients.admin, name) : create(clients, name));
      states.set(name, { isThere: !isThere, change: changes });
    }
  })();
  return {
    changes: () => changes,
    wrong: () => wrongTopics(kafka, states),
    stop: async () => {
      isRunning = false;
      await running;
      await clients.admin.disconnect();
    },
  };
}
