/** The journal's files: torn tails, damage, compaction. */
import { silentLogger } from '../base/logger';
import { CrashStorage } from '../testing/crash-storage';
import type { ControlOperation } from './control-store';
import { EmbeddedControlStore } from './embedded-control-store';

const path = '/data/odradek-metadata';

async function open(storage: CrashStorage): Promise<EmbeddedControlStore> {
  const opened = await EmbeddedControlStore.open({ storage, path, logger: silentLogger });
  if (!opened.ok) throw new Error(opened.error);
  return opened.value;
}

/** Bytes of the journal without the zeros behind its lines. */
function linesOf(storage: CrashStorage): number {
  return storage.files.get(`${path}.journal`)!.content.lastIndexOf('\n') + 1;
}

const create = (path: string, data = ''): ControlOperation => ({ kind: 'create', path, data });
const set = (path: string, data: string): ControlOperation => ({ kind: 'set', path, data, expectedVersion: -1 });

describe('what a crash leaves', () => {
  it('drops a torn tail wherever it is cut, and goes on behind it', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([create('/a', 'kept')]);
    const whole = linesOf(storage);
    storage.failNextSync = true;
    expect(await store.multi([create('/b', 'lost'), create('/c', 'lost')])).toMatchObject({ error: 'unavailable' });
    const written = linesOf(storage) - whole;
    expect(written).toBeGreaterThan(100);
    for (let kept = 0; kept < written; kept += 7) {
      const left = storage.afterPowerCut(kept);
      const again = await open(left);
      expect(await again.children('/')).toEqual({ ok: true, value: ['a'] });
      await again.multi([create('/d')]);
      const third = await open(left.afterPowerCut(0));
      expect(await third.children('/')).toEqual({ ok: true, value: ['a', 'd'] });
    }
  });

  it('refuses to open a journal that is damaged before its tail', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([create('/a')]);
    await store.multi([create('/b')]);
    const file = storage.files.get(`${path}.journal`)!;
    file.content[30] = file.content[30]! ^ 1;
    const opened = await EmbeddedControlStore.open({ storage, path, logger: silentLogger });
    expect(opened).toMatchObject({ ok: false, error: expect.stringContaining('damaged') });
  });

  it('refuses to open a damaged snapshot', async () => {
    const storage = new CrashStorage();
    const content = Buffer.from('0123456789abcdef {"number":1}\n');
    storage.files.set(`${path}.snapshot`, { content, synced: content });
    const opened = await EmbeddedControlStore.open({ storage, path, logger: silentLogger });
    expect(opened).toMatchObject({ ok: false, error: expect.stringContaining('snapshot') });
  });
});

describe('a full disk', () => {
  async function full(): Promise<{ storage: CrashStorage; store: EmbeddedControlStore }> {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([create('/a')]);
    storage.capacityBytes = storage.files.get(`${path}.journal`)!.content.length;
    return { storage, store };
  }

  it('has room for what must be written all the same', async () => {
    const { storage, store } = await full();
    for (let i = 0; i < 500; i++) expect(await store.multi([set('/a', String(i))])).toMatchObject({ ok: true });
    await store.close();
    const again = await open(storage);
    expect(await again.multi([set('/a', 'again')])).toMatchObject({ ok: true });
    expect(await (await open(storage.afterPowerCut(0))).get('/a')).toMatchObject({ value: { data: 'again' } });
  });

  it('refuses what does not fit, and loses nothing by it', async () => {
    const { storage, store } = await full();
    const large = 'x'.repeat(storage.capacityBytes);
    expect(await store.multi([set('/a', large)])).toMatchObject({ error: 'unavailable' });
    expect(storage.files.get(`${path}.journal`)!.content.length).toBe(storage.capacityBytes);
    expect(await store.multi([set('/a', 'small')])).toMatchObject({ ok: true });
    expect(await (await open(storage.afterPowerCut(0))).get('/a')).toMatchObject({ value: { data: 'small' } });
    storage.capacityBytes = Number.POSITIVE_INFINITY;
    expect(await store.multi([set('/a', large)])).toMatchObject({ ok: true });
    expect(await (await open(storage.afterPowerCut(0))).get('/a')).toMatchObject({ value: { data: large } });
  });
});

describe('compaction', () => {
  const large = 'x'.repeat(300_000);

  it('keeps the journal small and the tree whole', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([create('/a'), create('/a/b')]);
    for (let i = 0; i < 20; i++) await store.multi([set('/a/b', `${i}${large}`)]);
    await store.close();
    expect(linesOf(storage)).toBeLessThan(1_400_000);
    const again = await open(storage.afterPowerCut(0));
    expect(await again.get('/a/b')).toEqual({ ok: true, value: { data: `19${large}`, version: 20 } });
  });

  it('skips what a snapshot holds already when a crash left it in the journal', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([create('/a')]);
    for (let i = 0; i < 4; i++) {
      const before = Buffer.from(storage.files.get(`${path}.journal`)!.content);
      await store.multi([set('/a', `${i}${large}`)]);
      if (storage.files.has(`${path}.snapshot`)) storage.files.get(`${path}.journal`)!.content = before;
    }
    const again = await open(storage);
    expect(await again.get('/a')).toEqual({ ok: true, value: { data: `3${large}`, version: 4 } });
  });

  it('that fails costs nothing', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([create('/a')]);
    storage.failNextRename = true;
    for (let i = 0; i < 6; i++) await store.multi([set('/a', `${i}${large}`)]);
    const again = await open(storage);
    expect(await again.get('/a')).toEqual({ ok: true, value: { data: `5${large}`, version: 6 } });
  });
});
