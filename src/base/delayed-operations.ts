/**
 * Requests that wait: for a condition that one of several keys announces, or for a deadline. Nothing polls.
 * Owns the waiting list and its timers; does not know what the operations mean.
 * Invariants: an operation ends exactly once, by completion, by its deadline or by cancellation. Under a key there are
 * only operations that have not ended.
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

interface Waiting {
  readonly operation: DelayedOperation;
  timer: Timer | undefined;
  done: boolean;
}

const NONE: readonly Waiting[] = [];

/** Most keys have one waiting: a list for each would take more time and memory than all else here. */
type Parked = Waiting | Waiting[] | undefined;

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
    const waiting: Waiting = { operation, timer: undefined, done: false };
    if (operation.tryComplete()) {
      waiting.done = true;
      return { cancel: () => undefined };
    }
    this.#size++;
    for (const key of operation.keys) this.#park(key, waiting);
    if (this.#idleKeys > MOST_IDLE_KEYS) this.#forgetIdleKeys();
    waiting.timer = this.#clock.schedule(operation.timeoutMs, () => {
      if (this.#end(waiting)) operation.onExpire();
    });
    return { cancel: () => void this.#end(waiting) };
  }

  /** Announces that something about `key` changed: completes every waiting operation whose condition now holds. */
  announce(key: string): void {
    for (const waiting of listOf(this.#byKey.get(key))) {
      if (!waiting.done && waiting.operation.tryComplete(key)) this.#end(waiting);
    }
  }

  /** Ends all operations through their `onExpire`, for shutdown. */
  expireAll(): void {
    for (const parked of [...this.#byKey.values()]) {
      for (const waiting of listOf(parked)) {
        if (this.#end(waiting)) waiting.operation.onExpire();
      }
    }
  }

  #park(key: string, waiting: Waiting): void {
    const parked = this.#byKey.get(key);
    if (parked === undefined) {
      if (this.#byKey.has(key)) this.#idleKeys--;
      this.#byKey.set(key, waiting);
    } else if (!Array.isArray(parked)) {
      if (parked !== waiting) this.#byKey.set(key, [parked, waiting]);
    } else if (parked.at(-1) !== waiting) parked.push(waiting);
  }

  #end(waiting: Waiting): boolean {
    if (waiting.done) return false;
    waiting.done = true;
    waiting.timer?.cancel();
    this.#size--;
    for (const key of waiting.operation.keys) this.#unpark(key, waiting);
    return true;
  }

  #unpark(key: string, waiting: Waiting): void {
    const parked = this.#byKey.get(key);
    if (Array.isArray(parked)) {
      const at = parked.indexOf(waiting);
      if (at >= 0) parked.splice(at, 1);
      if (parked.length > 0) return;
    } else if (parked !== waiting) return;
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
  return Array.isArray(parked) ? [...parked] : [parked];
}
