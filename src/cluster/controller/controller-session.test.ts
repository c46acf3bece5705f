/** Taking office: registration, epochs, and stores that belong to others. */
import { CrashStorage } from '../../testing/crash-storage';
import { openTestStore, startMetadataBroker } from '../../testing/metadata-broker';

describe('ControllerSession', () => {
  it('registers the broker and takes office with a higher epoch each time', async () => {
    const broker = await startMetadataBroker();
    const again = await startMetadataBroker({ storage: broker.storage.afterPowerCut(0) });
    const registered = await again.store.get('/brokers/ids/1');
    expect(registered.ok && JSON.parse(registered.value.data)).toMatchObject({
      endpoints: ['PLAINTEXT://broker1:9092'],
      version: 5,
    });
    expect(await again.store.get('/controller_epoch')).toMatchObject({ value: { data: '2' } });
    expect(again.metadata.image.controllerId).toBe(1);
  });

  it('refuses a store of another cluster', async () => {
    const storage = new CrashStorage();
    const store = await openTestStore(storage);
    await store.multi([
      { kind: 'create', path: '/cluster', data: '' },
      { kind: 'create', path: '/cluster/id', data: '{"version":"1","id":"other"}' },
    ]);
    await expect(startMetadataBroker({ storage })).rejects.toThrow(/cluster other/);
  });
});
