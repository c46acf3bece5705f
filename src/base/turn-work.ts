/**
 * Work that waits for the end of the event loop's turn, in two stages of the same turn: first what handles all that
 * arrived together (one write for many appends), then what follows from it (one write for many answers). With each
 * stage in a turn of its own, a client that waits for one answer pays for a look at the sockets in between.
 * Invariant: what is added while a stage runs goes to its next run, so that sockets and timers have their turn.
 */

type Run = () => void;

class Stage {
  #waiting: Run[] = [];

  /** Returns whether it is the first. */
  add(run: Run): boolean {
    return this.#waiting.push(run) === 1;
  }

  readonly run = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) run();
  };
}

export class TurnWork {
  readonly #afterEvents: (run: Run) => void;
  readonly #gathered = new Stage();
  readonly #last = new Stage();
  /** Runs of the last stage that are due: each comes right behind one of the first. */
  #due = 0;

  /** `afterEvents` runs something once, in the order given, after the I/O events of this turn. */
  constructor(afterEvents: (run: Run) => void) {
    this.#afterEvents = afterEvents;
  }

  /** Runs `run` once after the I/O events of this turn. */
  gather(run: Run): void {
    if (!this.#gathered.add(run)) return;
    this.#afterEvents(this.#gathered.run);
    this.#scheduleLast();
  }

  /** Runs `run` once after those of `gather` and what they, and promises, have set off; in the same turn. */
  last(run: Run): void {
    this.#last.add(run);
    if (this.#due === 0) this.#scheduleLast();
  }

  #scheduleLast(): void {
    this.#due++;
    this.#afterEvents(this.#runLast);
  }

  readonly #runLast = (): void => {
    this.#due--;
    this.#last.run();
  };
}
