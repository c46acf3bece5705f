/**
 * The way to a partition's log while another log takes its place: closed for a moment, it lets those wait who come, in
 * their order, and closes only when those have left who use the log over time. Owns the waiting; knows no log.
 */

export class LogGate {
  #isClosed = false;
  /** In the order in which they came; undefined for none. */
  #waiting: (() => void)[] | undefined;
  #guests = 0;
  #onLastLeft: (() => void) | undefined;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs `run` at once, or when the gate opens; in the order of the calls. */
  pass<T>(run: () => Promise<T>): Promise<T> {
    if (!this.#isClosed) return run();
    return new Promise((resolve, reject) => {
      this.#waiting ??= [];
      this.#waiting.push(() => run().then(resolve, reject));
    });
  }

  /** As `pass`; the gate does not close before `run` has ended. */
  async stay<T>(run: () => Promise<T>): Promise<T> {
    return this.pass(async () => {
      this.#guests++;
      try {
        return await run();
      } finally {
        this.#guests--;
        if (this.#guests === 0) this.#onLastLeft?.();
      }
    });
  }

  /** Runs `run` behind the closed gate. One at a time. */
  async whileClosed<T>(run: () => Promise<T>): Promise<T> {
    this.#isClosed = true;
    try {
      if (this.#guests > 0) await new Promise<void>((resolve) => (this.#onLastLeft = resolve));
      return await run();
    } finally {
      this.#isClosed = false;
      this.#onLastLeft = undefined;
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const go of waiting) go();
    }
  }
}
