/** An operation ends exactly once: by its condition, its deadline, or cancellation. */
import { ManualClock } from '../testing/manual-clock';
import { growthOfOldBytes } from '../testing/old-generation';
import { systemClock } from './clock';
import { type DelayedOperation, DelayedOperations } from './delayed-operations';

class Operation implements DelayedOperation {
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  ready = false;
  tries = 0;
  readonly ends: string[] = [];

  constructor(keys: readonly string[], timeoutMs = 1000) {
    this.keys = keys;
    this.timeoutMs = timeoutMs;
  }

  tryComplete(): boolean {
    this.tries++;
    if (this.ready) this.ends.push('completed');
    return this.ready;
  }

  onExpire(): void {
    this.ends.push('expired');
  }
}

let clock: ManualClock;
let waits: DelayedOperations;

beforeEach(() => {
  clock = new ManualClock();
  waits = new DelayedOperations(clock);
});

afterEach(() => {
  expect([waits.size, clock.timerCount]).toEqual([0, 0]);
});

it('does not park what can be completed at once', () => {
  const operation = new Operation(['a']);
  operation.ready = true;
  waits.tryOrWait(operation).cancel();
  expect(operation.ends).toEqual(['completed']);
});

it('looks at an operation when one of its keys is announced, and at no other time', () => {
  const operation = new Operation(['a', 'b']);
  waits.tryOrWait(operation);
  waits.announce('c');
  expect(operation.tries).toBe(1);
  waits.announce('a');
  expect(operation.tries).toBe(2);
  operation.ready = true;
  waits.announce('b');
  waits.announce('a');
  expect([operation.tries, operation.ends]).toEqual([3, ['completed']]);
});

it('expires an operation at its deadline', async () => {
  const operation = new Operation(['a'], 500);
  waits.tryOrWait(operation);
  await clock.advance(499);
  expect(operation.ends).toEqual([]);
  await clock.advance(1);
  waits.announce('a');
  expect(operation.ends).toEqual(['expired']);
});

it('ends a cancelled operation without calling it', async () => {
  const operation = new Operation(['a']);
  const handle = waits.tryOrWait(operation);
  handle.cancel();
  handle.cancel();
  operation.ready = true;
  waits.announce('a');
  await clock.advance(2000);
  expect(operation.ends).toEqual([]);
});

it('completes the others where one ends its neighbour', () => {
  const second = new Operation(['a']);
  const first = new Operation(['a']);
  waits.tryOrWait(first);
  const handle = waits.tryOrWait(second);
  first.ready = true;
  second.ready = true;
  const complete = first.tryComplete.bind(first);
  first.tryComplete = () => {
    handle.cancel();
    return complete();
  };
  waits.announce('a');
  expect([first.ends, second.ends]).toEqual([['completed'], []]);
});

it('expires everything when it is told to', () => {
  const operations = [new Operation(['a', 'b']), new Operation(['b'])];
  for (const operation of operations) waits.tryOrWait(operation);
  waits.expireAll();
  expect(operations.map((operation) => operation.ends)).toEqual([['expired'], ['expired']]);
});

it('says which key changed, and keeps apart those that share one', () => {
  const changes: unknown[] = [];
  const operations = [['a'], ['a', 'b', 'a'], ['a'], ['b']].map((keys, i) => {
    const operation = new Operation(keys);
    const tryComplete = operation.tryComplete.bind(operation);
    return Object.assign(operation, {
      tryComplete: (changed?: string) => {
        changes.push([i, changed]);
        return tryComplete();
      },
    });
  });
  const handles = operations.map((operation) => waits.tryOrWait(operation));
  const looksAt = (key: string): unknown[] => {
    changes.length = 0;
    waits.announce(key);
    return [...changes];
  };
  expect(changes).toEqual([0, 1, 2, 3].map((i) => [i, undefined]));
  expect(looksAt('a')).toEqual([0, 1, 2].map((i) => [i, 'a']));
  handles[0]!.cancel();
  handles[2]!.cancel();
  expect(looksAt('a')).toEqual([[1, 'a']]);
  operations[1]!.ready = true;
  expect(looksAt('b')).toEqual([1, 3].map((i) => [i, 'b']));
  expect([looksAt('a'), looksAt('b')]).toEqual([[], [[3, 'b']]]);
  handles[3]!.cancel();
});

it('forgets keys for which nothing waits when they become many', () => {
  for (let i = 0; i < 100_000; i++) waits.tryOrWait(new Operation([`a${i}`, 'b'])).cancel();
  const waiting = new Operation(['a1', 'b']);
  waits.tryOrWait(waiting);
  waiting.ready = true;
  waits.announce('a1');
  expect(waiting.ends).toEqual(['completed']);
});

it.each([
  ['alone', 0],
  ['beside others', 2],
])('lets what waited %s die young', (_, others) => {
  const real = new DelayedOperations(systemClock);
  const handles = Array.from({ length: others }, () => real.tryOrWait(new Operation(['a'])));
  const growthBytes = growthOfOldBytes(() => {
    const content = new Array(100).fill(0);
    const operation = Object.assign(new Operation(['a', 'b']), { content });
    real.tryOrWait(operation);
    operation.ready = true;
    real.announce('a');
  }, 100_000);
  expect(growthBytes).toBeLessThan(1e6);
  for (const handle of handles) handle.cancel();
});

/** What one announcement takes that ends all that wait, and what as many entries of Sets take to leave. */
function endingMs(readers: number, keys: readonly string[]): { readonly waitsMs: number; readonly setsMs: number } {
  const operations = Array.from({ length: readers }, () => new Operation(keys));
  for (const operation of operations) {
    waits.tryOrWait(operation);
    operation.ready = true;
  }
  const sets = new Map(keys.map((key) => [key, new Set(operations)]));
  const startedMs = performance.now();
  waits.announce(keys[0]!);
  const endedMs = performance.now();
  for (const operation of operations) for (const key of operation.keys) sets.get(key)!.delete(operation);
  return { waitsMs: endedMs - startedMs, setsMs: performance.now() - endedMs };
}

it('ends a thousand that wait for the same hundreds of keys as fast as Sets could', () => {
  const keys = Array.from({ length: 300 }, (_, i) => `topic-${i}`);
  const trials = Array.from({ length: 3 }, () => endingMs(1000, keys));
  const least = (all: readonly number[]): number => Math.min(...all);
  expect(least(trials.map(({ waitsMs }) => waitsMs)) / least(trials.map(({ setsMs }) => setsMs))).toBeLessThan(2);
});

it('keeps the order of those that wait while others leave', () => {
  const order: number[] = [];
  const operations = Array.from({ length: 100 }, (_, i) => {
    const operation = new Operation(['a', 'b', 'a']);
    const tryComplete = operation.tryComplete.bind(operation);
    return Object.assign(operation, {
      tryComplete: () => {
        order.push(i);
        return tryComplete();
      },
    });
  });
  const handles = operations.map((operation) => waits.tryOrWait(operation));
  for (const [i, handle] of handles.entries()) if (i % 10 !== 3) handle.cancel();
  for (const operation of operations) operation.ready = true;
  order.length = 0;
  waits.announce('b');
  expect(order).toEqual([3, 13, 23, 33, 43, 53, 63, 73, 83, 93]);
  order.length = 0;
  waits.announce('a');
  expect(order).toEqual([]);
});
