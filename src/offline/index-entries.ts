/**
 * The entries of index files as they lie on the disk, read in pieces: for tools that look at files which nobody has
 * open. Owns their layouts, not what they must fulfil. (Kafka: OffsetIndex, TimeIndex.)
 */
import type { FileHandle } from '../log/file-system';
import { readInt64 } from '../records/batch-header';

export interface OffsetIndexEntry {
  readonly offset: number;
  readonly position: number;
}

export interface TimeIndexEntry {
  readonly timestampMs: number;
  readonly offset: number;
}

export const OFFSET_ENTRY_BYTES = 8;
export const TIME_ENTRY_BYTES = 12;
/** Read at a time; both sizes of entries fit into it without a rest. */
const PIECE_BYTES = 24 * 1024;

function* pieces(handle: FileHandle, entryBytes: number): Generator<[Buffer, number]> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let position = 0; ; position += PIECE_BYTES) {
    const count = handle.read(piece, position);
    for (let at = 0; at + entryBytes <= count; at += entryBytes) yield [piece, at];
    if (count < PIECE_BYTES) return;
  }
}

/** All whole entries; a torn last one is left out. */
export function* offsetIndexEntries(handle: FileHandle, baseOffset: number): Generator<OffsetIndexEntry> {
  for (const [piece, at] of pieces(handle, OFFSET_ENTRY_BYTES))
    yield { offset: baseOffset + piece.readInt32BE(at), position: piece.readInt32BE(at + 4) };
}

/** All whole entries; a torn last one is left out. */
export function* timeIndexEntries(handle: FileHandle, baseOffset: number): Generator<TimeIndexEntry> {
  for (const [piece, at] of pieces(handle, TIME_ENTRY_BYTES))
    yield { timestampMs: readInt64(piece, at), offset: baseOffset + piece.readInt32BE(at + 8) };
}
