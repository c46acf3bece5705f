/**
 * The timers of one shard: at most one per key, each with the operation that its expiry stands for.
 * Pushing a deadline back, as every heartbeat does, only notes the new deadline; the clock's timer is armed again when
 * it fires early.
 */
import type { Clock, Timer } from '../base/clock';

interface Running<Op> {
  op: Op;
  /** On the monotonic clock. */
  deadlineMs: number;
  /** When the clock's timer fires: never later than the deadline. */
  armedMs: number;
  timer: Timer;
}

export class Timers<Op> {
  readonly #clock: Clock;
  readonly #onExpire: (op: Op) => void;
  readonly #running = new Map<string, Running<Op>>();

  constructor(clock: Clock, onExpire: (op: Op) => void) {
    this.#clock = clock;
    this.#onExpire = onExpire;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Starts the timer of `key`, or starts it again with the new delay and operation. */
  start(key: string, delayMs: number, op: Op): void {
    const deadlineMs = this.#clock.monotonicMs() + Math.max(0, delayMs);
    const running = this.#running.get(key);
    if (running && running.armedMs <= deadlineMs) {
      running.deadlineMs = deadlineMs;
      running.op = op;
      return;
    }
    running?.timer.cancel();
    this.#running.set(key, { op, deadlineMs, armedMs: deadlineMs, timer: this.#arm(key, delayMs) });
  }

  stop(key: string): void {
    this.#running.get(key)?.timer.cancel();
    this.#running.delete(key);
  }

  stopAll(): void {
    for (const running of this.#running.values()) running.timer.cancel();
    this.#running.clear();
  }

  #arm(key: string, delayMs: number): Timer {
    return this.#clock.schedule(delayMs, () => this.#fired(key));
  }

  #fired(key: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    const restMs = running.deadlineMs - this.#clock.monotonicMs();
    if (restMs > 0) {
      running.armedMs = running.deadlineMs;
      running.timer = this.#arm(key, restMs);
      return;
    }
    this.#running.delete(key);
    this.#onExpire(running.op);
  }
}
