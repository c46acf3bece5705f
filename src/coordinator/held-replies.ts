/**
 * Replies that are decided but not committed yet: each leaves when the high watermark has reached the offset that it
 * depends on, or fails when that takes too long. Owns nothing but the waiting.
 * Invariant: offsets come in rising order, so the first waits longest.
 */
import type { Clock, Timer } from '../base/clock';
import type { Reply } from './shard';

interface Held {
  readonly offset: number;
  readonly replies: readonly Reply[];
  timer: Timer | undefined;
}

export interface HeldRepliesOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly deliver: (reply: Reply) => void;
  readonly onTimeout: (reply: Reply) => void;
}

export class HeldReplies {
  readonly #o: HeldRepliesOptions;
  #held: Held[] = [];
  #highWatermark: number;

  constructor(options: HeldRepliesOptions, highWatermark: number) {
    this.#o = options;
    this.#highWatermark = highWatermark;
  }

  /** `offset`: the end of the log as the operation saw it, its own records included. */
  add(offset: number, replies: readonly Reply[]): void {
    if (offset <= this.#highWatermark) {
      for (const reply of replies) this.#o.deliver(reply);
      return;
    }
    if (replies.length === 0) return;
    const held: Held = { offset, replies, timer: undefined };
    held.timer = this.#o.clock.schedule(this.#o.timeoutMs, () => this.#timedOut(held));
    this.#held.push(held);
  }

  onHighWatermark(offset: number): void {
    this.#highWatermark = Math.max(this.#highWatermark, offset);
    let due = 0;
    while (due < this.#held.length && this.#held[due]!.offset <= this.#highWatermark) due++;
    for (const held of this.#held.splice(0, due)) {
      held.timer?.cancel();
      for (const reply of held.replies) this.#o.deliver(reply);
    }
  }

  /** Forgets what waits; its requests are answered by whoever drops the shard. */
  clear(): void {
    for (const held of this.#held) held.timer?.cancel();
    this.#held = [];
  }

  #timedOut(held: Held): void {
    this.#held = this.#held.filter((other) => other !== held);
    for (const reply of held.replies) this.#o.onTimeout(reply);
  }
}
