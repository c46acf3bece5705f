/**
 * A wall clock that is set hours forward or back while logs are in use. What waits for an interval goes by the
 * monotonic clock and does not notice; what compares with the times of records does what these times say, then as
 * later.
 */

import type { LogConfig } from '../config/log-config';
import { compactOnce, consume, keyedBatch } from '../testing/compaction-fixture';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, appendCode, batchOf, openLog, openLogs, readAll, textsOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const HOUR_MS = 3_600_000;
const TICK_MS = 60_000;

describe.each([
  ['forward', 5 * HOUR_MS],
  ['back', -5 * HOUR_MS],
])('a wall clock that jumps %s', (direction, jumpMs) => {
  const clock = new ManualClock();
  let manager: LogManager;
  let log: PartitionLog;

  async function start(config: Partial<LogConfig>, o: { producerIdExpirationMs?: number } = {}): Promise<void> {
    manager = await openLogs({
      fileSystem: new FaultyFileSystem(clock),
      clock,
      config: { retentionMs: -1, ...config },
      retentionCheckIntervalMs: TICK_MS,
      flushSchedulerIntervalMs: TICK_MS,
      producerIdExpirationCheckIntervalMs: TICK_MS,
      producerIdExpirationMs: () => o.producerIdExpirationMs ?? HOUR_MS,
    });
    log = await openLog(manager);
  }

  const now = (text: string, o: Parameters<typeof batchOf>[1] = {}): Buffer =>
    batchOf([text], { timestamp: clock.nowMs(), ...o });

  afterEach(() => manager.close({ clean: false }));

  it('puts no flush off and hastens none', async () => {
    await start({ flushMs: 10 * TICK_MS });
    await append(log, batchOf(['a']));
    clock.jumpWallClock(jumpMs);
    await clock.advance(9 * TICK_MS);
    expect(log.recoveryPoint).toBe(0);
    await clock.advance(3 * TICK_MS);
    expect(log.recoveryPoint).toBe(1);
  });

  it('rolls segments by the times of records, and by their own age where records have none', async () => {
    await start({ segmentMs: HOUR_MS });
    await append(log, now('a'));
    clock.jumpWallClock(jumpMs);
    await append(log, now('b'));
    expect(log.segmentCount).toBe(direction === 'forward' ? 2 : 1);
    const before = log.segmentCount;
    for (const waitMs of [HOUR_MS / 2, HOUR_MS / 2]) {
      await append(log, now('c'));
      await clock.advance(waitMs);
    }
    await append(log, now('d', { timestamp: clock.nowMs() + 1 }));
    expect(log.segmentCount).toBe(direction === 'forward' ? before + 1 : before);
    await manager.close({ clean: true });
    await start({ segmentMs: HOUR_MS });
    await append(log, batchOf(['untimed'], { timestamp: -1 }));
    clock.jumpWallClock(jumpMs);
    await append(log, batchOf(['untimed'], { timestamp: -1 }));
    expect(log.segmentCount).toBe(1);
    await clock.advance(HOUR_MS + 1);
    await append(log, batchOf(['untimed'], { timestamp: -1 }));
    expect(log.segmentCount).toBe(2);
  });

  it('deletes what is older than the clock says, and nothing for a clock that went back', async () => {
    await start({ retentionMs: HOUR_MS, segmentMs: HOUR_MS / 4 });
    for (let i = 0; i < 3; i++) {
      await append(log, now(String(i)));
      await clock.advance(HOUR_MS / 4 + 1);
    }
    log.setHighWatermark(log.logEndOffset);
    clock.jumpWallClock(jumpMs);
    await append(log, now('new'));
    log.setHighWatermark(log.logEndOffset);
    await clock.advance(2 * TICK_MS);
    expect(textsOf(await readAll(log))).toEqual(direction === 'forward' ? ['new'] : ['0', '1', '2', 'new']);
    // And afterwards: a clock that is right again takes up where it was.
    clock.jumpWallClock(-jumpMs);
    await clock.advance(HOUR_MS);
    expect(log.logEndOffset).toBe(4);
    expect((await log.read({ offset: log.logStartOffset, maxBytes: 1, upTo: 4, minOneBatch: true })).ok).toBe(true);
    await append(log, now('after'));
  });

  it('forgets no producer that goes on writing, and takes its next batch in any case', async () => {
    await start({}, { producerIdExpirationMs: HOUR_MS });
    const producer = { producerId: 1, producerEpoch: 0 };
    await append(log, now('a', { ...producer, baseSequence: 0 }));
    clock.jumpWallClock(jumpMs);
    await append(log, now('b', { ...producer, baseSequence: 1 }));
    await clock.advance(2 * TICK_MS);
    const again = await append(log, now('b', { ...producer, baseSequence: 1 }));
    expect([again.firstOffset, again.duplicate]).toEqual([1, true]);
    clock.jumpWallClock(jumpMs);
    await clock.advance(2 * TICK_MS);
    expect(await appendCode(log, now('c', { ...producer, baseSequence: 2 }))).toBe(0);
  });

  it('keeps tombstones for as long as their horizon says', async () => {
    await start({ cleanupCompact: true, cleanupDelete: false, deleteRetentionMs: HOUR_MS, segmentBytes: 200 });
    await append(log, keyedBatch([['k', null]], { timestamp: clock.nowMs() }));
    for (const text of ['x', 'y', 'z']) await append(log, keyedBatch([[text, text.repeat(60)]]));
    log.setHighWatermark(log.logEndOffset);
    await compactOnce(log);
    clock.jumpWallClock(jumpMs);
    await compactOnce(log);
    const hasTombstone = async (): Promise<boolean> => (await consume(log)).records.some(({ value }) => value === null);
    expect(await hasTombstone()).toBe(direction === 'back');
    clock.jumpWallClock(-jumpMs);
    await clock.advance(HOUR_MS + 1);
    await compactOnce(log);
    expect(await hasTombstone()).toBe(false);
  });
});
