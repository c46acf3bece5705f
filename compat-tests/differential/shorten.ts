/** Making a round that differs shorter: steps are left out as long as the last one still differs in the same way. */
import type { Difference } from './round';
import type { Step } from './steps';

export interface ShortenOptions {
  /** Runs the steps; the difference if it is the one that is looked for. */
  isSame(steps: readonly Step[]): Promise<Difference | undefined>;
  /** On performance.now()'s clock. */
  readonly untilMs: number;
}

export async function shorten(
  steps: readonly Step[],
  difference: Difference,
  options: ShortenOptions,
): Promise<{ steps: readonly Step[]; difference: Difference }> {
  let shortest = { steps: steps.slice(0, steps.indexOf(difference.lastStep) + 1), difference };
  for (let size = Math.ceil(shortest.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = shortest.steps.length - 1 - size; at >= 0 && performance.now() < options.untilMs; at -= size) {
      // The first step creates the topics, the last one differs.
      const start = Math.max(at, 1);
      const candidate = shortest.steps.filter((_, index) => index < start || index >= at + size);
      if (candidate.length === shortest.steps.length) continue;
      const found = await options.isSame(candidate);
      if (found !== undefined)
        shortest = { steps: candidate.slice(0, candidate.indexOf(found.lastStep) + 1), difference: found };
    }
  }
  return shortest;
}
