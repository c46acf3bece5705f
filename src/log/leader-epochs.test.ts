/** Where epochs begin and end, and what a cut at either end leaves. */
import { LeaderEpochs } from './leader-epochs';

function of(...entries: [number, number][]): LeaderEpochs {
  const epochs = new LeaderEpochs();
  for (const [epoch, startOffset] of entries) epochs.assign(epoch, startOffset);
  return epochs;
}

const list = (epochs: LeaderEpochs): [number, number][] =>
  epochs.entries.map(({ epoch, startOffset }) => [epoch, startOffset]);

describe('LeaderEpochs', () => {
  it('notes where an epoch begins, once', () => {
    const epochs = of([0, 0], [0, 5], [3, 10], [3, 20]);
    expect([list(epochs), epochs.latest]).toEqual([
      [
        [0, 0],
        [3, 10],
      ],
      3,
    ]);
    expect(of().latest).toBe(-1);
  });

  it('drops what contradicts a new entry', () => {
    expect(list(of([0, 0], [2, 10], [3, 20], [4, 10]))).toEqual([
      [0, 0],
      [4, 10],
    ]);
    expect(list(of([0, 0], [5, 10], [3, 20]))).toEqual([
      [0, 0],
      [3, 20],
    ]);
    expect(list(of([-1, 0]))).toEqual([]);
  });

  it.each([
    { name: 'none asked for', asked: -1, leaderEpoch: -1, endOffset: -1 },
    { name: 'older than all', asked: 0, leaderEpoch: 0, endOffset: 5 },
    { name: 'a known one', asked: 1, leaderEpoch: 1, endOffset: 15 },
    { name: 'one in a gap', asked: 3, leaderEpoch: 2, endOffset: 20 },
    { name: 'the newest', asked: 4, leaderEpoch: 4, endOffset: 99 },
    { name: 'newer than all', asked: 5, leaderEpoch: -1, endOffset: -1 },
  ])('says where an epoch ends: $name', ({ asked, leaderEpoch, endOffset }) => {
    expect(of([1, 5], [2, 15], [4, 20]).endOffsetFor(asked, 99)).toEqual({ leaderEpoch, endOffset });
  });

  it('knows nothing when there is nothing', () => {
    expect(of().endOffsetFor(0, 10)).toEqual({ leaderEpoch: -1, endOffset: -1 });
    expect(of([3, 5]).epochForOffset(4)).toBe(-1);
  });

  it('finds the epoch of an offset', () => {
    const epochs = of([1, 0], [2, 10]);
    expect([0, 9, 10, 500].map((offset) => epochs.epochForOffset(offset))).toEqual([1, 1, 2, 2]);
  });

  it('is cut at the end', () => {
    const epochs = of([1, 0], [2, 10], [3, 20]);
    const { entries } = epochs;
    epochs.truncateFromEnd(21);
    expect(epochs.entries).toBe(entries);
    epochs.truncateFromEnd(10);
    expect([list(epochs), entries.length]).toEqual([[[1, 0]], 3]);
  });

  it('is cut at the start, where the epoch that holds it goes on', () => {
    const cut = (startOffset: number): [number, number][] => {
      const epochs = of([1, 0], [2, 10], [3, 20]);
      epochs.truncateFromStart(startOffset);
      return list(epochs);
    };
    expect(cut(0)).toEqual([
      [1, 0],
      [2, 10],
      [3, 20],
    ]);
    expect(cut(5)).toEqual([
      [1, 5],
      [2, 10],
      [3, 20],
    ]);
    expect(cut(10)).toEqual([
      [2, 10],
      [3, 20],
    ]);
    expect(cut(50)).toEqual([[3, 50]]);
  });

  it('takes over what was written down, as far as it makes sense', () => {
    const epochs = new LeaderEpochs();
    epochs.load([
      { epoch: 1, startOffset: 0 },
      { epoch: 4, startOffset: 30 },
    ]);
    expect(list(epochs)).toEqual([
      [1, 0],
      [4, 30],
    ]);
    epochs.clear();
    expect(list(epochs)).toEqual([]);
  });
});
