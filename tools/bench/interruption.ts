/**
 * Ctrl-C and SIGTERM as a promise that rejects, so that brokers are stopped and what was measured is reported. A second
 * one ends the process at once; its children end with it.
 */

/** Of a shell: 128 and the number of SIGINT. */
export const INTERRUPTED_EXIT_CODE = 130;

export class Interruption extends Error {}

export interface Interruptible {
  /** The same as `work`, or rejects with an `Interruption` as soon as there is one. */
  orInterrupted<T>(work: Promise<T>): Promise<T>;
  readonly isInterrupted: boolean;
}

/** From now on. */
export function interruptible(): Interruptible {
  let reject: (reason: Interruption) => void = () => undefined;
  const interrupted = new Promise<never>((_, rejectIt) => {
    reject = rejectIt;
  });
  // Nobody may be waiting when it comes.
  interrupted.catch(() => undefined);
  let isInterrupted = false;
  const interrupt = (signal: string): void => {
    if (isInterrupted) process.exit(INTERRUPTED_EXIT_CODE);
    isInterrupted = true;
    console.error(`${signal}: stopping the brokers; once more ends at once`);
    reject(new Interruption(`interrupted by ${signal}`));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return {
    orInterrupted: (work) => Promise.race([work, interrupted]),
    get isInterrupted() {
      return isInterrupted;
    },
  };
}
