/**
 * Files that are removed some time after they were renamed away, so that whoever reads them can end in peace. What is
 * still waiting when the broker stops is removed at its next start. A removal that fails is logged and left to that
 * start, too. One removal at a time: those of ten thousand topics that were deleted together leave the disk to others.
 */
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';
import type { FileSystem } from './file-system';

export class DeferredRemovals {
  readonly #fileSystem: FileSystem;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timers = new Set<Timer>();
  /** Those whose time has come. */
  #due: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;

  constructor(fileSystem: FileSystem, context: { clock: Clock; logger: Logger }) {
    this.#fileSystem = fileSystem;
    this.#clock = context.clock;
    this.#logger = context.logger;
  }

  files(paths: readonly string[], delayMs: number): void {
    if (paths.length === 0) return;
    this.#after(delayMs, async () => {
      for (const path of paths) await this.#fileSystem.removeAsync(path);
    });
  }

  directory(path: string, delayMs: number): void {
    this.#after(delayMs, () => this.#fileSystem.removeDirectory(path));
  }

  /** Drops what waits and resolves when what runs has ended. */
  async close(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#due = [];
    await this.#running;
  }

  #after(delayMs: number, remove: () => Promise<void>): void {
    const timer = this.#clock.schedule(delayMs, () => {
      this.#timers.delete(timer);
      this.#due.push(remove);
      this.#running ??= this.#removeDue();
    });
    this.#timers.add(timer);
  }

  async #removeDue(): Promise<void> {
    for (let remove = this.#due.shift(); remove !== undefined; remove = this.#due.shift()) {
      await remove().catch((error: unknown) => {
        this.#logger.warn('Could not remove files', { error: String(error) });
      });
    }
    this.#running = undefined;
  }
}
