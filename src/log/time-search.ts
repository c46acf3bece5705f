/**
 * Finding records by their time: the first one that is not older, and the first of the newest. Exact whatever the order
 * of the timestamps: what lies before the log start does not count, be it in the same batch. Time indexes say where to
 * look; where deleted records have hidden what is left, headers of one segment are read, in slices. (Kafka:
 * UnifiedLog.fetchOffsetByTimestamp, which until their segment is gone may tell records that are deleted.)
 */
import * as batchHeader from '../records/batch-header';
import { convertUp } from '../records/message-set';
import { decodeRecords } from '../records/record-codec';
import type { TimestampOffset } from './log-read';
import type { LogState } from './log-state';
import type { LentFile } from './open-files';
import type { Segment } from './segment';
import { SegmentTimes } from './segment-times';
import * as storedBatch from './stored-batch';

/** Bytes of a segment whose headers are read at one go. */
const SLICE_BYTES = 4 * 1024 * 1024;

interface TimedRecord {
  readonly offset: number;
  readonly timestamp: number;
}

/** Throws on a disk error. */
export async function offsetForTimestamp(state: LogState, timestampMs: number): Promise<TimestampOffset | null> {
  const { logEndOffset } = state;
  const times = await currentTimes(state);
  for (let segment = times.firstReaching(state, timestampMs); segment; ) {
    const found = await findInSegment(state, segment, {
      isWanted: (time) => time >= timestampMs,
      from: segment.searchStart(timestampMs),
    });
    if (found) return found.offset < logEndOffset ? found : null;
    // Only where the segment that reaches the time does so before the log start. Segments may have gone meanwhile.
    const searchedTo = segment.baseOffset;
    segment = state.segments.find(
      ({ baseOffset, maxTimestampMs, sizeInBytes }) =>
        baseOffset > searchedTo && maxTimestampMs >= timestampMs && sizeInBytes > 0,
    );
  }
  return null;
}

/**
 * Up to date at the moment when they are given. Whoever goes on after a wait looks only into segments that are still in
 * the log: the files of others are gone, and their absence would count as a disk error.
 */
async function currentTimes(state: LogState): Promise<SegmentTimes> {
  for (;;) {
    state.times ??= new SegmentTimes();
    const { times } = state;
    await times.bringUpToDate(state);
    if (times.isUpToDate(state)) return times;
  }
}

/** Throws on a disk error. */
export async function offsetOfMaxTimestamp(state: LogState): Promise<TimestampOffset | null> {
  for (;;) {
    await currentTimes(state);
    const { segments } = state;
    const newest = await newestSegment(state);
    if (!newest) return null;
    // Retention may have come by while headers were read.
    if (state.segments !== segments) continue;
    const { segment, maxTimestampMs } = newest;
    const isWanted = (time: number): boolean => time >= maxTimestampMs;
    return findInSegment(state, segment, { isWanted, from: segment.searchStart(maxTimestampMs) });
  }
}

interface NewestSegment {
  readonly segment: Segment;
  readonly maxTimestampMs: number;
}

/** The segment with the newest of the records that are left, undefined where there are none. */
async function newestSegment(state: LogState): Promise<NewestSegment | undefined> {
  const { logStartOffset, segments } = state;
  let newest: Segment | undefined;
  let maxTimestampMs = -1;
  for (const segment of segments) {
    if (segment.sizeInBytes === 0 || segment.baseOffset < logStartOffset) continue;
    if (newest && segment.maxTimestampMs <= maxTimestampMs) continue;
    newest = segment;
    maxTimestampMs = segment.maxTimestampMs;
  }
  // The only one of which a part is deleted.
  const first = segments[state.segmentIndexOf(logStartOffset)]!;
  if (first.baseOffset < logStartOffset && first.maxTimestampMs >= maxTimestampMs) {
    const rest = await maxOfRest(state, first);
    if (rest !== undefined && rest >= maxTimestampMs) [newest, maxTimestampMs] = [first, rest];
  }
  return newest && { segment: newest, maxTimestampMs };
}

/** The largest timestamp from the log start on, which lies in this segment; undefined where no record is left. */
async function maxOfRest(state: LogState, segment: Segment): Promise<number | undefined> {
  const { logStartOffset, environment } = state;
  let max: number | undefined;
  const take = (timestampMs: number): void => {
    if (max === undefined || timestampMs > max) max = timestampMs;
  };
  const end = segment.sizeInBytes;
  const file = environment.files.lendForReading(segment.logPath);
  try {
    let position = segment.positionOf(logStartOffset) ?? end;
    const straddling = await batchAt(file, position, end);
    if (straddling && firstOffset(straddling) < logStartOffset) {
      for (const { offset, timestamp } of recordsOf(straddling)) if (offset >= logStartOffset) take(timestamp);
      position += straddling.length;
    }
    while (position < end) {
      const to = Math.min(end, position + SLICE_BYTES);
      const stopped = storedBatch.walkBatches(file.handle, { from: position, to: end }, (buffer, at, place) => {
        if (place >= to) return false;
        if (hasRecords(buffer, at)) take(storedBatch.maxTimestamp(buffer, at));
        return true;
      });
      if (stopped < to) break;
      position = stopped;
      await new Promise<void>((resolve) => environment.clock.immediate(resolve));
    }
  } finally {
    file.release();
  }
  return max;
}

function hasRecords(buffer: Buffer, at: number): boolean {
  return !storedBatch.isV2(buffer, at) || batchHeader.recordCount(buffer, at) > 0;
}

/** Of a legacy wrapper only the last one is known. */
function firstOffset(batch: Buffer): number {
  return storedBatch.isV2(batch, 0) ? batchHeader.baseOffset(batch) : 0;
}

async function batchAt({ handle }: LentFile, position: number, end: number): Promise<Buffer | undefined> {
  let sizeInBytes = 0;
  storedBatch.walkBatches(handle, { from: position, to: end }, (buffer, at) => {
    sizeInBytes = batchHeader.sizeInBytes(buffer, at);
    return false;
  });
  if (sizeInBytes === 0) return undefined;
  const batch = Buffer.allocUnsafe(sizeInBytes);
  await handle.readAsync(batch, position);
  return batch;
}

/** The first record, in offset order from the border `from` on and not before the log start, whose time is wanted. */
async function findInSegment(
  { logStartOffset, environment }: LogState,
  segment: Segment,
  o: { readonly isWanted: (timestampMs: number) => boolean; readonly from: number },
): Promise<TimestampOffset | null> {
  const to = segment.sizeInBytes;
  const isCut = segment.baseOffset < logStartOffset;
  const file = environment.files.lendForReading(segment.logPath);
  try {
    for (let start = isCut ? Math.max(o.from, segment.positionOf(logStartOffset) ?? to) : o.from; ; ) {
      // By the handle: the segment's path may become that of another file meanwhile.
      const position = storedBatch.walkBatches(
        file.handle,
        { from: start, to },
        (buffer, at) =>
          storedBatch.lastOffset(buffer, at) < logStartOffset || !o.isWanted(storedBatch.maxTimestamp(buffer, at)),
      );
      const batch = position < to ? await batchAt(file, position, to) : undefined;
      if (!batch) return null;
      const found = recordsOf(batch).find(({ offset, timestamp }) => offset >= logStartOffset && o.isWanted(timestamp));
      if (found) {
        const leaderEpoch = storedBatch.isV2(batch, 0) ? batchHeader.partitionLeaderEpoch(batch) : -1;
        return { offset: found.offset, timestampMs: found.timestamp, leaderEpoch };
      }
      start = position + batch.length;
    }
  } finally {
    file.release();
  }
}

/** The records of a whole batch of any format; none of one that cannot be read. */
function recordsOf(batch: Buffer): readonly TimedRecord[] {
  let v2 = batch;
  if (!storedBatch.isV2(batch, 0)) {
    const converted = convertUp(batch);
    if (!converted.ok || converted.value.batch === null) return [];
    v2 = converted.value.batch;
    batchHeader.patchBaseOffset(v2, 0, storedBatch.lastOffset(batch, 0) - batchHeader.lastOffsetDelta(v2));
  }
  const records = decodeRecords(v2);
  return records.ok ? records.value : [];
}
