/**
 * A clock that moves only when a test says so. Owns the due order of timers; `immediate` runs by itself at the end of
 * the real turn, in the order given, so that code which gathers work needs no help from the test.
 * Invariant: timers run in due order, those of equal due time in the order they were scheduled.
 */
import type { Clock, Timer, TimestampMs } from '../base/clock';
import { TurnWork } from '../base/turn-work';

interface Scheduled {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Turns of the event loop given to what a timer set off before time moves on. */
const TURNS_PER_STEP = 5;

export class ManualClock implements Clock {
  #nowMs: TimestampMs;
  #elapsedMs = 0;
  #order = 0;
  readonly #timers = new Set<Scheduled>();
  readonly #turnWork = new TurnWork((run) => setImmediate(run));

  constructor(startMs: TimestampMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): TimestampMs {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  schedule(delayMs: number, run: () => void): Timer {
    const scheduled = { dueMs: this.#elapsedMs + Math.max(0, delayMs), order: this.#order++, run };
    this.#timers.add(scheduled);
    return { cancel: () => void this.#timers.delete(scheduled) };
  }

  immediate(run: () => void): void {
    setImmediate(run);
  }

  soon(run: () => void): void {
    queueMicrotask(run);
  }

  gather(run: () => void): void {
    this.#turnWork.gather(run);
  }

  endOfTurn(run: () => void): void {
    this.#turnWork.last(run);
  }

  /** Timers that wait. */
  get timerCount(): number {
    return this.#timers.size;
  }

  /** Moves the wall clock alone, as a correction of the system time would. */
  jumpWallClock(byMs: number): void {
    this.#nowMs += byMs;
  }

  /** Lets `byMs` pass, for those who only read the time: no timer runs. */
  pass(byMs: number): void {
    this.#passTo(this.#elapsedMs + byMs);
  }

  /** Lets `byMs` pass: runs each due timer at its time, and after each what it set off. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#elapsedMs + byMs;
    for (;;) {
      await settle();
      const next = this.#nextDue();
      if (!next || next.dueMs > endMs) break;
      this.#passTo(next.dueMs);
      this.#timers.delete(next);
      next.run();
    }
    this.#passTo(endMs);
    await settle();
  }

  #passTo(elapsedMs: number): void {
    this.#nowMs += elapsedMs - this.#elapsedMs;
    this.#elapsedMs = elapsedMs;
  }

  #nextDue(): Scheduled | undefined {
    let next: Scheduled | undefined;
    for (const timer of this.#timers) {
      if (!next || timer.dueMs < next.dueMs || (timer.dueMs === next.dueMs && timer.order < next.order)) next = timer;
    }
    return next;
  }
}

/** Lets pending promises, immediates and short I/O run. */
export async function settle(turns = TURNS_PER_STEP): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
