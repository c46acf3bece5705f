/** Walking batches by header and reading them whole: borders, torn ends, damage, windows of any size. */
import { emptiedBatch } from '../records/batch-filter';
import { batchOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { BatchScanner } from './batch-scanner';
import type { FileHandle } from './file-system';
import { MemoryFileSystem } from './memory-file-system';
import { isPlausible, lastOffset, maxTimestamp, walkBatches } from './stored-batch';

function fileOf(...parts: Buffer[]): FileHandle {
  const disk = new MemoryFileSystem(new ManualClock());
  disk.writeFile('/log', Buffer.concat(parts));
  return disk.open('/log', 'read');
}

const batches = [1, 50, 5000, 20, 2_000_000, 3].map((bytes, i) =>
  batchOf(['x'.repeat(bytes), 'y'], { baseOffset: i * 2, timestamp: i }),
);

function walked(handle: FileHandle, from = 0, to = handle.size()): { offsets: number[]; end: number } {
  const offsets: number[] = [];
  const end = walkBatches(handle, { from, to }, (buffer, at) => {
    offsets.push(lastOffset(buffer, at));
    return true;
  });
  return { offsets, end };
}

async function scanned(handle: FileHandle, from = 0, to = handle.size()): Promise<{ offsets: number[]; end: number }> {
  const offsets: number[] = [];
  const scanner = new BatchScanner(handle, { from, to });
  while (await scanner.next()) {
    offsets.push(lastOffset(scanner.buffer, scanner.at));
    expect(scanner.batch().equals(batches[(offsets.at(-1)! - 1) / 2]!)).toBe(true);
  }
  return { offsets, end: scanner.position };
}

describe('maxTimestamp', () => {
  it('is that of records: a batch that compaction has emptied has none', () => {
    const batch = batchOf(['x'], { timestamp: 7 });
    expect([maxTimestamp(batch, 0), maxTimestamp(emptiedBatch(batch, 0), 0)]).toEqual([7, -1]);
  });
});

describe('batches in a file', () => {
  const all = { offsets: [1, 3, 5, 7, 9, 11], end: batches.reduce((sum, { length }) => sum + length, 0) };

  it('are walked and scanned one after the other, from any border', async () => {
    const handle = fileOf(...batches);
    expect(walked(handle)).toEqual(all);
    expect(await scanned(handle)).toEqual(all);
    const from = batches[0]!.length + batches[1]!.length;
    expect(walked(handle, from).offsets).toEqual([5, 7, 9, 11]);
    expect((await scanned(handle, from)).offsets).toEqual([5, 7, 9, 11]);
  });

  it('end where they are not whole', async () => {
    const end = batches[0]!.length + batches[1]!.length;
    for (const cut of [1, 11, 12, 60, 61, 100]) {
      const handle = fileOf(batches[0]!, batches[1]!, batches[2]!.subarray(0, cut));
      expect(walked(handle)).toEqual({ offsets: [1, 3], end });
      expect(await scanned(handle)).toEqual({ offsets: [1, 3], end });
    }
    const whole = fileOf(...batches);
    expect(walked(whole, 0, end + 10)).toEqual({ offsets: [1, 3], end });
    expect(await scanned(whole, 0, end + 10)).toEqual({ offsets: [1, 3], end });
  });

  it('end at what cannot be a batch', async () => {
    for (const junk of [Buffer.alloc(100), Buffer.alloc(100, 0xff), Buffer.alloc(100, 0x41)]) {
      const handle = fileOf(batches[0]!, junk);
      expect(walked(handle)).toEqual({ offsets: [1], end: batches[0]!.length });
      expect(await scanned(handle)).toEqual({ offsets: [1], end: batches[0]!.length });
    }
    expect(walked(fileOf())).toEqual({ offsets: [], end: 0 });
    expect(await scanned(fileOf())).toEqual({ offsets: [], end: 0 });
  });

  it('stop when the visitor has seen enough', () => {
    const seen: number[] = [];
    const end = walkBatches(fileOf(...batches), { from: 0, to: all.end }, (buffer, at, position) => {
      seen.push(position);
      return maxTimestamp(buffer, at) < 2;
    });
    expect([seen, end]).toEqual([[0, batches[0]!.length], batches[0]!.length]);
  });

  it('may be messages of old formats', () => {
    const message = Buffer.alloc(40);
    message.writeInt32BE(7, 4);
    message.writeInt32BE(28, 8);
    expect([isPlausible(message, 0, 40), lastOffset(message, 0), maxTimestamp(message, 0)]).toEqual([true, 7, -1]);
    message[16] = 1;
    message.writeInt32BE(99, 22);
    expect([isPlausible(message, 0, 40), isPlausible(message, 0, 30), maxTimestamp(message, 0)]).toEqual([
      true,
      false,
      99,
    ]);
  });
});
