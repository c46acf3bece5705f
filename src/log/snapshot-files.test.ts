/** Which snapshots are taken, kept and removed, also when they are damaged. */
import { silentLogger } from '../base/logger';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { ManualClock } from '../testing/manual-clock';
import { OpenFiles } from './open-files';
import { ProducerEntry } from './producer-entry';
import { SnapshotFiles } from './snapshot-files';

describe('SnapshotFiles', () => {
  let disk: FaultyFileSystem;
  const open = (): SnapshotFiles =>
    new SnapshotFiles(new OpenFiles(disk, 10), '/d', {
      names: disk.list('/d').map(({ name }) => name),
      logger: silentLogger,
    });

  beforeEach(() => {
    disk = new FaultyFileSystem(new ManualClock());
    disk.createDirectory('/d');
  });

  it('gives the newest one at or below an offset', () => {
    const snapshots = open();
    for (const offset of [30, 10, 20, 10]) snapshots.write(offset, [new ProducerEntry(offset)]);
    expect(open().offsets).toEqual([10, 20, 30]);
    const loaded = [9, 10, 29, 99].map((offset) => open().loadAtOrBelow(offset)?.entries[0]?.producerId);
    expect(loaded).toEqual([undefined, 10, 20, 30]);
  });

  it('removes damaged ones and takes the next older', () => {
    const snapshots = open();
    for (const offset of [10, 20, 30]) snapshots.write(offset, [new ProducerEntry(offset)]);
    disk.writeFile(snapshots.path(30), Buffer.alloc(56));
    disk.writeFile(snapshots.path(20), Buffer.alloc(3));
    expect(snapshots.loadAtOrBelow(99)?.offset).toBe(10);
    expect(open().offsets).toEqual([10]);
  });

  it('leaves nothing of a failed write', () => {
    const snapshots = open();
    disk.inject({ on: 'write', code: 'ENOSPC', times: 1, partialBytes: 4 });
    expect(() => snapshots.write(10, [])).toThrow('ENOSPC');
    expect([snapshots.has(10), disk.list('/d')]).toEqual([false, []]);
  });

  it('keeps those of segments, and the newest if it is beyond them', () => {
    const kept = (bases: number[]): readonly number[] => {
      const snapshots = open();
      for (const offset of [5, 10, 15, 20, 25]) snapshots.write(offset, []);
      snapshots.removeStray(bases);
      return open().offsets;
    };
    expect(kept([0, 10, 20])).toEqual([10, 20, 25]);
    expect(kept([0, 10, 30])).toEqual([10]);
  });

  it('drops those above an offset', () => {
    const snapshots = open();
    for (const offset of [5, 10, 15]) snapshots.write(offset, []);
    snapshots.removeAbove(10);
    snapshots.forget(5);
    expect([snapshots.offsets, open().offsets]).toEqual([[10], [5, 10]]);
  });
});
