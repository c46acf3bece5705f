/** Whether what comes and goes dies young: see `base/linked-list.ts`. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const STEPS_A_LOOK = 400;
/** Until V8 has compiled what runs often. */
const SETTLING_STEPS = 1000;

/**
 * How far V8's old generation grows, at most, in bytes, while `step` runs so often, once everything that is there
 * before has grown old. Each step should make and drop a kilobyte or more, and all together some 100 MB, so that the
 * young generation is collected several times.
 */
export function growthOfOldBytes(step: () => void, times: number): number {
  for (let i = 0; i < SETTLING_STEPS; i++) step();
  const growth = new Growth();
  for (let i = 0; i < times; i++) {
    step();
    growth.look(i);
  }
  return growth.mostBytes;
}

/** The same for steps that take turns of the event loop. */
export async function growthOfOldBytesAsync(step: () => Promise<unknown>, times: number): Promise<number> {
  for (let i = 0; i < SETTLING_STEPS; i++) await step();
  const growth = new Growth();
  for (let i = 0; i < times; i++) {
    await step();
    growth.look(i);
  }
  return growth.mostBytes;
}

class Growth {
  mostBytes = 0;
  readonly #beforeBytes: number;

  constructor() {
    // Twice: an object grows old by surviving.
    collect();
    collect();
    this.#beforeBytes = oldBytes();
  }

  look(step: number): void {
    if (step % STEPS_A_LOOK === 0) this.mostBytes = Math.max(this.mostBytes, oldBytes() - this.#beforeBytes);
  }
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size;
}
