/** Topics made, looked up and deleted one by one through kafkajs's admin client, as an application's tests do. */
import { Kafka, logLevel } from 'kafkajs';

/** Milliseconds of each phase. */
export async function kafkajsTopics(bootstrap: string, count: number): Promise<Map<string, number>> {
  const admin = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING, requestTimeout: 120_000 }).admin();
  await admin.connect();
  const names = Array.from({ length: count }, (_, at) => `single-${at}`);
  const phases: readonly (readonly [string, (topic: string) => Promise<unknown>])[] = [
    ['create', (topic) => admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: false })],
    ['metadata', (topic) => admin.fetchTopicMetadata({ topics: [topic] })],
    ['delete', (topic) => admin.deleteTopics({ topics: [topic] })],
  ];
  const figures = new Map<string, number>();
  try {
    for (const [phase, step] of phases) {
      const startedMs = performance.now();
      for (const name of names) await step(name);
      figures.set(phase, performance.now() - startedMs);
    }
  } finally {
    await admin.disconnect();
  }
  return figures;
}
