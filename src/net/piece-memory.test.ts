/** Large pieces are few and for those who keep up; memory is used again, the one used last first. */
import { LARGE_REGION_BYTES, PieceMemory } from './piece-memory';

const [LARGE, MEDIUM, SMALL] = [1024 * 1024, 256 * 1024, 64 * 1024];

describe('piece memory', () => {
  it('has no memory for what is small', () => {
    const memory = new PieceMemory();
    expect(memory.take(LARGE_REGION_BYTES - 1)).toBeUndefined();
    expect(memory.take(LARGE_REGION_BYTES)).toHaveLength(MEDIUM);
    expect(memory.take(MEDIUM + 1)).toHaveLength(LARGE);
  });

  it('gives large pieces to those who keep up, while there are any', () => {
    const memory = new PieceMemory();
    expect([memory.largestPiece(false), memory.largestPiece(true)]).toEqual([MEDIUM, LARGE]);
    const taken = Array.from({ length: 16 }, () => memory.take(LARGE)!);
    expect(memory.largestPiece(true)).toBe(MEDIUM);
    memory.giveBack(taken.pop()!);
    expect(memory.largestPiece(true)).toBe(LARGE);
  });

  it('makes pieces small for a crowd, also for those who keep up', () => {
    const memory = new PieceMemory();
    for (let piece = 0; piece < 16; piece++) memory.take(LARGE);
    const taken = Array.from({ length: 128 }, () => memory.take(SMALL)!);
    expect([memory.largestPiece(false), memory.largestPiece(true)]).toEqual([SMALL, SMALL]);
    memory.giveBack(taken.pop()!);
    expect(memory.largestPiece(true)).toBe(MEDIUM);
  });

  it('takes what was given back last, and keeps little that nobody uses', () => {
    const memory = new PieceMemory();
    const [first, second] = [memory.take(LARGE)!, memory.take(LARGE)!];
    memory.giveBack(first);
    memory.giveBack(second);
    expect(memory.take(LARGE)).toBe(second);
    expect(memory.take(LARGE)).toBe(first);
    for (const bytes of [LARGE, MEDIUM]) {
      const many = Array.from({ length: 20 }, () => memory.take(bytes)!);
      for (const slab of many) memory.giveBack(slab);
      const kept = Array.from({ length: 20 }, () => memory.take(bytes)!).filter((slab) => many.includes(slab));
      expect(kept).toHaveLength(bytes === LARGE ? 4 : 16);
    }
  });
});
