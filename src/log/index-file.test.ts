/** An index file against an array, over all the places where entries may be: file, memory, both. */
import fc from 'fast-check';
import { ManualClock } from '../testing/manual-clock';
import { IndexFile } from './index-file';
import { MemoryFileSystem } from './memory-file-system';
import { OpenFiles } from './open-files';

function fresh(): { files: OpenFiles; make: () => IndexFile } {
  const disk = new MemoryFileSystem(new ManualClock());
  disk.createDirectory('/d');
  const files = new OpenFiles(disk, 10);
  const make = (): IndexFile =>
    new IndexFile(files, '/d/index', { entryBytes: 4, storedBytes: disk.stat('/d/index')?.size ?? 0 });
  return { files, make };
}

function add(index: IndexFile, value: number): void {
  const [buffer, at] = index.append();
  buffer.writeInt32BE(value, at);
}

const valueAt = (index: IndexFile, i: number): number => {
  const [buffer, at] = index.entry(i);
  return buffer.readInt32BE(at);
};

const floor = (index: IndexFile, value: number): number =>
  index.search((buffer, at) => buffer.readInt32BE(at) <= value);

describe('IndexFile', () => {
  it('finds entries like a sorted array does', () => {
    const operation = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 700 }) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('cut' as const), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
      },
    );
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 12 }),
        fc.array(fc.nat(5000), { minLength: 5, maxLength: 10 }),
        (operations, targets) => {
          const { make } = fresh();
          let index = make();
          const model: number[] = [];
          for (const next of operations) {
            if (next.kind === 'add') {
              for (let i = 0; i < next.count; i++) {
                const value = (model.at(-1) ?? 0) + 2;
                model.push(value);
                add(index, value);
              }
            } else if (next.kind === 'cut') {
              model.length = Math.floor(next.at * model.length);
              index.truncate(model.length);
            } else {
              index.writeOut();
              if (next.kind === 'reopen') index = make();
            }
            expect(index.count).toBe(model.length);
            // In between, too: what a search keeps must not outlive what it was read from.
            for (const target of targets) {
              expect(floor(index, target)).toBe(model.filter((value) => value <= target).length - 1);
              if (model.length > 0) expect(valueAt(index, target % model.length)).toBe(model[target % model.length]);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('writes entries in blocks, and makes the file when it is missing', () => {
    const { files, make } = fresh();
    const index = make();
    for (let i = 0; i < 511; i++) add(index, i);
    expect([index.isWriteDue, index.hasUnwritten, files.fileSystem.stat('/d/index')]).toEqual([false, true, undefined]);
    add(index, 511);
    expect(index.isWriteDue).toBe(true);
    index.writeOut();
    expect([index.isWriteDue, index.hasUnwritten, files.fileSystem.stat('/d/index')?.size]).toEqual([
      false,
      false,
      2048,
    ]);
  });

  it('searches any number of entries with one read, once it is in use', () => {
    const { files, make } = fresh();
    const writing = make();
    for (let i = 0; i < 50_000; i++) add(writing, i);
    writing.writeOut();
    const index = make();
    const handle = files.forReading('/d/index');
    const read = jest.spyOn(handle, 'read');
    const search = (target: number): number => {
      read.mockClear();
      const found = floor(index, target);
      expect(valueAt(index, found)).toBe(target);
      return read.mock.calls.length;
    };
    expect(search(31_000)).toBeLessThanOrEqual(8);
    for (let i = 0; i < 1000; i++) search((i * 7919) % 50_000);
    for (let i = 0; i < 1000; i++) expect(search((i * 104_729) % 50_000)).toBeLessThanOrEqual(1);
    expect(search(777) + search(778)).toBeLessThanOrEqual(1);
  });

  it('forgets what it kept of entries that were cut and written again', () => {
    const { make } = fresh();
    const index = make();
    const fill = (count: number, step: number): void => {
      for (let i = index.count; i < count; i++) add(index, step * i);
      index.writeOut();
    };
    fill(3000, 1);
    for (let target = 0; target < 3000; target += 100) expect(floor(index, target)).toBe(target);
    index.truncate(10);
    fill(3000, 2);
    for (let i = 10; i < 3000; i += 97) expect([floor(index, 2 * i), valueAt(index, i)]).toEqual([i, 2 * i]);
    index.reset();
    fill(3000, 3);
    for (let i = 0; i < 3000; i += 97) expect([floor(index, 3 * i), valueAt(index, i)]).toEqual([i, 3 * i]);
  });

  it('starts over whatever is in the file, and does not count a torn entry', () => {
    const { files, make } = fresh();
    files.fileSystem.writeFile('/d/index', Buffer.alloc(11, 1));
    const index = make();
    expect(index.count).toBe(2);
    index.reset();
    add(index, 5);
    index.writeOut();
    expect(files.fileSystem.readFile('/d/index')).toEqual(Buffer.from([0, 0, 0, 5]));
  });
});
