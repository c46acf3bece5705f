/**
 * Work on all logs that comes again and again. Owns its timers and what is under way; not what is done. A disk error is
 * logged and the next time tried anew; anything else is a bug, which is logged too and must not end the process.
 */
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';
import { FileSystemError } from './file-system';

export class BackgroundWork {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timers = new Map<string, Timer>();
  /** Under way, by name. */
  readonly #working = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(context: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = context.clock;
    this.#logger = context.logger;
  }

  /** Runs `work`, whose name is its own, `intervalMs` after this call and after it ended; never for infinity. */
  every(name: string, intervalMs: number, work: () => Promise<void>): void {
    if (!Number.isSafeInteger(intervalMs)) return;
    const timer = this.#clock.schedule(intervalMs, () => {
      const working = work()
        .catch((error: unknown) => {
          const isDiskError = error instanceof FileSystemError;
          const fields = { work: name, error: isDiskError ? error.message : error };
          if (isDiskError) this.#logger.warn('Background work on logs failed', fields);
          else this.#logger.error('Background work on logs met a bug', fields);
        })
        .then(() => {
          this.#working.delete(name);
          if (!this.#isClosed) this.every(name, intervalMs, work);
        });
      this.#working.set(name, working);
    });
    this.#timers.set(name, timer);
  }

  /** Begins nothing more; resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    await Promise.all(this.#working.values());
  }
}
