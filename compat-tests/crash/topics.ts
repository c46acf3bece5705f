/**
 * Topics that come and go while the broker is killed, and a record in each: a creation or deletion that was
 * acknowledged holds. One change at a time; one whose answer is lost is asked for again until it is acknowledged, each
 * time by new clients, since those of kafkajs ask for ever about topics that are gone.
 */
import { type Admin, Kafka, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError, logLevel } from 'kafkajs';

const NAMES = 8;
const PARTITIONS = 2;
const RECORD = { partition: 0, value: 'kept' };
const ATTEMPT_MS = 5000;
const PAUSE_MS = 20;

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

/** A client that does not try again by itself. */
function clientOf(bootstrap: string): Kafka {
  return new Kafka({
    clientId: 'crash-topics',
    brokers: [bootstrap],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    requestTimeout: 3000,
    retry: { retries: 0 },
  });
}

async function withAdmin<T>(bootstrap: string, run: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = clientOf(bootstrap).admin();
  try {
    await admin.connect();
    return await run(admin);
  } finally {
    await admin.disconnect();
  }
}

async function produce(bootstrap: string, topic: string): Promise<void> {
  const producer = clientOf(bootstrap).producer({ allowAutoTopicCreation: false });
  try {
    await producer.connect();
    await producer.send({ topic, acks: -1, messages: [RECORD] });
  } finally {
    await producer.disconnect();
  }
}

/** Tries until it succeeds, or fails in a way that says it was done before. */
async function insist(run: () => Promise<unknown>, isDone: (error: unknown) => boolean = () => false): Promise<void> {
  for (;;) {
    const tooLate = new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), ATTEMPT_MS));
    try {
      await Promise.race([run(), tooLate]);
      return;
    } catch (error) {
      if (isDone(error)) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

async function create(bootstrap: string, topic: string): Promise<void> {
  const topics = [{ topic, numPartitions: PARTITIONS }];
  // An answer of `false` says that it was there already: an earlier answer was lost.
  await insist(() => withAdmin(bootstrap, (admin) => admin.createTopics({ topics, waitForLeaders: false })));
  await insist(() => produce(bootstrap, topic));
}

function remove(bootstrap: string, topic: string): Promise<void> {
  return insist(
    () => withAdmin(bootstrap, (admin) => admin.deleteTopics({ topics: [topic] })),
    (error) => {
      const cause = error instanceof KafkaJSNumberOfRetriesExceeded ? error.cause : error;
      return cause instanceof KafkaJSProtocolError && cause.type === 'UNKNOWN_TOPIC_OR_PARTITION';
    },
  );
}

async function recordsOf(bootstrap: string, topic: string): Promise<string | undefined> {
  const offsets = await withAdmin(bootstrap, (admin) => admin.fetchTopicOffsets(topic));
  return offsets.find(({ partition }) => partition === RECORD.partition)?.high;
}

async function wrongTopics(bootstrap: string, states: ReadonlyMap<string, TopicState>): Promise<string[]> {
  const before = new Map(states);
  const listed = new Set(await withAdmin(bootstrap, (admin) => admin.listTopics()));
  const wrong: string[] = [];
  for (const [name, { isThere, change }] of before) {
    const isAsBefore = (): boolean => states.get(name)?.change === change;
    if (!isAsBefore()) continue;
    if (listed.has(name) !== isThere) wrong.push(`${name} is ${isThere ? 'lost' : 'back'}`);
    if (!isThere || !listed.has(name)) continue;
    const records = await recordsOf(bootstrap, name).catch(String);
    if (isAsBefore() && !(Number(records) >= 1)) wrong.push(`${name} has ${records} records`);
  }
  return wrong;
}

export function startTopicLoad(bootstrap: string): TopicLoad {
  const states = new Map<string, TopicState>();
  let isRunning = true;
  let changes = 0;
  const running = (async () => {
    for (; isRunning; changes++) {
      const name = `coming-and-going-${changes % NAMES}`;
      const isThere = states.get(name)?.isThere ?? false;
      // Unknown until it is acknowledged.
      states.delete(name);
      await (isThere ? remove(bootstrap, name) : create(bootstrap, name));
      states.set(name, { isThere: !isThere, change: changes });
    }
  })();
  return {
    changes: () => changes,
    wrong: () => wrongTopics(bootstrap, states),
    stop: async () => {
      isRunning = false;
      await running;
    },
  };
}
