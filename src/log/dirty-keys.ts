/**
 * The first half of a compaction: notes the newest offset of each key in the part of a log that was not compacted yet,
 * as far as the memory reaches. Aborted records and markers do not count. (Kafka: Cleaner.buildOffsetMap.)
 */
import * as batchHeader from '../records/batch-header';
import { RecordCursor, recordBytes } from '../records/batch-walk';
import type { CleanableRange } from './cleanable-range';
import { CleanedTransactions } from './cleaned-transactions';
import { type CleaningRun, DamagedSegment, type SourceBatch } from './cleaning-run';
import type { AbortedTransactionEntry } from './producer-state';
import type { Segment } from './segment';

/** Records between two looks at the clock. */
export const RECORDS_PER_LOOK = 128;

/**
 * Fills the run's map from the dirty range; its `latestOffset` says how far. The whole range when the keys fit,
 * otherwise up to some record.
 */
export async function mapDirtyKeys(run: CleaningRun, range: CleanableRange): Promise<void> {
  const { map, pace } = run.tools;
  const { firstDirtyOffset, firstUncleanableOffset } = range;
  // There cannot be more keys than offsets.
  await map.clear(Math.max(0, firstUncleanableOffset - firstDirtyOffset), async () => {
    if (pace.isDue) await run.rest();
  });
  map.latestOffset = firstDirtyOffset - 1;
  if (firstUncleanableOffset <= firstDirtyOffset) return;
  const { segments } = run.state;
  const dirty = segments.filter(
    ({ baseOffset }, i) =>
      baseOffset < firstUncleanableOffset && (segments[i + 1]?.baseOffset ?? firstUncleanableOffset) > firstDirtyOffset,
  );
  const transactions = new CleanedTransactions();
  for (const [i, segment] of dirty.entries()) {
    run.check([segment]);
    const endOffset = dirty[i + 1]?.baseOffset ?? firstUncleanableOffset;
    // Not those that ended before: their markers are not read, and would seem to be still to come.
    transactions.expect(abortedBetween(run, Math.max(segment.baseOffset, firstDirtyOffset), endOffset));
    if (!(await mapSegment(run, segment, { transactions, firstDirtyOffset }))) return;
    // Nothing is left of the offsets between the last batch and the next segment.
    map.latestOffset = endOffset - 1;
  }
}

/** The aborted transactions that touch a stretch of the log. */
export function abortedBetween(
  { state }: CleaningRun,
  fromOffset: number,
  toOffset: number,
): AbortedTransactionEntry[] {
  const found: AbortedTransactionEntry[] = [];
  for (const segment of state.segments.slice(state.segmentIndexOf(fromOffset))) {
    if (segment.mayHaveAborted && segment.transactionIndex.collect(fromOffset, toOffset, found)) break;
  }
  return found;
}

/** False when the map is full. */
async function mapSegment(
  run: CleaningRun,
  segment: Segment,
  { transactions, firstDirtyOffset }: { transactions: CleanedTransactions; firstDirtyOffset: number },
): Promise<boolean> {
  const { map } = run.tools;
  const start = segment.positionOf(firstDirtyOffset);
  if (start === undefined) return true;
  const cursor = new RecordCursor();
  let hasRoom = true;
  await run.readSegment(segment, start, async (batch) => {
    const { buffer, at } = batch;
    if (batchHeader.isControl(buffer, at)) transactions.onControl(buffer, at, () => undefined);
    else if (!transactions.onRecords(buffer, at)) hasRoom = await mapBatch(run, batch, { cursor, firstDirtyOffset });
    if (hasRoom) map.latestOffset = Math.max(map.latestOffset, batchHeader.lastOffset(buffer, at));
    return hasRoom;
  });
  return hasRoom;
}

async function mapBatch(
  run: CleaningRun,
  { buffer, at }: SourceBatch,
  { cursor, firstDirtyOffset }: { cursor: RecordCursor; firstDirtyOffset: number },
): Promise<boolean> {
  const { map, pace } = run.tools;
  const bytes = recordBytes(buffer, at);
  if (!bytes.ok) throw new DamagedSegment(bytes.message ?? bytes.error);
  const baseOffset = batchHeader.baseOffset(buffer, at);
  cursor.reset(bytes.value);
  while (cursor.next()) {
    const offset = baseOffset + cursor.offsetDelta;
    if (cursor.keyLength >= 0 && offset >= firstDirtyOffset) {
      const key = { from: cursor.keyPosition, to: cursor.keyPosition + cursor.keyLength };
      if (!map.put(cursor.bytes, key, offset)) return false;
      map.latestOffset = offset;
    }
    if (cursor.index % RECORDS_PER_LOOK === 0 && pace.isDue) await run.rest();
  }
  if (cursor.failure !== undefined) throw new DamagedSegment(cursor.failure);
  return true;
}
