/** Aborted transactions, in Kafka's bytes; damaged files are known. */
import { ManualClock } from '../testing/manual-clock';
import { MemoryFileSystem } from './memory-file-system';
import { OpenFiles } from './open-files';
import type { AbortedTransactionEntry } from './producer-state';
import { TransactionIndex } from './transaction-index';

const entry = (producerId: number, firstOffset: number, lastOffset: number): AbortedTransactionEntry => ({
  producerId,
  firstOffset,
  lastOffset,
  lastStableOffset: lastOffset + 1,
});

describe('TransactionIndex', () => {
  let disk: MemoryFileSystem;
  const open = (): TransactionIndex =>
    new TransactionIndex(new OpenFiles(disk, 10), '/index', disk.stat('/index')?.size ?? 0);

  beforeEach(() => {
    disk = new MemoryFileSystem(new ManualClock());
  });

  function collect(index: TransactionIndex, from: number, to: number): { ids: number[]; isComplete: boolean } {
    const found: AbortedTransactionEntry[] = [];
    const isComplete = index.collect(from, to, found);
    return { ids: found.map(({ producerId }) => producerId), isComplete };
  }

  it('makes no file without entries, and otherwise that of Kafka', () => {
    const index = open();
    index.writeOut();
    expect(disk.stat('/index')).toBeUndefined();
    index.append(entry(1, 2, 9));
    expect(index.hasUnwritten).toBe(true);
    index.writeOut();
    expect(disk.readFile('/index').toString('hex')).toBe(
      '0000' + '0000000000000001' + '0000000000000002' + '0000000000000009' + '000000000000000a',
    );
    index.append(entry(2, 3, 12));
    index.writeOut();
    expect([disk.readFile('/index').length, index.hasUnwritten]).toEqual([68, false]);
  });

  it('finds what touches a stretch, and says when later segments cannot have more', () => {
    open().writeOut();
    const index = open();
    index.append(entry(1, 0, 9));
    index.append({ ...entry(2, 5, 20), lastStableOffset: 8 });
    index.append(entry(3, 8, 30));
    expect(collect(index, 0, 1)).toEqual({ ids: [1], isComplete: true });
    expect(collect(index, 10, 20)).toEqual({ ids: [2, 3], isComplete: true });
    expect(collect(index, 10, 50)).toEqual({ ids: [2, 3], isComplete: false });
    expect(collect(index, 31, 32)).toEqual({ ids: [], isComplete: false });
  });

  it('reads back and is cut', () => {
    const index = open();
    for (let i = 1; i <= 3; i++) index.append(entry(i, i * 10, i * 10 + 5));
    index.writeOut();
    const again = open();
    expect(again.isSane(0)).toBe(true);
    again.truncateTo(35);
    expect([collect(again, 0, 100).ids, disk.readFile('/index').length]).toEqual([[1, 2], 68]);
    again.append(entry(9, 40, 41));
    again.writeOut();
    expect(collect(open(), 0, 100).ids).toEqual([1, 2, 9]);
    again.reset();
    expect([collect(again, 0, 100).ids, disk.readFile('/index').length]).toEqual([[], 0]);
  });

  it('takes one that ended while an older one was open', () => {
    const index = open();
    index.append({ ...entry(1, 10, 15), lastStableOffset: 3 });
    index.writeOut();
    expect(open().isSane(0)).toBe(true);
  });

  it('knows a damaged file', () => {
    const index = open();
    index.append(entry(1, 10, 15));
    index.append(entry(2, 20, 25));
    index.writeOut();
    const whole = disk.readFile('/index');
    const isSane = (content: Buffer, baseOffset = 0): boolean => {
      disk.writeFile('/index', content);
      return open().isSane(baseOffset);
    };
    expect([isSane(whole), isSane(whole, 16), isSane(whole.subarray(0, 40)), isSane(Buffer.alloc(68))]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([isSane(Buffer.concat([whole, whole])), isSane(Buffer.alloc(34, 7)), isSane(Buffer.alloc(34))]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
