/** Memory of some size is used again; little ones and what is too much are left to the garbage collector. */
import { SlabMemory } from './slab-memory';

describe('slab memory', () => {
  it('gives a slab that came back to the next who wants its size', () => {
    const memory = new SlabMemory();
    const first = memory.take(70_000);
    expect(first.length).toBe(131_072);
    memory.giveBack(first.subarray(0, 70_000));
    expect(memory.take(100_000).buffer).toBe(first.buffer);
    expect(memory.take(100_000).buffer).not.toBe(first.buffer);
  });

  it('keeps frames of some kilobytes, as batches of the default size make them', () => {
    const memory = new SlabMemory();
    const first = memory.take(15_700);
    memory.giveBack(first.subarray(0, 15_700));
    expect(memory.take(12_000).buffer).toBe(first.buffer);
  });

  it('never hands out what has an owner', () => {
    const memory = new SlabMemory();
    const owned = new Set(Array.from({ length: 100 }, () => memory.take(16_384).buffer));
    expect(owned.size).toBe(100);
  });

  it('keeps neither small nor huge buffers, nor parts of other memory', () => {
    const memory = new SlabMemory();
    memory.giveBack(memory.take(4095));
    memory.giveBack(memory.take(4 * 1024 * 1024 + 1));
    memory.giveBack(Buffer.alloc(65_536).subarray(1000, 2000));
    expect(memory.idleBytes).toBe(0);
  });

  it('keeps a bounded number of bytes', () => {
    const memory = new SlabMemory();
    const taken = Array.from({ length: 100 }, () => memory.take(1024 * 1024));
    for (const slab of taken) memory.giveBack(slab);
    expect(memory.idleBytes).toBe(8 * 1024 * 1024);
  });

  it('lets go of sizes that nobody asks for any more, so that others find room', () => {
    const memory = new SlabMemory();
    const taken = Array.from({ length: 512 }, () => memory.take(16 * 1024));
    for (const slab of taken) memory.giveBack(slab);
    memory.giveBack(memory.take(1024 * 1024));
    expect(memory.idleBytes).toBe(8 * 1024 * 1024);
    for (let i = 0; i < 1000; i++) memory.giveBack(memory.take(1024 * 1024));
    expect(memory.idleBytes).toBe(1024 * 1024);
  });
});
