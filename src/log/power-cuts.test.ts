/**
 * Power cuts at the moments at which least is durable: beside a roll, after a clean stop.
 * What was durable is there, and so is all that follows from it: aborted transactions, times, sequences.
 */
import { buildEndTransactionMarker } from '../records/control-record';
import { type CrashMode, FaultyFileSystem } from '../testing/faulty-file-system';
import {
  append,
  batchOf,
  logConfig,
  openLog,
  openLogs,
  readAll,
  readFrom,
  seededRandom,
  textsOf,
} from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const CHECKPOINT_MS = 1000;
const CONFIG = { retentionMs: -1, indexIntervalBytes: 100, preallocate: true, segmentBytes: 4000 };
const COORDINATOR = { origin: 'coordinator', leaderEpoch: 0 } as const;
const SEEDS = 30;

describe('a power cut', () => {
  const clock = new ManualClock();
  let disk: FaultyFileSystem;
  let manager: LogManager;
  let log: PartitionLog;

  async function open(): Promise<void> {
    manager = await openLogs({
      fileSystem: disk,
      clock,
      config: CONFIG,
      recoveryPointCheckpointIntervalMs: CHECKPOINT_MS,
    });
    log = await openLog(manager);
  }

  beforeEach(async () => {
    disk = new FaultyFileSystem(clock);
    await open();
  });

  afterEach(() => manager.close({ clean: false }));

  /** Offsets 0 to 7: plain records, an aborted transaction at 5, its marker at 6, the largest time at 7. */
  async function fill(): Promise<void> {
    for (let i = 0; i < 5; i++) await append(log, batchOf([`v${i}`.padEnd(80, '.')], { timestamp: 1000 + i }));
    const producer = { producerId: 5, producerEpoch: 0 };
    await append(log, batchOf(['aborted'], { ...producer, baseSequence: 0, isTransactional: true }), COORDINATOR);
    const marker = buildEndTransactionMarker({ isCommit: false, coordinatorEpoch: 1, ...producer, timestampMs: 1000 });
    await append(log, marker, COORDINATOR);
    await append(log, batchOf(['last'], { timestamp: 5000, producerId: 6, producerEpoch: 0, baseSequence: 0 }));
  }

  async function expectFilled(): Promise<void> {
    log.setHighWatermark(log.logEndOffset);
    expect(textsOf(await readAll(log, 7)).slice(0, 1)).toEqual(['last']);
    expect((await readFrom(log, 0, { withAbortedTransactions: true })).aborted).toEqual([
      { producerId: 5, firstOffset: 5 },
    ]);
    expect(await log.offsetForTimestamp(2000)).toMatchObject({ value: { offset: 7 } });
    const again = batchOf(['last'], { timestamp: 5000, producerId: 6, producerEpoch: 0, baseSequence: 0 });
    expect(await append(log, again)).toMatchObject({ firstOffset: 7, duplicate: true });
  }

  it('beside a roll, with the checkpoint at the border, spoils nothing of the closed segment', async () => {
    await fill();
    await log.flush();
    await clock.advance(CHECKPOINT_MS);
    expect(disk.readFile('/data/recovery-point-offset-checkpoint').toString()).toBe('0\n1\nt 0 7\n');
    log.updateConfig(logConfig({ ...CONFIG, segmentBytes: 200 }));
    // The moment at which nothing of the roll is durable yet.
    disk.before('write', /0008\.log$/, () => {
      for (let seed = 0; seed < SEEDS; seed++)
        found.push(disk.crash('some-unsynced', seededRandom(seed * 123_456_789)));
    });
    const found: FaultyFileSystem[] = [];
    await append(log, batchOf(['next'.padEnd(100, '.')]));
    expect(found).toHaveLength(SEEDS);
    for (const left of found) {
      await manager.close({ clean: false });
      disk = left;
      await open();
      expect(log.logEndOffset).toBe(8);
      await expectFilled();
    }
  });

  it.each<CrashMode>(['synced-only', 'some-unsynced'])('right after a clean stop takes nothing (%s)', async (mode) => {
    await fill();
    await manager.close({ clean: true });
    const left = disk;
    for (let seed = 0; seed < SEEDS; seed++) {
      disk = left.crash(mode, seededRandom(seed * 123_456_789));
      expect(disk.stat('/data/.kafka_cleanshutdown')).toBeDefined();
      await open();
      expect(log.logEndOffset).toBe(8);
      await expectFilled();
      await manager.close({ clean: false });
    }
  });
});
