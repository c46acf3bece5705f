/** Which segments may go, by time, size and log start. */
import { logConfig } from '../testing/log-fixture';
import { deletableSegments, type RetentionContext } from './retention';

/** Segments of ten offsets each: [bytes, largest timestamp]. */
function count(
  segments: [number, number][],
  changes: Partial<Omit<RetentionContext, 'config'>> & Parameters<typeof logConfig>[0] = {},
): number {
  const { nowMs = 1000, logStartOffset = 0, highWatermark = 1000, onlyBelowLogStart = false, ...config } = changes;
  return deletableSegments(
    segments.map(([sizeInBytes, largestTimestampMs], i) => ({
      sizeInBytes,
      baseOffset: i * 10,
      endOffset: i * 10 + 10,
      largestTimestampMs: () => largestTimestampMs,
    })),
    { config: logConfig({ retentionMs: -1, ...config }), nowMs, logStartOffset, highWatermark, onlyBelowLogStart },
  );
}

describe('deletableSegments', () => {
  it('deletes nothing without limits', () => {
    expect(
      count([
        [100, 0],
        [100, 0],
        [0, 0],
      ]),
    ).toBe(0);
  });

  it('deletes by time, strictly older, oldest first and without gaps', () => {
    expect(
      count(
        [
          [9, 899],
          [9, 900],
          [9, 999],
        ],
        { retentionMs: 100 },
      ),
    ).toBe(1);
    expect(
      count(
        [
          [9, 999],
          [9, 1],
          [9, 999],
        ],
        { retentionMs: 100 },
      ),
    ).toBe(0);
    expect(
      count(
        [
          [9, 1],
          [9, 1],
          [9, 1],
        ],
        { retentionMs: 100 },
      ),
    ).toBe(3);
  });

  it('deletes by size what is wholly beyond the limit', () => {
    expect(
      count(
        [
          [100, 0],
          [100, 0],
          [100, 0],
        ],
        { retentionBytes: 200 },
      ),
    ).toBe(1);
    expect(
      count(
        [
          [100, 0],
          [100, 0],
          [100, 0],
        ],
        { retentionBytes: 201 },
      ),
    ).toBe(0);
    expect(
      count(
        [
          [100, 0],
          [100, 0],
        ],
        { retentionBytes: 0 },
      ),
    ).toBe(2);
  });

  it('never deletes an empty newest segment, nor what is not replicated', () => {
    expect(
      count(
        [
          [9, 1],
          [0, 1],
        ],
        { retentionMs: 1 },
      ),
    ).toBe(1);
    expect(
      count(
        [
          [9, 1],
          [9, 1],
        ],
        { retentionMs: 1, highWatermark: 19 },
      ),
    ).toBe(1);
    expect(
      count(
        [
          [9, 1],
          [9, 1],
        ],
        { retentionMs: 1, highWatermark: 9 },
      ),
    ).toBe(0);
  });

  it('deletes what is before the log start, but not the newest segment, whatever the policy', () => {
    const compacted = { cleanupDelete: false, cleanupCompact: true, retentionMs: 1, retentionBytes: 0 };
    expect(
      count(
        [
          [9, 1],
          [9, 1],
          [9, 1],
        ],
        { ...compacted, logStartOffset: 20 },
      ),
    ).toBe(2);
    expect(
      count(
        [
          [9, 1],
          [9, 1],
        ],
        { ...compacted, logStartOffset: 20 },
      ),
    ).toBe(1);
    expect(
      count(
        [
          [9, 1],
          [9, 1],
        ],
        { ...compacted, logStartOffset: 9 },
      ),
    ).toBe(0);
  });

  it('leaves age and size out where only the log start has moved', () => {
    const segments: [number, number][] = [
      [9, 1],
      [9, 1],
      [9, 1],
    ];
    const limits = { retentionMs: 1, retentionBytes: 0, logStartOffset: 10 };
    expect(count(segments, limits)).toBe(3);
    expect(count(segments, { ...limits, onlyBelowLogStart: true })).toBe(1);
  });
});
