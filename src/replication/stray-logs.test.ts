/** Which logs belong to a topic of the metadata. */
import { ZERO_UUID } from '../base/random';
import type { PartitionLog } from '../log/partition-log';
import { CrashStorage } from '../testing/crash-storage';
import { newTopic, openTestStore, startMetadataBroker } from '../testing/metadata-broker';
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
    const { controller, store, metadata } = await startMetadataBroker();
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
    await setStrayLogsAside(store, manager(found, stray));
    expect(stray).toEqual(['t-1', 'u-0', 'v-0']);
  });

  it('leaves everything alone where the store is new', async () => {
    const stray: string[] = [];
    const store = await openTestStore(new CrashStorage());
    await setStrayLogsAside(store, manager([{ topic: 'v', partition: 0, topicId: ZERO_UUID }], stray));
    expect(stray).toEqual([]);
  });
});
