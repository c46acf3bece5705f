/** All logs together: creation, deletion, background work, checkpoints, what Kafka left, shutdown. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ZERO_UUID } from '../base/random';
import { ErrorCode } from '../codec/generated/errors';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import {
  append,
  batchOf,
  logConfig,
  openLog,
  openLogs,
  readAll,
  seededRandom,
  TOPIC_ID,
  textsOf,
} from '../testing/log-fixture';
import { ManualClock, settle } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import { nodeFileSystem } from './node-file-system';

const OTHER_ID = 'b3RoZXJvdGhlcm90aGVyMQ';

describe('LogManager', () => {
  let clock: ManualClock;
  let disk: FaultyFileSystem;
  let manager: LogManager;

  async function open(options: Partial<Parameters<typeof openLogs>[0]> = {}): Promise<void> {
    manager = await openLogs({ fileSystem: disk, clock, config: { retentionMs: -1 }, ...options });
  }

  const names = (path: string): string[] =>
    disk
      .list(path)
      .map(({ name }) => name)
      .sort();

  beforeEach(async () => {
    clock = new ManualClock();
    disk = new FaultyFileSystem(clock);
    await open();
  });

  afterEach(() => manager.close({ clean: false }));

  it('makes a log with what Kafka has in a new directory, without any fsync', async () => {
    const faults = (['sync', 'sync-directory'] as const).map((on) => disk.inject({ on, code: 'EIO' }));
    const log = await openLog(manager);
    for (const fault of faults) fault.lift();
    expect(names('/data/t-0')).toEqual(['00000000000000000000.log', 'partition.metadata']);
    expect(disk.readFile('/data/t-0/partition.metadata').toString()).toBe(`version: 0\ntopic_id: ${TOPIC_ID}\n`);
    expect([log.topicId, log.logEndOffset, manager.get('t', 0), manager.get('t', 1)]).toEqual([
      TOPIC_ID,
      0,
      log,
      undefined,
    ]);
  });

  it('gives the log that is there, unless it belongs to another topic', async () => {
    const log = await openLog(manager);
    expect(await manager.create('t', 0, TOPIC_ID)).toEqual({ ok: true, value: log });
    expect(await manager.create('t', 0, OTHER_ID)).toMatchObject({ error: ErrorCode.INCONSISTENT_TOPIC_ID });
    const [a, b] = await Promise.all([manager.create('u', 0, TOPIC_ID), manager.create('u', 0, TOPIC_ID)]);
    expect(a.ok && b.ok && a.value === b.value).toBe(true);
  });

  it('gives a log without topic id the one it is asked for', async () => {
    await openLog(manager);
    await manager.close({ clean: true });
    disk.remove('/data/t-0/partition.metadata');
    await open();
    expect(manager.get('t', 0)?.topicId).toBe(ZERO_UUID);
    expect((await openLog(manager)).topicId).toBe(TOPIC_ID);
    await manager.close({ clean: true });
    await open();
    expect(manager.get('t', 0)?.topicId).toBe(TOPIC_ID);
  });

  it('answers a disk error at creation, and leaves no directory behind', async () => {
    for (const on of ['open', 'write'] as const) {
      const fault = disk.inject({ on, code: 'ENOSPC', path: /t-0/ });
      expect(await manager.create('t', 0, TOPIC_ID)).toMatchObject({ error: ErrorCode.KAFKA_STORAGE_ERROR });
      expect([manager.get('t', 0), names('/data')]).toEqual([undefined, []]);
      fault.lift();
    }
    expect(await manager.create('t', 0, TOPIC_ID)).toMatchObject({ ok: true });
  });

  it('spreads logs over directories', async () => {
    await manager.close({ clean: false });
    await open({ logDirs: ['/a', '/b'] });
    for (let partition = 0; partition < 4; partition++) await manager.create('t', partition, TOPIC_ID);
    expect([names('/a').length, names('/b').length]).toEqual([2, 2]);
    expect(Array.from(manager.logs(), (log) => log.topicPartition.partition)).toEqual([0, 1, 2, 3]);
  });

  it('deletes: gone at once, durably, the files later', async () => {
    const log = await openLog(manager);
    await append(log, batchOf(['a']));
    const deleted = manager.delete('t', 0);
    expect(manager.get('t', 0)).toBeUndefined();
    // A topic of the same name may come back before the old directory is out of the way.
    const [result, again] = await Promise.all([deleted, manager.create('t', 0, OTHER_ID)]);
    expect(result.ok && again.ok && again.value.logEndOffset).toBe(0);
    expect(log.read({ offset: 0, maxBytes: 1, upTo: 1, minOneBatch: true })).toMatchObject({ error: 56 });
    const renamed = names('/data').filter((name) => name.endsWith('-delete'));
    expect(renamed).toEqual([expect.stringMatching(/^t-0\.[0-9a-f]{32}-delete$/)]);
    expect(disk.crash('synced-only', seededRandom(1)).stat('/data/t-0')?.isDirectory ?? false).toBe(false);
    await clock.advance(60_001);
    expect(names('/data').filter((name) => name.endsWith('-delete'))).toEqual([]);
    expect(await manager.delete('u', 0)).toMatchObject({ error: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION });
  });

  it('removes what an earlier run was about to remove', async () => {
    await openLog(manager);
    await manager.delete('t', 0);
    await manager.close({ clean: true });
    await open();
    await clock.advance(0);
    expect(names('/data').filter((name) => name.includes('delete'))).toEqual([]);
    expect([...manager.logs()]).toEqual([]);
  });

  it('leaves directories alone that are not partitions', async () => {
    const others = [
      '/data/__cluster_metadata-0',
      '/data/odradek-metadata',
      '/data/x-0.abc-future',
      '/data/x-0.abc-stray',
    ];
    for (const path of others) disk.createDirectory(path);
    await manager.close({ clean: true });
    await open();
    expect([...manager.logs()]).toEqual([]);
    expect(others.map((path) => disk.stat(path)?.isDirectory)).toEqual([true, true, true, true]);
  });

  it('works in the background: retention, flush by time, checkpoints, forgotten producers', async () => {
    await manager.close({ clean: false });
    await open({
      config: { retentionMs: 5000, segmentBytes: 200, flushMs: 1000, fileDeleteDelayMs: 100 },
      retentionCheckIntervalMs: 1000,
      flushSchedulerIntervalMs: 500,
      recoveryPointCheckpointIntervalMs: 700,
      logStartOffsetCheckpointIntervalMs: 700,
      highWatermarkCheckpointIntervalMs: 700,
      producerIdExpirationCheckIntervalMs: 500,
      producerIdExpirationMs: () => 3000,
    });
    const log = await openLog(manager);
    const send = (sequence: number) =>
      append(
        log,
        batchOf([`v${sequence}`.padEnd(90, '.')], {
          timestamp: clock.nowMs(),
          producerId: 1,
          producerEpoch: 0,
          baseSequence: sequence,
        }),
      );
    for (let i = 0; i < 4; i++) await send(i);
    log.setHighWatermark(3);
    await clock.advance(2000);
    expect(log.recoveryPoint).toBe(4);
    expect(disk.readFile('/data/recovery-point-offset-checkpoint').toString()).toBe('0\n1\nt 0 3\n');
    expect(disk.readFile('/data/replication-offset-checkpoint').toString()).toBe('0\n1\nt 0 3\n');
    expect((await send(3)).duplicate).toBe(true);
    await clock.advance(2000);
    expect((await send(3)).duplicate).toBe(false);
    log.setHighWatermark(5);
    await clock.advance(3000);
    expect([log.logStartOffset, log.logEndOffset]).toEqual([4, 5]);
    expect(names('/data/t-0').filter((name) => name.endsWith('.log') || name.endsWith('.deleted'))).toHaveLength(1);
  });

  it('leaves the disk alone while nothing happens', async () => {
    await manager.close({ clean: false });
    await open({
      highWatermarkCheckpointIntervalMs: 100,
      recoveryPointCheckpointIntervalMs: 100,
      logStartOffsetCheckpointIntervalMs: 100,
    });
    await openLog(manager);
    await clock.advance(500);
    const writes = jest.spyOn(disk, 'replaceFile');
    await clock.advance(1000);
    expect(writes).not.toHaveBeenCalled();
  });

  it('brings the high watermark back', async () => {
    const log = await openLog(manager);
    await append(log, batchOf(['a', 'b', 'c']));
    log.setHighWatermark(2);
    await manager.close({ clean: true });
    await open();
    expect(manager.get('t', 0)?.highWatermark).toBe(2);
  });

  it('closes: progress, everything durable, no timers; waiting appends are refused', async () => {
    const log = await openLog(manager);
    await manager.create('t', 1, TOPIC_ID);
    await append(log, batchOf(['a']));
    const progress: string[] = [];
    await manager.close({ clean: true, onProgress: (closed, total) => progress.push(`${closed}/${total}`) });
    expect(progress).toEqual(['1/2', '2/2']);
    expect(clock.timerCount).toBe(0);
    expect(await log.append(batchOf(['b']), { origin: 'client', leaderEpoch: 0 }).promise()).toMatchObject({
      error: { code: 56 },
    });
    disk = disk.crash('synced-only', seededRandom(1));
    await open();
    expect(textsOf(await readAll(await openLog(manager)))).toEqual(['a']);
  });

  it('leaves no mark where a log has a disk error, so that the next start recovers it', async () => {
    const log = await openLog(manager);
    disk.inject({ on: 'write', code: 'EIO', path: /\.log$/, times: 1 });
    await log.append(batchOf(['a']), { origin: 'client', leaderEpoch: 0 }).promise();
    await manager.close({ clean: true });
    expect(disk.stat('/data/.kafka_cleanshutdown')).toBeUndefined();
    await open();
    expect((await openLog(manager)).isOffline).toBe(false);
  });

  it('leaves no mark where the disk has no room for what a clean start needs', async () => {
    const log = await openLog(manager);
    await append(log, batchOf(['a']));
    const fault = disk.inject({ on: 'write', code: 'ENOSPC', path: /\.(timeindex|snapshot)$/ });
    await manager.close({ clean: true });
    fault.lift();
    expect(disk.stat('/data/.kafka_cleanshutdown')).toBeUndefined();
    await open();
    expect(textsOf(await readAll(manager.get('t', 0)!))).toEqual(['a']);
  });

  it('refuses to start where a partition is there twice', async () => {
    await manager.close({ clean: true });
    await open({ logDirs: ['/a', '/b'] });
    await openLog(manager);
    await manager.close({ clean: true });
    disk.rename('/a/t-0', '/kept');
    await open({ logDirs: ['/a', '/b'] });
    await openLog(manager);
    await manager.close({ clean: true });
    disk.rename('/kept', '/b/t-0');
    await expect(openLogs({ fileSystem: disk, logDirs: ['/a', '/b'] })).rejects.toThrow('/a/t-0 and /b/t-0');
  });

  describe('a log that cannot be used', () => {
    let fault: { lift(): void };

    beforeEach(async () => {
      for (const topic of ['bad', 'good']) {
        const made = await manager.create(topic, 0, TOPIC_ID);
        if (made.ok) await append(made.value, batchOf(['a', 'b', 'c']));
        if (made.ok) made.value.setHighWatermark(3);
        await manager.get(topic, 0)?.deleteRecordsBefore(2);
      }
      await manager.close({ clean: true });
      fault = disk.inject({ on: 'read', code: 'EIO', path: /bad-0/ });
      await open();
    });

    it('does not stop the others, is not overwritten, and keeps its log start for a better day', async () => {
      expect(textsOf(await readAll(manager.get('good', 0)!))).toEqual(['c']);
      expect(manager.get('bad', 0)).toBeUndefined();
      expect(await manager.create('bad', 0, TOPIC_ID)).toMatchObject({
        error: ErrorCode.KAFKA_STORAGE_ERROR,
        message: expect.stringContaining('/data/bad-0'),
      });
      await append(manager.get('good', 0)!, batchOf(['d']));
      await manager.close({ clean: true });
      expect(disk.stat('/data/.kafka_cleanshutdown')).toBeUndefined();
      fault.lift();
      await open();
      expect(textsOf(await readAll(manager.get('bad', 0)!))).toEqual(['c']);
      expect(textsOf(await readAll(manager.get('good', 0)!))).toEqual(['c', 'd']);
    });

    it('can be deleted and made anew', async () => {
      expect(await manager.delete('bad', 0)).toMatchObject({ ok: true });
      fault.lift();
      const made = await manager.create('bad', 0, OTHER_ID);
      expect(made.ok && made.value.logEndOffset).toBe(0);
    });
  });

  it('makes no new log of one whose deletion failed', async () => {
    await append(await openLog(manager), batchOf(['old']));
    disk.inject({ on: 'rename', code: 'EIO', path: /t-0$/, times: 1 });
    expect(await manager.delete('t', 0)).toMatchObject({ error: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(await manager.create('t', 0, OTHER_ID)).toMatchObject({ error: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(await manager.delete('t', 0)).toMatchObject({ ok: true });
    expect(await manager.create('t', 0, OTHER_ID)).toMatchObject({ ok: true });
  });

  it('leaves the files of a topic alone that was made again while records of the old one are deleted', async () => {
    await manager.close({ clean: true });
    await open({ config: { retentionMs: -1, segmentBytes: 200 } });
    const old = await openLog(manager);
    for (let i = 0; i < 3; i++) await append(old, batchOf(['x'.repeat(100)]));
    old.setHighWatermark(3);
    let goOn = (): void => undefined;
    jest.spyOn(disk, 'replaceFile').mockImplementationOnce(
      () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        }),
    );
    const deleted = old.deleteRecordsBefore(3);
    await settle();
    await manager.delete('t', 0);
    const making = manager.create('t', 0, OTHER_ID);
    await settle();
    // Not before the checkpoint that is being written is one without the old log.
    expect(names('/data')).not.toContain('t-0');
    goOn();
    const made = await making;
    if (made.ok) await append(made.value, batchOf(['new']));
    expect(await deleted).toMatchObject({ error: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(names('/data/t-0')).toEqual(['00000000000000000000.log', 'partition.metadata']);
    expect(made.ok && textsOf(await readAll(made.value))).toEqual(['new']);
  });

  it('sets logs of no known topic aside', async () => {
    for (const topic of ['known', 'stray']) {
      const made = await manager.create(topic, 0, TOPIC_ID);
      if (made.ok) await append(made.value, batchOf([topic]));
    }
    await manager.setStraysAside(({ topicPartition }) => topicPartition.topic === 'known');
    expect(names('/data')).toEqual(['known-0', expect.stringMatching(/^stray-0\.[0-9a-f]{32}-stray$/)]);
    await manager.close({ clean: true });
    await open();
    expect([...manager.logs()].map(({ directory }) => directory)).toEqual(['/data/known-0']);
    expect(names('/data').filter((name) => name.endsWith('-stray'))).toHaveLength(1);
    const made = await manager.create('stray', 0, OTHER_ID);
    expect(made.ok && made.value.logEndOffset).toBe(0);
  });

  it('starts although checkpoints are damaged', async () => {
    const log = await openLog(manager);
    await append(log, batchOf(['a']));
    await manager.close({ clean: true });
    for (const name of names('/data').filter((file) => file.endsWith('checkpoint'))) {
      disk.writeFile(`/data/${name}`, Buffer.from('0\n7\ngarbage'));
    }
    disk.writeFile('/data/t-0/leader-epoch-checkpoint', Buffer.from('what'));
    await open();
    expect(textsOf(await readAll(await openLog(manager)))).toEqual(['a']);
  });

  it('does many partitions within few descriptors', async () => {
    await manager.close({ clean: false });
    await open({ maxOpenFiles: 4, config: { segmentBytes: 150, retentionMs: -1 } });
    for (let round = 0; round < 3; round++) {
      for (let partition = 0; partition < 20; partition++) {
        const log = await manager.create('t', partition, TOPIC_ID);
        if (log.ok) await append(log.value, batchOf([`r${round}p${partition}`.padEnd(50, '.')]));
      }
    }
    for (let partition = 0; partition < 20; partition++) {
      const log = manager.get('t', partition)!;
      expect(textsOf(await readAll(log))).toEqual([0, 1, 2].map((round) => `r${round}p${partition}`.padEnd(50, '.')));
    }
  });

  describe.each(['kafka-4.0.2', 'kafka-4.4.0'])('on what %s left', (version) => {
    const fixture = resolve(__dirname, '..', '..', 'compat-tests', 'fixtures', version);
    let directory: string;

    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'odradek-adopt-'));
      cpSync(fixture, directory, { recursive: true });
    });
    afterEach(() => rmSync(directory, { recursive: true, force: true }));

    it.each([true, false])('finds every log, with or without a clean shutdown (%s)', async (isClean) => {
      if (!isClean) rmSync(join(directory, '.kafka_cleanshutdown'));
      const adopted = await openLogs({
        fileSystem: nodeFileSystem,
        logDirs: [directory],
        topicConfig: () => logConfig({ retentionMs: -1 }),
      });
      const checkpoint = readFileSync(join(fixture, 'recovery-point-offset-checkpoint'), 'utf8');
      const expected = checkpoint.split('\n').slice(2, -1).sort();
      const found = Array.from(
        adopted.logs(),
        (log) => `${log.topicPartition.topic} ${log.topicPartition.partition} ${log.logEndOffset}`,
      );
      expect(found.sort()).toEqual(expected);
      for (const log of adopted.logs()) {
        // Some are compacted: what is the newest stays.
        const last = (await readAll(log)).at(-1);
        expect(last?.offset ?? log.logStartOffset - 1).toBe(log.logEndOffset - 1);
        expect(log.topicId).toHaveLength(22);
        expect(log.topicId).not.toBe(ZERO_UUID);
      }
      const orders = adopted.get('orders', 0)!;
      expect((await readAll(orders)).map(({ key, value }) => `${key}=${value}`)).toEqual(['a=first', 'a=fourth']);
      const path = '00000000000000000000.log';
      await adopted.close({ clean: true });
      expect(
        readFileSync(join(directory, 'orders-0', path)).equals(readFileSync(join(fixture, 'orders-0', path))),
      ).toBe(true);
    });
  });
});
