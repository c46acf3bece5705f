/** Layered maps beside plain ones: the same content after any changes, and former maps as they were. */
import fc from 'fast-check';
import { LayeredMap } from './layered-map';

const changes = fc.array(
  fc.record({
    remove: fc.array(fc.nat(300), { maxLength: 40 }),
    set: fc.array(fc.tuple(fc.nat(300), fc.string({ maxLength: 2 })), { maxLength: 40 }),
  }),
  { maxLength: 30 },
);

function content(map: LayeredMap<number, string>): string[] {
  return [...map.values()].sort();
}

describe('LayeredMap', () => {
  it('holds what a plain map holds, and changes no map that it was made of', () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const plain = new Map<number, string>();
        let map = LayeredMap.empty<number, string>();
        for (const step of steps) {
          const [before, contentBefore] = [map, content(map)];
          for (const key of step.remove) plain.delete(key);
          for (const [key, value] of step.set) plain.set(key, value);
          map = map.with(step);
          expect(content(before)).toEqual(contentBefore);
        }
        expect(map.size).toBe(plain.size);
        expect(content(map)).toEqual([...plain.values()].sort());
        for (let key = 0; key <= 300; key++) expect(map.get(key)).toBe(plain.get(key));
      }),
      { numRuns: 60 },
    );
  });

  it('copies little for a change of one entry among many', () => {
    let map = LayeredMap.empty<number, string>().with({ set: Array.from({ length: 2000 }, (_, i) => [i, 'x']) });
    const set = jest.spyOn(Map.prototype, 'set');
    for (let key = 2000; key < 2100; key++) map = map.with({ set: [[key, 'y']] });
    const copies = set.mock.calls.length;
    set.mockRestore();
    expect(map.size).toBe(2100);
    expect(copies).toBeGreaterThan(100);
    expect(copies).toBeLessThan(20_000);
  });
});
