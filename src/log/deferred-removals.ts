/**
 * Files that are removed some time after they were renamed away, so that whoever reads them can end in peace. What is
 * still waiting when the broker stops is removed at its next start. A removal that fails is logged and left to that
 * start, too.
 */
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';
import type { FileSystem } from './file-system';

export class DeferredRemovals {
  readonly #fileSystem: FileSystem;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timers = new Set<Timer>();
  readonly #running = new Set<Promise<void>>();

  constructor(fileSystem: FileSystem, context: { clock: Clock; logger: Logger }) {
    this.#fileSystem = fileSystem;
    this.#clock = context.clock;
    this.#logger = context.logger;
  }

  files(paths: readonly string[], delayMs: number): void {
    if (paths.length === 0) return;
    this.#after(delayMs, async () => {
      for (const path of paths) this.#fileSystem.remove(path);
    });
  }

  directory(path: string, delayMs: number): void {
    this.#after(delayMs, () => this.#fileSystem.removeDirectory(path));
  }

  /** Drops what waits and resolves when what runs has ended. */
  async close(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    await Promise.all(this.#running);
  }

  #after(delayMs: number, remove: () => Promise<void>): void {
    const timer = this.#clock.schedule(delayMs, () => {
      this.#timers.delete(timer);
      const running = remove()
        .catch((error: unknown) => this.#logger.warn('Could not remove files', { error: String(error) }))
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
    this.#timers.add(timer);
  }
}
