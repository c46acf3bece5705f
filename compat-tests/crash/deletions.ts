/**
 * DeleteRecords under load: a log start that was acknowledged holds, and no kill moves it beyond what was asked for.
 */
import { deleteRecords } from '../scenarios/data-calls';
import type { Load } from './loads';
import { startOffsetOf, withClient } from './log-content';

const PAUSE_MS = 40;
/** Newer records stay, so that something is left to check. */
const KEPT = 400;

export interface Deletions {
  /** Those that were acknowledged. */
  count(): number;
  /** The log start that is acknowledged. */
  startOffset(): number;
  /** What is not as it was acknowledged; undefined when all is. `atLeast`: the acknowledged start of before. */
  wrong(atLeast: number): Promise<string | undefined>;
  stop(): Promise<void>;
}

function lastOffset(load: Load): number {
  let last = 0;
  for (const offset of load.acknowledged.values()) if (offset > last) last = offset;
  return last;
}

export function startDeletions(port: number, load: Load): Deletions {
  let isRunning = true;
  let count = 0;
  let acknowledged = 0;
  let asked = 0;
  const step = async (): Promise<void> => {
    // Odd numbers, so that most starts fall within a batch.
    const offset = lastOffset(load) - KEPT - Math.floor(Math.random() * KEPT);
    if (offset <= asked) return;
    asked = offset;
    const { errorCode, lowWatermark } = await withClient(port, (client) =>
      deleteRecords(client, { topic: load.topic, offset }),
    );
    if (errorCode !== 0) return;
    acknowledged = lowWatermark;
    count++;
  };
  const running = (async () => {
    while (isRunning) {
      // A broker that is away, or not yet the leader again, is asked for something newer the next time.
      await step().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  return {
    count: () => count,
    startOffset: () => acknowledged,
    wrong: async (atLeast) => {
      const start = await withClient(port, (client) => startOffsetOf(client, load.topic));
      if (start < atLeast) return `the log start was acknowledged as ${atLeast}, it is ${start}`;
      return start > asked ? `the log starts at ${start}, but ${asked} was asked for` : undefined;
    },
    stop: async () => {
      isRunning = false;
      await running;
    },
  };
}
