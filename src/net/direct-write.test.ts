/** Which entries of a queue go out in one call, and where the queue begins after any number of bytes. */
import type { FileRegion, RegionStretch } from '../base/chunk';
import { lendBytes } from '../base/lent-bytes';
import type { Around } from '../base/mapped-writes';
import { writeHead } from './direct-write';
import { QueuedRegion } from './queued-region';

const LARGE = 64 * 1024;
const MEGABYTE = 1024 * 1024;

interface Call {
  readonly socket: number;
  readonly offset: number;
  readonly count: number;
  readonly before: string;
  readonly after: string;
}

class Region implements FileRegion {
  released = 0;
  readonly calls: Call[] = [];

  constructor(
    readonly length: number,
    readonly taken = Number.POSITIVE_INFINITY,
  ) {}

  read(): Promise<number> {
    return Promise.reject(new Error('not asked for'));
  }

  writeTo(socket: number, { offset, count, around }: RegionStretch & { around: Around }): number {
    const [before, after] = [Buffer.concat(around.before), Buffer.concat(around.after)].map(String) as [string, string];
    this.calls.push({ socket, offset, count, before, after });
    return Math.min(this.taken, before.length + count + after.length);
  }

  release(): void {
    this.released++;
  }
}

type Queue = (Buffer | QueuedRegion)[];

function queueOf(...entries: readonly (string | Region)[]): Queue {
  return entries.map((entry) => (entry instanceof Region ? new QueuedRegion(entry) : Buffer.from(entry)));
}

/** What is left of a queue: texts, and how much of regions. */
function leftOf(queue: Queue): (string | number)[] {
  return queue.map((entry) => (entry instanceof QueuedRegion ? entry.region.length - entry.offset : String(entry)));
}

describe('the head of a queue', () => {
  it('goes up to the next region', () => {
    const [region, next] = [new Region(LARGE), new Region(LARGE)];
    const queue = queueOf('a', 'bc', region, 'd', '', 'e', next, 'f');
    expect(writeHead(queue, 7)).toEqual({ bytes: 3 + LARGE + 2, isWhole: true });
    expect(region.calls).toEqual([{ socket: 7, offset: 0, count: LARGE, before: 'abc', after: 'de' }]);
    expect([leftOf(queue), region.released, next.released]).toEqual([[LARGE, 'f'], 1, 0]);
    expect(writeHead(queue, 7)).toEqual({ bytes: LARGE + 1, isWhole: true });
    expect([leftOf(queue), next.calls.length, next.released]).toEqual([[], 1, 1]);
  });

  it('takes a megabyte of a longer region, and what is behind it with its end', () => {
    const region = new Region(2 * MEGABYTE + LARGE);
    const queue = queueOf('a', region, 'b');
    expect(writeHead(queue, 7)).toEqual({ bytes: 1 + MEGABYTE, isWhole: true });
    expect([leftOf(queue), region.released]).toEqual([[MEGABYTE + LARGE, 'b'], 0]);
    expect(writeHead(queue, 7)).toEqual({ bytes: MEGABYTE, isWhole: true });
    expect(writeHead(queue, 7)).toEqual({ bytes: LARGE + 1, isWhole: true });
    expect(region.calls).toMatchObject([
      { offset: 0, before: 'a', after: '' },
      { offset: MEGABYTE, before: '', after: '' },
      { offset: 2 * MEGABYTE, before: '', after: 'b' },
    ]);
    expect([leftOf(queue), region.released]).toEqual([[], 1]);
  });

  it.each([
    ['within the first text', 1, ['b', 'cd', LARGE, 'ef', 'g']],
    ['behind the first text', 2, ['cd', LARGE, 'ef', 'g']],
    ['within the second', 3, ['d', LARGE, 'ef', 'g']],
    ['before the region', 4, [LARGE, 'ef', 'g']],
    ['within the region', 4 + 1000, [LARGE - 1000, 'ef', 'g']],
    ['before its last byte', 3 + LARGE, [1, 'ef', 'g']],
    ['behind the region', 4 + LARGE, ['ef', 'g']],
    ['within what is after', 5 + LARGE, ['f', 'g']],
    ['before the last byte of all', 6 + LARGE, ['g']],
  ])('ends where the socket has no more room: %s', (_, taken, left) => {
    const region = new Region(LARGE, taken);
    const queue = queueOf('ab', 'cd', region, 'ef', 'g');
    expect(writeHead(queue, 7)).toEqual({ bytes: taken, isWhole: false });
    const isOver = left.every((entry) => typeof entry === 'string');
    expect([leftOf(queue), region.released]).toEqual([left, isOver ? 1 : 0]);
  });

  it('is left alone where there is no large region, or none that can', () => {
    const taken = new QueuedRegion(new Region(LARGE + 10));
    taken.offset = 11;
    const { writeTo: _, ...plain } = Object.assign(new Region(LARGE), { read: () => Promise.resolve(0) });
    const cannot = new QueuedRegion({ ...plain, release: () => undefined });
    const full = new QueuedRegion(new Region(LARGE, 0));
    const small = new QueuedRegion(new Region(LARGE - 1));
    const large = new QueuedRegion(new Region(LARGE));
    for (const rest of [[], [taken], [cannot], [full], [small, large]]) {
      const queue = [Buffer.from('a'), ...rest];
      expect(writeHead(queue, 7)).toBeUndefined();
      expect(queue).toEqual([Buffer.from('a'), ...rest]);
    }
  });

  it('gives lent bytes back when all of them have gone, and once', () => {
    const texts = [0, 1, 2].map(() => lendBytes(15_000));
    const region = new Region(LARGE, 15_000 + 100);
    const queue = [texts[0]!, texts[1]!, new QueuedRegion(region), texts[2]!];
    writeHead(queue, 7);
    expect(queue.map((entry) => (entry instanceof QueuedRegion ? 0 : entry.length))).toEqual([14_900, 0, 15_000]);
    const again = [0, 1].map(() => lendBytes(15_000).buffer);
    expect(again[0]).toBe(texts[0]!.buffer);
    for (const text of texts.slice(1)) expect(again).not.toContain(text.buffer);
  });
});
