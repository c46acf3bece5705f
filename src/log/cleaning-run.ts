/**
 * One cleaning of one log: what its steps share, and when it must end early. A run ends when it is told to, when the
 * log goes or goes offline, and when the log loses its end, since what was read may be gone then.
 * Owns reading source batches; changes nothing.
 */
import * as batchHeader from '../records/batch-header';
import { Codec } from '../records/compression';
import { convertUp } from '../records/message-set';
import { BatchScanner } from './batch-scanner';
import type { CleanerPace } from './cleaner-pace';
import type { LogState } from './log-state';
import type { OffsetMap } from './offset-map';
import type { Segment } from './segment';
import * as storedBatch from './stored-batch';

/** The run may not go on; nothing is wrong. */
export class CleaningStopped extends Error {
  override readonly name = 'CleaningStopped';
}

/** The log holds something that is no batch: compacting it would hide that. */
export class DamagedSegment extends Error {
  override readonly name = 'DamagedSegment';
}

export interface CleaningTools {
  readonly map: OffsetMap;
  readonly pace: CleanerPace;
  /** For reading, and as much again for writing. */
  readonly bufferBytes: number;
  readonly isStopped: () => boolean;
}

/** A batch of a source segment in format v2. */
export interface SourceBatch {
  readonly buffer: Buffer;
  readonly at: number;
  /** Records of an old compressed message, whose offsets in between are not known exactly: they stay or go together. */
  readonly isWhole: boolean;
}

export class CleaningRun {
  readonly state: LogState;
  readonly tools: CleaningTools;
  /** The time that horizons are compared with. */
  readonly nowMs: number;
  bytesRead = 0;
  readonly #truncations: number;

  constructor(state: LogState, tools: CleaningTools) {
    this.state = state;
    this.tools = tools;
    this.nowMs = state.environment.clock.nowMs();
    this.#truncations = state.truncations;
  }

  /** Throws `CleaningStopped` when the run must end; `segments` are those it works on. */
  check(segments: readonly Segment[] = []): void {
    const { state, tools } = this;
    if (
      tools.isStopped() ||
      state.isClosed ||
      state.isOffline ||
      state.truncations !== this.#truncations ||
      segments.some((segment) => !state.segments.includes(segment))
    ) {
      throw new CleaningStopped();
    }
  }

  /** Lets others on. */
  async rest(): Promise<void> {
    await this.tools.pace.rest();
    this.check();
  }

  /** Accounts for bytes read or written. */
  async spend(bytes: number): Promise<void> {
    await this.tools.pace.spend(bytes);
    this.check();
  }

  /**
   * Shows each batch of a segment from the border `from` on, as long as `visit` says so. The batch is valid until
   * `visit` resolves; `original` is what lies in the file.
   */
  async readSegment(
    segment: Segment,
    from: number,
    visit: (batch: SourceBatch, original: Buffer) => Promise<boolean>,
  ): Promise<void> {
    const range = { from, to: segment.sizeInBytes };
    await this.scan(segment, range, (scanner) => visit(sourceBatch(scanner, segment), scanner.batch()));
  }

  /** Shows the batches between two borders of a segment as they lie in the file, as long as `visit` says so. */
  async scan(
    segment: Segment,
    range: { readonly from: number; readonly to: number },
    visit: (scanner: BatchScanner) => Promise<boolean>,
  ): Promise<void> {
    this.check([segment]);
    const { pace, bufferBytes } = this.tools;
    const { handle, release } = this.state.environment.files.lendForReading(segment.logPath);
    try {
      const scanner = new BatchScanner(handle, { ...range, readBytes: bufferBytes });
      while (await scanner.next()) {
        this.bytesRead += scanner.sizeInBytes;
        await this.spend(scanner.sizeInBytes);
        if (!(await visit(scanner))) return;
        if (pace.isDue) await this.rest();
      }
      if (scanner.position < range.to) throw damage(segment, scanner.position);
    } finally {
      release();
    }
  }
}

function damage(segment: Segment, position: number): DamagedSegment {
  return new DamagedSegment(`No whole batch at position ${position} of ${segment.logPath}`);
}

function sourceBatch(scanner: BatchScanner, segment: Segment): SourceBatch {
  const { buffer, at } = scanner;
  if (storedBatch.isV2(buffer, at)) {
    if (!batchHeader.isCrcValid(buffer, at)) throw damage(segment, scanner.position);
    return { buffer, at, isWhole: false };
  }
  const converted = convertUp(scanner.batch());
  const batch = converted.ok ? converted.value.batch : null;
  if (!converted.ok || batch === null) throw damage(segment, scanner.position);
  batchHeader.patchBaseOffset(batch, 0, storedBatch.lastOffset(buffer, at) - batchHeader.lastOffsetDelta(batch));
  return { buffer: batch, at: 0, isWhole: converted.value.codec !== Codec.none };
}
