/** When memory counts as flat. */
import { type MemorySample, memoryVerdict } from './memory';

function samples(residentMb: (second: number) => number): MemorySample[] {
  return Array.from({ length: 240 }, (_, at) => ({
    seconds: at * 5,
    residentMb: residentMb(at * 5),
    heapMb: 10,
    externalMb: 1,
  }));
}

test('a start that takes memory and a heap that breathes are flat', () => {
  const verdict = memoryVerdict(samples((second) => Math.min(80, second) + (second % 10)));
  expect(verdict.isFlat).toBe(true);
  expect(verdict.slopeMbPerMinute).toBeCloseTo(0, 0);
});

test('steady growth is told by its slope', () => {
  const verdict = memoryVerdict(samples((second) => 100 + second / 10));
  expect(verdict.slopeMbPerMinute).toBeCloseTo(6);
  expect(verdict).toMatchObject({ isFlat: false });
  expect(verdict.lastQuarterMb - verdict.secondQuarterMb).toBeCloseTo(60);
});

test('growth must be more than 16 MB and more than a tenth', () => {
  expect(memoryVerdict(samples((second) => 20 + second / 60)).isFlat).toBe(true);
  expect(memoryVerdict(samples((second) => 1000 + second / 12)).isFlat).toBe(true);
  expect(memoryVerdict(samples((second) => 100 + second / 20)).isFlat).toBe(false);
});

test('too few samples say nothing', () => {
  expect(() => memoryVerdict(samples(() => 1).slice(0, 3))).toThrow('3 samples say nothing');
});
