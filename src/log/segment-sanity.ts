/**
 * Whether the indexes of a segment that was closed cleanly can be relied on: a few looks, not a scan. They find files
 * that are missing, cut to an odd size, emptied or filled with zeros, and ends that do not fit the log. (Kafka:
 * OffsetIndex.sanityCheck, TimeIndex.sanityCheck; ours look into the log as well.)
 */
import * as batchHeader from '../records/batch-header';
import type { OffsetIndex } from './offset-index';
import type { IndexSizes } from './segment-indexes';
import * as storedBatch from './stored-batch';
import type { TimeIndex } from './time-index';
import type { TransactionIndex } from './transaction-index';

const OFFSET_ENTRY_BYTES = 8;
const TIME_ENTRY_BYTES = 12;
/** A segment may lack index entries only up to this size; beyond it, looking things up would be a scan. */
const LARGEST_UNINDEXED = 1024 * 1024;

/** What is looked at. */
export interface IndexedSegment {
  readonly baseOffset: number;
  readonly sizeInBytes: number;
  readonly offsetIndex: OffsetIndex;
  readonly timeIndex: TimeIndex;
  readonly transactionIndex: TransactionIndex;
  positionOf(offset: number): number | undefined;
  walk(from: number, goOn: storedBatch.BatchVisitor): number;
}

/** What is wrong, undefined when nothing is. */
export function indexDamage(segment: IndexedSegment, sizes: IndexSizes): string | undefined {
  if (segment.sizeInBytes === 0) return undefined;
  if (sizes.offsetIndex === undefined || sizes.timeIndex === undefined) return 'missing';
  if (sizes.offsetIndex % OFFSET_ENTRY_BYTES !== 0 || sizes.timeIndex % TIME_ENTRY_BYTES !== 0) return 'odd size';
  if (!isOffsetIndexRight(segment)) return 'offset index does not fit the log';
  if (!isTimeIndexRight(segment)) return 'time index does not fit the log';
  return segment.transactionIndex.isSane(segment.baseOffset) ? undefined : 'transaction index is damaged';
}

function isOffsetIndexRight(segment: IndexedSegment): boolean {
  const { first, last, count } = segment.offsetIndex;
  if (count === 0) return segment.sizeInBytes <= LARGEST_UNINDEXED;
  if (first.position <= 0 || last.position >= segment.sizeInBytes) return false;
  if (count > 1 && (last.position <= first.position || last.offset <= first.offset)) return false;
  return batchAt(segment, last.position)?.lastOffset === last.offset;
}

function isTimeIndexRight(segment: IndexedSegment): boolean {
  const { first, last, count } = segment.timeIndex;
  if (count === 0) return !hasTimestamps(segment);
  if (count > 1 && (last.timestampMs <= first.timestampMs || last.offset <= first.offset)) return false;
  const position = segment.positionOf(last.offset);
  return position !== undefined && batchAt(segment, position)?.maxTimestampMs === last.timestampMs;
}

/** Whether records have timestamps; the first batch that has records stands for all. */
function hasTimestamps(segment: IndexedSegment): boolean {
  let found = false;
  segment.walk(0, (buffer, at) => {
    if (storedBatch.isV2(buffer, at) && batchHeader.recordCount(buffer, at) === 0) return true;
    found = storedBatch.maxTimestamp(buffer, at) >= 0;
    return false;
  });
  return found;
}

function batchAt(
  segment: IndexedSegment,
  position: number,
): { lastOffset: number; maxTimestampMs: number } | undefined {
  let found: { lastOffset: number; maxTimestampMs: number } | undefined;
  segment.walk(position, (buffer, at) => {
    found = { lastOffset: storedBatch.lastOffset(buffer, at), maxTimestampMs: storedBatch.maxTimestamp(buffer, at) };
    return false;
  });
  return found;
}
