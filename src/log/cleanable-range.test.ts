/** From where to where a log may be compacted, and when it is worth it. */
import { logConfig } from '../testing/log-fixture';
import { cleanableRange, type RangeContext, type RangeSegment } from './cleanable-range';

/** Segments of ten offsets each: [bytes, first timestamp, largest timestamp]. */
function segments(...shapes: [number, number, number][]): RangeSegment[] {
  return shapes.map(([sizeInBytes, firstMs, largestMs], i) => ({
    baseOffset: i * 10,
    sizeInBytes,
    firstTimestampMs: () => firstMs,
    largestTimestampMs: () => largestMs,
  }));
}

const FOUR = segments([100, 100, 190], [100, 200, 290], [100, 300, 390], [100, 400, 490]);

function rangeOf(changes: Partial<Omit<RangeContext, 'config'>> & Parameters<typeof logConfig>[0] = {}) {
  const { segments = FOUR, nowMs = 1000, logStartOffset = 0, lastStableOffset = 40, ...rest } = changes;
  const { cleanOffset = -1, deleteHorizonMs = Number.POSITIVE_INFINITY, ...config } = rest;
  const { firstDirtyOffset, firstUncleanableOffset, dirtyRatio, isWorthCleaning } = cleanableRange({
    segments,
    config: logConfig({ minCleanableDirtyRatio: 0.5, ...config }),
    nowMs,
    logStartOffset,
    lastStableOffset,
    cleanOffset,
    deleteHorizonMs,
  });
  return [firstDirtyOffset, firstUncleanableOffset, Math.round(dirtyRatio * 100), isWorthCleaning];
}

describe('cleanableRange', () => {
  it('is all but the active segment of a log that was never compacted', () => {
    expect(rangeOf()).toEqual([0, 30, 100, true]);
    expect(rangeOf({ segments: FOUR.slice(0, 1) })).toEqual([0, 0, 0, false]);
  });

  it('begins where the last compaction ended, at least at the log start', () => {
    expect(rangeOf({ cleanOffset: 10 })).toEqual([10, 30, 67, true]);
    expect(rangeOf({ cleanOffset: 20 })).toEqual([20, 30, 33, false]);
    expect(rangeOf({ cleanOffset: 20, minCleanableDirtyRatio: 0.33 })).toEqual([20, 30, 33, true]);
    expect(rangeOf({ cleanOffset: 30, minCleanableDirtyRatio: 0 })).toEqual([30, 30, 0, false]);
    expect(rangeOf({ cleanOffset: 5, logStartOffset: 12 })).toEqual([12, 30, 50, false]);
  });

  it('ends with the segment before the last stable offset', () => {
    expect(rangeOf({ lastStableOffset: 25 })).toEqual([0, 20, 100, true]);
    expect(rangeOf({ lastStableOffset: 9 })).toEqual([0, 0, 0, false]);
    expect(rangeOf({ cleanOffset: 20, lastStableOffset: 15 })).toEqual([20, 10, 0, false]);
  });

  it('leaves out what is younger than the smallest lag', () => {
    expect(rangeOf({ minCompactionLagMs: 610 })).toEqual([0, 30, 100, true]);
    expect(rangeOf({ minCompactionLagMs: 611 })).toEqual([0, 20, 100, true]);
    expect(rangeOf({ minCompactionLagMs: 2 ** 63 })).toEqual([0, 0, 0, false]);
  });

  it('is due when a dirty segment begins before the largest lag, whatever the ratio', () => {
    const nearlyClean = { cleanOffset: 20, minCleanableDirtyRatio: 1 };
    expect(rangeOf({ ...nearlyClean, maxCompactionLagMs: 700 })).toEqual([20, 30, 33, false]);
    expect(rangeOf({ ...nearlyClean, maxCompactionLagMs: 699 })).toEqual([20, 30, 33, true]);
    expect(rangeOf({ ...nearlyClean, maxCompactionLagMs: 699, minCompactionLagMs: 900 })).toEqual([20, 20, 0, false]);
  });

  it('is due when a delete horizon is over, also without anything dirty', () => {
    const clean = { cleanOffset: 30, minCleanableDirtyRatio: 1 };
    expect(rangeOf({ ...clean, deleteHorizonMs: 1001 })).toEqual([30, 30, 0, false]);
    expect(rangeOf({ ...clean, deleteHorizonMs: 1000 })).toEqual([30, 30, 0, true]);
  });
});
