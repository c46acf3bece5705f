/** Import: what another broker left becomes topics of this one, once. */
import { startMetadataBroker } from '../../testing/metadata-broker';
import { importedNodes } from './metadata-import';

describe('importedNodes', () => {
  it('imports what another broker left, once', async () => {
    const imported = {
      topics: [{ name: 'a', id: 'idOfTopicAAAAAAAAAAAAA', configs: new Map([['x', 'y']]), leaderEpochs: [4, 7] }],
      nextProducerId: 5000,
    };
    const broker = await startMetadataBroker({ imported });
    const { id, configs, partitions } = broker.metadata.image.topic('a')!;
    expect([id, configs.get('x')]).toEqual(['idOfTopicAAAAAAAAAAAAA', 'y']);
    expect(partitions.map(({ leader, leaderEpoch }) => [leader, leaderEpoch])).toEqual([
      [1, 5],
      [1, 8],
    ]);
    await broker.controller.deleteTopics(['a']);
    const again = await startMetadataBroker({ storage: broker.storage, imported });
    expect(again.metadata.image.topicCount).toBe(0);
  });

  it('imports quotas, but for kinds that are unknown here', async () => {
    const known = { entity: new Map([['client-id', null]]), values: new Map([['producer_byte_rate', 5]]) };
    const unknown = { entity: new Map([['planet', 'x']]), values: new Map([['producer_byte_rate', 5]]) };
    const imported = { topics: [], nextProducerId: 0, quotas: [known, unknown] };
    const broker = await startMetadataBroker({ imported });
    expect([...broker.metadata.image.quotas()]).toEqual([known]);
  });

  it('leaves producer ids alone where they are unknown', () => {
    expect(importedNodes({ topics: [], nextProducerId: 0 }, 1)).toEqual([]);
    const block = { version: 1, broker: 1, block_start: '0', block_end: '4999' };
    const [node] = importedNodes({ topics: [], nextProducerId: 5000 }, 1);
    expect(node).toEqual({ kind: 'create', path: '/latest_producer_id_block', data: JSON.stringify(block) });
  });
});
