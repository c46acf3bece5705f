/** What logs are made in, one for all logs of a directory: there may be ten thousand of them. */
import { SerialQueue } from '../base/serial-queue';
import type { DeferredRemovals } from './deferred-removals';
import type { LogDirectory } from './log-directory';
import type { LogEnvironment } from './log-state';

export interface SharedEnvironment
  extends Omit<LogEnvironment, 'syncLogDirectory' | 'flushTurns' | 'checkpointLogStarts' | 'removeLater'> {
  readonly removals: DeferredRemovals;
}

export class LogEnvironments {
  readonly #shared: SharedEnvironment;
  readonly #made = new Map<LogDirectory, LogEnvironment>();

  constructor(shared: SharedEnvironment) {
    this.#shared = shared;
  }

  of(directory: LogDirectory): LogEnvironment {
    const { removals, ...shared } = this.#shared;
    const environment = this.#made.get(directory) ?? {
      ...shared,
      syncLogDirectory: () => directory.sync(),
      flushTurns: new SerialQueue(),
      checkpointLogStarts: () => directory.writeLogStarts(),
      removeLater: (paths, delayMs) => removals.files(paths, delayMs),
    };
    this.#made.set(directory, environment);
    return environment;
  }
}
