/**
 * Positions in a segment by its offset index, which is not believed: the batch at an entry's position must end with the
 * entry's offset. An index that proves wrong is made anew from the log, once; then the search begins at the front.
 */
import type { OffsetPosition } from './offset-index';
import * as storedBatch from './stored-batch';

/** What of a segment is needed. */
export interface SearchedSegment {
  readonly baseOffset: number;
  readonly sizeInBytes: number;
  walk(from: number, goOn: storedBatch.BatchVisitor): number;
  rebuildIndexes(): void;
}

/** Finds an entry of the offset index; asked again when the index was made anew. */
export type LookUp = () => OffsetPosition;

/** Walks from the position that `lookUp` finds, and returns where it stopped; the log is asked on the way. */
export function walkFrom(segment: SearchedSegment, lookUp: LookUp, goOn: storedBatch.BatchVisitor): number {
  const entry = lookUp();
  const isFront = entry.position === 0 && entry.offset === segment.baseOffset;
  if (isFront) return segment.walk(0, goOn);
  if (entry.position > 0 && entry.position < segment.sizeInBytes) {
    let agrees = false;
    const end = segment.walk(entry.position, (buffer, at, position) => {
      if (position === entry.position) agrees = storedBatch.lastOffset(buffer, at) === entry.offset;
      return agrees && goOn(buffer, at, position);
    });
    if (agrees) return end;
  }
  return segment.walk(trustedPosition(segment, lookUp), goOn);
}

/** The position that `lookUp` finds, once the log agrees that the entry is right. */
export function trustedPosition(segment: SearchedSegment, lookUp: LookUp): number {
  const found = lookUp();
  if (agrees(segment, found)) return found.position;
  segment.rebuildIndexes();
  const again = lookUp();
  return agrees(segment, again) ? again.position : 0;
}

function agrees(segment: SearchedSegment, entry: OffsetPosition): boolean {
  if (entry.position === 0) return entry.offset === segment.baseOffset;
  if (entry.position < 0 || entry.position >= segment.sizeInBytes) return false;
  let isRight = false;
  segment.walk(entry.position, (buffer, at) => {
    isRight = storedBatch.lastOffset(buffer, at) === entry.offset;
    return false;
  });
  return isRight;
}
