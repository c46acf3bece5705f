/** The budget of request bytes: who is parked, who goes on, and that it always moves. */
import { RequestMemory } from './request-memory';

class Reader {
  resumed = 0;
  held = Number.POSITIVE_INFINITY;
  missing: number;

  constructor(missing = 0) {
    this.missing = missing;
  }

  heldBytes(): number {
    return this.held;
  }

  missingBytes(): number {
    return this.missing;
  }

  resume(): void {
    this.resumed++;
  }
}

describe('request memory', () => {
  it('lets readers read below the budget and parks them above it', () => {
    const memory = new RequestMemory(100);
    const reader = new Reader();
    memory.received(99);
    expect(memory.mayRead(reader)).toBe(true);
    memory.received(1);
    memory.serving(100);
    expect(memory.mayRead(reader)).toBe(false);
    expect(memory.parkedReaders).toBe(1);
    memory.served(100);
    expect([reader.resumed, memory.parkedReaders, memory.usedBytes]).toEqual([1, 0, 0]);
  });

  it('resumes in order of parking, as many as the room may need', () => {
    const memory = new RequestMemory(300_000);
    memory.received(300_000);
    memory.serving(300_000);
    const readers = [new Reader(), new Reader(), new Reader()];
    for (const reader of readers) expect(memory.mayRead(reader)).toBe(false);
    memory.served(1000);
    expect(readers.map((reader) => reader.resumed)).toEqual([1, 0, 0]);
    memory.served(200_000);
    expect(readers.map((reader) => reader.resumed)).toEqual([1, 1, 1]);
  });

  it('lets the reader nearest to its end finish when nothing is being served', () => {
    const memory = new RequestMemory(100);
    const far = new Reader(500);
    const near = new Reader(20);
    memory.received(50);
    expect(memory.mayRead(far)).toBe(true);
    memory.received(60);
    memory.serving(10);
    expect(memory.mayRead(far)).toBe(false);
    expect(memory.mayRead(near)).toBe(false);
    memory.received(10);
    memory.served(10);
    expect([far.resumed, near.resumed]).toEqual([0, 1]);
    expect(memory.mayRead(near)).toBe(true);
    memory.received(20);
    near.missing = 0;
    memory.serving(40);
    expect(memory.mayRead(near)).toBe(false);
    memory.served(40);
    expect(far.resumed).toBe(1);
  });

  it('lets the next one through although the last one found room when it had finished', () => {
    const memory = new RequestMemory(100);
    const [first, second] = [new Reader(20), new Reader(30)];
    memory.received(110);
    expect([memory.mayRead(first), memory.mayRead(second)]).toEqual([true, false]);
    memory.received(20);
    memory.serving(75);
    first.missing = 0;
    memory.served(75);
    expect([memory.usedBytes, second.resumed, memory.mayRead(first)]).toEqual([55, 1, true]);
    memory.received(60);
    second.missing = 10;
    expect(memory.mayRead(second)).toBe(true);
  });

  it('lets readers that hold little go on above the budget', () => {
    const memory = new RequestMemory(1000);
    const [large, small] = [new Reader(), new Reader()];
    for (const reader of [large, small]) {
      memory.join();
      reader.held = 0;
    }
    memory.received(1000);
    memory.serving(1000);
    small.held = 249;
    large.held = 250;
    expect([memory.mayRead(small), memory.mayRead(large)]).toEqual([true, false]);
    memory.leave(large);
    small.held = 499;
    expect(memory.mayRead(small)).toBe(true);
  });

  it('moves on when the one that was let through goes away', () => {
    const memory = new RequestMemory(10);
    const first = new Reader(5);
    const second = new Reader(9);
    memory.received(20);
    expect(memory.mayRead(first)).toBe(true);
    expect(memory.mayRead(second)).toBe(false);
    memory.leave(first);
    expect(second.resumed).toBe(1);
    memory.leave(second);
    memory.dropped(20);
    expect(memory.usedBytes).toBe(0);
  });
});
