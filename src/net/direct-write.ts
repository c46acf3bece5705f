/**
 * The head of an answer sender's queue in one call past the socket's stream: what is before a large region, what is in
 * memory of it, and what is behind it. Owns which entries these are and that the queue begins behind what went out;
 * when it may be done is the sender's.
 */
import { giveBackLent } from '../base/lent-bytes';
import { MOST_MAPPED_BYTES } from '../base/mapped-writes';
import { LARGE_REGION_BYTES } from './piece-memory';
import { QueuedRegion } from './queued-region';

export interface Written {
  readonly bytes: number;
  /** The socket took all that it was offered; otherwise it is full, or the region is not in memory any further. */
  readonly isWhole: boolean;
}

/** Undefined, and nothing has gone out, where the queue does not begin so or the ordinary way is to be taken. */
export function writeHead(queue: (Buffer | QueuedRegion)[], socket: number): Written | undefined {
  const at = queue.findIndex(isRegion);
  const region = queue[at];
  if (!(region instanceof QueuedRegion)) return undefined;
  const restBytes = region.region.length - region.offset;
  if (restBytes < LARGE_REGION_BYTES) return undefined;
  const before = queue.slice(0, at) as Buffer[];
  const count = Math.min(restBytes, MOST_MAPPED_BYTES);
  const after = count === restBytes ? buffersFrom(queue, at + 1) : [];
  const bytes = region.writeTo(socket, count, { before, after });
  if (bytes === 0) return undefined;
  pass(queue, bytes);
  return { bytes, isWhole: bytes === bytesOf(before) + count + bytesOf(after) };
}

function isRegion(entry: Buffer | QueuedRegion): boolean {
  return entry instanceof QueuedRegion;
}

function buffersFrom(queue: readonly (Buffer | QueuedRegion)[], start: number): Buffer[] {
  const buffers: Buffer[] = [];
  for (let at = start; at < queue.length; at++) {
    const entry = queue[at]!;
    if (entry instanceof QueuedRegion) break;
    buffers.push(entry);
  }
  return buffers;
}

function bytesOf(buffers: readonly Buffer[]): number {
  let bytes = 0;
  for (const buffer of buffers) bytes += buffer.length;
  return bytes;
}

/** So many bytes of the head of the queue have gone out. */
function pass(queue: (Buffer | QueuedRegion)[], bytes: number): void {
  let left = bytes;
  let gone = 0;
  while (left > 0) {
    const entry = queue[gone]!;
    if (entry instanceof QueuedRegion) {
      const step = Math.min(left, entry.region.length - entry.offset);
      entry.offset += step;
      left -= step;
      if (entry.offset < entry.region.length) break;
      entry.over();
    } else if (left < entry.length) {
      queue[gone] = entry.subarray(left);
      break;
    } else {
      left -= entry.length;
      giveBackLent(entry);
    }
    gone++;
  }
  queue.splice(0, gone);
}
