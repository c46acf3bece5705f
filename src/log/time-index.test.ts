/** From times to offsets, in Kafka's bytes. */
import { ManualClock } from '../testing/manual-clock';
import { MemoryFileSystem } from './memory-file-system';
import { OpenFiles } from './open-files';
import { TimeIndex } from './time-index';

describe('TimeIndex', () => {
  let disk: MemoryFileSystem;
  let index: TimeIndex;
  const open = (): TimeIndex => {
    const storedBytes = disk.stat('/index')?.size ?? 0;
    return new TimeIndex(new OpenFiles(disk, 10), '/index', { baseOffset: 100, storedBytes });
  };

  beforeEach(() => {
    disk = new MemoryFileSystem(new ManualClock());
    index = open();
  });

  it('takes only timestamps beyond the last one', () => {
    index.maybeAppend(-1, 100);
    index.maybeAppend(10, 105);
    index.maybeAppend(10, 109);
    index.maybeAppend(9, 110);
    index.maybeAppend(11, 111);
    expect([index.count, index.first, index.last]).toEqual([
      2,
      { timestampMs: 10, offset: 105 },
      { timestampMs: 11, offset: 111 },
    ]);
  });

  it('finds the last entry at or before a time', () => {
    index.maybeAppend(10, 105);
    index.maybeAppend(20, 111);
    expect([9, 10, 19, 20, 99].map((time) => index.floor(time).offset)).toEqual([100, 105, 105, 111, 111]);
  });

  it('has the bytes that Kafka writes', () => {
    index.maybeAppend(1_700_000_000_000, 105);
    index.writeOut();
    expect(disk.readFile('/index').toString('hex')).toBe('0000018bcfe5680000000005');
    expect(open().last).toEqual({ timestampMs: 1_700_000_000_000, offset: 105 });
  });

  it('is cut at an offset, and keeps a place free when it counts as full', () => {
    for (let i = 1; i <= 3; i++) index.maybeAppend(i, 100 + i * 10);
    expect([index.isFull(48), index.isFull(60), index.isFull(60, 1)]).toEqual([true, false, true]);
    index.truncateTo(120);
    expect(index.last).toEqual({ timestampMs: 1, offset: 110 });
    index.reset();
    expect(index.last).toEqual({ timestampMs: -1, offset: 100 });
  });
});
