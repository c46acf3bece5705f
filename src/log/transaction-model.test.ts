/**
 * Random histories of transactions in one log against an obvious model: several producers begin, write, abort and
 * commit beside plain records, while the log rolls, is cut at both ends, loses its snapshots and indexes, is stopped,
 * killed and started. What may be read as committed, which transactions a reader must leave out, and who may write next
 * is always what the model says.
 */
import fc from 'fast-check';
import { ErrorCode } from '../codec/generated/errors';
import { buildEndTransactionMarker } from '../records/control-record';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { appendCode, batchOf, openLog, openLogs, readFrom, seededRandom } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';

type Step =
  | { readonly kind: 'write'; readonly producer: number; readonly records: number; readonly verified: boolean }
  | { readonly kind: 'end'; readonly producer: number; readonly isAbort: boolean; readonly coordinatorEpoch: number }
  | { readonly kind: 'plain' }
  | { readonly kind: 'replicate'; readonly share: number }
  | { readonly kind: 'truncate'; readonly at: number }
  | { readonly kind: 'move start'; readonly at: number }
  | { readonly kind: 'stop' }
  | { readonly kind: 'kill'; readonly without: RegExp };

const PRODUCERS = [1, 2, 3];
const CONFIG = { retentionMs: -1, segmentBytes: 450, indexIntervalBytes: 100 };
const place = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
const producer = fc.constantFrom(...PRODUCERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      producer,
      records: fc.integer({ min: 1, max: 3 }),
      verified: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      producer,
      isAbort: fc.boolean(),
      coordinatorEpoch: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('plain' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('replicate' as const), share: place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('truncate' as const), at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move start' as const), at: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stop' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      without: fc.constantFrom(/nothing/, /snapshot$/, /index$/, /index$|snapshot$|checkpoint$/),
    }),
  },
);

interface Entry {
  readonly offset: number;
  readonly nextOffset: number;
  /** 0 is a plain record. */
  readonly producerId: number;
  readonly epoch: number;
  readonly marker?: { readonly isAbort: boolean; readonly coordinatorEpoch: number };
}

interface Transaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** The offset of its marker, infinity while it is open. */
  readonly lastOffset: number;
  readonly isAbort: boolean;
}

/** All that was written, in order; the rest is derived from it in the simplest way. */
class Model {
  entries: Entry[] = [];
  start = 0;
  highWatermark = 0;

  get end(): number {
    return this.entries.at(-1)?.nextOffset ?? 0;
  }

  /** The start of the batch that holds `offset`. */
  border(offset: number): number {
    return this.entries.find(({ nextOffset }) => nextOffset > offset)?.offset ?? this.end;
  }

  transactions(): Transaction[] {
    const found: Transaction[] = [];
    const open = new Map<number, number>();
    for (const { producerId, offset, marker } of this.entries) {
      if (producerId === 0) continue;
      const firstOffset = open.get(producerId);
      if (!marker) {
        if (firstOffset === undefined) open.set(producerId, offset);
      } else if (firstOffset !== undefined) {
        found.push({ producerId, firstOffset, lastOffset: offset, isAbort: marker.isAbort });
        open.delete(producerId);
      }
    }
    for (const [producerId, firstOffset] of open) {
      found.push({ producerId, firstOffset, lastOffset: Number.POSITIVE_INFINITY, isAbort: false });
    }
    return found;
  }

  lastStableOffset(): number {
    const unstable = this.transactions().filter(({ lastOffset }) => lastOffset >= this.highWatermark);
    const first = Math.min(...unstable.map(({ firstOffset }) => firstOffset));
    return Math.min(this.highWatermark, Math.max(first, this.start));
  }

  isOpen(producerId: number): boolean {
    return this.transactions().some((one) => one.producerId === producerId && one.lastOffset === Infinity);
  }

  epoch(producerId: number): number {
    return this.entries.findLast((entry) => entry.producerId === producerId)?.epoch ?? 0;
  }

  coordinatorEpoch(producerId: number): number {
    const last = this.entries.findLast((entry) => entry.producerId === producerId && entry.marker);
    return last?.marker?.coordinatorEpoch ?? -1;
  }

  nextSequence(producerId: number): number {
    const epoch = this.epoch(producerId);
    return this.entries
      .filter((entry) => entry.producerId === producerId && entry.epoch === epoch && !entry.marker)
      .reduce((sum, { offset, nextOffset }) => sum + nextOffset - offset, 0);
  }
}

class Run {
  readonly #clock = new ManualClock();
  readonly #model = new Model();
  #disk = new FaultyFileSystem(this.#clock);
  #manager!: LogManager;
  #log!: PartitionLog;

  async open(): Promise<void> {
    this.#manager = await openLogs({ fileSystem: this.#disk, clock: this.#clock, config: CONFIG });
    this.#log = await openLog(this.#manager);
    // As a leader without followers does. (What was not replicated before is not known any more, as in Kafka.)
    this.#model.highWatermark = this.#model.end;
    this.#log.setHighWatermark(this.#model.end);
  }

  async close(): Promise<void> {
    await this.#manager.close({ clean: false });
  }

  async step(next: Step): Promise<void> {
    const model = this.#model;
    const within = (at: number): number => model.start + Math.floor(at * (model.end - model.start));
    switch (next.kind) {
      case 'write':
        await this.#write(next);
        break;
      case 'end':
        await this.#end(next);
        break;
      case 'plain':
        expect(await appendCode(this.#log, batchOf(['plain']))).toBe(0);
        this.#add({ producerId: 0, epoch: 0 }, 1);
        break;
      case 'replicate':
        model.highWatermark = Math.max(model.highWatermark, model.border(within(next.share)));
        this.#log.setHighWatermark(model.highWatermark);
        break;
      case 'truncate':
        await this.#truncate(within(next.at));
        break;
      case 'move start':
        await this.#moveStart(Math.min(within(next.at), model.highWatermark));
        break;
      case 'stop':
        await this.#manager.close({ clean: true });
        await this.open();
        break;
      case 'kill':
        await this.#kill(next.without);
        break;
    }
    await this.#check();
  }

  #add(entry: Pick<Entry, 'producerId' | 'epoch' | 'marker'>, records: number): void {
    const offset = this.#model.end;
    this.#model.entries.push({ ...entry, offset, nextOffset: offset + records });
  }

  async #write({ producer: producerId, records, verified }: Extract<Step, { kind: 'write' }>): Promise<void> {
    const epoch = this.#model.epoch(producerId);
    const texts = Array.from({ length: records }, () => `of ${producerId}`);
    const baseSequence = this.#model.nextSequence(producerId);
    const batch = batchOf(texts, { producerId, producerEpoch: epoch, baseSequence, isTransactional: true });
    const code = await appendCode(this.#log, batch, { origin: 'client', leaderEpoch: 0, isVerified: verified });
    const isAllowed = verified || this.#model.isOpen(producerId);
    expect(code).toBe(isAllowed ? 0 : ErrorCode.INVALID_TXN_STATE);
    if (isAllowed) this.#add({ producerId, epoch }, records);
  }

  /** As version 2 of transactions has it: with the next epoch. */
  async #end({ producer: producerId, isAbort, coordinatorEpoch }: Extract<Step, { kind: 'end' }>): Promise<void> {
    const epoch = this.#model.epoch(producerId) + 1;
    const marker = buildEndTransactionMarker({
      producerId,
      producerEpoch: epoch,
      coordinatorEpoch,
      isCommit: !isAbort,
      timestampMs: this.#clock.nowMs(),
    });
    const o = { origin: 'coordinator', leaderEpoch: 0, transactionVersion: 2 } as const;
    const isFenced = coordinatorEpoch < this.#model.coordinatorEpoch(producerId);
    expect(await appendCode(this.#log, marker, o)).toBe(isFenced ? ErrorCode.TRANSACTION_COORDINATOR_FENCED : 0);
    if (!isFenced) this.#add({ producerId, epoch, marker: { isAbort, coordinatorEpoch } }, 1);
  }

  async #truncate(wanted: number): Promise<void> {
    const model = this.#model;
    // Of producers whose records lie before the log start, a log that is cut may know nothing any more.
    if (model.start > 0) return;
    const kept = model.entries.filter(({ nextOffset }) => nextOffset <= wanted);
    const to = Math.max(kept.at(-1)?.nextOffset ?? 0, model.start);
    // Where the log starts within a batch, that batch stays.
    const entries = model.entries.filter(({ offset }) => offset < to);
    if ((entries.at(-1)?.nextOffset ?? 0) !== to) return;
    await this.#log.truncateTo(to);
    model.entries = entries;
    model.highWatermark = Math.min(model.highWatermark, to);
  }

  async #moveStart(offset: number): Promise<void> {
    await this.#log.deleteRecordsBefore(offset);
    this.#model.start = Math.max(this.#model.start, offset);
  }

  /** As by `kill -9`, and then files are missing. Only without any of them lost may old batches be forgotten. */
  async #kill(without: RegExp): Promise<void> {
    this.#disk = this.#disk.crash('all-unsynced', seededRandom(1));
    await this.#manager.close({ clean: false });
    // What went with the log's start cannot be derived from the log any more.
    const isWhole = this.#model.start === 0;
    for (const { name } of this.#disk.list('/data/t-0')) {
      if (without.test(name) && (isWhole || !/snapshot$/.test(name))) this.#disk.remove(`/data/t-0/${name}`);
    }
    await this.open();
  }

  async #check(): Promise<void> {
    const model = this.#model;
    const log = this.#log;
    expect([log.logStartOffset, log.logEndOffset]).toEqual([model.start, model.end]);
    expect(log.lastStableOffset).toBe(model.lastStableOffset());
    for (const producerId of PRODUCERS) await this.#checkProducer(producerId);
    for (let offset = model.start; offset < model.end; offset += 1 + Math.floor((model.end - model.start) / 5)) {
      await this.#checkAborted(offset, 1);
      await this.#checkAborted(offset, 300);
    }
  }

  /** A stale epoch is refused, whatever else is wrong. */
  async #checkProducer(producerId: number): Promise<void> {
    const epoch = this.#model.epoch(producerId);
    if (epoch === 0) return;
    const stale = batchOf(['x'], { producerId, producerEpoch: epoch - 1, baseSequence: 0, isTransactional: true });
    const options = { origin: 'client', leaderEpoch: 0, isVerified: true } as const;
    expect(await appendCode(this.#log, stale, options)).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
  }

  async #checkAborted(offset: number, maxBytes: number): Promise<void> {
    const { records, aborted } = await readFrom(this.#log, offset, { maxBytes, withAbortedTransactions: true });
    const to = records.at(-1)!.offset + 1;
    const ended = this.#model.transactions().filter(({ isAbort, lastOffset }) => isAbort && lastOffset >= offset);
    const keyOf = (one: { producerId: number; firstOffset: number }): string => `${one.producerId}@${one.firstOffset}`;
    const told = new Set(aborted.map(keyOf));
    expect(told.size).toBe(aborted.length);
    // All that the reader must leave out, and (as in Kafka) perhaps some that come after what it got.
    for (const one of ended.filter(({ firstOffset }) => firstOffset < to)) expect(told).toContain(keyOf(one));
    for (const key of told) expect(ended.map(keyOf)).toContain(key);
  }
}

describe('transactions in a log', () => {
  it('are what a model says, whatever happens', async () => {
    const runs = Number(process.env.MODEL_RUNS ?? 100);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const run = new Run();
        await run.open();
        try {
          for (const next of steps) await run.step(next);
        } finally {
          await run.close();
        }
      }),
      { numRuns: runs },
    );
  }, 3_600_000);
});
