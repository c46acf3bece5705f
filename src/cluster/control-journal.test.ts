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

const create = (path: string, data = ''): ControlOperation => ({ kind: 'create', path, data });
const set = (path: string, data: string): ControlOperation => ({ kind: 'set', path, data, expectedVersion: -1 });

describe('what a crash leaves', () => {
  it('drops a torn tail wherever it is cut, and goes on behind it', async () => {
    const storage = new CrashStorage();
    const store = await open(storage);
    await store.multi([create('/a', 'kept')]);
    const whole = storage.files.get(`${path}.journal`)!.content.length;
    storage.failNextSync = true;
    expect(await store.multi([create('/b', 'lost'), create('/c', 'lost')])).toMatchObject({ error: 'unavailable' });
    const written = storage.files.get(`${path}.journal`)!.content.length - whole;
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
    await storage.replaceFile(`${path}.snapshot`, Buffer.from('0123456789abcdef {"number":1}\n'));
    const opened = await EmbeddedControlStore.open({ storage, path, logger: silentLogger });
    expect(opened).toMatchObject({ ok: false, error: expect.stringContaining('snapshot') });
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
    expect(storage.files.get(`${path}.journal`)!.content.length).toBeLessThan(1_400_000);
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
    storage.failNextReplace = true;
    for (let i = 0; i < 6; i++) await store.multi([set('/a', `${i}${large}`)]);
    const again = await open(storage);
    expect(await again.get('/a')).toEqual({ ok: true, value: { data: `5${large}`, version: 6 } });
  });
});
