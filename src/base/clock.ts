/**
 * Time and deferral behind one interface, so that a test or a simulation decides when things happen.
 * Nothing else in `src` touches Date, performance, setTimeout, setImmediate or nextTick.
 */

import { TurnWork } from './turn-work';

/** Milliseconds since 1970-01-01 UTC. */
export type TimestampMs = number;

export interface Timer {
  /** Stops the timer; harmless when it has run or was cancelled already. */
  cancel(): void;
}

export interface Clock {
  /** Wall clock; may jump either way. For timestamps in data. */
  nowMs(): TimestampMs;
  /** Never goes back; its zero is arbitrary. For deadlines and durations. */
  monotonicMs(): number;
  /** Runs `run` once after `delayMs` (clamped to 0 from below; any length). Keeps the process alive until it ran. */
  schedule(delayMs: number, run: () => void): Timer;
  /** Runs `run` once after the I/O events of this turn; in the next turn where it is called by such a run. */
  immediate(run: () => void): void;
  /** Runs `run` once behind what runs now and the promises it has kept, before any event. */
  soon(run: () => void): void;
  /** As `immediate`, for handling together what arrives together. Must not throw. */
  gather(run: () => void): void;
  /** Runs `run` once at the end of this turn: after those of `gather` and what has followed from them. */
  endOfTurn(run: () => void): void;
}

/** The longest delay that setTimeout takes; beyond it, it would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

function scheduleReal(delayMs: number, run: () => void): Timer {
  const dueMs = performance.now() + Math.max(0, delayMs);
  let handle: NodeJS.Timeout;
  const arm = (restMs: number): void => {
    handle =
      restMs > LONGEST_TIMEOUT_MS
        ? setTimeout(() => arm(dueMs - performance.now()), LONGEST_TIMEOUT_MS)
        : setTimeout(run, Math.max(0, restMs));
  };
  arm(delayMs);
  return { cancel: () => clearTimeout(handle) };
}

const turnWork = new TurnWork((run) => setImmediate(run));

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule: scheduleReal,
  immediate: (run) => {
    setImmediate(run);
  },
  soon: (run) => queueMicrotask(run),
  gather: (run) => turnWork.gather(run),
  endOfTurn: (run) => turnWork.last(run),
};
