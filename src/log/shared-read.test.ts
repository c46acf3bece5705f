/** Readers that read the same at once share its bytes; nobody gets bytes of another time or place. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLog, openLogs } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

describe('reads of the same bytes', () => {
  let manager: LogManager;
  let log: PartitionLog;

  beforeEach(async () => {
    const clock = new ManualClock();
    manager = await openLogs({ fileSystem: new FaultyFileSystem(clock), clock });
    log = await openLog(manager);
    for (const text of ['a', 'b']) await append(log, batchOf([text]));
  });
  afterEach(() => manager.close({ clean: false }));

  function read(from: PartitionLog, offset: number, upTo = 2): Buffer {
    const found = from.read({ offset, maxBytes: 1000, upTo, minOneBatch: true });
    const chunk = found.ok ? found.value.chunk : null;
    if (!Buffer.isBuffer(chunk)) throw new Error('bytes were expected');
    return chunk;
  }

  it('are one read when nothing happens in between', async () => {
    const first = read(log, 1);
    expect(read(log, 1)).toBe(first);
    await undefined;
    const later = read(log, 1);
    expect(later).not.toBe(first);
    expect(later.equals(first)).toBe(true);
  });

  it('differ by place, size and log, and after the log was cut and written anew', async () => {
    const created = await manager.create('other', 0, log.topicId);
    if (!created.ok) throw new Error(created.error.toString());
    const other = created.value;
    await append(other, batchOf(['c']));
    const first = read(log, 0, 1);
    expect(read(log, 0).length).toBeGreaterThan(first.length);
    expect(read(log, 1).equals(first)).toBe(false);
    expect(read(other, 0, 1).equals(read(log, 0, 1))).toBe(false);
    const before = read(log, 1);
    await log.truncateTo(1);
    await append(log, batchOf(['d']));
    expect(read(log, 1).equals(before)).toBe(false);
  });
});
