/**
 * What keeps a log from working for a while: no room on the disk, no descriptor left. Owns that it is said once when it
 * begins and once when records are taken again, however many requests fail in between.
 */

import type { Logger } from '../base/logger';
import type { FileSystemError } from './file-system';

interface TroubledLog {
  readonly environment: { readonly logger: Logger };
  readonly directory: string;
}

export class PassingTrouble {
  readonly #log: TroubledLog;
  /** The cause that was told last. */
  #code: string | undefined;

  constructor(log: TroubledLog) {
    this.#log = log;
  }

  note({ code, message }: FileSystemError): void {
    if (this.#code === code) return;
    this.#code = code;
    const { environment, directory } = this.#log;
    environment.logger.warn('A log cannot be used for now; it goes on by itself', { log: directory, error: message });
  }

  /** Records were written. */
  end(): void {
    if (this.#code === undefined) return;
    this.#code = undefined;
    this.#log.environment.logger.info('A log can be used again', { log: this.#log.directory });
  }
}
