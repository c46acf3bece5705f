/**
 * Compacts logs, one at a time and the dirtiest first, as long as there is one that is worth it; then pauses. Owns when
 * and which; how is log-compaction.ts. What a log's cleaning reached is checkpointed when it is done; without the
 * checkpoint it is done again. A log that cannot be cleaned is left alone until the broker starts anew.
 * (Kafka: LogCleaner, LogCleanerManager.)
 */
import type { Clock, Timer } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Random } from '../base/random';
import type { CleanerSettings } from '../config/derived-settings';
import type { CleanableRange } from './cleanable-range';
import { CleanerPace } from './cleaner-pace';
import { FileSystemError } from './file-system';
import { OffsetMap } from './offset-map';
import type { PartitionLog } from './partition-log';

export interface LogCleanerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: () => CleanerSettings;
  readonly logs: () => Iterable<PartitionLog>;
  /** Whether a log may be compacted at this moment. */
  readonly isCompactable: (log: PartitionLog) => boolean;
  /** Makes a log's `cleanOffset` durable. */
  readonly writeCheckpoint: (log: PartitionLog) => Promise<void>;
}

/** A buffer that is smaller would only make more calls. */
const SMALLEST_IO_BUFFER = 16 * 1024;
/** A typed array has no more. */
const LARGEST_MAP = 2 ** 31;
/** Without a pause the loop would be all ours. */
const SHORTEST_BACKOFF_MS = 10;

interface Cleaning {
  readonly log: PartitionLog;
  isStopped: boolean;
  readonly ended: Promise<void>;
}

/** What can be told of the cleaner's work. */
export interface CleanerNumbers {
  /** When it last looked at the logs, by the monotonic clock; undefined: not yet. */
  readonly lastRunMs: number | undefined;
  /** Logs that it gave up. */
  readonly uncleanable: number;
}

export class LogCleaner implements CleanerNumbers {
  readonly #options: LogCleanerOptions;
  readonly #pace: CleanerPace;
  /** Those that failed. */
  readonly #uncleanable = new WeakSet<PartitionLog>();
  #map: { readonly map: OffsetMap; readonly settings: CleanerSettings } | undefined;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #current: Cleaning | undefined;
  #isClosed = false;
  #lastRunMs: number | undefined;

  constructor(options: LogCleanerOptions) {
    this.#options = options;
    this.#pace = new CleanerPace(options.clock, () => options.settings().maxBytesPerSecond);
  }

  get lastRunMs(): number | undefined {
    return this.#lastRunMs;
  }

  get uncleanable(): number {
    let count = 0;
    for (const log of this.#options.logs()) if (this.#uncleanable.has(log)) count++;
    return count;
  }

  start(): void {
    if (this.#isClosed) return;
    const delayMs = Math.max(SHORTEST_BACKOFF_MS, this.#options.settings().backoffMs);
    this.#timer = this.#options.clock.schedule(delayMs, () => {
      this.#running = this.#round()
        .catch((error: unknown) => this.#options.logger.error('The cleaner of logs met a bug', { error }))
        .then(() => {
          this.#running = undefined;
          this.start();
        });
    });
  }

  /** Ends the cleaning of a log that is going; resolves when nothing of it is used any more. */
  async leave(log: PartitionLog): Promise<void> {
    const current = this.#current;
    if (current?.log !== log) return;
    current.isStopped = true;
    this.#pace.wake();
    await current.ended;
  }

  /** Ends all work, that under way included. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#pace.wake();
    await this.#running;
  }

  /** Cleans until nothing is worth it, or something keeps it from going on. */
  async #round(): Promise<void> {
    this.#lastRunMs = this.#options.clock.monotonicMs();
    while (!this.#isClosed) {
      const dirtiest = await this.#dirtiest();
      if (!dirtiest || !(await this.#cleanOne(dirtiest.log, dirtiest.range))) break;
    }
    this.#map?.map.release();
  }

  async #dirtiest(): Promise<{ log: PartitionLog; range: CleanableRange } | undefined> {
    let dirtiest: { log: PartitionLog; range: CleanableRange } | undefined;
    for (const log of this.#options.logs()) {
      if (this.#pace.isDue) await this.#pace.rest();
      if (this.#isClosed) return undefined;
      if (this.#uncleanable.has(log) || !this.#options.isCompactable(log)) continue;
      const range = this.#rangeOf(log);
      if (!range?.isWorthCleaning || range.dirtyRatio <= (dirtiest?.range.dirtyRatio ?? -1)) continue;
      dirtiest = { log, range };
    }
    return dirtiest;
  }

  #rangeOf(log: PartitionLog): CleanableRange | undefined {
    try {
      return log.cleanableRange();
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      this.#giveUp(log, error.message);
      return undefined;
    }
  }

  /** Whether the next one may follow at once. */
  async #cleanOne(log: PartitionLog, range: CleanableRange): Promise<boolean> {
    // It may have begun to move since it was chosen, when there was nothing to leave yet.
    if (!this.#options.isCompactable(log)) return true;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const cleaning: Cleaning = { log, isStopped: false, ended };
    this.#current = cleaning;
    try {
      return await this.#clean(cleaning, range);
    } catch (error) {
      // A bug. The log is as it was, or offline.
      this.#giveUp(log, error instanceof Error ? error.stack : String(error));
      return true;
    } finally {
      this.#current = undefined;
      end();
    }
  }

  async #clean(cleaning: Cleaning, range: CleanableRange): Promise<boolean> {
    const { clock, logger, settings } = this.#options;
    const { log } = cleaning;
    const { ioBufferBytes } = settings();
    const startMs = clock.monotonicMs();
    const result = await log.compact(range, {
      map: this.#mapFor(settings()),
      pace: this.#pace,
      bufferBytes: Math.max(SMALLEST_IO_BUFFER, Math.floor(ioBufferBytes / 2)),
      isStopped: () => cleaning.isStopped || this.#isClosed,
    });
    if (result.ok) {
      const ms = Math.round(clock.monotonicMs() - startMs);
      logger.info('Compacted a log', { log: log.directory, fromOffset: range.firstDirtyOffset, ...result.value, ms });
      return this.#checkpoint(log);
    }
    switch (result.error) {
      case 'stopped':
        return true;
      case 'no-room':
        logger.warn('A log could not be compacted for now', { log: log.directory, error: result.message });
        return false;
      case 'failed':
        this.#giveUp(log, result.message);
        return true;
    }
  }

  async #checkpoint(log: PartitionLog): Promise<boolean> {
    try {
      await this.#options.writeCheckpoint(log);
      return true;
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      this.#options.logger.warn('The cleaner checkpoint could not be written', { error: error.message });
      return false;
    }
  }

  #giveUp(log: PartitionLog, error: string | undefined): void {
    this.#uncleanable.add(log);
    this.#options.logger.error('A log cannot be compacted; the next start of the broker tries again', {
      log: log.directory,
      error,
    });
  }

  /** The map, made anew when its settings changed. */
  #mapFor(settings: CleanerSettings): OffsetMap {
    const { dedupeBufferBytes, dedupeBufferLoadFactor: loadFactor } = settings;
    const known = this.#map;
    if (
      known?.settings.dedupeBufferBytes === dedupeBufferBytes &&
      known.settings.dedupeBufferLoadFactor === loadFactor
    ) {
      return known.map;
    }
    const memoryBytes = Math.min(dedupeBufferBytes, LARGEST_MAP);
    const map = new OffsetMap({ memoryBytes, loadFactor, random: this.#options.random });
    this.#map = { map, settings };
    return map;
  }
}
