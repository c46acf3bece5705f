/** Which segments are made one. */
import { logConfig } from '../testing/log-fixture';
import { groupSegments } from './segment-groups';

/** [base offset, bytes, offset index entries, time index entries] */
function groups(shapes: [number, number, number?, number?][], { endOffset = 10_000, segmentIndexBytes = 1000 } = {}) {
  const segments = shapes.map(([baseOffset, sizeInBytes, offsets = 1, times = 1]) => ({
    baseOffset,
    sizeInBytes,
    offsetIndex: { count: offsets },
    timeIndex: { count: times },
  }));
  const config = logConfig({ segmentBytes: 100, segmentIndexBytes });
  return groupSegments(segments, { config, endOffset }).map((group) => group.map(({ baseOffset }) => baseOffset));
}

describe('groupSegments', () => {
  it('fills groups up to the size of a segment', () => {
    expect(groups([])).toEqual([]);
    expect(
      groups([
        [0, 50],
        [10, 50],
        [20, 1],
        [30, 200],
        [40, 0],
        [50, 99],
      ]),
    ).toEqual([[0, 10], [20], [30], [40, 50]]);
  });

  it('minds the size of the indexes', () => {
    const shapes: [number, number, number, number][] = [
      [0, 1, 6, 1],
      [10, 1, 6, 1],
      [20, 1, 1, 5],
      [30, 1, 1, 4],
    ];
    expect(groups(shapes, { segmentIndexBytes: 96 })).toEqual([[0, 10], [20], [30]]);
  });

  it('keeps offsets within what an index can say, unless the segment is empty', () => {
    const far = 2 ** 31;
    expect(
      groups(
        [
          [0, 1],
          [far - 1, 1],
        ],
        { endOffset: far },
      ),
    ).toEqual([[0, far - 1]]);
    expect(
      groups(
        [
          [0, 1],
          [far - 1, 1],
        ],
        { endOffset: far + 1 },
      ),
    ).toEqual([[0], [far - 1]]);
    expect(
      groups(
        [
          [0, 1],
          [far - 1, 0],
        ],
        { endOffset: far + 1 },
      ),
    ).toEqual([[0, far - 1]]);
    expect(
      groups([
        [0, 1],
        [far - 1, 1],
        [far + 1, 1],
      ]),
    ).toEqual([[0], [far - 1, far + 1]]);
  });
});
