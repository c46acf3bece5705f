/** When the loop stays awake: turns and time are the test's. */
import { BusyPoll } from './busy-poll';

const WINDOW_MS = 0.1;
const SMALL = 200;
const LARGE = 64 * 1024;

/** A loop in which nothing happens by itself. */
class HandLoop {
  nowMs = 0;
  /** Looks that are due in the next turn: with one, the loop does not sleep. */
  immediates: (() => void)[] = [];
  #last: (() => void)[] = [];
  readonly poll: BusyPoll;

  constructor(windowMs = WINDOW_MS) {
    this.poll = new BusyPoll({
      windowMs,
      clock: {
        monotonicMs: () => this.nowMs,
        immediate: (run) => void this.immediates.push(run),
        endOfTurn: (run) => void this.#last.push(run),
      },
    });
  }

  get isAwake(): boolean {
    return this.immediates.length > 0;
  }

  /** A turn, in which these came in. */
  turn(...bytes: number[]): void {
    for (const each of bytes) this.poll.onArrival(each, this.nowMs);
    for (const run of [...this.immediates.splice(0), ...this.#last.splice(0)]) run();
  }

  /** So many requests, each so long after the one before; awake, the loop turns ten times in between. */
  requests(count: number, o: { everyMs: number; bytes?: number }): void {
    for (let n = 0; n < count; n++) {
      for (let step = 0; step < 10; step++) {
        this.nowMs += o.everyMs / 10;
        if (this.isAwake) this.turn();
      }
      this.turn(o.bytes ?? SMALL);
    }
  }
}

let loop: HandLoop;

beforeEach(() => {
  loop = new HandLoop();
});

it('begins after some small requests that come soon one after the other, and ends when none comes', () => {
  loop.requests(20, { everyMs: 2.5 * WINDOW_MS });
  expect(loop.isAwake).toBe(false);
  loop = new HandLoop();
  loop.requests(40, { everyMs: WINDOW_MS / 2 });
  expect(loop.isAwake).toBe(true);
  loop.nowMs += WINDOW_MS * 0.9;
  loop.turn();
  expect(loop.isAwake).toBe(true);
  loop.nowMs += WINDOW_MS * 0.2;
  loop.turn();
  expect(loop.isAwake).toBe(false);
});

it('sleeps while requests come too seldom', () => {
  loop.requests(200, { everyMs: 4 * WINDOW_MS });
  expect(loop.isAwake).toBe(false);
});

it('sleeps while batches come, and where it is off', () => {
  loop.requests(40, { everyMs: WINDOW_MS / 2 });
  loop.requests(2, { everyMs: WINDOW_MS / 2, bytes: LARGE });
  expect(loop.isAwake).toBe(false);
  const off = new HandLoop(0);
  off.requests(40, { everyMs: 0 });
  expect(off.isAwake).toBe(false);
});

it('rests for a second when requests, although soon, mostly come behind the window', () => {
  let turnsAwake = 0;
  const count = (n: number): void => {
    for (let i = 0; i < n; i++) {
      loop.requests(1, { everyMs: 2 * WINDOW_MS });
      if (loop.isAwake) turnsAwake++;
    }
  };
  count(40);
  expect([turnsAwake > 0, turnsAwake < 20, loop.isAwake]).toEqual([true, true, false]);
  turnsAwake = 0;
  count(900 / (2 * WINDOW_MS));
  expect(turnsAwake).toBe(0);
  count(400 / (2 * WINDOW_MS));
  expect([turnsAwake > 0, turnsAwake < 20]).toEqual([true, true]);
});

it('takes what comes in one turn as one', () => {
  for (let n = 0; n < 10; n++) loop.turn(SMALL, SMALL, SMALL, SMALL);
  expect(loop.isAwake).toBe(false);
});
