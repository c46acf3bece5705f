/**
 * What a segment is made with: where it lies, and those of its log's settings that hold for its life. Segments that are
 * made together share it.
 */
import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Random } from '../base/random';
import type { LogConfig } from '../config/log-config';
import type { OpenFiles } from './open-files';

/** What of a log's environment segments need. */
export interface SegmentEnvironment {
  readonly files: OpenFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface SegmentOptions {
  readonly files: OpenFiles;
  readonly directory: string;
  /** By the monotonic clock: records without timestamps roll by the age of their segment. */
  readonly createdMs: number;
  readonly indexIntervalBytes: number;
  /** Taken off segment.ms, so that segments made together do not roll together. */
  readonly rollJitterMs: number;
  /** Behind the names of its files while it is not yet a part of the log. */
  readonly nameSuffix?: string;
  /** The file has this size from the start; undefined: it grows with what is written. */
  readonly preallocatedBytes?: number | undefined;
  /** Told of indexes that are made anew because they do not fit the log. */
  readonly logger?: Logger;
}

/** What a directory says of a segment. */
export interface FoundSegment {
  readonly baseOffset: number;
  readonly sizeInBytes: number;
  /** Both of offsets and of times. */
  readonly hasIndexes: boolean;
  readonly hasTransactions: boolean;
}

/** For segments of a log that are made now. */
export function segmentOptions(
  environment: SegmentEnvironment,
  log: { readonly directory: string; readonly config: LogConfig },
): SegmentOptions {
  const { segmentJitterMs, segmentMs, indexIntervalBytes } = log.config;
  const jitterBelow = Math.min(segmentJitterMs, segmentMs);
  return {
    files: environment.files,
    directory: log.directory,
    // A fraction would be kept as an object of its own.
    createdMs: Math.floor(environment.clock.monotonicMs()),
    indexIntervalBytes,
    rollJitterMs: jitterBelow > 0 ? environment.random.integer(jitterBelow) : 0,
    preallocatedBytes: log.config.preallocate ? log.config.segmentBytes : undefined,
    logger: environment.logger,
  };
}
