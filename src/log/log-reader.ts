/**
 * Reading from a log. Owns nothing; finds segments and positions and hands out bytes, small ones at once, larger ones
 * as a region of the file that is read while it is sent. Whatever the size of the log, a read looks into one segment,
 * its index and a few batch headers. (Kafka: LocalLog.read.)
 */
import type { Chunk, FileRegion, RegionStretch } from '../base/chunk';
import { lendBytes } from '../base/lent-bytes';
import type { Around } from '../base/mapped-writes';
import { err, ok, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import type { AbortedTransaction, LogRead, ReadOptions } from './log-read';
import type { LogState } from './log-state';
import type { LentFile } from './open-files';
import type { AbortedTransactionEntry } from './producer-state';
import type { Segment, SegmentRead } from './segment';
import { SharedRead } from './shared-read';

/** Up to here a read is done at once, beyond it when the bytes are sent. */
export const LARGEST_BUFFERED_READ = 32 * 1024;

/** One for all logs. */
const lastRead = new SharedRead();

const EMPTY_READ: LogRead = { chunk: null, sizeInBytes: 0, abortedTransactions: [] };

class SegmentRegion implements FileRegion {
  readonly #file: LentFile;
  readonly #position: number;

  constructor(
    file: LentFile,
    position: number,
    readonly length: number,
  ) {
    this.#file = file;
    this.#position = position;
  }

  read(target: Buffer, offset: number): Promise<number> {
    const wanted = target.subarray(0, Math.max(0, this.length - offset));
    return this.#file.handle.readAsync(wanted, this.#position + offset);
  }

  readAtOnce(target: Buffer, offset: number): number {
    const wanted = target.subarray(0, Math.max(0, this.length - offset));
    return this.#file.handle.readAtOnce?.(wanted, this.#position + offset) ?? 0;
  }

  sendTo(socket: number, { offset, count }: RegionStretch, then: (sent: number) => void): boolean {
    return this.#file.handle.sendTo?.(socket, { position: this.#position + offset, count }, then) ?? false;
  }

  writeTo(socket: number, { offset, count, around }: RegionStretch & { around: Around }): number {
    return this.#file.handle.writeTo?.(socket, { position: this.#position + offset, count, around }) ?? 0;
  }

  release(): void {
    this.#file.release();
  }
}

export class LogReader {
  readonly #state: LogState;

  constructor(state: LogState) {
    this.#state = state;
  }

  /** Throws on a disk error. */
  read(options: ReadOptions): Result<LogRead, ErrorCode> {
    const state = this.#state;
    const { offset, minOneBatch } = options;
    // What is read at once needs no descriptor until it is sent.
    const isBounded = state.environment.files.isLendingMany;
    const maxBytes = isBounded ? Math.min(options.maxBytes, LARGEST_BUFFERED_READ) : options.maxBytes;
    if (!(offset >= state.logStartOffset && offset <= state.logEndOffset)) {
      return err(
        ErrorCode.OFFSET_OUT_OF_RANGE,
        `Offset ${offset} is outside of [${state.logStartOffset}, ${state.logEndOffset}]`,
      );
    }
    const upTo = Math.min(options.upTo, state.logEndOffset);
    for (let index = state.segmentIndexOf(offset); index < state.segments.length && offset < upTo; index++) {
      const segment = state.segments[index]!;
      if (segment.baseOffset >= upTo) break;
      const limit = this.#limitOf(segment, index, upTo);
      const found = segment.read({ offset, maxBytes, limit, minOneBatch });
      if (!found) continue;
      if (found.sizeInBytes === 0) break;
      const nextOffset = found.nextOffset ?? Math.min(upTo, state.endOffsetOf(index));
      return ok({
        chunk: this.#chunk(segment, found, options.maxBufferedBytes ?? LARGEST_BUFFERED_READ),
        sizeInBytes: found.sizeInBytes,
        abortedTransactions: options.withAbortedTransactions ? this.#aborted(index, offset, nextOffset) : [],
      });
    }
    return ok(EMPTY_READ);
  }

  /** Position where `upTo` begins in the segment, the end of the segment if it lies beyond. */
  #limitOf(segment: Segment, index: number, upTo: number): number {
    const state = this.#state;
    if (upTo < state.endOffsetOf(index)) return segment.positionOf(upTo) ?? segment.sizeInBytes;
    // A reader at the end comes back for what follows.
    if (index === state.segments.length - 1) segment.noteReader(upTo, segment.sizeInBytes);
    return segment.sizeInBytes;
  }

  #chunk(segment: Segment, { position, sizeInBytes }: SegmentRead, maxBufferedBytes: number): Chunk {
    const { files } = this.#state.environment;
    if (sizeInBytes > maxBufferedBytes) {
      return new SegmentRegion(files.lendForReading(segment.logPath), position, sizeInBytes);
    }
    const known = lastRead.get(segment, position, sizeInBytes);
    if (known) return known;
    const buffer = lendBytes(sizeInBytes);
    const count = files.forReading(segment.logPath).read(buffer, position);
    const bytes = count === sizeInBytes ? buffer : buffer.subarray(0, count);
    lastRead.keep({ segment, position, bytes }, this.#state.environment.clock);
    return bytes;
  }

  #aborted(firstIndex: number, fromOffset: number, toOffset: number): AbortedTransaction[] {
    const found: AbortedTransactionEntry[] = [];
    const { segments } = this.#state;
    for (let index = firstIndex; index < segments.length; index++) {
      const segment = segments[index]!;
      if (segment.mayHaveAborted && segment.transactionIndex.collect(fromOffset, toOffset, found)) break;
    }
    return found.map(({ producerId, firstOffset }) => ({ producerId, firstOffset }));
  }
}
