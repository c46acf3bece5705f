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
  /** Looks at the condition; when it holds, does the work and returns true. */
  tryComplete(): boolean;
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

export class DelayedOperations {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Set<Waiting>>();
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
    for (const key of operation.keys) {
      const set = this.#byKey.get(key);
      if (set) set.add(waiting);
      else this.#byKey.set(key, new Set([waiting]));
    }
    waiting.timer = this.#clock.schedule(operation.timeoutMs, () => {
      if (this.#end(waiting)) operation.onExpire();
    });
    return { cancel: () => void this.#end(waiting) };
  }

  /** Announces that something about `key` changed: completes every waiting operation whose condition now holds. */
  announce(key: string): void {
    const set = this.#byKey.get(key);
    if (!set) return;
    for (const waiting of [...set]) {
      if (!waiting.done && waiting.operation.tryComplete()) this.#end(waiting);
    }
  }

  /** Ends all operations through their `onExpire`, for shutdown. */
  expireAll(): void {
    for (const set of [...this.#byKey.values()]) {
      for (const waiting of [...set]) {
        if (this.#end(waiting)) waiting.operation.onExpire();
      }
    }
  }

  #end(waiting: Waiting): boolean {
    if (waiting.done) return false;
    waiting.done = true;
    waiting.timer?.cancel();
    this.#size--;
    for (const key of waiting.operation.keys) {
      const set = this.#byKey.get(key);
      set?.delete(waiting);
      if (set?.size === 0) this.#byKey.delete(key);
    }
    return true;
  }
}
