/**
 * What compaction leaves of a log, case by case. Random histories are in compaction-model.test.ts, crashes in
 * segment-swap.test.ts.
 */

import * as batchHeader from '../records/batch-header';
import { Codec } from '../records/compression';
import { buildEndTransactionMarker } from '../records/control-record';
import { convertDown } from '../records/down-conversion';
import { convertUp } from '../records/message-set';
import { decodeRecords } from '../records/record-codec';
import { cleaningTools, compactOnce, consume, keyedBatch, newestValues, type Put } from '../testing/compaction-fixture';
import { append, appendCode, batchOf, openLog, openLogs, readFrom, seededRandom } from '../testing/log-fixture';
import { ManualClock, settle } from '../testing/manual-clock';
import type { FileHandle, OpenMode } from './file-system';
import type { LogManager } from './log-manager';
import { MemoryFileSystem } from './memory-file-system';
import { OffsetMap } from './offset-map';
import type { PartitionLog } from './partition-log';

const COORDINATOR = { origin: 'coordinator', leaderEpoch: 0 } as const;
const RETENTION_MS = 10_000;

describe('compactLog', () => {
  let clock: ManualClock;
  let disk: MemoryFileSystem;
  let manager: LogManager;
  let log: PartitionLog;

  const config = {
    cleanupCompact: true,
    cleanupDelete: false,
    deleteRetentionMs: RETENTION_MS,
    segmentBytes: 400,
    minCleanableDirtyRatio: 0,
  };

  beforeEach(async () => {
    clock = new ManualClock();
    disk = new MemoryFileSystem(clock);
    manager = await openLogs({ fileSystem: disk, clock, config });
    log = await openLog(manager);
  });

  afterEach(() => manager.close({ clean: false }));

  async function put(...puts: Put[]): Promise<void> {
    await append(log, keyedBatch(puts, { timestamp: clock.nowMs() }));
    log.setHighWatermark(log.logEndOffset);
  }

  /** Makes the segment so far an inactive one. */
  async function roll(): Promise<void> {
    await put(['filler', 'x'.repeat(300)]);
    await put(['filler', 'y'.repeat(300)]);
  }

  async function end(producerId: number, isCommit: boolean): Promise<void> {
    const marker = buildEndTransactionMarker({
      producerId,
      producerEpoch: 0,
      coordinatorEpoch: 0,
      isCommit,
      timestampMs: clock.nowMs(),
    });
    await append(log, marker, COORDINATOR);
    log.setHighWatermark(log.logEndOffset);
  }

  async function putInTransaction(producerId: number, ...puts: Put[]): Promise<void> {
    const options = { timestamp: clock.nowMs(), producerId, producerEpoch: 0, isTransactional: true };
    await append(log, keyedBatch(puts, { ...options, baseSequence: log.logEndOffset }), COORDINATOR);
    log.setHighWatermark(log.logEndOffset);
  }

  /** Offset, key and value of what is there, without the filler. */
  async function left(): Promise<string[]> {
    const { records } = await consume(log);
    const shown = records.map(({ offset, key, value }) => `${offset} ${key} ${value}`);
    return shown.filter((line) => !line.includes('filler'));
  }

  it('keeps the newest record of each key at its offset, and the active segment', async () => {
    await put(['a', '1'], ['b', '1'], ['c', '1']);
    await put(['a', '2'], ['', 'empty']);
    await put(['a', '3'], ['b', '3']);
    await roll();
    const endOffset = log.logEndOffset;
    const { keys } = await compactOnce(log);
    expect(await left()).toEqual(['2 c 1', '4  empty', '5 a 3', '6 b 3']);
    expect([log.logEndOffset, log.logStartOffset, keys]).toEqual([endOffset, 0, 5]);
    const [first] = (await consume(log)).batches;
    expect([
      batchHeader.baseOffset(first!),
      batchHeader.lastOffsetDelta(first!),
      batchHeader.recordCount(first!),
    ]).toEqual([0, 2, 1]);
    await put(['a', '4']);
    expect((await left()).at(-1)).toBe(`${endOffset} a 4`);
  });

  it('writes nothing of a segment alone before something of it changes, then all that it passed', async () => {
    const [short, long] = ['1'.repeat(100), '2'.repeat(250)];
    await put(['a', short]);
    await put(['b', short]);
    await put(['c', long]);
    await put(['end', long]);
    const unchanged = await compactOnce(log);
    expect([unchanged.keys, unchanged.bytesWritten]).toEqual([3, 0]);
    await put(['b', long]);
    await put(['end', long]);
    const changed = await compactOnce(log);
    expect((await left()).map((line) => line.slice(0, 5))).toEqual(['0 a 1', '2 c 2', '3 end', '4 b 2', '5 end']);
    const [first] = (await consume(log)).batches;
    expect(changed.bytesWritten).toBe(first!.length);
  });

  it('keeps batches compressed', async () => {
    const values = Array.from({ length: 8 }, (_, i): Put => [`k${i % 5}`, `value ${i}`]);
    for (const codec of [Codec.gzip, Codec.snappy, Codec.lz4, Codec.zstd]) {
      await append(log, keyedBatch(values, { codec }));
    }
    log.setHighWatermark(log.logEndOffset);
    await roll();
    await compactOnce(log);
    const { batches, records } = await consume(log);
    expect([batchHeader.codec(batches[0]!), batchHeader.recordCount(batches[0]!)]).toEqual([Codec.zstd, 5]);
    expect(newestValues(records).get('k2')).toBe('value 7');
  });

  it('drops records without a key, as a topic may have from before it was compacted', async () => {
    log.updateConfig({ ...log.config, cleanupCompact: false });
    await append(log, keyedBatch([['a', '1']]));
    await append(log, batchOf(['no key']));
    log.updateConfig({ ...log.config, cleanupCompact: true });
    expect(await appendCode(log, batchOf(['no key']))).toBe(87);
    log.setHighWatermark(log.logEndOffset);
    await roll();
    await compactOnce(log);
    expect(await left()).toEqual(['0 a 1']);
  });

  it('keeps tombstones for their retention after the first compaction, with their own times', async () => {
    await put(['a', '1'], ['b', '1']);
    await put(['a', null], ['c', '1']);
    const writtenMs = clock.nowMs();
    await roll();
    await clock.advance(3 * RETENTION_MS);
    await compactOnce(log);
    expect(await left()).toEqual(['1 b 1', '2 a null', '3 c 1']);
    const { batches, records } = await consume(log);
    const stamped = batches.find((batch) => batchHeader.baseOffset(batch) === 2)!;
    expect(batchHeader.deleteHorizonMs(stamped)).toBe(clock.nowMs() + RETENTION_MS);
    expect(records.filter(({ offset }) => offset < 4).map(({ timestamp }) => timestamp - writtenMs)).toEqual([1, 0, 1]);

    await clock.advance(RETENTION_MS - 1);
    expect(log.cleanableRange()!.isWorthCleaning).toBe(false);
    await roll();
    await compactOnce(log);
    expect(await left()).toEqual(['1 b 1', '2 a null', '3 c 1']);
    await clock.advance(1);
    // Also when nothing more was written.
    expect(log.cleanableRange()!.isWorthCleaning).toBe(true);
    await compactOnce(log);
    expect(await left()).toEqual(['1 b 1', '3 c 1']);
    expect(log.cleanableRange()!.isWorthCleaning).toBe(false);
  });

  it('takes several passes when the keys do not fit, and forgets nothing in between', async () => {
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 40; i++) await put([`k${i}`, `${round}`]);
    }
    await roll();
    const expected = newestValues((await consume(log)).records);
    const tools = cleaningTools({ keys: 25 });
    let passes = 0;
    for (; log.cleanableRange()!.isWorthCleaning; passes++) {
      await compactOnce(log, tools);
      expect(newestValues((await consume(log)).records)).toEqual(expected);
    }
    expect(passes).toBeGreaterThan(3);
    expect((await left()).length).toBe(40);
  });

  it('makes few segments out of many', async () => {
    for (let i = 0; i < 40; i++) await put(['a', `${i}`.padEnd(100, 'x')]);
    const before = log.segmentCount;
    await compactOnce(log);
    await put(['a', 'y'.repeat(300)]);
    await compactOnce(log);
    expect([before > 15, log.segmentCount]).toEqual([true, 3]);
    for (let pass = 0; pass < 5; pass++) {
      await put(['a', 'y'.repeat(300)]);
      await compactOnce(log);
    }
    expect(log.segmentCount).toBeLessThan(5);
  });

  it('keeps the aborted transactions of what it passed before something changed', async () => {
    await put(['a', '1']);
    await putInTransaction(7, ['b', 'aborted']);
    await end(7, false);
    await put(['c', '1'.repeat(80)]);
    await roll();
    await compactOnce(log);
    await put(['c', '2']);
    await roll();
    const { bytesWritten } = await compactOnce(log);
    expect([await left(), bytesWritten > 0]).toEqual([['0 a 1', '6 c 2'], true]);
    expect((await readFrom(log, 0, { withAbortedTransactions: true })).aborted).toEqual([
      { producerId: 7, firstOffset: 1 },
    ]);
  });

  it('drops aborted records and keeps their marker for its retention', async () => {
    await put(['a', 'before']);
    await putInTransaction(7, ['a', 'aborted'], ['b', 'aborted']);
    await put(['c', 'between']);
    await end(7, false);
    // The producer's last batch stays for its sequence: one more transaction moves it on.
    await putInTransaction(7, ['d', 'committed']);
    await end(7, true);
    await roll();
    await compactOnce(log);
    const shown = ['0 a before', '3 c between', '5 d committed'];
    expect(await left()).toEqual(shown);
    const markers = async (): Promise<number[]> =>
      (await consume(log)).batches
        .filter((batch) => batchHeader.isControl(batch))
        .map((b) => batchHeader.baseOffset(b));
    expect(await markers()).toEqual([4, 6]);
    expect((await readFrom(log, 0, { withAbortedTransactions: true })).aborted).toEqual([
      { producerId: 7, firstOffset: 1 },
    ]);
    // The second time the marker has no records before it: that is when its time begins.
    await roll();
    await compactOnce(log);
    expect([await markers(), (await readFrom(log, 0, { withAbortedTransactions: true })).aborted]).toEqual([
      [4, 6],
      [],
    ]);
    await clock.advance(RETENTION_MS);
    await compactOnce(log);
    expect([await markers(), await left()]).toEqual([[6], shown]);
  });

  it('stops at an open transaction', async () => {
    await put(['a', '1']);
    await putInTransaction(7, ['a', 'open']);
    await roll();
    await put(['a', '3']);
    await roll();
    expect(log.cleanableRange()!.firstUncleanableOffset).toBe(0);
    await end(7, true);
    expect(log.cleanableRange()!.firstUncleanableOffset).toBeGreaterThan(2);
  });

  it('keeps the last batch of a producer, empty, so that its sequence goes on without its state', async () => {
    const idempotent = (baseSequence: number, ...puts: Put[]): Buffer =>
      keyedBatch(puts, { producerId: 5, producerEpoch: 1, baseSequence });
    await append(log, idempotent(0, ['a', '1']));
    await append(log, idempotent(1, ['a', '2'], ['b', '2']));
    await put(['a', '3'], ['b', '3']);
    await roll();
    await compactOnce(log);
    const empty = (await consume(log)).batches[0]!;
    expect([batchHeader.baseOffset(empty), batchHeader.lastSequence(empty), batchHeader.recordCount(empty)]).toEqual([
      1, 2, 0,
    ]);
    await manager.close({ clean: true });
    for (const { name } of disk.list('/data/t-0')) if (name.endsWith('.snapshot')) disk.remove(`/data/t-0/${name}`);
    manager = await openLogs({ fileSystem: disk, clock, config });
    log = await openLog(manager);
    expect([
      await appendCode(log, idempotent(7, ['a', '7'])),
      await appendCode(log, idempotent(3, ['a', '4'])),
    ]).toEqual([45, 0]);
  });

  it.each([0, 1] as const)('compacts what was stored in format %d', async (toMagic) => {
    const path = '/data/t-0/00000000000000000000.log';
    const stored = [
      keyedBatch(
        [
          ['a', '1'],
          ['b', '1'],
          ['b', null],
          ['d', '1'],
        ],
        { baseOffset: 0 },
      ),
      keyedBatch(
        [
          ['c', '1'],
          ['a', '2'],
          ['c', '2'],
        ],
        { baseOffset: 4, codec: Codec.gzip },
      ),
      keyedBatch(
        [
          ['e', '1'],
          ['e', '2'],
        ],
        { baseOffset: 7, codec: Codec.gzip },
      ),
    ];
    const old = convertDown(Buffer.concat(stored), { toMagic, firstOffset: 0 });
    if (!old.ok) throw new Error(old.message);
    await manager.close({ clean: false });
    disk.writeFile(path, old.value);
    manager = await openLogs({ fileSystem: disk, clock, config: { ...config, segmentBytes: 1000 } });
    log = await openLog(manager);
    expect(log.logEndOffset).toBe(9);
    log.updateConfig({ ...log.config, segmentBytes: 400 });
    await put(['d', '3'], ['e', '3']);
    await roll();
    await compactOnce(log);
    const content = disk.readFile(path);
    const batches: Buffer[] = [];
    for (let at = 0; at < content.length; at += batchHeader.sizeInBytes(content, at)) {
      batches.push(content.subarray(at, at + batchHeader.sizeInBytes(content, at)));
    }
    // The tombstone got its horizon, for which it takes the newest format; what was compressed stays together.
    expect(batches.slice(0, 2).map((batch) => batchHeader.magic(batch))).toEqual([batchHeader.MAGIC_V2, toMagic]);
    expect([batchHeader.baseOffset(batches[0]!), batchHeader.deleteHorizonMs(batches[0]!)]).toEqual([
      2,
      clock.nowMs() + RETENTION_MS,
    ]);
    const kept = convertUp(batches[1]!);
    const records = kept.ok && kept.value.batch ? decodeRecords(kept.value.batch) : undefined;
    expect(records?.ok && records.value.map(({ key, value }) => `${key} ${value}`)).toEqual(['c 1', 'a 2', 'c 2']);
  });

  it('writes the index of a large segment piece by piece', async () => {
    const pieces: number[] = [];
    class WatchedDisk extends MemoryFileSystem {
      override open(path: string, mode: OpenMode): FileHandle {
        const handle = super.open(path, mode);
        if (!path.endsWith('.index.cleaned')) return handle;
        const write = handle.write.bind(handle);
        handle.write = (data, position) => {
          pieces.push(data.length);
          write(data, position);
        };
        return handle;
      }
    }
    await manager.close({ clean: false });
    const roomy = { ...config, segmentBytes: 200_000, indexIntervalBytes: 0 };
    manager = await openLogs({ fileSystem: new WatchedDisk(clock), clock, config: roomy });
    log = await openLog(manager);
    for (const value of ['old', 'new']) await put(['a', value]);
    for (let i = 0; i < 1500; i++) await put([`key ${i}`, 'value']);
    for (const end of ['1', '2']) await put(['end', end.repeat(150_000)]);
    await compactOnce(log);
    expect([pieces.length > 2, pieces.reduce((sum, bytes) => sum + bytes, 0)]).toEqual([true, 1500 * 8]);
  });

  it('rests within a batch, in both of its halves', async () => {
    await manager.close({ clean: false });
    manager = await openLogs({ fileSystem: disk, clock, config: { ...config, segmentBytes: 200_000 } });
    log = await openLog(manager);
    await put(...Array.from({ length: 3000 }, (_, i): Put => [`key ${i}`, 'value']));
    for (const end of ['1', '2']) await put(['end', end.repeat(150_000)]);
    let [operations, most, rests] = [0, 0, 0];
    /** Each look into the map takes a thousandth of a millisecond. */
    class SlowMap extends OffsetMap {
      override get(bytes: Buffer, from: number, to: number): number {
        this.#work();
        return super.get(bytes, from, to);
      }

      override put(bytes: Buffer, range: { from: number; to: number }, offset: number): boolean {
        this.#work();
        return super.put(bytes, range, offset);
      }

      #work(): void {
        clock.pass(0.001);
        most = Math.max(most, ++operations);
      }
    }
    const immediate = clock.immediate.bind(clock);
    clock.immediate = (run) => {
      operations = 0;
      rests++;
      immediate(run);
    };
    const tools = cleaningTools({ clock, bufferBytes: 1024 * 1024 });
    const map = new SlowMap({ memoryBytes: 100_000, loadFactor: 0.9, random: seededRandom(1) });
    await compactOnce(log, { ...tools, map });
    // 0.25 ms, and as many records more as lie between two looks at the clock.
    expect(most).toBeLessThanOrEqual(250 + 128);
    expect(rests).toBeGreaterThan(15);
  });

  it('does not compact beyond a damaged batch, and leaves the log as it is', async () => {
    for (let i = 0; i < 10; i++) await put(['a', `${i}`]);
    await roll();
    const path = '/data/t-0/00000000000000000000.log';
    const content = disk.readFile(path);
    content[content.length - 3]! ^= 1;
    disk.writeFile(path, content);
    const result = await log.compact(log.cleanableRange()!, cleaningTools());
    expect([result.ok, !result.ok && result.error]).toEqual([false, 'failed']);
    expect(disk.readFile(path).equals(content)).toBe(true);
    expect(disk.list('/data/t-0').filter(({ name }) => name.endsWith('.cleaned'))).toEqual([]);
  });

  it('gives way to a truncation, to deleted segments and to the end of the log', async () => {
    const tools = cleaningTools();
    const interferences = [
      () => log.truncateTo(log.logEndOffset - 1),
      () => {
        log.updateConfig({ ...log.config, cleanupDelete: true, retentionBytes: 300 });
        return log.deleteOldSegments();
      },
      () => log.close({ clean: false }),
    ];
    for (const interfere of interferences) {
      for (let i = 0; i < 10; i++) await put(['a', `${i}`.repeat(50)]);
      const before = disk.list('/data/t-0').length;
      const compacting = log.compact(log.cleanableRange()!, tools);
      await settle(1);
      expect(disk.list('/data/t-0').length).toBeGreaterThan(before);
      await interfere();
      const result = await compacting;
      expect([result.ok, !result.ok && result.error]).toEqual([false, 'stopped']);
      expect(log.cleanOffset).toBe(-1);
    }
  });

  it('leaves readers alone that hold what is replaced', async () => {
    for (let i = 0; i < 30; i++) await put([`k${i % 3}`, `${i}`.padEnd(200, 'x')]);
    log.updateConfig({ ...log.config, segmentBytes: 100_000, fileDeleteDelayMs: 0 });
    for (let i = 0; i < 300; i++) await put([`k${i % 3}`, `${i}`.padEnd(200, 'x')]);
    log.updateConfig({ ...log.config, segmentBytes: 300 });
    await put(['k0', 'last']);
    const read = log.read({ offset: 60, maxBytes: 50_000, upTo: log.logEndOffset, minOneBatch: true });
    if (!read.ok || read.value.chunk === null || Buffer.isBuffer(read.value.chunk)) throw new Error('no region');
    const region = read.value.chunk;
    const half = Math.floor(region.length / 2);
    const bytes = Buffer.alloc(region.length);
    await region.read(bytes.subarray(0, half), 0);
    const searching = log.offsetForTimestamp(clock.nowMs());
    await compactOnce(log);
    await clock.advance(1);
    await region.read(bytes.subarray(half), half);
    region.release();
    expect(batchHeader.isCrcValid(bytes.subarray(bytes.length - batchHeader.sizeInBytes(bytes)))).toBe(true);
    const found = await searching;
    expect(found.ok && found.value?.offset).toBe(0);
    expect(newestValues((await consume(log)).records).size).toBe(3);
  });
});
