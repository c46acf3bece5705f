/**
 * Random histories of a log against an obvious model: appends, reads, truncations, moved starts, retention, clean and
 * unclean reopenings, power cuts. What was acknowledged and durable is there; what is there was appended, once, in
 * order.
 */
import fc from 'fast-check';
import { ErrorCode } from '../codec/generated/errors';
import type { CrashMode } from '../testing/faulty-file-system';
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
} from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

interface ModelRecord {
  readonly text: string;
  readonly timestamp: number;
  /** It begins a batch. */
  readonly isFirst: boolean;
}

type Step =
  | {
      readonly kind: 'append';
      readonly batches: readonly {
        readonly texts: readonly string[];
        readonly timestamp: number;
        readonly codec: 0 | 1;
      }[];
    }
  | { readonly kind: 'read'; readonly at: number; readonly maxBytes: number; readonly upTo: number }
  | { readonly kind: 'truncate'; readonly at: number }
  | { readonly kind: 'move start'; readonly at: number }
  | { readonly kind: 'time'; readonly target: number }
  | { readonly kind: 'flush' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'no room'; readonly partialBytes: number }
  | { readonly kind: 'reopen'; readonly clean: boolean }
  | { readonly kind: 'stop and power cut'; readonly mode: CrashMode; readonly seed: number }
  | { readonly kind: 'failed fsync'; readonly clean: boolean }
  | { readonly kind: 'power cut'; readonly mode: CrashMode; readonly seed: number };

/** A place in [0, 1], taken relative to what the log holds when the step comes. */
const place = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
const text = fc.string({ minLength: 1, maxLength: 60, unit: fc.constantFrom('a', 'b', 'c') });
const timestamp = fc.integer({ min: 0, max: 300 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      batches: fc.array(
        fc.record({
          texts: fc.array(text, { minLength: 1, maxLength: 4 }),
          timestamp,
          codec: fc.constantFrom(0 as const, 1 as const),
        }),
        { minLength: 1, maxLength: 5 },
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      at: place,
      maxBytes: fc.integer({ min: 0, max: 900 }),
      upTo: place,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate' as const), at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move start' as const), at: place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('time' as const), target: timestamp }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('idle' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('no room' as const), partialBytes: fc.integer({ min: 0, max: 60 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const), clean: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('failed fsync' as const), clean: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('power cut' as const, 'stop and power cut' as const),
      mode: fc.constantFrom<CrashMode>('synced-only', 'some-unsynced', 'all-unsynced'),
      seed: fc.nat(),
    }),
  },
);

const settings = fc.record({ flushesEach: fc.boolean(), preallocate: fc.boolean() });

/** The log and its model side by side. */
class Run {
  readonly #clock = new ManualClock();
  #disk = new FaultyFileSystem(this.#clock);
  #manager!: LogManager;
  #log!: PartitionLog;
  #records: ModelRecord[] = [];
  #start = 0;
  #durable = 0;

  constructor(private readonly settings: { readonly flushesEach: boolean; readonly preallocate: boolean }) {}

  async open(): Promise<void> {
    this.#manager = await openLogs({
      fileSystem: this.#disk,
      clock: this.#clock,
      config: {
        retentionMs: -1,
        segmentBytes: 700,
        indexIntervalBytes: 120,
        preallocate: this.settings.preallocate,
        flushMessages: this.settings.flushesEach ? 1 : Number.POSITIVE_INFINITY,
      },
    });
    this.#log = await openLog(this.#manager);
  }

  async close(): Promise<void> {
    await this.#manager.close({ clean: false });
  }

  async step(next: Step): Promise<void> {
    const end = this.#records.length;
    const within = (at: number): number => this.#start + Math.floor(at * (end - this.#start));
    switch (next.kind) {
      case 'append':
        return this.#append(next.batches);
      case 'read':
        return this.#read(within(next.at), this.#border(within(next.upTo)), next.maxBytes);
      case 'truncate':
        return this.#truncate(within(next.at));
      case 'move start':
        return this.#moveStart(within(next.at));
      case 'time':
        return this.#time(next.target);
      case 'flush':
        await this.#log.flush();
        this.#durable = end;
        return;
      case 'idle':
        // The second time nothing has come since the first.
        await this.#log.writeBehind();
        return this.#log.writeBehind();
      case 'no room':
        return this.#runOutOfRoom(next.partialBytes);
      case 'reopen':
        if (!next.clean) this.#disk = this.#disk.crash('all-unsynced', seededRandom(1));
        await this.#manager.close({ clean: next.clean });
        if (next.clean) this.#durable = end;
        await this.open();
        return this.#expectSame();
      case 'stop and power cut':
        await this.#manager.close({ clean: true });
        this.#disk = this.#disk.crash(next.mode, seededRandom(next.seed));
        this.#durable = end;
        await this.open();
        return this.#expectSame();
      case 'failed fsync':
        return this.#failFsync(next.clean);
      case 'power cut':
        return this.#cutPower(next.mode, next.seed);
    }
  }

  /** All batches come from one idempotent producer, whose sequences are the offsets. */
  async #append(batches: Extract<Step, { kind: 'append' }>['batches']): Promise<void> {
    const first = this.#records.length;
    const appends = batches.map(({ texts, timestamp: base, codec }) => {
      const batch = this.#batch(texts, { timestamp: base, codec, baseSequence: this.#records.length });
      texts.forEach((value, i) => {
        this.#records.push({ text: value, timestamp: base + i, isFirst: i === 0 });
      });
      return append(this.#log, batch);
    });
    const infos = await Promise.all(appends);
    expect(infos[0]!.firstOffset).toBe(first);
    expect(infos.at(-1)!.lastOffset).toBe(this.#records.length - 1);
    expect(infos.some(({ duplicate }) => duplicate)).toBe(false);
    expect(this.#log.logEndOffset).toBe(this.#records.length);
    if (this.settings.flushesEach) this.#durable = this.#records.length;
  }

  #batch(texts: readonly string[], options: { timestamp: number; codec: 0 | 1; baseSequence: number }): Buffer {
    return batchOf(texts, { ...options, producerId: 1, producerEpoch: 0 });
  }

  async #read(offset: number, upTo: number, maxBytes: number): Promise<void> {
    const { records, bytes } = await readFrom(this.#log, offset, { maxBytes, upTo });
    const from = records[0]?.offset ?? offset;
    expect(from).toBeLessThanOrEqual(offset);
    if (offset < upTo) expect(records.at(-1)?.offset).toBeGreaterThanOrEqual(offset);
    else expect(records).toEqual([]);
    if (records.length > 0) expect(records.at(-1)!.offset).toBeLessThan(upTo);
    expect(records.map(({ value }) => value?.toString())).toEqual(
      this.#records.slice(from, from + records.length).map((record) => record.text),
    );
    if (bytes.length > maxBytes) expect(new Set(records.map(({ offset: at }) => at)).size).toBeLessThanOrEqual(4);
  }

  async #truncate(offset: number): Promise<void> {
    let to = this.#border(offset);
    // Where the log starts within a batch, that batch stays: cut in two, it would be gone whole, with its sequences.
    if (to < this.#start) for (to = offset; this.#records[to]?.isFirst === false; ) to++;
    await this.#log.truncateTo(to);
    this.#records.length = to;
    this.#durable = Math.min(this.#durable, to);
    await this.#expectSame();
  }

  /** The start of the batch that holds `offset`: bounds and truncations fall between batches. */
  #border(offset: number): number {
    let border = offset;
    while (border < this.#records.length && border > 0 && !this.#records[border]!.isFirst) border--;
    return border;
  }

  async #moveStart(offset: number): Promise<void> {
    this.#log.setHighWatermark(this.#records.length);
    await this.#log.deleteRecordsBefore(offset);
    this.#start = offset;
    expect(this.#log.logStartOffset).toBe(offset);
  }

  async #time(target: number): Promise<void> {
    const found = await this.#log.offsetForTimestamp(target);
    const expected = this.#records.findIndex((record, i) => i >= this.#start && record.timestamp >= target);
    expect(found.ok && (found.value?.offset ?? -1)).toBe(expected);
    const newest = await this.#log.offsetOfMaxTimestamp();
    const times = this.#records.slice(this.#start).map((record) => record.timestamp);
    const place = times.indexOf(times.reduce((max, time) => Math.max(max, time), -1));
    expect(newest.ok && (newest.value?.offset ?? -1)).toBe(place < 0 ? -1 : this.#start + place);
  }

  async #cutPower(mode: CrashMode, seed: number): Promise<void> {
    this.#disk = this.#disk.crash(mode, seededRandom(seed));
    await this.#manager.close({ clean: false });
    await this.open();
    const end = this.#log.logEndOffset;
    expect(end).toBeGreaterThanOrEqual(this.#durable);
    expect(end).toBeLessThanOrEqual(this.#records.length);
    this.#records.length = end;
    this.#durable = Math.min(this.#durable, end);
    await this.#expectSame();
  }

  /** What the next start finds in the cache is durable when it can be used. */
  async #failFsync(clean: boolean): Promise<void> {
    const fault = this.#disk.inject({ on: 'sync', code: 'EIO', path: /\.log$/, times: 1 });
    const { ok } = await this.#log.flush();
    fault.lift();
    expect(this.#log.isOffline).toBe(!ok);
    await this.#manager.close({ clean });
    await this.open();
    if (!ok || clean) this.#durable = this.#records.length;
    await this.#expectSame();
  }

  /** Part of the write reaches the file, then the disk is full: nothing has happened. */
  async #runOutOfRoom(partialBytes: number): Promise<void> {
    const fault = this.#disk.inject({ on: 'write', code: 'ENOSPC', path: /\.log$/, partialBytes });
    const codes = await Promise.all(['a', 'b'].map((value) => appendCode(this.#log, batchOf([value]))));
    fault.lift();
    expect(codes).toEqual([ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.KAFKA_STORAGE_ERROR]);
    await this.#expectSame();
  }

  async #expectSame(): Promise<void> {
    expect([this.#log.logStartOffset, this.#log.logEndOffset]).toEqual([this.#start, this.#records.length]);
    const records = await readAll(this.#log);
    expect(records.map(({ offset }) => offset)).toEqual(records.map((_, i) => this.#start + i));
    expect(records.map(({ value, timestamp: time }) => [value?.toString(), time])).toEqual(
      this.#records.slice(this.#start).map((record) => [record.text, record.timestamp]),
    );
    await this.#expectLastBatchesKnown();
  }

  /** The last five batches, as far as they are there, are recognized when they come again. */
  async #expectLastBatchesKnown(): Promise<void> {
    let end = this.#records.length;
    for (let back = 0; back < 5 && end > this.#start; back++) {
      const begin = this.#border(end - 1);
      if (begin < this.#start) return;
      const texts = this.#records.slice(begin, end).map((record) => record.text);
      const again = this.#batch(texts, { timestamp: 0, codec: 0, baseSequence: begin });
      expect(await append(this.#log, again)).toMatchObject({ firstOffset: begin, duplicate: true });
      end = begin;
    }
  }
}

describe('a log against a model', () => {
  it('agrees whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), settings, async (steps, chosen) => {
        const run = new Run(chosen);
        await run.open();
        try {
          for (const next of steps) await run.step(next);
        } finally {
          await run.close();
        }
      }),
      { numRuns: Number(process.env.MODEL_RUNS ?? 150) },
    );
  }, 3_600_000);
});
