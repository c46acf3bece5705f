/** Much work that does not wait by itself, cut up so that the event loop goes on in between. */
import type { Clock } from './clock';

export interface Portions {
  /** Items that are begun in one turn of the loop. */
  readonly size: number;
  readonly clock: Pick<Clock, 'immediate'>;
}

/** Runs `work` over all items, in order; rejects with the first failure, after the portion that it was in. */
export async function inPortions<T>(
  items: readonly T[],
  { size, clock }: Portions,
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let first = 0; first < items.length; first += size) {
    if (first > 0) await new Promise<void>((resolve) => clock.immediate(resolve));
    await Promise.all(items.slice(first, first + size).map(work));
  }
}
