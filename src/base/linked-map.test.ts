/** Entries by key, in the order in which they were set or renewed. */
import fc from 'fast-check';
import { growthOfOldBytes } from '../testing/old-generation';
import { LinkedMap } from './linked-map';

function filled(): LinkedMap<string, number> {
  const map = new LinkedMap<string, number>();
  for (const [value, key] of ['a', 'b', 'c'].entries()) map.set(key, value);
  return map;
}

function keys(map: LinkedMap<string, number>): string[] {
  return [...map].map(({ key }) => key);
}

it('goes by the order of the last use', () => {
  const map = filled();
  expect([map.renew('a'), map.renew('x'), keys(map)]).toEqual([0, undefined, ['b', 'c', 'a']]);
  map.set('b', 7);
  expect([keys(map), map.size, map.get('b'), map.first?.key]).toEqual([['c', 'a', 'b'], 3, 7, 'c']);
  expect([map.delete('a'), map.delete('a'), map.has('a'), keys(map)]).toEqual([true, false, false, ['c', 'b']]);
});

it('is gone through while what was given is deleted', () => {
  const map = filled();
  for (const { key } of map) map.delete(key);
  expect(map.size).toBe(0);
});

it('keeps nothing of what was made between two uses', () => {
  const map = filled();
  let made: unknown[] = [];
  const growthBytes = growthOfOldBytes(() => {
    made = new Array(100).fill(made.length);
    map.renew('a');
    map.renew('b');
  }, 100_000);
  expect(growthBytes).toBeLessThan(1e6);
});

it.each([
  ['again and again', 5, 1e6],
  // A map of which some entries have grown old when it is made anew keeps a little.
  ['once', Number.POSITIVE_INFINITY, 2.5e6],
])('lets entries whose keys come %s die young', (_, keyCount, mostBytes) => {
  const map = new LinkedMap<string, unknown>();
  for (let i = 0; i < 20; i++) map.set(`stays-${i}`, i);
  let count = 0;
  const growthBytes = growthOfOldBytes(() => {
    const key = `k${count++ % keyCount}`;
    map.set(key, new Array(100).fill(0));
    map.delete(key);
  }, 100_000);
  expect(growthBytes).toBeLessThan(mostBytes);
});

it('does what a Map does whose entries are deleted and set again', () => {
  const step = fc.record({ what: fc.constantFrom('set', 'delete', 'renew'), key: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const map = new LinkedMap<number, number>();
      const model = new Map<number, number>();
      for (const [i, { what, key }] of steps.entries()) {
        const known = model.get(key);
        if (what === 'set') map.set(key, i);
        else
          expect(what === 'delete' ? map.delete(key) : map.renew(key)).toBe(what === 'delete' ? model.has(key) : known);
        if (what !== 'renew' || known !== undefined) model.delete(key);
        if (what === 'set') model.set(key, i);
        else if (what === 'renew' && known !== undefined) model.set(key, known);
        expect([map.size, map.has(key), map.get(key)]).toEqual([model.size, model.has(key), model.get(key)]);
      }
      expect([...map].map((entry) => [entry.key, entry.value])).toEqual([...model]);
    }),
  );
});
