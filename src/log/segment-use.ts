/** What a segment has while it is read or written: very many never are, and rest without. */
import type { ReaderPlaces } from './reader-places';
import type { RecentBatches } from './recent-batches';
import type { SegmentIndexes } from './segment-indexes';

export class SegmentUse {
  logPath: string | undefined;
  indexes: SegmentIndexes | undefined;
  firstTimestampMs: number | undefined;
  recent: RecentBatches | undefined;
  readers: ReaderPlaces | undefined;
}
