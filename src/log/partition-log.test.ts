/** What a log does for its callers: appending, gathering, reading, trimming, disk errors. */
import { isFileRegion } from '../base/chunk';
import { ErrorCode } from '../codec/generated/errors';
import { buildBatch } from '../records/batch-builder';
import * as batchHeader from '../records/batch-header';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import {
  append,
  appendCode,
  batchOf,
  logConfig,
  openLog,
  openLogs,
  readAll,
  readFrom,
  textsOf,
} from '../testing/log-fixture';
import { ManualClock, settle } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';
import { Segment } from './segment';

const NO_RETENTION = { retentionMs: -1 };

describe('PartitionLog', () => {
  let clock: ManualClock;
  let disk: FaultyFileSystem;
  let manager: LogManager;
  let log: PartitionLog;

  async function start(config = {}): Promise<void> {
    manager = await openLogs({ fileSystem: disk, clock, config: { ...NO_RETENTION, ...config } });
    log = await openLog(manager);
  }

  beforeEach(async () => {
    clock = new ManualClock();
    disk = new FaultyFileSystem(clock);
    await start();
  });

  afterEach(() => manager.close({ clean: false }));

  describe('append', () => {
    it('gives dense offsets, and stores what was sent but for base offset and epoch', async () => {
      const sent = batchOf(['a', 'b', 'c'], { codec: 1 });
      const original = Buffer.from(sent);
      await append(log, batchOf(['x']));
      const info = await append(log, sent, { origin: 'client', leaderEpoch: 7 });
      expect(info).toEqual({ firstOffset: 1, lastOffset: 3, logAppendTimeMs: -1, logStartOffset: 0, duplicate: false });
      expect([log.logEndOffset, log.latestEpoch]).toEqual([4, 7]);
      const { bytes } = await readFrom(log, 1);
      expect(bytes.subarray(16).equals(original.subarray(16))).toBe(true);
      expect([batchHeader.baseOffset(bytes), batchHeader.partitionLeaderEpoch(bytes)]).toEqual([1, 7]);
    });

    it('makes one write of what arrives in one turn, and shows nothing before', async () => {
      const path = '/data/t-0/00000000000000000000.log';
      const results = ['a', 'b', 'c'].map((text) =>
        log.append(batchOf([text]), { origin: 'client', leaderEpoch: 0 }).promise(),
      );
      expect([log.logEndOffset, disk.stat(path)?.size]).toEqual([0, 0]);
      const calls = jest.spyOn(disk, 'faultOf');
      const infos = await Promise.all(results);
      expect(calls.mock.calls.filter(([on, file]) => on === 'write' && file === path)).toHaveLength(1);
      expect(infos.map((result) => result.ok && result.value.firstOffset)).toEqual([0, 1, 2]);
      expect(textsOf(await readAll(log))).toEqual(['a', 'b', 'c']);
    });

    it('takes large batches off the loop and those behind them in order', async () => {
      const big = batchOf([Buffer.alloc(300_000, 'x').toString()]);
      const results = await Promise.all([append(log, big), append(log, batchOf(['a'])), append(log, batchOf(['b']))]);
      expect(results.map(({ firstOffset }) => firstOffset)).toEqual([0, 1, 2]);
      expect(textsOf(await readAll(log, 1))).toEqual(['a', 'b']);
    });

    it('stamps LogAppendTime', async () => {
      log.updateConfig(logConfig({ messageTimestampType: 'LogAppendTime' }));
      const info = await append(log, batchOf(['a', 'b'], { timestamp: 5, codec: 1 }));
      expect(info.logAppendTimeMs).toBe(clock.nowMs());
      const { records } = await readFrom(log, 0);
      expect(records.map(({ timestamp }) => timestamp)).toEqual([clock.nowMs(), clock.nowMs()]);
    });

    it('refuses a batch larger than a segment', async () => {
      log.updateConfig(logConfig({ segmentBytes: 500 }));
      const code = await appendCode(log, batchOf(['x'.repeat(1000)]));
      expect([code, log.logEndOffset]).toEqual([ErrorCode.RECORD_LIST_TOO_LARGE, 0]);
    });

    it('answers an empty set of old messages without storing', async () => {
      expect(await append(log, Buffer.alloc(0))).toMatchObject({ firstOffset: -1, lastOffset: -1 });
    });

    it('takes what a leader sent as it is, and only at the end', async () => {
      const replication = { origin: 'replication' as const, leaderEpoch: 0 };
      const sent = Buffer.concat([
        batchOf(['a', 'b'], { baseOffset: 0, partitionLeaderEpoch: 2 }),
        batchOf(['c'], { baseOffset: 4, partitionLeaderEpoch: 3 }),
      ]);
      const info = await append(log, Buffer.concat([sent, sent.subarray(0, 20)]), replication);
      expect([info.firstOffset, info.lastOffset, log.logEndOffset]).toEqual([0, 4, 5]);
      expect((await readFrom(log, 0)).bytes.equals(sent)).toBe(true);
      expect(log.endOffsetForEpoch(2)).toEqual({ leaderEpoch: 2, endOffset: 4 });
      expect(await appendCode(log, batchOf(['d'], { baseOffset: 4 }), replication)).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    });
  });

  describe('read', () => {
    it('answers at the edges', async () => {
      await append(log, batchOf(['a', 'b', 'c']));
      const code = (offset: number): number => {
        const read = log.read({ offset, maxBytes: 1000, upTo: 3, minOneBatch: true });
        return read.ok ? read.value.sizeInBytes : -read.error;
      };
      expect([code(-1), code(4), code(2 ** 63), code(Number.NaN)]).toEqual([-1, -1, -1, -1]);
      expect(code(3)).toBe(0);
      expect(code(2)).toBeGreaterThan(61);
    });

    it('gives whole batches up to the size, the first one whatever its size', async () => {
      for (const text of ['a', 'b', 'c']) await append(log, batchOf([text.repeat(100)]));
      const size = log.sizeInBytes / 3;
      const sizes = [1, size, size + 1, 2 * size, 10 * size].map((maxBytes) => {
        const both = [true, false].map((minOneBatch) => log.read({ offset: 0, maxBytes, upTo: 3, minOneBatch }));
        return both.map((read) => (read.ok ? read.value.sizeInBytes / size : -1));
      });
      expect(sizes).toEqual([
        [1, 0],
        [1, 1],
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
    });

    it('stops below the bound', async () => {
      for (const text of ['a', 'b', 'c']) await append(log, batchOf([text]));
      const texts = await Promise.all(
        [0, 1, 2, 3].map(async (upTo) => textsOf((await readFrom(log, 0, { upTo })).records)),
      );
      expect(texts).toEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']]);
    });

    it('hands out large reads as a region that survives deletion of the segment', async () => {
      log.updateConfig(logConfig({ ...NO_RETENTION, segmentBytes: 60_000 }));
      for (let i = 0; i < 3; i++) await append(log, batchOf(['x'.repeat(50_000)]));
      const read = log.read({ offset: 0, maxBytes: 100_000, upTo: 3, minOneBatch: true });
      const chunk = read.ok ? read.value.chunk : null;
      if (!chunk || !isFileRegion(chunk)) throw new Error('a region was expected');
      log.setHighWatermark(3);
      await log.deleteRecordsBefore(2);
      await clock.advance(120_000);
      expect(disk.list('/data/t-0').filter(({ name }) => name.startsWith('00000000000000000000.'))).toEqual([]);
      const bytes = Buffer.alloc(chunk.length);
      expect(await chunk.read(bytes, 0)).toBe(chunk.length);
      expect(batchHeader.isCrcValid(bytes)).toBe(true);
      chunk.release();
    });

    it('finds its way at any offset across segments and index entries', async () => {
      log.updateConfig(logConfig({ ...NO_RETENTION, segmentBytes: 3000, indexIntervalBytes: 200 }));
      for (let i = 0; i < 100; i++) await append(log, batchOf([`a${i}`, `b${i}`]));
      expect(log.segmentCount).toBeGreaterThan(2);
      for (let offset = 0; offset < 200; offset += 7) {
        const { records } = await readFrom(log, offset, { maxBytes: 150 });
        expect(records[0]!.offset).toBe(offset - (offset % 2));
      }
      expect(await readAll(log)).toHaveLength(200);
    });
  });

  describe('times', () => {
    it('finds the first record at or after a time, in offset order', async () => {
      log.updateConfig(logConfig({ ...NO_RETENTION, segmentBytes: 700, indexIntervalBytes: 100 }));
      const times = [5, 3, 9, 9, 1, 20, 15, 30, 2, 31];
      for (const timestamp of times) await append(log, batchOf(['a', 'b'], { timestamp: timestamp * 10, codec: 1 }));
      const all = times.flatMap((time) => [time * 10, time * 10 + 1]);
      for (let target = 0; target < 320; target++) {
        const found = await log.offsetForTimestamp(target);
        const expected = all.findIndex((time) => time >= target);
        expect(found.ok && (found.value?.offset ?? -1)).toBe(expected);
        if (found.ok && found.value) expect(found.value.timestampMs).toBe(all[expected]);
      }
      expect(await log.offsetOfMaxTimestamp()).toMatchObject({
        value: { offset: 19, timestampMs: 311, leaderEpoch: 0 },
      });
    });

    it('finds no time in an empty log or one without times', async () => {
      expect(await log.offsetForTimestamp(0)).toEqual({ ok: true, value: null });
      await append(log, batchOf(['a'], { timestamp: -1 }));
      expect(await log.offsetForTimestamp(0)).toEqual({ ok: true, value: null });
    });

    it('finds the newest, also of records without times, and none in an empty log', async () => {
      expect(await log.offsetOfMaxTimestamp()).toEqual({ ok: true, value: null });
      await append(log, batchOf(['a'], { timestamp: -1 }));
      expect(await log.offsetOfMaxTimestamp()).toMatchObject({ value: { offset: 0, timestampMs: -1 } });
    });

    it('finds the newest of those that are left, in a batch or a segment of which a part is deleted', async () => {
      log.updateConfig(logConfig({ ...NO_RETENTION, segmentBytes: 400, indexIntervalBytes: 50 }));
      const times = [900, 800, 700, 100, 300, 200, 600, 50, 400];
      const records = times.map((timestamp) => ({ timestamp, key: null, value: Buffer.alloc(30) }));
      for (const at of [0, 3, 6]) await append(log, buildBatch({ records: records.slice(at, at + 3), codec: 1 }));
      for (const time of [500, 550, 10]) await append(log, batchOf(['x'.repeat(90)], { timestamp: time }));
      times.push(500, 550, 10);
      log.setHighWatermark(12);
      for (let start = 0; start < times.length; start++) {
        await log.deleteRecordsBefore(start);
        const left = times.slice(start);
        const offset = start + left.indexOf(Math.max(...left));
        expect([start, await log.offsetOfMaxTimestamp()]).toMatchObject([start, { value: { offset } }]);
      }
      await log.deleteRecordsBefore(12);
      expect(await log.offsetOfMaxTimestamp()).toEqual({ ok: true, value: null });
    });

    it('does not find what lies before the log start', async () => {
      await append(log, batchOf(['a', 'b', 'c'], { timestamp: 10 }));
      log.setHighWatermark(3);
      await log.deleteRecordsBefore(2);
      expect(await log.offsetForTimestamp(10)).toMatchObject({ value: { offset: 2, timestampMs: 12 } });
    });
  });

  describe('trimming', () => {
    it('moves the log start at most to the high watermark, durably', async () => {
      await append(log, batchOf(['a', 'b', 'c']));
      log.setHighWatermark(2);
      expect(await log.deleteRecordsBefore(3)).toMatchObject({ error: ErrorCode.OFFSET_OUT_OF_RANGE });
      expect(await log.deleteRecordsBefore(1)).toEqual({ ok: true, value: 1 });
      expect(await log.deleteRecordsBefore(0)).toEqual({ ok: true, value: 1 });
      await log.flush();
      const after = await openLogs({
        fileSystem: disk.crash('synced-only', { integer: () => 0, bytes: Buffer.alloc }),
      });
      expect(after.get('t', 0)?.logStartOffset).toBe(1);
      await after.close({ clean: false });
    });

    it('keeps the high watermark within the log', async () => {
      await append(log, batchOf(['a', 'b', 'c']));
      log.setHighWatermark(10);
      expect(log.highWatermark).toBe(3);
      log.setHighWatermark(-1);
      expect(log.highWatermark).toBe(0);
    });

    it('drops everything from an offset on, and goes on there', async () => {
      log.updateConfig(logConfig({ ...NO_RETENTION, segmentBytes: 400, indexIntervalBytes: 50 }));
      for (let i = 0; i < 20; i++)
        await append(log, batchOf([`v${i}`], { timestamp: 100 + i }), { origin: 'client', leaderEpoch: i });
      log.setHighWatermark(20);
      expect(await log.truncateTo(20)).toEqual({ ok: true, value: undefined });
      expect((await log.truncateTo(7)).ok).toBe(true);
      expect([log.logEndOffset, log.highWatermark, log.latestEpoch]).toEqual([7, 7, 6]);
      expect(await log.offsetForTimestamp(107)).toEqual({ ok: true, value: null });
      expect(await log.offsetOfMaxTimestamp()).toMatchObject({ value: { offset: 6 } });
      await append(log, batchOf(['new']));
      expect(textsOf(await readAll(log)).slice(5)).toEqual(['v5', 'v6', 'new']);
      expect((await log.truncateTo(0)).ok).toBe(true);
      expect([log.logEndOffset, log.segmentCount]).toEqual([0, 1]);
    });

    it('deletes by size and time, and never what is not replicated', async () => {
      const config = { segmentBytes: 300, retentionBytes: 600, retentionMs: -1 };
      log.updateConfig(logConfig(config));
      for (let i = 0; i < 20; i++) await append(log, batchOf([`v${i}`], { timestamp: clock.nowMs() }));
      expect(await log.deleteOldSegments()).toEqual({ ok: true, value: 0 });
      log.setHighWatermark(20);
      await log.deleteOldSegments();
      expect(log.sizeInBytes).toBeGreaterThanOrEqual(600);
      expect(log.sizeInBytes).toBeLessThan(900);
      expect(textsOf(await readAll(log))[0]).toBe(`v${log.logStartOffset}`);
      log.updateConfig(logConfig({ ...config, retentionMs: 1000 }));
      await clock.advance(1001);
      await log.deleteOldSegments();
      expect([log.logStartOffset, log.logEndOffset, log.sizeInBytes]).toEqual([20, 20, 0]);
    });

    it('rolls by time, counted by the records', async () => {
      log.updateConfig(logConfig({ ...NO_RETENTION, segmentMs: 1000 }));
      await append(log, batchOf(['a'], { timestamp: 5000 }));
      await append(log, batchOf(['b'], { timestamp: 6000 }));
      expect(log.segmentCount).toBe(1);
      await append(log, batchOf(['c'], { timestamp: 6001 }));
      expect(log.segmentCount).toBe(2);
      await append(log, batchOf(['d'], { timestamp: 5000 }));
      expect(log.segmentCount).toBe(2);
    });

    it('rolls when an index is full', async () => {
      log.updateConfig(logConfig({ ...NO_RETENTION, segmentIndexBytes: 36 }));
      const small = await manager.create('small', 0, 'Zm9vYmFyYmF6cXV4cXV1eB');
      if (!small.ok) throw new Error('no log');
      small.value.updateConfig(logConfig({ ...NO_RETENTION, segmentIndexBytes: 36 }));
      for (let i = 0; i < 20; i++) await append(small.value, batchOf(['x'.repeat(5000)], { timestamp: i }));
      expect(small.value.segmentCount).toBeGreaterThan(3);
    });
  });

  it('goes offline at a bug, and answers all that waits all the same', async () => {
    jest.spyOn(Segment.prototype, 'noteAppended').mockImplementationOnce(() => {
      throw new Error('a bug');
    });
    const waiting = [appendCode(log, batchOf(['a'])), log.truncateTo(0), appendCode(log, batchOf(['b']))];
    const [first, task, second] = await Promise.all(waiting);
    expect([first, second]).toEqual([ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.KAFKA_STORAGE_ERROR]);
    expect(task).toMatchObject({ error: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(log.isOffline).toBe(true);
  });

  describe('when the disk fails', () => {
    it('refuses while there is no room, with the log as it was, and goes on afterwards', async () => {
      const producer = { producerId: 1, producerEpoch: 0 };
      await append(log, batchOf(['a'], { ...producer, baseSequence: 0 }), { origin: 'client', leaderEpoch: 1 });
      const before = log.sizeInBytes;
      const full = disk.inject({ on: 'write', code: 'ENOSPC', path: /\.log$/, partialBytes: 30 });
      const failed = await Promise.all([
        appendCode(log, batchOf(['b'], { ...producer, baseSequence: 1 }), { origin: 'client', leaderEpoch: 2 }),
        appendCode(log, batchOf(['c'], { ...producer, baseSequence: 2 }), { origin: 'client', leaderEpoch: 2 }),
      ]);
      expect(failed).toEqual([ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.KAFKA_STORAGE_ERROR]);
      expect([log.logEndOffset, log.sizeInBytes, log.latestEpoch, log.isOffline]).toEqual([1, before, 1, false]);
      expect(disk.stat('/data/t-0/00000000000000000000.log')?.size).toBe(before);
      full.lift();
      const info = await append(log, batchOf(['b'], { ...producer, baseSequence: 1 }));
      expect([info.firstOffset, info.duplicate]).toEqual([1, false]);
      expect(textsOf(await readAll(log))).toEqual(['a', 'b']);
    });

    it('survives a roll that finds no room or no descriptor', async () => {
      log.updateConfig(logConfig({ ...NO_RETENTION, segmentBytes: 100 }));
      await append(log, batchOf(['a']));
      for (const fault of [
        { on: 'write' as const, code: 'ENOSPC', path: /snapshot/ },
        { on: 'open' as const, code: 'EMFILE', path: /0001\.log$/ },
      ]) {
        const injected = disk.inject(fault);
        expect(await appendCode(log, batchOf(['b']))).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
        injected.lift();
      }
      await append(log, batchOf(['c']));
      expect([textsOf(await readAll(log)), log.segmentCount, log.isOffline]).toEqual([['a', 'c'], 2, false]);
    });

    it('goes offline on an I/O error, and says so to everybody', async () => {
      await append(log, batchOf(['a']));
      disk.inject({ on: 'write', code: 'EIO', path: /\.log$/, times: 1 });
      expect(await appendCode(log, batchOf(['b']))).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
      expect([log.isOffline, log.logEndOffset]).toEqual([true, 1]);
      expect(await appendCode(log, batchOf(['c']))).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
      expect(log.read({ offset: 0, maxBytes: 10, upTo: 1, minOneBatch: true })).toMatchObject({ error: 56 });
      expect(await log.offsetForTimestamp(0)).toMatchObject({ error: 56 });
      expect(await log.flush()).toMatchObject({ error: 56 });
    });

    it('goes offline when an fsync fails, and does not try again', async () => {
      log.updateConfig(logConfig({ flushMessages: 1 }));
      await append(log, batchOf(['a']));
      disk.inject({ on: 'sync', code: 'EIO', path: /\.log$/, times: 1 });
      expect(await appendCode(log, batchOf(['b']))).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
      expect([log.isOffline, log.logEndOffset]).toEqual([true, 1]);
    });
  });

  describe('flush', () => {
    it('makes answers and the log end wait where it is due', async () => {
      log.updateConfig(logConfig({ flushMessages: 2 }));
      await append(log, batchOf(['a']));
      expect([log.logEndOffset, log.recoveryPoint]).toEqual([1, 0]);
      const seen: number[] = [];
      const appended = append(log, batchOf(['b'])).then(() => seen.push(log.recoveryPoint));
      await settle(20);
      await appended;
      expect([seen, log.logEndOffset]).toEqual([[2], 2]);
    });

    it('covers all that was appended before, with one fsync for those who wait together', async () => {
      log.updateConfig(logConfig({ flushMessages: 1 }));
      const all = Array.from({ length: 50 }, (_, i) => append(log, batchOf([`v${i}`])));
      await Promise.all(all);
      const after = disk.crash('synced-only', { integer: () => 0, bytes: Buffer.alloc });
      const recovered = await openLogs({ fileSystem: after, config: NO_RETENTION });
      expect(recovered.get('t', 0)?.logEndOffset).toBe(50);
      await recovered.close({ clean: false });
    });

    it('happens by time', async () => {
      await manager.close({ clean: false });
      manager = await openLogs({
        fileSystem: disk,
        clock,
        config: { ...NO_RETENTION, flushMs: 1000 },
        flushSchedulerIntervalMs: 100,
      });
      log = await openLog(manager);
      await append(log, batchOf(['a']));
      await clock.advance(500);
      expect(log.recoveryPoint).toBe(0);
      await clock.advance(700);
      expect(log.recoveryPoint).toBe(1);
    });
  });
});
