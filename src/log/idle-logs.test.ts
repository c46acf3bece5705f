/** Very many logs: few open files, little memory, and nothing read of those that nobody uses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isFileRegion } from '../base/chunk';
import { append, batchOf, openLogs, readAll, TOPIC_ID } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { FileHandle, OpenMode } from './file-system';
import type { LogManager } from './log-manager';
import { MemoryFileSystem } from './memory-file-system';
import { nodeFileSystem } from './node-file-system';
import type { PartitionLog } from './partition-log';

const MOST_OPEN = 16;
/** Sixteen flushes at once, of four files each. */
const MOST_LENT = 16 * 4;
const LOGS = 200;

class OpenCountingFileSystem extends MemoryFileSystem {
  readonly openHandles = new Set<FileHandle>();
  most = 0;
  opens = 0;

  override open(path: string, mode: OpenMode): FileHandle {
    const handle = super.open(path, mode);
    this.openHandles.add(handle);
    this.opens++;
    this.most = Math.max(this.most, this.openHandles.size);
    const close = handle.close.bind(handle);
    handle.close = () => {
      this.openHandles.delete(handle);
      close();
    };
    return handle;
  }
}

async function make(manager: LogManager, count: number): Promise<PartitionLog[]> {
  const logs: PartitionLog[] = [];
  for (let i = 0; i < count; i++) {
    const made = await manager.create('t', i, TOPIC_ID);
    if (!made.ok) throw new Error(made.message);
    logs.push(made.value);
  }
  return logs;
}

it('appends to, rolls, reads and restarts hundreds of logs with a few open files', async () => {
  const disk = new OpenCountingFileSystem(new ManualClock());
  const options = { fileSystem: disk, config: { segmentBytes: 200, retentionMs: -1 }, maxOpenFiles: MOST_OPEN };
  let manager = await openLogs(options);
  let logs = await make(manager, LOGS);
  const expected = logs.map((_, i) => Array.from({ length: 4 }, (__, n) => `${i}-${n}`.padEnd(100, '.')));
  for (let n = 0; n < 4; n++) {
    await Promise.all(logs.map((log, i) => append(log, batchOf([expected[i]![n]!]))));
  }
  const textsOf = async (log: PartitionLog): Promise<string[]> =>
    (await readAll(log)).map(({ value }) => String(value));
  expect(logs[7]!.segmentCount).toBe(4);
  for (const [i, log] of logs.entries()) expect(await textsOf(log)).toEqual(expected[i]);
  await manager.close({ clean: true });
  manager = await openLogs(options);
  logs = await make(manager, LOGS);
  for (const [i, log] of logs.entries()) expect(await textsOf(log)).toEqual(expected[i]);
  await manager.close({ clean: true });
  // Those that are lent for a flush or a scan come on top.
  expect(disk.most).toBeLessThanOrEqual(MOST_OPEN + MOST_LENT + 1);
});

it('opens no file of a log that has no records when it starts again', async () => {
  const disk = new OpenCountingFileSystem(new ManualClock());
  let manager = await openLogs({ fileSystem: disk });
  await make(manager, LOGS);
  await manager.close({ clean: true });
  disk.opens = 0;
  manager = await openLogs({ fileSystem: disk });
  expect([[...manager.logs()].length, disk.opens]).toEqual([LOGS, 0]);
  await manager.close({ clean: true });
});

it('takes little memory for an idle log', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heapBytes = (): number => {
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const directory = mkdtempSync(join(tmpdir(), 'idle-logs-'));
  try {
    const manager = await openLogs({ fileSystem: nodeFileSystem, logDirs: [directory] });
    await make(manager, 50);
    const before = heapBytes();
    await make(manager, 1050);
    const perLog = (heapBytes() - before) / 1000;
    await manager.close({ clean: false });
    expect(perLog).toBeLessThan(2400);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

it('flushes and sends hundreds of logs at once with few descriptors', async () => {
  const disk = new OpenCountingFileSystem(new ManualClock());
  const config = { segmentBytes: 60_000, retentionMs: -1 };
  const manager = await openLogs({ fileSystem: disk, config, maxOpenFiles: MOST_OPEN });
  const logs = await make(manager, LOGS);
  // Each append rolls a segment, whose files are made durable in the background.
  for (let n = 0; n < 2; n++) await Promise.all(logs.map((log) => append(log, batchOf(['x'.repeat(50_000)]))));
  await Promise.all(logs.map((log) => log.flush()));
  const mostOfFlushes = disk.most;
  const small = await append(logs[0]!, batchOf(['y'.repeat(20_000)]));
  await logs[0]!.flush();
  const reads = logs.map((log) => log.read({ offset: 0, maxBytes: 100_000, upTo: 2, minOneBatch: false }));
  const sent = reads.flatMap((read) => (read.ok && read.value.chunk ? [read.value.chunk] : []));
  expect([small.firstOffset, sent.length]).toEqual([2, MOST_OPEN]);
  for (const chunk of sent) if (isFileRegion(chunk)) chunk.release();
  await manager.close({ clean: true });
  expect(mostOfFlushes).toBeLessThanOrEqual(MOST_OPEN + MOST_LENT + 1);
  expect(disk.most).toBeLessThanOrEqual(MOST_OPEN + MOST_LENT + 1);
});
