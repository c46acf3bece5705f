/** A read that becomes a region says the same of the file, however it is sent. */
import { type FileRegion, isFileRegion } from '../base/chunk';
import { append, batchOf, openLog, openLogs } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { FileHandle, OpenMode } from './file-system';
import { MemoryFileSystem } from './memory-file-system';

const SOCKET = 99;

/** Sends to an array, and only to the one socket. */
class SendingFileSystem extends MemoryFileSystem {
  readonly sent: Buffer[] = [];

  override open(path: string, mode: OpenMode): FileHandle {
    const handle = super.open(path, mode);
    handle.sendTo = (socket, { position, count }, then) => {
      if (socket !== SOCKET) return false;
      const bytes = Buffer.alloc(count);
      const read = handle.read(bytes, position);
      this.sent.push(bytes.subarray(0, read));
      then(read);
      return true;
    };
    handle.writeTo = (socket, { position, count, around }) => {
      if (socket !== SOCKET) return 0;
      const bytes = Buffer.alloc(count);
      const read = handle.read(bytes, position);
      const all = Buffer.concat([...around.before, bytes.subarray(0, read), ...around.after]);
      this.sent.push(all);
      return all.length;
    };
    return handle;
  }
}

describe('regions of a log', () => {
  async function secondBatch(fileSystem: MemoryFileSystem): Promise<FileRegion> {
    const manager = await openLogs({ fileSystem });
    const log = await openLog(manager);
    await append(log, batchOf(['before it']));
    await append(log, batchOf(['x'.repeat(40_000)]));
    const read = log.read({ offset: 1, maxBytes: 100_000, upTo: 2, minOneBatch: true });
    const chunk = read.ok ? read.value.chunk : null;
    if (chunk === null || !isFileRegion(chunk)) throw new Error('no region');
    await manager.close({ clean: false });
    return chunk;
  }

  it('are sent by the system from where they are read', async () => {
    const fileSystem = new SendingFileSystem(new ManualClock());
    const region = await secondBatch(fileSystem);
    const expected = Buffer.alloc(region.length);
    await region.read(expected, 0);
    const counts: number[] = [];
    const then = (count: number): void => void counts.push(count);
    expect(region.sendTo?.(SOCKET, { offset: 0, count: 30_000 }, then)).toBe(true);
    expect(region.sendTo?.(SOCKET, { offset: 30_000, count: region.length - 30_000 }, then)).toBe(true);
    expect(counts).toEqual([30_000, region.length - 30_000]);
    expect(Buffer.concat(fileSystem.sent).equals(expected)).toBe(true);
    expect(region.sendTo?.(SOCKET + 1, { offset: 0, count: 1 }, then)).toBe(false);
    region.release();
  });

  it('are written from where they are read, with what is around them', async () => {
    const fileSystem = new SendingFileSystem(new ManualClock());
    const region = await secondBatch(fileSystem);
    const expected = Buffer.alloc(region.length);
    await region.read(expected, 0);
    const around = { before: [Buffer.from('before')], after: [Buffer.from('after')] };
    expect(region.writeTo?.(SOCKET, { offset: 100, count: 30_000, around })).toBe(30_011);
    const all = [Buffer.from('before'), expected.subarray(100, 30_100), Buffer.from('after')];
    expect(Buffer.concat(fileSystem.sent).equals(Buffer.concat(all))).toBe(true);
    expect(region.writeTo?.(SOCKET + 1, { offset: 0, count: 1, around })).toBe(0);
    region.release();
  });

  it('say so where the file system cannot', async () => {
    const region = await secondBatch(new MemoryFileSystem(new ManualClock()));
    expect(region.writeTo?.(SOCKET, { offset: 0, count: 1, around: { before: [], after: [] } })).toBe(0);
    expect(region.sendTo?.(SOCKET, { offset: 0, count: 1 }, () => undefined)).toBe(false);
    region.release();
  });
});
