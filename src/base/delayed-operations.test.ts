/** An operation ends exactly once: by its condition, its deadline, or cancellation. */
import { ManualClock } from '../testing/manual-clock';
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
