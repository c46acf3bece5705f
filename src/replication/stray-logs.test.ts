/** Which logs belong to a topic of the metadata. */
import { ZERO_UUID } from '../base/random';
import type { PartitionLog } from '../log/partition-log';
import { newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { setStrayLogsAside } from './stray-logs';

interface Found {
  readonly topic: string;
  readonly partition: number;
  readonly topicId: string;
}

const manager = (found: readonly Found[], stray: string[]) => ({
  setStraysAside: async (isKnown: (log: PartitionLog) => boolean) => {
    for (const { topic, partition, topicId } of found) {
      const log = { topicPartition: { topic, partition }, topicId } as PartitionLog;
      if (!isKnown(log)) stray.push(`${topic}-${partition}`);
    }
  },
});

describe('setStrayLogsAside', () => {
  it('keeps those of known topics and partitions with the right id or none', async () => {
    const { controller, metadata } = await startMetadataBroker();
    await controller.createTopics([newTopic('t'), newTopic('u')], { validateOnly: false });
    const topicId = metadata.image.topic('t')!.id;
    const stray: string[] = [];
    const found = [
      { topic: 't', partition: 0, topicId },
      { topic: 't', partition: 1, topicId },
      { topic: 'u', partition: 0, topicId },
      { topic: 'u', partition: 0, topicId: ZERO_UUID },
      { topic: 'v', partition: 0, topicId: ZERO_UUID },
    ];
    await setStrayLogsAside({ topics: [...metadata.image.topics()] }, manager(found, stray));
    expect(stray).toEqual(['t-1', 'u-0', 'v-0']);
  });
});
