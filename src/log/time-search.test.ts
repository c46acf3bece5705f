/** Searching by time against looking at every record: any order of times, codecs, deletions, compaction, restarts. */

import type { Random } from '../base/random';
import { buildBatch } from '../records/batch-builder';
import { compactOnce, consume } from '../testing/compaction-fixture';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLog, openLogs, seededRandom } from '../testing/log-fixture';
import { ManualClock, settle } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const SEEDS = Array.from({ length: Number(process.env.TIME_SEEDS ?? 5) }, (_, i) => i + 1);
const LATEST_TIME = 60;

class Story {
  readonly #clock = new ManualClock();
  readonly #random: Random;
  #disk = new FaultyFileSystem(this.#clock);
  #manager!: LogManager;
  #log!: PartitionLog;

  constructor(
    seed: number,
    private readonly isCompacted: boolean,
  ) {
    this.#random = seededRandom(seed);
  }

  async run(): Promise<void> {
    await this.#open();
    for (let step = 0; step < 25; step++) {
      await this.#step(this.#random.integer(10));
      await this.#check();
    }
    await this.#manager.close({ clean: false });
  }

  async #open(): Promise<void> {
    const config = {
      cleanupCompact: this.isCompacted,
      cleanupDelete: !this.isCompacted,
      retentionMs: -1,
      segmentBytes: 500,
      indexIntervalBytes: 60,
      minCleanableDirtyRatio: 0,
    };
    this.#manager = await openLogs({ fileSystem: this.#disk, clock: this.#clock, config });
    this.#log = await openLog(this.#manager);
    this.#log.setHighWatermark(this.#log.logEndOffset);
  }

  async #step(kind: number): Promise<void> {
    const { logStartOffset, logEndOffset } = this.#log;
    if (kind === 0 && !this.isCompacted) {
      await this.#log.deleteRecordsBefore(logStartOffset + this.#random.integer(logEndOffset - logStartOffset + 1));
    } else if (kind === 1 && this.isCompacted) {
      await compactOnce(this.#log);
    } else if (kind === 2) {
      await this.#manager.close({ clean: true });
      await this.#open();
    } else if (kind === 3) {
      await this.#log.flush();
      this.#disk = this.#disk.crash('synced-only', this.#random);
      await this.#manager.close({ clean: false });
      for (const { name } of this.#disk.list('/data/t-0')) {
        if (/index$/.test(name) && this.#random.integer(2) === 0) this.#disk.remove(`/data/t-0/${name}`);
      }
      await this.#open();
    } else {
      await this.#append();
    }
  }

  async #append(): Promise<void> {
    const records = Array.from({ length: 1 + this.#random.integer(5) }, () => ({
      timestamp: this.#random.integer(LATEST_TIME + 1),
      key: Buffer.from(`k${this.#random.integer(8)}`),
      value: Buffer.alloc(this.#random.integer(60)),
    }));
    await append(this.#log, buildBatch({ records, codec: this.#random.integer(2) === 0 ? 0 : 1 }));
    this.#log.setHighWatermark(this.#log.logEndOffset);
  }

  async #check(): Promise<void> {
    const records = (await consume(this.#log)).records.filter(({ offset }) => offset >= this.#log.logStartOffset);
    for (let target = 0; target <= LATEST_TIME + 1; target += 3) {
      const wanted = records.find(({ timestamp }) => timestamp >= target);
      const found = await this.#log.offsetForTimestamp(target);
      expect(found.ok && found.value).toEqual(wanted ? answer(wanted) : null);
    }
    const max = records.reduce((latest, { timestamp }) => Math.max(latest, timestamp), -1);
    const newest = records.find(({ timestamp }) => timestamp === max);
    const found = await this.#log.offsetOfMaxTimestamp();
    expect(found.ok && found.value).toEqual(newest ? answer(newest) : null);
  }
}

function answer({ offset, timestamp }: { readonly offset: number; readonly timestamp: number }) {
  return { offset, timestampMs: timestamp, leaderEpoch: 0 };
}

it.each(SEEDS)('finds the record that a look at all records finds (seed %i)', async (seed) => {
  await new Story(seed, false).run();
  await new Story(seed, true).run();
});

/** So slow that each segment takes a slice of its own. */
class SlowClock extends ManualClock {
  override monotonicMs(): number {
    this.pass(5);
    return super.monotonicMs();
  }
}

describe('a search while segments go', () => {
  const config = { segmentBytes: 200, indexIntervalBytes: 60, retentionMs: -1 };

  it.each([
    ['of a time', 2, (log: PartitionLog) => log.offsetForTimestamp(1005)],
    ['of the newest', 39, (log: PartitionLog) => log.offsetOfMaxTimestamp()],
  ] as const)('%s leaves the log in use', async (_, before, search) => {
    for (let turns = 0; turns < 12; turns++) {
      const clock = new SlowClock();
      const fileSystem = new FaultyFileSystem(clock);
      const filled = await openLogs({ fileSystem, clock, config });
      for (let i = 0; i < 20; i++) {
        await append(await openLog(filled), batchOf(['a', 'b'], { timestamp: 1000 + i * 10 }));
      }
      await filled.close({ clean: true });
      const manager = await openLogs({ fileSystem, clock, config });
      const log = await openLog(manager);
      log.setHighWatermark(40);
      await log.deleteRecordsBefore(1);
      const found = search(log);
      await settle(turns);
      expect(await log.deleteRecordsBefore(31)).toEqual({ ok: true, value: 31 });
      const result = await found;
      expect([log.isOffline, result.ok]).toEqual([false, true]);
      expect([before, Math.max(before, 31)]).toContain(result.ok && result.value?.offset);
      await manager.close({ clean: false });
    }
  });
});
