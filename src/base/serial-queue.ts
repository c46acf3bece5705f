/** Runs asynchronous tasks one after the other, in the order they were given; a failed task does not stop the next. */

/** One for all queues that were not used yet: there may be very many. */
const NOTHING_BEFORE: Promise<unknown> = Promise.resolve();

export class SerialQueue {
  #tail = NOTHING_BEFORE;

  /** The task's own outcome, when its turn has come and it has ended. */
  run<T>(task: () => Promise<T> | T): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when everything given so far has ended. */
  idle(): Promise<void> {
    return this.#tail.then(() => undefined);
  }
}
