/** How to undo what was started: an orderly stop, and what a start that fails leaves behind. */

export interface CloseOptions {
  /** Told about once a second how many logs are flushed and closed, where that takes longer. */
  readonly onProgress?: (closed: number, total: number) => void;
}

export type Stop = (options: CloseOptions) => Promise<void> | void;

/** Undoes newest first. */
export class Stops {
  readonly #stops: Stop[] = [];

  add(stop: Stop): void {
    this.#stops.push(stop);
  }

  /** Goes on where one fails; the first failure is thrown at the end. */
  async run(options: CloseOptions = {}): Promise<void> {
    const failures: unknown[] = [];
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      try {
        await stop(options);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
