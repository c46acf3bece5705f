/** A few logs worked on side by side. */

/** Logs that are recovered or closed side by side; the thread pool has no more threads. */
const PARALLEL_LOGS = 4;

/** Runs `work` over `items`, a few at a time. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  count = PARALLEL_LOGS,
): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: count }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(workers);
}
