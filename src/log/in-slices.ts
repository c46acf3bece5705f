/** Work on very many things that must not hold the loop. */
import type { Clock } from '../base/clock';

/** After this long others get a turn of the loop. */
const SLICE_MS = 4;

/** Runs `work` over `items`, one after the other, with a turn of the loop for others after every few milliseconds. */
export async function inSlices<T>(clock: Clock, items: Iterable<T>, work: (item: T) => unknown): Promise<void> {
  let sinceMs = clock.monotonicMs();
  for (const item of items) {
    await work(item);
    if (clock.monotonicMs() - sinceMs < SLICE_MS) continue;
    await new Promise<void>((resolve) => clock.immediate(resolve));
    sinceMs = clock.monotonicMs();
  }
}
