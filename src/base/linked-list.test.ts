/** An order that changes at any place, and what has left keeps nothing. */
import fc from 'fast-check';
import { growthOfOldBytes } from '../testing/old-generation';
import { LinkedList, ListNode } from './linked-list';

class Node extends ListNode<Node> {
  readonly content = new Array(100).fill(0);
}

it('keeps the order of an array that is changed in the same way', () => {
  const step = fc.record({ what: fc.constantFrom('add', 'remove', 'moveToEnd'), at: fc.nat() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const list = new LinkedList<Node>();
      let model: Node[] = [];
      for (const { what, at } of steps) {
        const node = model[at % model.length];
        if (what === 'add' || node === undefined) {
          const added = new Node();
          list.add(added);
          model.push(added);
          continue;
        }
        model = model.filter((other) => other !== node);
        if (what === 'remove') {
          expect([list.remove(node), list.remove(node)]).toEqual([true, false]);
          expect([node.previous, node.next, node.isListed]).toEqual([undefined, undefined, false]);
        } else {
          list.moveToEnd(node);
          model.push(node);
        }
        expect([list.size, list.first]).toEqual([model.length, model[0]]);
      }
      expect([...list]).toEqual(model);
      expect(list.toArray()).toEqual(model);
    }),
  );
});

it('is gone through while what was given leaves', () => {
  const list = new LinkedList<Node>();
  const nodes = [new Node(), new Node(), new Node()];
  for (const node of nodes) list.add(node);
  const given: Node[] = [];
  for (const node of list) {
    given.push(node);
    list.remove(node);
  }
  expect([given, list.size]).toEqual([nodes, 0]);
});

it('lets what comes and goes die young, as a Set does not', () => {
  const list = new LinkedList<Node>();
  const set = new Set<Node>();
  list.add(new Node());
  set.add(new Node());
  const inList = growthOfOldBytes(() => {
    const node = new Node();
    list.add(node);
    list.remove(node);
  }, 100_000);
  const inSet = growthOfOldBytes(() => {
    const node = new Node();
    set.add(node);
    set.delete(node);
  }, 100_000);
  expect(inList).toBeLessThan(1e6);
  // Otherwise V8 has mended it, and a Set would do.
  expect(inSet).toBeGreaterThan(2e6);
});
