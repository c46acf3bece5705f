/**
 * Requests that wait: for a condition that one of several keys announces, or for a deadline. Nothing polls.
 * Owns the waiting list and its timers; does not know what the operations mean.
 * Invariants: an operation ends exactly once, by completion, by its deadline or by cancellation. Under a key there are
 * only operations that have not ended, but for a few that are empty.
 * (The idea is Kafka's DelayedOperationPurgatory.)
 */
import type { Clock, Timer } from './clock';

export interface DelayedOperation {
  /** Announcements after which `tryComplete` is worth calling. */
  readonly keys: readonly string[];
  /** Milliseconds from now until `onExpire`. */
  readonly timeoutMs: number;
  /**
   * Looks at the condition; when it holds, does the work and returns true. `changed`: the key that was announced, when
   * nothing else has changed since the last look.
   */
  tryComplete(changed?: string): boolean;
  onExpire(): void;
}

export interface DelayedHandle {
  /** Ends the operation without calling it. */
  cancel(): void;
}

class Waiting {
  /** Undefined once it has ended: what still refers to this keeps nothing of a request. */
  operation: DelayedOperation | undefined;
  timer: Timer | undefined = undefined;

  constructor(operation: DelayedOperation) {
    this.operation = operation;
  }
}

/** What has ended may stay in a crowd, besides as many as still wait. */
const MOST_ENDED = 8;

/**
 * Those that wait under one key, in the order in which they came. They leave by their number alone and are sorted out
 * when they have become many: to look for each would take a thousand times as long where a thousand readers wait for
 * the same partitions, and an append to one of them ends them all.
 */
class Crowd {
  #all: Waiting[] = [];
  /** Times that one was added and has not left. An operation may have a key twice. */
  #waiting = 0;

  add(waiting: Waiting): void {
    this.#all.push(waiting);
    this.#waiting++;
  }

  /** One that has ended; returns whether it was the last. */
  leave(): boolean {
    this.#waiting--;
    if (this.#all.length > 2 * this.#waiting + MOST_ENDED) this.#all = this.toArray();
    return this.#waiting === 0;
  }

  /** Each once. */
  toArray(): Waiting[] {
    return this.#all.filter((waiting, i, all) => waiting.operation !== undefined && waiting !== all[i - 1]);
  }
}

const NONE: readonly Waiting[] = [];

/** Most keys have one waiting: a list for each would take more time and memory than all else here. */
type Parked = Waiting | Crowd | undefined;

/** Keys that are kept although nothing waits for them; what is kept of each is a reference and a place in a table. */
const MOST_IDLE_KEYS = 16_384;

export class DelayedOperations {
  readonly #clock: Clock;
  /** Keys stay when nothing waits for them any more: most will be waited for again (and see `linked-list.ts`). */
  readonly #byKey = new Map<string, Parked>();
  #idleKeys = 0;
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** Tries the operation once, and parks it if its condition does not hold yet. */
  tryOrWait(operation: DelayedOperation): DelayedHandle {
    if (operation.tryComplete()) return { cancel: () => undefined };
    const waiting = new Waiting(operation);
    this.#size++;
    for (const key of operation.keys) this.#park(key, waiting);
    if (this.#idleKeys > MOST_IDLE_KEYS) this.#forgetIdleKeys();
    waiting.timer = this.#clock.schedule(operation.timeoutMs, () => {
      this.#end(waiting)?.onExpire();
    });
    return { cancel: () => void this.#end(waiting) };
  }

  /** Announces that something about `key` changed: completes every waiting operation whose condition now holds. */
  announce(key: string): void {
    for (const waiting of listOf(this.#byKey.get(key))) {
      if (waiting.operation?.tryComplete(key)) this.#end(waiting);
    }
  }

  /** Ends all operations through their `onExpire`, for shutdown. */
  expireAll(): void {
    for (const parked of [...this.#byKey.values()]) {
      for (const waiting of listOf(parked)) this.#end(waiting)?.onExpire();
    }
  }

  #park(key: string, waiting: Waiting): void {
    const parked = this.#byKey.get(key);
    if (parked === undefined) {
      if (this.#byKey.has(key)) this.#idleKeys--;
      this.#byKey.set(key, waiting);
    } else if (parked instanceof Crowd) parked.add(waiting);
    else {
      const crowd = new Crowd();
      crowd.add(parked);
      crowd.add(waiting);
      this.#byKey.set(key, crowd);
    }
  }

  /** Gives what has ended by this; undefined where it had ended before. */
  #end(waiting: Waiting): DelayedOperation | undefined {
    const { operation } = waiting;
    if (operation === undefined) return undefined;
    waiting.operation = undefined;
    waiting.timer?.cancel();
    waiting.timer = undefined;
    this.#size--;
    for (const key of operation.keys) this.#unpark(key, waiting);
    return operation;
  }

  #unpark(key: string, waiting: Waiting): void {
    const parked = this.#byKey.get(key);
    const isLast = parked instanceof Crowd ? parked.leave() : parked === waiting;
    if (!isLast) return;
    this.#byKey.set(key, undefined);
    this.#idleKeys++;
  }

  #forgetIdleKeys(): void {
    for (const [key, parked] of this.#byKey) if (parked === undefined) this.#byKey.delete(key);
    this.#idleKeys = 0;
  }
}

/** A copy: operations may end, and others begin, while it is gone through. */
function listOf(parked: Parked): readonly Waiting[] {
  if (parked === undefined) return NONE;
  return parked instanceof Crowd ? parked.toArray() : [parked];
}
