/**
 * The second half of a compaction: writes a group of segments anew without the records that later ones replaced. Owns
 * the decision what stays of each batch. Offsets, order, producers' sequences and what a transaction's marker is needed
 * for stay as they are. Of a segment alone nothing is written before something of it changes; then what was passed is
 * copied. (Kafka: Cleaner.cleanInto, shouldRetainRecord, MemoryRecords.filterTo; KIP-534.)
 *
 * - A record goes when its key has a newer one in the map, or no key; tombstones also when their horizon is over.
 * - Records of aborted transactions go. A marker goes when all records of its transaction are gone and its horizon is
 *   over; the horizon is set when that is first seen.
 * - The last batch of a producer stays, if need be empty, and so does the one that ends at the high watermark.
 */
import { emptiedBatch, filteredBatch, KeptRecords } from '../records/batch-filter';
import * as batchHeader from '../records/batch-header';
import { RecordCursor, recordBytes } from '../records/batch-walk';
import { type Codec, prepareCodec } from '../records/compression';
import { CleanedSegments } from './cleaned-segments';
import type { CleanedTransactions } from './cleaned-transactions';
import { type CleaningRun, DamagedSegment, type SourceBatch } from './cleaning-run';
import { abortedBetween, RECORDS_PER_LOOK } from './dirty-keys';
import type { AbortedTransactionEntry } from './producer-state';
import type { Segment } from './segment';

export class GroupCleaner {
  /** Whether anything differs from the source. */
  hasChanged = false;
  /** Earliest time at which more of what stays may go; infinity for never. */
  deleteHorizonMs = Number.POSITIVE_INFINITY;
  bytesWritten = 0;
  readonly #run: CleaningRun;
  readonly #group: readonly Segment[];
  /** None as long as nothing is written. */
  #cleaned: CleanedSegments | undefined;
  /** Of the only segment: what was passed, and the aborted transactions in it, while nothing is written. */
  #passedBytes = 0;
  readonly #passedAborted: AbortedTransactionEntry[] = [];
  readonly #transactions: CleanedTransactions;
  readonly #cursor = new RecordCursor();
  readonly #deleteRetentionMs: number;

  /** `transactions` have seen all that lies before the group, which is at least one segment. */
  constructor(run: CleaningRun, transactions: CleanedTransactions, group: readonly Segment[]) {
    this.#run = run;
    this.#group = group;
    this.#transactions = transactions;
    this.#deleteRetentionMs = run.state.config.deleteRetentionMs;
    if (group.length > 1) this.#cleaned = this.#create();
  }

  /** Those that were written, if any. */
  get segments(): readonly Segment[] {
    return this.#cleaned?.segments ?? [];
  }

  /** Takes in a segment; `endOffset` is where the next one begins. */
  async take(segment: Segment, endOffset: number): Promise<void> {
    this.#transactions.expect(abortedBetween(this.#run, segment.baseOffset, endOffset));
    await this.#run.readSegment(segment, 0, async (batch, original) => {
      if (batchHeader.isControl(batch.buffer, batch.at)) await this.#takeControl(batch, original);
      else await this.#takeRecords(batch, original);
      this.#passedBytes += original.length;
      return true;
    });
  }

  /** Makes what was written durable. */
  async finish(): Promise<void> {
    if (this.#cleaned) await this.#account(await this.#cleaned.finish());
  }

  /** Removes what was written. */
  discard(): void {
    this.#cleaned?.discard();
  }

  #create(): CleanedSegments {
    const { state, tools } = this.#run;
    return new CleanedSegments(state, { baseOffset: this.#group[0]!.baseOffset, bufferBytes: tools.bufferBytes });
  }

  async #takeControl({ buffer, at }: SourceBatch, original: Buffer): Promise<void> {
    let aborted: AbortedTransactionEntry | undefined;
    const isDone = this.#transactions.onControl(buffer, at, (entry) => {
      aborted = entry;
    });
    const horizonMs = batchHeader.deleteHorizonMs(buffer, at);
    const isEmpty = batchHeader.recordCount(buffer, at) === 0;
    if (isEmpty || (isDone && horizonMs !== undefined && horizonMs <= this.#run.nowMs)) {
      await this.#dropRecords(buffer, at);
    } else if (isDone && horizonMs === undefined) {
      await this.#stamp(buffer, at);
    } else {
      if (isDone) this.#noteHorizon(horizonMs);
      await this.#pass(original);
    }
    if (aborted) this.#keepAborted(aborted);
  }

  async #takeRecords(batch: SourceBatch, original: Buffer): Promise<void> {
    const { buffer, at } = batch;
    if (this.#transactions.onRecords(buffer, at)) {
      await this.#dropRecords(buffer, at);
      return;
    }
    const { bytes, kept } = await this.#select(batch);
    if (kept.count === 0) {
      await this.#dropRecords(buffer, at);
      return;
    }
    const horizonMs = batchHeader.deleteHorizonMs(buffer, at);
    const isStampDue = kept.hasTombstones && horizonMs === undefined;
    if (batch.isWhole || (kept.count === batchHeader.recordCount(buffer, at) && !isStampDue)) {
      if (kept.hasTombstones) this.#noteHorizon(horizonMs);
      await this.#pass(original);
      return;
    }
    await prepareCodec(batchHeader.codec(buffer, at) as Codec);
    if (this.#run.tools.pace.isDue) await this.#run.rest();
    const deleteHorizonMs = isStampDue ? this.#newHorizon() : undefined;
    if (kept.hasTombstones) this.#noteHorizon(deleteHorizonMs ?? horizonMs);
    await this.#change(filteredBatch(buffer, at, { bytes, kept, deleteHorizonMs }));
  }

  /** Which records of a batch stay. */
  async #select({ buffer, at }: SourceBatch): Promise<{ bytes: Buffer; kept: KeptRecords }> {
    const { pace } = this.#run.tools;
    const bytes = recordBytes(buffer, at);
    if (!bytes.ok) throw new DamagedSegment(bytes.message ?? bytes.error);
    const baseOffset = batchHeader.baseOffset(buffer, at);
    const horizonMs = batchHeader.deleteHorizonMs(buffer, at);
    const keepsTombstones = horizonMs === undefined || this.#run.nowMs < horizonMs;
    const kept = new KeptRecords();
    const cursor = this.#cursor.reset(bytes.value);
    while (cursor.next()) {
      if (this.#stays(cursor, baseOffset + cursor.offsetDelta, keepsTombstones)) kept.add(cursor);
      if (cursor.index % RECORDS_PER_LOOK === 0 && pace.isDue) await this.#run.rest();
    }
    if (cursor.failure !== undefined || cursor.index + 1 !== batchHeader.recordCount(buffer, at)) {
      throw new DamagedSegment(cursor.failure ?? 'The batch does not hold as many records as it says');
    }
    return { bytes: bytes.value, kept };
  }

  #stays(cursor: RecordCursor, offset: number, keepsTombstones: boolean): boolean {
    const { map } = this.#run.tools;
    if (offset > map.latestOffset) return true;
    if (cursor.keyLength < 0) return false;
    if (cursor.valueLength < 0 && !keepsTombstones) return false;
    return offset >= map.get(cursor.bytes, cursor.keyPosition, cursor.keyPosition + cursor.keyLength);
  }

  /** Of a batch that lost all records nothing stays, or its header where that is needed. */
  async #dropRecords(buffer: Buffer, at: number): Promise<void> {
    if (!this.#isHeaderNeeded(buffer, at)) await this.#change();
    else if (batchHeader.recordCount(buffer, at) === 0) await this.#pass(emptiedBatch(buffer, at));
    else await this.#change(emptiedBatch(buffer, at));
  }

  #isHeaderNeeded(buffer: Buffer, at: number): boolean {
    const { producers, highWatermark } = this.#run.state;
    const lastOffset = batchHeader.lastOffset(buffer, at);
    if (lastOffset + 1 === highWatermark) return true;
    const producerId = batchHeader.producerId(buffer, at);
    const producer = producerId < 0 ? undefined : producers.get(producerId);
    if (!producer) return false;
    const lastBatch = producer.batches.at(-1);
    if (lastBatch) return lastBatch.lastOffset === lastOffset;
    return batchHeader.isControl(buffer, at) && batchHeader.producerEpoch(buffer, at) === producer.producerEpoch;
  }

  /** Gives a marker that nothing needs any more its horizon. */
  async #stamp(buffer: Buffer, at: number): Promise<void> {
    const bytes = recordBytes(buffer, at);
    if (!bytes.ok) throw new DamagedSegment(bytes.message ?? bytes.error);
    const kept = new KeptRecords();
    const cursor = this.#cursor.reset(bytes.value);
    while (cursor.next()) kept.add(cursor);
    const deleteHorizonMs = this.#newHorizon();
    this.#noteHorizon(deleteHorizonMs);
    await this.#change(filteredBatch(buffer, at, { bytes: bytes.value, kept, deleteHorizonMs }));
  }

  #newHorizon(): number {
    // A retention without end is as long as a timestamp goes.
    return Math.min(this.#run.nowMs + this.#deleteRetentionMs, Number.MAX_SAFE_INTEGER);
  }

  #noteHorizon(horizonMs: number | undefined): void {
    // One that is over and yet had to stay is looked at again when its part of the log is dirty.
    if (horizonMs === undefined || horizonMs <= this.#run.nowMs) return;
    this.deleteHorizonMs = Math.min(this.deleteHorizonMs, horizonMs);
  }

  /** Keeps a batch that is as it was. */
  async #pass(batch: Buffer): Promise<void> {
    if (this.#cleaned) await this.#account(await this.#cleaned.add(batch));
  }

  /** Writes `batch`, if any, in the place of the current one. */
  async #change(batch?: Buffer): Promise<void> {
    this.hasChanged = true;
    if (!this.#cleaned) await this.#copyPassed();
    if (batch) await this.#pass(batch);
  }

  /** Begins to write: with what was passed of the only segment. */
  async #copyPassed(): Promise<void> {
    const cleaned = this.#create();
    this.#cleaned = cleaned;
    await this.#run.scan(this.#group[0]!, { from: 0, to: this.#passedBytes }, async (scanner) => {
      await this.#account(await cleaned.add(scanner.batch()));
      return true;
    });
    for (const entry of this.#passedAborted) cleaned.keepAborted(entry);
  }

  #keepAborted(entry: AbortedTransactionEntry): void {
    if (this.#cleaned) this.#cleaned.keepAborted(entry);
    else this.#passedAborted.push(entry);
  }

  async #account(bytes: number): Promise<void> {
    if (bytes === 0) return;
    this.bytesWritten += bytes;
    await this.#run.spend(bytes);
  }
}
