/** The tree: transactions that take themselves back, and what of them a journal must keep. */
import type { ControlOperation } from './control-store';
import { ControlTree } from './control-tree';

const create = (path: string, data = '', ephemeral = false): ControlOperation => {
  return { kind: 'create', path, data, ephemeral };
};
const set = (path: string, data: string): ControlOperation => ({ kind: 'set', path, data, expectedVersion: -1 });
const remove = (path: string): ControlOperation => ({ kind: 'delete', path, expectedVersion: -1 });

describe('ControlTree', () => {
  it('takes a transaction back', () => {
    const tree = new ControlTree();
    tree.apply([create('/a', '1'), create('/b')]);
    const before = [...tree.storedNodes()];
    const applied = tree.apply([set('/a', '2'), set('/a', '3'), create('/a/c'), remove('/b'), remove('/a/c')]);
    expect([...tree.storedNodes()]).toEqual([['/a', 2, '3']]);
    if (applied.ok) applied.value.undo();
    expect([...tree.storedNodes()].sort()).toEqual(before);
    expect(tree.children('/a')).toEqual({ ok: true, value: [] });
  });

  it('says what outlives the session', () => {
    const tree = new ControlTree();
    tree.apply([create('/e', '', true)]);
    const check: ControlOperation = { kind: 'check', path: '/e', expectedVersion: -1 };
    const operations = [check, create('/a'), set('/e', '1'), create('/f', '', true), set('/a', '1'), remove('/e')];
    const applied = tree.apply(operations);
    expect(applied.ok && applied.value.durable).toEqual([create('/a'), set('/a', '1')]);
  });

  it('is restored from what it stores, parents first', () => {
    const tree = new ControlTree();
    tree.apply([create('/a'), create('/a-b'), create('/a/c', 'x'), set('/a/c', 'y'), create('/e', '', true)]);
    const copy = new ControlTree();
    for (const node of tree.storedNodes()) copy.restore(node);
    expect([...copy.storedNodes()]).toEqual([...tree.storedNodes()]);
    expect(copy.get('/a/c')).toEqual({ ok: true, value: { data: 'y', version: 1 } });
    expect(copy.get('/e')).toMatchObject({ ok: false });
  });

  it('refuses a snapshot with gaps and paths that are none', () => {
    expect(() => new ControlTree().restore(['/a/b', 0, ''])).toThrow(/without its parent/);
    expect(() => new ControlTree().apply([create('a')])).toThrow(/node path/);
  });
});
