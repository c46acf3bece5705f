/**
 * Logs that belong to no topic, found at a start: of topics that the metadata do not know or know under another id.
 * They are set aside before partitions are led. (Kafka: BrokerMetadataPublisher, LogManager.isStrayKraftReplica.)
 */
import { ZERO_UUID } from '../base/random';
import type { LoadedTopics } from '../cluster/topic-loader';
import type { LogManager } from '../log/log-manager';

/** `topics` are all that there are. */
export async function setStrayLogsAside(
  { topics }: Pick<LoadedTopics, 'topics'>,
  logManager: Pick<LogManager, 'setStraysAside'>,
): Promise<void> {
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  await logManager.setStraysAside(({ topicPartition: { topic, partition }, topicId }) => {
    const known = byName.get(topic);
    if (!known || partition >= known.partitions.length) return false;
    return topicId === known.id || topicId === ZERO_UUID || known.id === ZERO_UUID;
  });
}
