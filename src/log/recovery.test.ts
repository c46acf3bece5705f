/** Starting on what an earlier run left: after clean stops, after crashes, with damaged and left-over files. */
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from '../records/batch-header';
import { buildEndTransactionMarker } from '../records/control-record';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import {
  append,
  appendCode,
  batchOf,
  openLog,
  openLogs,
  readAll,
  readFrom,
  seededRandom,
  TOPIC_ID,
  textsOf,
} from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

const DIRECTORY = '/data/t-0';
const CONFIG = { retentionMs: -1, segmentBytes: 1000, indexIntervalBytes: 150 };

describe('recovery', () => {
  const clock = new ManualClock();
  let disk: FaultyFileSystem;
  let manager: LogManager;
  let log: PartitionLog;

  async function open(): Promise<void> {
    manager = await openLogs({ fileSystem: disk, clock, config: CONFIG });
    log = await openLog(manager);
  }

  /** Ends as by kill -9: what was written is there, nothing else happens. */
  async function kill(): Promise<void> {
    disk = disk.crash('all-unsynced', seededRandom(1));
    await manager.close({ clean: false });
  }

  async function stop(): Promise<void> {
    await manager.close({ clean: true });
  }

  const files = (suffix: string): string[] =>
    disk
      .list(DIRECTORY)
      .map(({ name }) => name)
      .filter((name) => name.endsWith(suffix))
      .sort()
      .map((name) => `${DIRECTORY}/${name}`);

  const cut = (path: string, bytes: number): void => {
    disk.writeFile(path, disk.readFile(path).subarray(0, -bytes));
  };

  /** Batches of an idempotent producer with rising times, 20 to a few segments. */
  async function fill(count = 20): Promise<void> {
    for (let i = 0; i < count; i++) {
      const batch = batchOf([`v${i}`.padEnd(80, '.')], {
        timestamp: 1000 + i * 10,
        producerId: 5,
        producerEpoch: 0,
        baseSequence: i,
      });
      await append(log, batch, { origin: 'client', leaderEpoch: Math.floor(i / 7) });
    }
  }

  const resend = (i: number): Promise<number> =>
    append(log, batchOf([`v${i}`], { producerId: 5, producerEpoch: 0, baseSequence: i })).then(
      ({ firstOffset, duplicate }) => (duplicate ? firstOffset : -1 - firstOffset),
    );

  async function expectAllRight(count = 20): Promise<void> {
    expect(log.logEndOffset).toBe(count);
    expect(textsOf(await readAll(log)).map((text) => text.replace(/\.+$/, ''))).toEqual(
      Array.from({ length: count }, (_, i) => `v${i}`),
    );
    for (let i = 0; i < count; i++) {
      expect((await readFrom(log, i, { maxBytes: 1 })).records[0]?.offset).toBe(i);
      expect(await log.offsetForTimestamp(1000 + i * 10 - 5)).toMatchObject({ value: { offset: i } });
    }
    expect(await log.offsetForTimestamp(1_000_000)).toEqual({ ok: true, value: null });
    expect(log.endOffsetForEpoch(0).endOffset).toBe(7);
    for (const i of [count - 5, count - 1]) expect(await resend(i)).toBe(i);
    const gap = batchOf(['x'], { producerId: 5, producerEpoch: 0, baseSequence: count + 3 });
    expect(await appendCode(log, gap)).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
  }

  beforeEach(async () => {
    disk = new FaultyFileSystem(clock);
    await open();
  });

  afterEach(() => manager.close({ clean: false }));

  it.each([
    ['clean stop', stop],
    ['kill', kill],
  ])('finds everything after a %s', async (_, end) => {
    await fill();
    await end();
    await open();
    await expectAllRight();
    expect(log.topicId).toBe(TOPIC_ID);
    expect(await resend(20)).toBe(-21);
  });

  it('reads no log after a clean stop but the ends', async () => {
    await fill();
    await stop();
    const first = files('.log')[0]!;
    const bytes = disk.readFile(first);
    bytes[bytes.length - 70]! ^= 1;
    disk.writeFile(first, bytes);
    const snapshots = files('.snapshot');
    await open();
    expect([log.logEndOffset, files('.snapshot')]).toEqual([20, snapshots]);
  });

  it('takes the mark away while it runs', async () => {
    await stop();
    expect(JSON.parse(disk.readFile('/data/.kafka_cleanshutdown').toString())).toEqual({ version: 0, brokerEpoch: -1 });
    await open();
    expect(disk.stat('/data/.kafka_cleanshutdown')).toBeUndefined();
  });

  it('cuts a torn batch at every byte, and takes the next batch in its place', async () => {
    for (let i = 0; i < 3; i++)
      await append(log, batchOf([`v${i}`], { producerId: 5, producerEpoch: 0, baseSequence: i }));
    await kill();
    const path = files('.log')[0]!;
    const whole = disk.readFile(path);
    const last = Math.round(whole.length / 3);
    for (let bytes = 1; bytes <= last; bytes += 5) {
      disk.writeFile(path, whole.subarray(0, whole.length - bytes));
      await open();
      expect([log.logEndOffset, disk.stat(path)?.size]).toEqual([2, 2 * last]);
      expect(await resend(2)).toBe(-3);
      await kill();
    }
    await open();
  });

  it('cuts at a batch whose checksum is wrong, and drops the segments behind it', async () => {
    await fill();
    await kill();
    const [, second, ...rest] = files('.log');
    const bytes = disk.readFile(second!);
    const damaged = batchHeader.sizeInBytes(bytes) + 100;
    bytes[damaged]! ^= 1;
    disk.writeFile(second!, bytes);
    const start = batchHeader.baseOffset(bytes);
    await open();
    expect([log.logEndOffset, files('.log').length, rest.length > 0]).toEqual([start + 1, 2, true]);
    expect(await resend(start + 1)).toBe(-1 - (start + 1));
    expect(textsOf(await readAll(log))).toHaveLength(start + 2);
  });

  it('ends at a hole that a power cut left between segments, except where compaction leaves such', async () => {
    await fill();
    await kill();
    const first = files('.log')[0]!;
    const bytes = disk.readFile(first);
    const size = batchHeader.sizeInBytes(bytes);
    disk.writeFile(first, bytes.subarray(0, bytes.length - size));
    const left = bytes.length / size - 1;
    const compacted = await openLogs({
      fileSystem: disk.crash('all-unsynced', seededRandom(1)),
      config: { ...CONFIG, cleanupCompact: true },
    });
    expect(compacted.get('t', 0)?.logEndOffset).toBe(20);
    await compacted.close({ clean: false });
    await open();
    expect([log.logEndOffset, files('.log').length]).toEqual([left, 1]);
    expect(textsOf(await readAll(log))).toHaveLength(left);
  });

  it('cuts what is no batch at the end after a clean stop too', async () => {
    await fill(3);
    await stop();
    const path = files('.log')[0]!;
    const whole = disk.readFile(path);
    disk.writeFile(path, Buffer.concat([whole, Buffer.alloc(100)]));
    await open();
    expect([log.logEndOffset, disk.readFile(path).equals(whole)]).toEqual([3, true]);
    expect(textsOf(await readAll(log))).toHaveLength(3);
  });

  it('takes an older batch at the end for none', async () => {
    await fill(3);
    await stop();
    const path = files('.log')[0]!;
    const whole = disk.readFile(path);
    disk.writeFile(path, Buffer.concat([whole, whole.subarray(0, batchHeader.sizeInBytes(whole))]));
    await open();
    expect([log.logEndOffset, disk.readFile(path).equals(whole)]).toEqual([3, true]);
  });

  it('starts on a full disk with indexes in memory, and writes them when there is room', async () => {
    await fill();
    await kill();
    disk.freeBytes = 0;
    await open();
    await expectAllRight();
    await log.writeBehind();
    expect([log.isOffline, files('.index').some((path) => disk.stat(path)!.size > 0)]).toEqual([false, false]);
    await kill();
    disk.freeBytes = Number.POSITIVE_INFINITY;
    await open();
    expect(files('.index').some((path) => disk.stat(path)!.size > 0)).toBe(true);
    await expectAllRight();
  });

  describe.each([
    ['clean stop', stop],
    ['kill', kill],
  ])('after a %s', (_, end) => {
    it.each([
      ['deleted', (path: string) => disk.remove(path)],
      [
        'cut to an odd size',
        (path: string) => (disk.readFile(path).length > 3 ? cut(path, 3) : disk.writeFile(path, Buffer.alloc(5))),
      ],
      ['emptied', (path: string) => disk.writeFile(path, Buffer.alloc(0))],
      ['filled with zeros', (path: string) => disk.writeFile(path, Buffer.alloc(disk.readFile(path).length || 24))],
      ['filled with garbage', (path: string) => disk.writeFile(path, Buffer.alloc(240, 0x5a))],
    ])('rebuilds index files and snapshots that were %s', async (_how, spoil) => {
      await fill();
      await end();
      for (const suffix of ['.index', '.timeindex', '.snapshot']) for (const path of files(suffix)) spoil(path);
      await open();
      await expectAllRight();
    });
  });

  it('finds a damaged place within an index when it comes there', async () => {
    await fill();
    await stop();
    for (const path of files('.index')) {
      const bytes = disk.readFile(path);
      if (bytes.length <= 16) continue;
      bytes.fill(0x11, 8, 16);
      disk.writeFile(path, bytes);
    }
    await open();
    await expectAllRight();
  });

  describe('transactions', () => {
    const coordinator = { origin: 'coordinator' as const, leaderEpoch: 0 };
    const marker = (producerId: number, isCommit: boolean): Buffer =>
      buildEndTransactionMarker({ isCommit, coordinatorEpoch: 1, producerId, producerEpoch: 0, timestampMs: 2000 });
    const data = (producerId: number, baseSequence: number): Buffer =>
      batchOf([`p${producerId}-${baseSequence}`.padEnd(80, '.')], {
        producerId,
        producerEpoch: 0,
        baseSequence,
        isTransactional: true,
      });

    async function transact(): Promise<void> {
      await append(log, data(1, 0), coordinator);
      await append(log, data(2, 0), coordinator);
      for (let i = 0; i < 10; i++) await append(log, batchOf([`plain${i}`.padEnd(80, '.')]));
      await append(log, marker(1, false), coordinator);
      await append(log, data(3, 0), coordinator);
      await append(log, marker(2, true), coordinator);
      log.setHighWatermark(log.logEndOffset);
    }

    async function expectTransactions(): Promise<void> {
      log.setHighWatermark(log.logEndOffset);
      expect([log.logEndOffset, log.lastStableOffset]).toEqual([15, 13]);
      const read = await readFrom(log, 0, { upTo: log.lastStableOffset, withAbortedTransactions: true, maxBytes: 500 });
      expect(read.aborted).toEqual([{ producerId: 1, firstOffset: 0 }]);
      expect((await readFrom(log, 13, { withAbortedTransactions: true })).aborted).toEqual([]);
      await append(log, marker(3, false), coordinator);
      log.setHighWatermark(log.logEndOffset);
      expect(log.lastStableOffset).toBe(16);
      const again = await readFrom(log, 13, { withAbortedTransactions: true });
      expect(again.aborted).toEqual([{ producerId: 3, firstOffset: 13 }]);
    }

    it('bounds the last stable offset and lists what was aborted', async () => {
      await append(log, data(1, 0), coordinator);
      log.setHighWatermark(1);
      expect(log.lastStableOffset).toBe(0);
      await append(log, marker(1, true), coordinator);
      expect(log.lastStableOffset).toBe(0);
      log.setHighWatermark(2);
      expect(log.lastStableOffset).toBe(2);
      expect(await appendCode(log, marker(1, true), coordinator)).toBe(0);
      const zombie = buildEndTransactionMarker({
        isCommit: true,
        coordinatorEpoch: 0,
        producerId: 1,
        producerEpoch: 0,
        timestampMs: 0,
      });
      expect(await appendCode(log, zombie, coordinator)).toBe(ErrorCode.TRANSACTION_COORDINATOR_FENCED);
    });

    it.each([
      ['clean stop', stop, false],
      ['kill', kill, false],
      ['clean stop, all derived files gone', stop, true],
      ['kill, all derived files gone', kill, true],
    ])('are known again after a %s', async (_, end, spoil) => {
      await transact();
      await end();
      if (spoil) {
        for (const suffix of ['.index', '.timeindex', '.txnindex', '.snapshot']) {
          for (const path of files(suffix)) disk.remove(path);
        }
      }
      await open();
      await expectTransactions();
    });

    it('are known again after a truncation', async () => {
      await transact();
      await append(log, marker(3, true), coordinator);
      await append(log, batchOf(['late'.padEnd(200, '.')]));
      await log.truncateTo(15);
      await expectTransactions();
    });
  });

  describe('left-over files', () => {
    it.each(['.cleaned', '.deleted', '.swap'])('of kind %s are handled', async (kind) => {
      await fill();
      await kill();
      const second = files('.log')[1]!;
      if (kind === '.swap') {
        for (const suffix of ['.log', '.index', '.timeindex']) {
          const path = second.replace('.log', suffix);
          disk.writeFile(path + kind, disk.readFile(path));
        }
      } else {
        disk.writeFile(second + kind, disk.readFile(second).subarray(0, 333));
        disk.writeFile(second.replace('.log', '.index') + kind, Buffer.alloc(8));
        disk.writeFile(`${DIRECTORY}/00000000000000007777.log${kind}`, Buffer.from('garbage'));
      }
      await open();
      expect(files(kind)).toEqual([]);
      await expectAllRight();
    });

    it('that belong to no log are removed', async () => {
      await fill(2);
      await kill();
      disk.writeFile(`${DIRECTORY}/00000000000000009999.index`, Buffer.alloc(8));
      await open();
      expect(disk.stat(`${DIRECTORY}/00000000000000009999.index`)).toBeUndefined();
    });
  });

  it('starts at the log start where nothing else is left', async () => {
    await fill();
    log.setHighWatermark(20);
    await log.deleteRecordsBefore(20);
    await kill();
    for (const path of files('.log')) disk.remove(path);
    await open();
    expect([log.logStartOffset, log.logEndOffset]).toEqual([20, 20]);
    await append(log, batchOf(['x']));
    expect(textsOf(await readAll(log))).toEqual(['x']);
  });

  it('reads messages of the old formats that an old broker left', async () => {
    await manager.close({ clean: false });
    disk = new FaultyFileSystem(clock);
    disk.createDirectory(DIRECTORY);
    disk.writeFile(`${DIRECTORY}/00000000000000000000.log`, LEGACY_SEGMENT);
    await open();
    expect(log.logEndOffset).toBe(3);
    const read = log.read({ offset: 1, maxBytes: 35, upTo: 3, minOneBatch: true });
    expect(read).toMatchObject({ value: { chunk: LEGACY_SEGMENT.subarray(32, 64) } });
    expect(await log.offsetForTimestamp(50)).toMatchObject({ value: { offset: 2, timestampMs: 77 } });
    await append(log, batchOf(['new'], { timestamp: 99 }));
    expect(log.logEndOffset).toBe(4);
  });
});

/** Offsets 0 (format 0), 1 (format 0), 2 (format 1, timestamp 77), each with a value of 6 or 7 bytes. */
const LEGACY_SEGMENT = Buffer.concat([
  legacyMessage(0, 0, 'value0'),
  legacyMessage(1, 0, 'value1'),
  legacyMessage(2, 1, 'value-2'),
]);

function legacyMessage(offset: number, magic: number, text: string): Buffer {
  const value = Buffer.from(text);
  const body = Buffer.alloc((magic === 1 ? 22 : 14) + value.length);
  body[4] = magic;
  let at = 6;
  if (magic === 1) at = body.writeInt32BE(77, at + 4);
  at = body.writeInt32BE(-1, at);
  at = body.writeInt32BE(value.length, at);
  value.copy(body, at);
  body.writeUInt32BE(crc(body.subarray(4)), 0);
  const head = Buffer.alloc(12);
  head.writeInt32BE(offset, 4);
  head.writeInt32BE(body.length, 8);
  return Buffer.concat([head, body]);
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return ~value >>> 0;
}
