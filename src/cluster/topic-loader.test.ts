/** Loading: topics, deletions that were cut short, and stores that cannot be read. */
import { CrashStorage } from '../testing/crash-storage';
import { newTopic, openTestStore, startMetadataBroker } from '../testing/metadata-broker';
import { loadTopics } from './topic-loader';

describe('loadTopics', () => {
  it('gives the topics as the controller stored them, and which are to be deleted', async () => {
    const broker = await startMetadataBroker();
    const topics = [newTopic('b', { numPartitions: 2 }), newTopic('a', { configs: new Map([['retention.ms', '5']]) })];
    await broker.controller.createTopics(topics, { validateOnly: false });
    await broker.store.multi([{ kind: 'create', path: '/admin/delete_topics/b', data: '' }]);
    const loaded = await loadTopics(broker.store);
    const image = ['a', 'b'].map((name) => broker.metadata.image.topic(name));
    expect(loaded).toEqual({ topics: image, deletions: [image[1]] });
  });

  it('rejects where nodes are missing', async () => {
    await expect(loadTopics(await openTestStore(new CrashStorage()))).rejects.toThrow(/no-node/);
  });
});
