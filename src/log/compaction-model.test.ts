/**
 * Random histories of a compacted log (keys, tombstones, idempotent producers, transactions, moved starts, time,
 * restarts) with compactions in between, against an obvious model. Whatever was compacted: the newest committed value
 * of each key is the same, what is left is what was appended, at its offset and in order, tombstones live their time,
 * and producers go on with their sequences.
 */
import fc from 'fast-check';
import * as batchHeader from '../records/batch-header';
import { Codec } from '../records/compression';
import { buildEndTransactionMarker } from '../records/control-record';
import {
  cleaningTools,
  compactOnce,
  consume,
  keyedBatch,
  newestValues,
  type Seen,
} from '../testing/compaction-fixture';
import { append, openLog, openLogs } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import { MemoryFileSystem } from './memory-file-system';
import type { PartitionLog } from './partition-log';

const RETENTION_MS = 1000;
const COORDINATOR = { origin: 'coordinator', leaderEpoch: 0 } as const;
const CONFIG = {
  cleanupCompact: true,
  cleanupDelete: false,
  deleteRetentionMs: RETENTION_MS,
  segmentBytes: 500,
  indexIntervalBytes: 100,
  minCleanableDirtyRatio: 0,
};

type Who = 'nobody' | 'idempotent' | 'transactional';

type Step =
  | {
      readonly kind: 'put';
      readonly who: Who;
      /** Keys 0 to 7; a tombstone or not. */
      readonly puts: readonly (readonly [key: number, isTombstone: boolean])[];
      readonly codec: Codec;
      readonly producer: number;
    }
  | { readonly kind: 'end'; readonly producer: number; readonly isCommit: boolean }
  | { readonly kind: 'compact'; readonly keys: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'move start'; readonly part: number }
  | { readonly kind: 'restart'; readonly clean: boolean; readonly losesSnapshots: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      who: fc.constantFrom<Who>('nobody', 'nobody', 'idempotent', 'transactional'),
      puts: fc.array(fc.tuple(fc.nat(7), fc.boolean()), { minLength: 1, maxLength: 4 }),
      codec: fc.constantFrom(Codec.none, Codec.none, Codec.gzip, Codec.lz4),
      producer: fc.nat(1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('end' as const), producer: fc.nat(1), isCommit: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('compact' as const), keys: fc.constantFrom(1, 3, 100) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 600, RETENTION_MS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('move start' as const),
      part: fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), clean: fc.boolean(), losesSnapshots: fc.boolean() }),
  },
);

interface Appended {
  readonly offset: number;
  readonly key: string;
  readonly value: string | null;
  readonly timestamp: number;
  /** Whether a read_committed consumer sees it; undefined while its transaction is open. */
  isCommitted: boolean | undefined;
  /** When a compaction may have seen it first. */
  compactedMs: number;
}

class World {
  readonly clock = new ManualClock();
  readonly disk = new MemoryFileSystem(this.clock);
  manager!: LogManager;
  log!: PartitionLog;
  readonly appended: Appended[] = [];
  readonly #sequences = new Map<number, number>();
  readonly #open = new Map<number, Appended[]>();
  #values = 0;

  async open(): Promise<void> {
    this.manager = await openLogs({ fileSystem: this.disk, clock: this.clock, config: CONFIG });
    this.log = await openLog(this.manager);
    this.log.setHighWatermark(this.log.logEndOffset);
  }

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'put':
        return this.#put(step);
      case 'end':
        return this.#end(step.producer, step.isCommit);
      case 'compact':
        return this.#compact(step.keys);
      case 'wait':
        return this.clock.advance(step.ms);
      case 'move start':
        return this.#moveStart(step.part);
      case 'restart':
        return this.#restart(step);
    }
  }

  async #put({ who, puts, codec, producer }: Step & { kind: 'put' }): Promise<void> {
    const isTransactional = who === 'transactional';
    const producerId = who === 'nobody' ? -1 : isTransactional ? 10 + producer : 20 + producer;
    const baseSequence = who === 'nobody' ? -1 : (this.#sequences.get(producerId) ?? 0);
    const timestamp = this.clock.nowMs();
    const given = puts.map(([key, isTombstone]) => [`k${key}`, isTombstone ? null : `v${this.#values++}`] as const);
    const batch = keyedBatch(given, {
      codec,
      timestamp,
      producerId,
      producerEpoch: who === 'nobody' ? -1 : 0,
      baseSequence,
      isTransactional,
    });
    const { firstOffset } = await append(this.log, batch, isTransactional ? COORDINATOR : undefined);
    if (who !== 'nobody') this.#sequences.set(producerId, baseSequence + puts.length);
    for (const [i, [key, value]] of given.entries()) {
      const record = {
        offset: firstOffset + i,
        key,
        value,
        timestamp: timestamp + i,
        isCommitted: isTransactional ? undefined : true,
        compactedMs: Number.POSITIVE_INFINITY,
      };
      this.appended.push(record);
      if (isTransactional) this.#open.set(producerId, [...(this.#open.get(producerId) ?? []), record]);
    }
    this.log.setHighWatermark(this.log.logEndOffset);
  }

  async #end(producer: number, isCommit: boolean): Promise<void> {
    const producerId = 10 + producer;
    const records = this.#open.get(producerId);
    if (!records) return;
    this.#open.delete(producerId);
    const timestampMs = this.clock.nowMs();
    const marker = buildEndTransactionMarker({
      producerId,
      producerEpoch: 0,
      coordinatorEpoch: 0,
      isCommit,
      timestampMs,
    });
    await append(this.log, marker, COORDINATOR);
    for (const record of records) record.isCommitted = isCommit;
    this.log.setHighWatermark(this.log.logEndOffset);
  }

  async #compact(keys: number): Promise<void> {
    const before = this.log.cleanOffset;
    const endOffset = this.log.logEndOffset;
    await compactOnce(this.log, cleaningTools({ keys }));
    expect(this.log.logEndOffset).toBe(endOffset);
    expect(this.log.cleanOffset).toBeGreaterThanOrEqual(before);
    for (const record of this.appended) record.compactedMs = Math.min(record.compactedMs, this.clock.nowMs());
    await this.check();
  }

  async #moveStart(part: number): Promise<void> {
    const { logStartOffset, lastStableOffset } = this.log;
    const moved = await this.log.deleteRecordsBefore(
      logStartOffset + Math.floor((lastStableOffset - logStartOffset) * part * 0.3),
    );
    expect(moved.ok).toBe(true);
  }

  async #restart({ clean, losesSnapshots }: Step & { kind: 'restart' }): Promise<void> {
    const { cleanOffset } = this.log;
    await this.manager.close({ clean });
    if (losesSnapshots) {
      for (const { name } of this.disk.list('/data/t-0')) {
        if (name.endsWith('.snapshot')) this.disk.remove(`/data/t-0/${name}`);
      }
    }
    await this.open();
    // Without a cleaner nobody wrote the checkpoint.
    expect(this.log.cleanOffset).toBe(-1);
    if (cleanOffset > 0) await this.check({ isRestarted: true });
  }

  async check({ isRestarted = false } = {}): Promise<void> {
    const { logStartOffset } = this.log;
    const seen = await consume(this.log);
    this.#checkUnchanged(seen);
    const open = new Set([...this.#open.values()].flat().map(({ offset }) => offset));
    const committed = seen.committed.filter(({ offset }) => !open.has(offset));
    const wanted = this.appended.filter(({ isCommitted, offset }) => isCommitted === true && offset >= logStartOffset);
    expect([...newestValues(committed)].sort()).toEqual([...newestOf(wanted)].sort());
    this.#checkTombstones(seen, wanted);
    if (!isRestarted) this.#checkClean(seen, open);
  }

  /** What is there is what was appended, in order. */
  #checkUnchanged({ records, batches }: Seen): void {
    const byOffset = new Map(this.appended.map((record) => [record.offset, record]));
    let previous = -1;
    for (const { offset, key, value, timestamp } of records) {
      expect(offset).toBeGreaterThan(previous);
      previous = offset;
      const was = byOffset.get(offset);
      expect([key?.toString(), value === null ? null : value.toString(), timestamp]).toEqual([
        was?.key,
        was?.value,
        was?.timestamp,
      ]);
    }
    let end = -1;
    for (const batch of batches) {
      expect(batchHeader.baseOffset(batch)).toBeGreaterThanOrEqual(end);
      end = batchHeader.lastOffset(batch) + 1;
    }
  }

  /** The newest tombstone of a key is there for its retention after its first compaction. */
  #checkTombstones({ records }: Seen, wanted: readonly Appended[]): void {
    const present = new Set(records.map(({ offset }) => offset));
    const newest = new Map(wanted.map((record) => [record.key, record]));
    for (const { value, offset, compactedMs } of newest.values()) {
      if (value === null && this.clock.nowMs() < compactedMs + RETENTION_MS) expect(present.has(offset)).toBe(true);
    }
  }

  /** In the part that was compacted each key is there once, and nothing that was aborted. */
  #checkClean({ records }: Seen, open: ReadonlySet<number>): void {
    const clean = records.filter(({ offset }) => offset < this.log.cleanOffset && !open.has(offset));
    const keys = clean.map(({ key }) => key?.toString());
    expect(keys.length).toBe(new Set(keys).size);
    const aborted = new Set(this.appended.filter((r) => r.isCommitted === false).map(({ offset }) => offset));
    expect(clean.filter(({ offset }) => aborted.has(offset))).toEqual([]);
  }
}

function newestOf(records: readonly Appended[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const { key, value } of records) {
    if (value === null) values.delete(key);
    else values.set(key, value);
  }
  return values;
}

async function play(steps: readonly Step[]): Promise<void> {
  const world = new World();
  await world.open();
  for (const step of steps) await world.run(step);
  await world.run({ kind: 'compact', keys: 100 });
  await world.manager.close({ clean: true });
}

describe('a compacted log', () => {
  it('keeps its promises in random histories', async () => {
    const numRuns = Number(process.env.COMPACTION_RUNS ?? 40);
    const seed = Number(process.env.COMPACTION_SEED ?? 4);
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), play), { numRuns, seed });
  }, 600_000);

  it('is compacted in several passes where its keys do not fit', async () => {
    const world = new World();
    await world.open();
    const { log } = world;
    log.updateConfig({ ...log.config, segmentBytes: 1_000_000 });
    const keys = 110_000;
    for (let round = 0; round < 2; round++) {
      for (let first = 0; first < keys; first += 1000) {
        const puts = Array.from({ length: 1000 }, (_, i) => [`key ${first + i}`, `${round}`] as const);
        await append(log, keyedBatch(puts));
      }
    }
    log.updateConfig({ ...log.config, segmentBytes: 1000 });
    await append(log, keyedBatch([['last', 'x']]));
    log.setHighWatermark(log.logEndOffset);
    const tools = cleaningTools({ keys: 20_000, bufferBytes: 256 * 1024 });
    let passes = 0;
    for (; log.cleanableRange()!.isWorthCleaning; passes++) {
      const { keys: mapped } = await compactOnce(log, tools);
      expect(mapped).toBeLessThanOrEqual(20_000);
    }
    expect(passes).toBeGreaterThanOrEqual(6);
    const { records } = await consume(log, 1_000_000);
    expect(records.length).toBe(keys + 1);
    expect(records.every(({ offset, value }) => offset >= keys && value?.toString() !== '0')).toBe(true);
    await world.manager.close({ clean: true });
  }, 60_000);
});
