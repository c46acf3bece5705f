/**
 * Producer state as of an offset: the newest snapshot at or below it, then the headers of the batches up to it.
 * For a start, and for a log that was cut. (Kafka: UnifiedLog.rebuildProducerState.)
 */
import * as batchHeader from '../records/batch-header';
import type { OpenFiles } from './open-files';
import { applyBatch } from './producer-batch';
import type { ProducerState } from './producer-state';
import type { Segment } from './segment';
import type { SnapshotFiles } from './snapshot-files';
import * as storedBatch from './stored-batch';

export interface ProducerSource {
  readonly files: OpenFiles;
  readonly segments: readonly Segment[];
  readonly snapshots: SnapshotFiles;
}

/** Makes `producers` what it was when `endOffset` was the log end; what lies before `startOffset` is gone. */
export function rebuildProducers(
  producers: ProducerState,
  source: ProducerSource,
  range: { startOffset: number; endOffset: number },
): void {
  const snapshot = source.snapshots.loadAtOrBelow(range.endOffset);
  producers.load(snapshot?.entries ?? []);
  const from = Math.max(snapshot?.offset ?? 0, range.startOffset);
  for (const [index, segment] of source.segments.entries()) {
    const next = source.segments[index + 1];
    if ((next && next.baseOffset <= from) || segment.baseOffset >= range.endOffset) continue;
    const start = segment.positionOf(from);
    if (start !== undefined) replay(producers, source, { segment, start, endOffset: range.endOffset });
  }
}

function replay(
  producers: ProducerState,
  source: ProducerSource,
  stretch: { segment: Segment; start: number; endOffset: number },
): void {
  const { segment, start, endOffset } = stretch;
  segment.walk(start, (buffer, at, position) => {
    if (storedBatch.lastOffset(buffer, at) >= endOffset) return false;
    if (!storedBatch.isV2(buffer, at) || batchHeader.producerId(buffer, at) < 0) return true;
    const draft = producers.draft();
    if (batchHeader.isControl(buffer, at)) {
      // Only of control batches the body counts, and it may lie beyond what the walk has read.
      const whole = Buffer.allocUnsafe(batchHeader.sizeInBytes(buffer, at));
      source.files.forReading(segment.logPath).read(whole, position);
      applyBatch(draft, { buffer: whole, at: 0 }, { origin: 'replication' });
    } else {
      applyBatch(draft, { buffer, at }, { origin: 'replication' });
    }
    draft.commit();
    return true;
  });
}

/** How many segments are looked into for producers. */
const SIGHT_SEGMENTS = 10;

/** Whether the last batches, or the first one of one of the last segments, come from an idempotent producer. */
export function hasProducersInSight(segments: readonly Segment[]): boolean {
  const looked = segments.slice(-SIGHT_SEGMENTS).filter(({ sizeInBytes }) => sizeInBytes > 0);
  let isSeen = false;
  const look = (buffer: Buffer, at: number): boolean => {
    isSeen ||= storedBatch.isV2(buffer, at) && batchHeader.producerId(buffer, at) >= 0;
    return !isSeen;
  };
  const last = looked.at(-1);
  last?.walk(last.offsetIndex.last.position, look);
  for (const segment of looked) {
    if (isSeen) return true;
    segment.walk(0, (buffer, at) => {
      look(buffer, at);
      return false;
    });
  }
  return isSeen;
}
