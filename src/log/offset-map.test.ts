/** Keys and offsets against a plain map, and what happens when it is full. */
import fc from 'fast-check';
import { seededRandom } from '../testing/log-fixture';
import { OffsetMap } from './offset-map';

const SLOT_BYTES = 24;
/** How often a map paused while it was cleared. */
let pauses = 0;
const pause = async (): Promise<void> => void pauses++;

const mapOf = (options: { memoryBytes: number; loadFactor: number }): OffsetMap =>
  new OffsetMap({ ...options, random: seededRandom(7) });

function put(map: OffsetMap, key: string, offset: number): boolean {
  const bytes = Buffer.from(`xx${key}x`);
  return map.put(bytes, { from: 2, to: bytes.length - 1 }, offset);
}

function get(map: OffsetMap, key: string): number {
  const bytes = Buffer.from(key);
  return map.get(bytes, 0, bytes.length);
}

describe('OffsetMap', () => {
  it('holds what a plain map holds', async () => {
    const map = mapOf({ memoryBytes: 100 * SLOT_BYTES, loadFactor: 0.9 });
    const step = fc.tuple(fc.string({ maxLength: 3 }), fc.nat(2 ** 45));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 90 }), fc.nat(200), async (steps, expected) => {
        await map.clear(Math.max(steps.length, expected), pause);
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

  it('takes no more keys than the load factor allows, but newer offsets of those it has', async () => {
    const map = mapOf({ memoryBytes: 100 * SLOT_BYTES + 5, loadFactor: 0.5 });
    await map.clear(1000, pause);
    expect(map.largestCapacity).toBe(50);
    for (let i = 0; i < 50; i++) expect(put(map, `key ${i}`, i)).toBe(true);
    expect([put(map, 'one more', 50), put(map, 'key 7', 51), map.size]).toEqual([false, true, 50]);
    expect([get(map, 'key 7'), get(map, 'key 8'), get(map, 'one more')]).toEqual([51, 8, -1]);
  });

  it('is as full as it may be, up to the last slot, whatever the digests', async () => {
    for (let seed = 0; seed < 200; seed++) {
      const map = new OffsetMap({
        memoryBytes: (4 + (seed % 40)) * SLOT_BYTES,
        loadFactor: 0.95,
        random: seededRandom(seed),
      });
      await map.clear(1000, pause);
      const keys = map.largestCapacity;
      for (let i = 0; i < keys; i++) expect(put(map, `key ${i}`, i)).toBe(true);
      expect(put(map, 'one more', 0)).toBe(false);
      for (let i = 0; i < keys; i++) expect(get(map, `key ${i}`)).toBe(i);
      expect(get(map, 'one more')).toBe(-1);
    }
  });

  it('forgets when it is cleared, for more or for fewer keys, and after its memory was given back', async () => {
    const map = mapOf({ memoryBytes: 10_000 * SLOT_BYTES, loadFactor: 0.9 });
    for (const keys of [10, 5000, 70, 5000]) {
      await map.clear(keys, pause);
      for (let i = 0; i < keys; i++) expect(get(map, `key ${i}`)).toBe(-1);
      for (let i = 0; i < keys; i++) expect(put(map, `key ${i}`, i)).toBe(true);
      if (keys === 70) map.release();
    }
  });

  it('counts offset 0 and the empty key', async () => {
    const map = mapOf({ memoryBytes: 2400, loadFactor: 0.9 });
    await map.clear(1, pause);
    expect([put(map, '', 0), get(map, ''), map.size]).toEqual([true, 0, 1]);
  });

  it('pauses while it clears much memory', async () => {
    const map = mapOf({ memoryBytes: 200_000 * SLOT_BYTES, loadFactor: 0.9 });
    await map.clear(150_000, pause);
    pauses = 0;
    await map.clear(150_000, pause);
    expect(pauses).toBe(16);
    await map.clear(10, pause);
    expect(pauses).toBe(17);
  });
});
