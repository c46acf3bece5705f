/** Brokers and replicas as clients of one listener see them. */
import { startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { offlineReplicas, reachableBrokers, reachableController } from './partition-description';

const partition = { partition: 0, leader: 1, leaderEpoch: 0, partitionEpoch: 0, replicas: [1, 2, 3], isr: [1, 2] };

describe('reachable brokers', () => {
  it('are those with the listener of the client, the controller only if it is among them', async () => {
    const broker = await startMetadataBroker();
    const see = (listenerName: string) => reachableBrokers(metadataContext(broker, { apiVersion: 0, listenerName }));
    expect([...see('PLAINTEXT').values()]).toMatchObject([{ id: 1, host: 'broker1', port: 9092, rack: 'r1' }]);
    expect(see('OTHER').size).toBe(0);
    const { image } = broker.metadata;
    expect([reachableController(image, see('PLAINTEXT')), reachableController(image, see('OTHER'))]).toEqual([1, -1]);
  });
});

describe('offline replicas', () => {
  const reachable = new Map([1, 3].map((id) => [id, { id, rack: null, host: 'h', port: 1 }]));

  it('are those whose brokers are away, and those that would lead if they could', () => {
    expect(offlineReplicas(partition, reachable)).toEqual([2]);
    expect(offlineReplicas({ ...partition, leader: -1 }, reachable)).toEqual([1, 2]);
  });
});
