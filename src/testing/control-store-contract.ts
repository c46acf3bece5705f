/** What every control store must do, run against each implementation. */
import type { ControlStore } from '../cluster/control-store';

export interface ControlStoreUnderTest {
  /** A store without nodes. */
  open(): Promise<ControlStore>;
  /** The same store in a new session. */
  reopen(store: ControlStore): Promise<ControlStore>;
}

const create = (path: string, data = '', ephemeral = false) => ({ kind: 'create', path, data, ephemeral }) as const;
const set = (path: string, data: string, expectedVersion = -1) =>
  ({ kind: 'set', path, data, expectedVersion }) as const;
const remove = (path: string, expectedVersion = -1) => ({ kind: 'delete', path, expectedVersion }) as const;

export function controlStoreContract(under: ControlStoreUnderTest): void {
  let store: ControlStore;
  beforeEach(async () => {
    store = await under.open();
  });
  afterEach(() => store.close());

  it('creates, reads, lists and deletes nodes', async () => {
    expect(await store.multi([create('/a', 'x'), create('/a/b'), create('/a/c')])).toMatchObject({ ok: true });
    expect(await store.get('/a')).toEqual({ ok: true, value: { data: 'x', version: 0 } });
    const children = await store.children('/a');
    expect(children.ok && children.value.sort()).toEqual(['b', 'c']);
    await store.multi([remove('/a/b')]);
    expect(await store.children('/a')).toEqual({ ok: true, value: ['c'] });
    expect(await store.get('/a/b')).toMatchObject({ ok: false, error: 'no-node' });
    expect(await store.children('/a/b')).toMatchObject({ ok: false, error: 'no-node' });
  });

  it('counts versions and checks them', async () => {
    await store.multi([create('/a', '0')]);
    await store.multi([set('/a', '1', 0), set('/a', '2')]);
    expect(await store.get('/a')).toEqual({ ok: true, value: { data: '2', version: 2 } });
    for (const operation of [set('/a', '3', 1), remove('/a', 1)]) {
      expect(await store.multi([operation])).toMatchObject({ ok: false, error: 'bad-version' });
    }
    expect(await store.multi([{ kind: 'check', path: '/a', expectedVersion: 2 }])).toMatchObject({ ok: true });
    expect(await store.multi([{ kind: 'check', path: '/a', expectedVersion: 1 }])).toMatchObject({
      error: 'bad-version',
    });
  });

  it('refuses what does not fit the tree', async () => {
    await store.multi([create('/a'), create('/a/b')]);
    expect(await store.multi([create('/a')])).toMatchObject({ ok: false, error: 'node-exists' });
    expect(await store.multi([create('/x/y')])).toMatchObject({ ok: false, error: 'no-node' });
    expect(await store.multi([remove('/a')])).toMatchObject({ ok: false, error: 'not-empty' });
    expect(await store.multi([set('/x', '')])).toMatchObject({ ok: false, error: 'no-node' });
  });

  it('does all of a transaction or nothing', async () => {
    await store.multi([create('/a', '0'), create('/b', '0')]);
    const failing = [set('/a', '1'), remove('/b'), create('/c'), create('/a')];
    expect(await store.multi(failing)).toMatchObject({ ok: false, error: 'node-exists' });
    expect(await store.get('/a')).toEqual({ ok: true, value: { data: '0', version: 0 } });
    expect(await store.get('/b')).toEqual({ ok: true, value: { data: '0', version: 0 } });
    expect(await store.get('/c')).toMatchObject({ error: 'no-node' });
    const root = await store.children('/');
    expect(root.ok && root.value.sort()).toEqual(['a', 'b']);
  });

  it('lets a transaction see its own earlier operations', async () => {
    expect(await store.multi([create('/a'), create('/a/b'), remove('/a/b'), remove('/a')])).toMatchObject({ ok: true });
    expect(await store.children('/')).toEqual({ ok: true, value: [] });
  });

  it('runs transactions that are given at once one after the other', async () => {
    await store.multi([create('/n', '0')]);
    const results = await Promise.all([0, 0, 1].map((version, i) => store.multi([set('/n', String(i), version)])));
    expect(results.map((result) => result.ok)).toEqual([true, false, true]);
    expect(await store.get('/n')).toEqual({ ok: true, value: { data: '2', version: 2 } });
  });

  sessionCases(under);
}

function sessionCases(under: ControlStoreUnderTest): void {
  it('keeps nodes over sessions, but not ephemeral ones', async () => {
    let store = await under.open();
    await store.multi([create('/a', 'x'), create('/gone', '', true)]);
    await store.multi([set('/a', 'y'), set('/gone', 'z')]);
    await store.multi([create('/b', '', true), remove('/b')]);
    store = await under.reopen(store);
    expect(await store.get('/a')).toEqual({ ok: true, value: { data: 'y', version: 1 } });
    expect(await store.children('/')).toEqual({ ok: true, value: ['a'] });
    await store.close();
  });

  it('answers unavailable after close', async () => {
    const store = await under.open();
    await store.close();
    expect(await store.multi([create('/a')])).toMatchObject({ ok: false, error: 'unavailable' });
  });
}
