/**
 * Requests that wait: for a condition that one of several keys announces, or for a deadline. Nothing polls.
 * Owns the waiting list and its timers; does not know what the operations mean.
 * Invariant: an operation ends exactly once, by completion, by its deadline or by cancellation.
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

export class DelayedOperations {
  readonly #clock: Clock;
  /** Most keys have one waiting: a set for each would take more time and memory than all else here. */
  readonly #byKey = new Map<string, Waiting | Set<Waiting>>();
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
    waiting.timer = this.#clock.schedule(operation.timeoutMs, () => {
      if (this.#end(waiting)) operation.onExpire();
    });
    return { cancel: () => void this.#end(waiting) };
  }

  /** Announces that something about `key` changed: completes every waiting operation whose condition now holds. */
  announce(key: string): void {
    for (const waiting of waitingIn(this.#byKey.get(key))) {
      if (!waiting.done && waiting.operation.tryComplete(key)) this.#end(waiting);
    }
  }

  /** Ends all operations through their `onExpire`, for shutdown. */
  expireAll(): void {
    for (const parked of [...this.#byKey.values()]) {
      for (const waiting of waitingIn(parked)) {
        if (this.#end(waiting)) waiting.operation.onExpire();
      }
    }
  }

  #park(key: string, waiting: Waiting): void {
    const parked = this.#byKey.get(key);
    if (parked === undefined || parked === waiting) this.#byKey.set(key, waiting);
    else if (parked instanceof Set) parked.add(waiting);
    else this.#byKey.set(key, new Set([parked, waiting]));
  }

  #end(waiting: Waiting): boolean {
    if (waiting.done) return false;
    waiting.done = true;
    waiting.timer?.cancel();
    this.#size--;
    for (const key of waiting.operation.keys) {
      const parked = this.#byKey.get(key);
      if (parked instanceof Set) parked.delete(waiting);
      if (parked === waiting || (parked instanceof Set && parked.size === 0)) this.#byKey.delete(key);
    }
    return true;
  }
}

/** A copy: operations may end, and others begin, while it is gone through. */
function waitingIn(parked: Waiting | Set<Waiting> | undefined): readonly Waiting[] {
  if (parked === undefined) return NONE;
  return parked instanceof Set ? [...parked] : [parked];
}
