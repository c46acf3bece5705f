/**
 * Batches as they lie in a segment, in any format: v2, or a v0/v1 message (perhaps a compressed wrapper) in a log that
 * Kafka wrote long ago. Functions over (buffer, position); they need only the first bytes of the batch.
 * For a legacy wrapper the stored offset is that of its last record, and where it begins is unknown.
 */
import * as batchHeader from '../records/batch-header';
import type { FileHandle } from './file-system';

/** As much of a batch as these functions may look at; a legacy batch at the end of a file can be shorter. */
export const PEEK_BYTES = batchHeader.HEADER_SIZE;

/** The fixed parts of a v0 and a v1 message, the offset and size in front included. */
const SMALLEST_LEGACY_BYTES = batchHeader.LOG_OVERHEAD + 14;
const LEGACY_V1_BYTES = batchHeader.LOG_OVERHEAD + 22;
const LEGACY_TIMESTAMP = 18;
const WALK_WINDOW_BYTES = 4096;
/** The window of the walk before, unless one is going on: a start walks ten thousand logs, and a read two or three. */
let spareWindow: Buffer | undefined;

/** Whether `available` bytes from `position` on begin with a batch header whose size is possible. */
export function isPlausible(buffer: Buffer, position: number, available: number): boolean {
  if (available < SMALLEST_LEGACY_BYTES) return false;
  const size = batchHeader.sizeInBytes(buffer, position);
  const magic = batchHeader.magic(buffer, position);
  if (magic === batchHeader.MAGIC_V2) {
    return (
      size >= batchHeader.HEADER_SIZE &&
      available >= batchHeader.HEADER_SIZE &&
      batchHeader.baseOffset(buffer, position) >= 0 &&
      batchHeader.lastOffsetDelta(buffer, position) >= 0
    );
  }
  if (magic === 1) return size >= LEGACY_V1_BYTES && available >= LEGACY_V1_BYTES;
  return magic === 0 && size >= SMALLEST_LEGACY_BYTES;
}

export function isV2(buffer: Buffer, position: number): boolean {
  return batchHeader.magic(buffer, position) === batchHeader.MAGIC_V2;
}

export function lastOffset(buffer: Buffer, position: number): number {
  return isV2(buffer, position) ? batchHeader.lastOffset(buffer, position) : batchHeader.baseOffset(buffer, position);
}

/** The largest timestamp of a record; -1 for none, as in format v0 and in a batch that compaction has emptied. */
export function maxTimestamp(buffer: Buffer, position: number): number {
  const magic = batchHeader.magic(buffer, position);
  if (magic === batchHeader.MAGIC_V2) {
    return batchHeader.recordCount(buffer, position) > 0 ? batchHeader.maxTimestamp(buffer, position) : -1;
  }
  return magic === 1 ? batchHeader.readInt64(buffer, position + LEGACY_TIMESTAMP) : -1;
}

/** Sees the header of a batch at `at` in `buffer`, which lies at `position` in the file; false ends the walk. */
export type BatchVisitor = (buffer: Buffer, at: number, position: number) => boolean;

/**
 * Visits the headers of the batches from `range.from` (a batch border) on, as long as a whole batch lies below
 * `range.to`. Returns where it stopped: at the batch that ended the walk, or at the first that is not whole.
 */
export function walkBatches(handle: FileHandle, range: { from: number; to: number }, visit: BatchVisitor): number {
  const window = spareWindow ?? Buffer.allocUnsafe(WALK_WINDOW_BYTES);
  spareWindow = undefined;
  try {
    return walkIn({ handle, window }, range, visit);
  } finally {
    spareWindow = window;
  }
}

function walkIn(
  { handle, window }: { readonly handle: FileHandle; readonly window: Buffer },
  range: { from: number; to: number },
  visit: BatchVisitor,
): number {
  let windowStart = range.from;
  let windowBytes = 0;
  let position = range.from;
  while (position < range.to) {
    let at = position - windowStart;
    if (at + PEEK_BYTES > windowBytes) {
      const wanted = Math.min(window.length, range.to - position);
      windowBytes = handle.read(window.subarray(0, wanted), position);
      windowStart = position;
      at = 0;
    }
    if (!isPlausible(window, at, windowBytes - at)) return position;
    const size = batchHeader.sizeInBytes(window, at);
    if (position + size > range.to || !visit(window, at, position)) return position;
    position += size;
  }
  return position;
}
