/** Entries by key, in the order in which they were set or renewed. */
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
