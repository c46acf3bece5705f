/** From offsets to positions, in Kafka's bytes. */
import { ManualClock } from '../testing/manual-clock';
import { MemoryFileSystem } from './memory-file-system';
import { OffsetIndex } from './offset-index';
import { OpenFiles } from './open-files';

describe('OffsetIndex', () => {
  let disk: MemoryFileSystem;
  let files: OpenFiles;
  const open = (): OffsetIndex =>
    new OffsetIndex(files, '/index', { baseOffset: 100, storedBytes: disk.stat('/index')?.size ?? 0 });

  beforeEach(() => {
    disk = new MemoryFileSystem(new ManualClock());
    files = new OpenFiles(disk, 10);
  });

  it('maps offsets to positions and back, with the base for what is before the first entry', () => {
    const index = open();
    index.append(105, 50);
    index.append(110, 70);
    const offsets = [99, 104, 105, 109, 110, 500].map((offset) => index.floorByOffset(offset).position);
    expect(offsets).toEqual([0, 0, 50, 50, 70, 70]);
    expect([0, 49, 50, 69, 70, 500].map((position) => index.floorByPosition(position).offset)).toEqual([
      100, 100, 105, 105, 110, 110,
    ]);
    expect([index.first, index.last]).toEqual([
      { offset: 105, position: 50 },
      { offset: 110, position: 70 },
    ]);
  });

  it('has the bytes that Kafka writes', () => {
    const index = open();
    index.append(105, 50);
    index.append(100 + 2 ** 31 - 1, 2 ** 31 - 1);
    index.writeOut();
    expect(disk.readFile('/index').toString('hex')).toBe('00000005000000327fffffff7fffffff');
    expect(open().last).toEqual({ offset: 100 + 2 ** 31 - 1, position: 2 ** 31 - 1 });
  });

  it('holds offsets up to 2^31 - 1 beyond its base', () => {
    const index = open();
    expect([99, 100, 100 + 2 ** 31 - 1, 100 + 2 ** 31].map((offset) => index.canHold(offset))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('only rises', () => {
    const index = open();
    index.append(105, 50);
    expect(() => index.append(105, 60)).toThrow('rise');
    expect(() => index.append(106, 50)).toThrow('rise');
  });

  it('is cut at an offset, and knows when it is full', () => {
    const index = open();
    for (let i = 1; i <= 4; i++) index.append(100 + i * 10, i * 100);
    expect([index.isFull(39), index.isFull(40), index.isFull(40, 1)]).toEqual([true, false, true]);
    index.truncateTo(130);
    expect([index.count, index.last]).toEqual([2, { offset: 120, position: 200 }]);
    index.append(125, 250);
    index.reset();
    expect([index.count, index.last]).toEqual([0, { offset: 100, position: 0 }]);
  });
});
