/**
 * Logs that belong to no topic, found at a start: of topics that the metadata do not know or know under another id.
 * They are set aside before partitions are led. (Kafka: BrokerMetadataPublisher, LogManager.isStrayKraftReplica.)
 */
import { ZERO_UUID } from '../base/random';
import type { ControlStore } from '../cluster/control-store';
import { getIfPresent, loadTopics } from '../cluster/topic-loader';
import { CONTROLLER_EPOCH_PATH } from '../cluster/znodes';
import type { LogManager } from '../log/log-manager';

/** Does nothing where the store is new: then all that is found becomes part of it. */
export async function setStrayLogsAside(
  store: ControlStore,
  logManager: Pick<LogManager, 'setStraysAside'>,
): Promise<void> {
  if (!(await getIfPresent(store, CONTROLLER_EPOCH_PATH))) return;
  const { topics } = await loadTopics(store);
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  await logManager.setStraysAside(({ topicPartition: { topic, partition }, topicId }) => {
    const known = byName.get(topic);
    if (!known || partition >= known.partitions.length) return false;
    return topicId === known.id || topicId === ZERO_UUID || known.id === ZERO_UUID;
  });
}
