/**
 * Work that costs as much for many items as for one: what is asked for while earlier work is under way is gathered and
 * done together. Knows nothing of the items. Invariant: the work runs in its turn in the queue, and each item is in one
 * call of it, in the order of the calls of `add`.
 */
import type { SerialQueue } from './serial-queue';

interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

export class GatheredWork<Item, Outcome> {
  readonly #queue: SerialQueue;
  readonly #work: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  #waiting: Waiting<Item, Outcome>[] = [];

  /** `work` gives an outcome for each item, in order. */
  constructor(queue: SerialQueue, work: (items: readonly Item[]) => Promise<readonly Outcome[]>) {
    this.#queue = queue;
    this.#work = work;
  }

  /** The item's own outcome; rejects where the work that it was part of does. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length === 1) void this.#queue.run(() => this.#run());
    });
  }

  async #run(): Promise<void> {
    const gathered = this.#waiting;
    this.#waiting = [];
    try {
      const outcomes = await this.#work(gathered.map(({ item }) => item));
      gathered.forEach(({ resolve }, i) => {
        resolve(outcomes[i]!);
      });
    } catch (error) {
      for (const { reject } of gathered) reject(error);
    }
  }
}
