/** Producer ids: never twice, whatever ends the process. */
import { ErrorCode } from '../codec/generated/errors';
import { CrashStorage } from '../testing/crash-storage';
import { openTestStore } from '../testing/metadata-broker';
import { ProducerIdManager } from './producer-id-manager';

describe('ProducerIdManager', () => {
  it('counts up, a stored block at a time', async () => {
    const store = await openTestStore(new CrashStorage());
    const manager = new ProducerIdManager(store, 1);
    const given = await Promise.all(Array.from({ length: 1001 }, () => manager.next()));
    expect(given.map((id) => id.ok && id.value)).toEqual(Array.from({ length: 1001 }, (_, i) => i));
    const node = await store.get('/latest_producer_id_block');
    expect(node.ok && JSON.parse(node.value.data)).toEqual({
      version: 1,
      broker: 1,
      block_start: '1000',
      block_end: '1999',
    });
  });

  it('begins a new block after a restart', async () => {
    const storage = new CrashStorage();
    await new ProducerIdManager(await openTestStore(storage), 1).next();
    const manager = new ProducerIdManager(await openTestStore(storage.afterPowerCut(0)), 1);
    expect(await manager.next()).toEqual({ ok: true, value: 1000 });
  });

  it('gives none when the block cannot be stored', async () => {
    const storage = new CrashStorage();
    const manager = new ProducerIdManager(await openTestStore(storage), 1);
    storage.failNextWrite = true;
    expect(await manager.next()).toMatchObject({ ok: false, error: ErrorCode.COORDINATOR_NOT_AVAILABLE });
    expect(await manager.next()).toEqual({ ok: true, value: 0 });
  });
});
