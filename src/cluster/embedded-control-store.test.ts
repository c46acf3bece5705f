/** The embedded control store: the contract, and what its journal promises when the disk or the machine fails. */
import fc from 'fast-check';
import { silentLogger } from '../base/logger';
import { controlStoreContract } from '../testing/control-store-contract';
import { CrashStorage } from '../testing/crash-storage';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { ManualClock } from '../testing/manual-clock';
import type { ControlOperation } from './control-store';
import { EmbeddedControlStore } from './embedded-control-store';
import type { JournalStorage } from './journal-storage';

const path = '/data/odradek-metadata';

async function open(storage: JournalStorage): Promise<EmbeddedControlStore> {
  const opened = await EmbeddedControlStore.open({ storage, path, logger: silentLogger });
  if (!opened.ok) throw new Error(opened.error);
  return opened.value;
}

const create = (path: string, data = ''): ControlOperation => ({ kind: 'create', path, data });
const set = (path: string, data: string): ControlOperation => ({ kind: 'set', path, data, expectedVersion: -1 });

describe.each([
  ['the storage of these tests', () => new CrashStorage()],
  ['a file system of the logs', () => new FaultyFileSystem(new ManualClock())],
])('contract over %s', (_, newStorage: () => JournalStorage) => {
  let storage: JournalStorage;
  controlStoreContract({
    open: () => {
      storage = newStorage();
      return open(storage);
    },
    reopen: async (store) => {
      await store.close();
      return open(storage);
    },
  });
});

describe('durability', () => {
  it('has synced what it acknowledged, with one sync for what waited together', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await Promise.all(['/a', '/b', '/c'].map((path) => store.multi([create(path)])));
    expect(storage.syncCount).toBe(1);
    const again = await open(storage.afterPowerCut(0));
    expect(await again.children('/')).toEqual({ ok: true, value: ['a', 'b', 'c'] });
  });

  it('does without a sync where only ephemeral nodes change', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([{ kind: 'create', path: '/e', data: '', ephemeral: true }]);
    expect(storage.syncCount).toBe(0);
  });
});

describe('failing writes', () => {
  it('leave no trace, and the next transaction may succeed', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([create('/a', '1')]);
    storage.failNextWrite = true;
    expect(await store.multi([set('/a', '2'), create('/b')])).toMatchObject({ ok: false, error: 'unavailable' });
    expect(await store.get('/a')).toEqual({ ok: true, value: { data: '1', version: 0 } });
    expect(await store.multi([create('/c')])).toMatchObject({ ok: true });
    const again = await open(storage);
    expect(await again.children('/')).toEqual({ ok: true, value: ['a', 'c'] });
  });

  it('of a sync end all writing', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    storage.failNextSync = true;
    expect(await store.multi([create('/a')])).toMatchObject({ ok: false, error: 'unavailable' });
    expect(await store.multi([create('/b')])).toMatchObject({ ok: false, error: 'unavailable' });
    expect(await store.children('/')).toEqual({ ok: true, value: [] });
  });
});

it('reopens to the same tree after any history', async () => {
  const path = fc.constantFrom('/a', '/b', '/a/c', '/a/d', '/a/c/e');
  const operation: fc.Arbitrary<ControlOperation> = fc.oneof(
    fc.record({ kind: fc.constant('create' as const), path, data: fc.string() }),
    fc.record({ kind: fc.constant('set' as const), path, data: fc.string(), expectedVersion: fc.constant(-1) }),
    fc.record({ kind: fc.constant('delete' as const), path, expectedVersion: fc.constant(-1) }),
  );
  const dump = async (store: EmbeddedControlStore): Promise<unknown[]> =>
    Promise.all(['/', '/a', '/b', '/a/c', '/a/d', '/a/c/e'].map(async (at) => [await store.get(at)]));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 3 }), { maxLength: 15 }), async (transactions) => {
      const storage = new CrashStorage();
      const store = await open(storage);
      for (const operations of transactions) await store.multi(operations);
      expect(await dump(await open(storage.afterPowerCut(0)))).toEqual(await dump(store));
    }),
    { numRuns: 60 },
  );
});
