/**
 * The memory that inflated bytes are put into: new memory, or for those who look at the bytes at once and keep none of
 * them, memory that is used again and again. New memory for every batch costs page faults where it is large, and makes
 * the garbage collector run.
 */

/** Gives memory for so many bytes, whatever is in it. */
export type InflateRoom = (bytes: number) => Buffer;

export interface InflateInto {
  /** More is a failure. */
  readonly maxBytes: number;
  /** Codecs that bring memory of their own do not ask for it. */
  readonly room: InflateRoom;
}

/** What is kept; larger batches get new memory. A whole batch of the default size limit that inflates twofold. */
const KEPT_BYTES = 2 * 1024 * 1024;

let kept: Buffer | undefined;

/** Memory whose content is lost as soon as the next one asks. */
export function passingRoom(bytes: number): Buffer {
  if (bytes > KEPT_BYTES) return Buffer.allocUnsafe(bytes);
  // The system gives a page only when it is written to first.
  kept ??= Buffer.allocUnsafeSlow(KEPT_BYTES);
  return kept.subarray(0, bytes);
}

/** `bytes`, which lie in `passingRoom`, for one who asked for memory of `room`: copied unless that is the same. */
export function keptIn(room: InflateRoom, bytes: Buffer): Buffer {
  if (room === passingRoom || bytes.buffer !== kept?.buffer) return bytes;
  const copy = room(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** The parts one after the other, `total` bytes in all; a single one as it is. */
export function joinInflated(parts: readonly Buffer[], total: number, room: InflateRoom = Buffer.allocUnsafe): Buffer {
  if (parts.length === 1) return parts[0]!;
  const joined = room(total);
  let at = 0;
  for (const part of parts) at += part.copy(joined, at);
  return joined;
}
