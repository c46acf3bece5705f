/**
 * How much of file regions one turn of the event loop sends, all connections together: reading and sending a megabyte
 * holds the loop for a third of a millisecond, and with many consumers a request of anyone else would wait for all.
 * Owns the count only; who finds it used up comes again in the next turn, before those that come new to it.
 */
import type { Clock } from '../base/clock';

const BYTES_OF_A_TURN = 2 * 1024 * 1024;

export class TurnShare {
  readonly #clock: Clock;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isUsedUp(): boolean {
    return this.#bytes >= BYTES_OF_A_TURN;
  }

  use(bytes: number): void {
    // In the next run of that stage, ahead of whoever finds the share used up from now on.
    if (this.#bytes === 0) this.#clock.endOfTurn(this.#renew);
    this.#bytes += bytes;
  }

  readonly #renew = (): void => {
    this.#bytes = 0;
  };
}

const shares = new WeakMap<Clock, TurnShare>();

/** The one of all connections that live by this clock. */
export function turnShareOf(clock: Clock): TurnShare {
  let share = shares.get(clock);
  if (share === undefined) {
    share = new TurnShare(clock);
    shares.set(clock, share);
  }
  return share;
}
