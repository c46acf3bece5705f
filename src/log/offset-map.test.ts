/** Keys and offsets against a plain map, and what happens when it is full. */
import fc from 'fast-check';
import { OffsetMap } from './offset-map';

const SLOT_BYTES = 24;

function put(map: OffsetMap, key: string, offset: number): boolean {
  const bytes = Buffer.from(`xx${key}x`);
  return map.put(bytes, { from: 2, to: bytes.length - 1 }, offset);
}

function get(map: OffsetMap, key: string): number {
  const bytes = Buffer.from(key);
  return map.get(bytes, { from: 0, to: bytes.length });
}

describe('OffsetMap', () => {
  it('holds what a plain map holds', () => {
    const map = new OffsetMap({ memoryBytes: 100 * SLOT_BYTES, loadFactor: 0.9 });
    const step = fc.tuple(fc.string({ maxLength: 3 }), fc.nat(2 ** 45));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 90 }), fc.nat(200), (steps, expected) => {
        map.clear(Math.max(steps.length, expected));
        const model = new Map<string, number>();
        for (const [key, offset] of steps) {
          expect(put(map, key, offset)).toBe(true);
          model.set(key, offset);
        }
        for (const [key, offset] of model) expect(get(map, key)).toBe(offset);
        expect([map.size, get(map, 'not there')]).toEqual([model.size, -1]);
      }),
    );
  });

  it('takes no more keys than the load factor allows, but newer offsets of those it has', () => {
    const map = new OffsetMap({ memoryBytes: 100 * SLOT_BYTES + 5, loadFactor: 0.5 });
    map.clear(1000);
    expect(map.largestCapacity).toBe(50);
    for (let i = 0; i < 50; i++) expect(put(map, `key ${i}`, i)).toBe(true);
    expect([put(map, 'one more', 50), put(map, 'key 7', 51), map.size]).toEqual([false, true, 50]);
    expect([get(map, 'key 7'), get(map, 'key 8'), get(map, 'one more')]).toEqual([51, 8, -1]);
  });

  it('forgets when it is cleared, for more or for fewer keys, and after its memory was given back', () => {
    const map = new OffsetMap({ memoryBytes: 10_000 * SLOT_BYTES, loadFactor: 0.9 });
    for (const keys of [10, 5000, 70, 5000]) {
      map.clear(keys);
      for (let i = 0; i < keys; i++) expect(get(map, `key ${i}`)).toBe(-1);
      for (let i = 0; i < keys; i++) expect(put(map, `key ${i}`, i)).toBe(true);
      if (keys === 70) map.release();
    }
  });

  it('counts offset 0 and the empty key', () => {
    const map = new OffsetMap({ memoryBytes: 2400, loadFactor: 0.9 });
    map.clear(1);
    expect([put(map, '', 0), get(map, ''), map.size]).toEqual([true, 0, 1]);
  });
});
