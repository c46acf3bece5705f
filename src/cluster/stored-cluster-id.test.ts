/** The cluster that a control store belongs to. */
import { silentLogger } from '../base/logger';
import { CrashStorage } from '../testing/crash-storage';
import { openTestStore } from '../testing/metadata-broker';
import { storedClusterId } from './stored-cluster-id';
import { CLUSTER_ID_PATH, encodeClusterId } from './znodes';

const path = '/data/meta';

describe('storedClusterId', () => {
  it('is what the store says, and nothing where there is no store', async () => {
    const storage = new CrashStorage();
    const asked = { storage, path, logger: silentLogger };
    expect(await storedClusterId(asked)).toEqual({ ok: true, value: undefined });
    expect(storage.files.size).toBe(0);
    const store = await openTestStore(storage);
    expect(await storedClusterId(asked)).toEqual({ ok: true, value: undefined });
    await store.multi([
      { kind: 'create', path: '/cluster', data: '' },
      { kind: 'create', path: CLUSTER_ID_PATH, data: encodeClusterId('its-cluster') },
    ]);
    await store.close();
    expect(await storedClusterId(asked)).toEqual({ ok: true, value: 'its-cluster' });
  });
});
