/**
 * One stretch of a log: the file with the batches and its three indexes. Owns finding positions, keeping the indexes in
 * step with what was appended, and cutting; does not write batches (log-appender.ts) nor know neighbours.
 * Invariants: bytes below `sizeInBytes` are whole batches; an index never says more than is in the log, and one that
 * turns out to be wrong is rebuilt from the log.
 * (Kafka: LogSegment.)
 */
import * as batchHeader from '../records/batch-header';
import { LOG_SUFFIX, SEGMENT_SUFFIXES, segmentFilePath } from './log-file-name';
import type { OffsetIndex, OffsetPosition } from './offset-index';
import { ReaderPlaces } from './reader-places';
import { RecentBatches } from './recent-batches';
import { findIndexSizes, type IndexSizes, NO_INDEX_FILES, SegmentIndexes } from './segment-indexes';
import type { FoundSegment, SegmentOptions } from './segment-options';
import { indexDamage } from './segment-sanity';
import { trustedPosition, walkFrom } from './segment-search';
import { SegmentUse } from './segment-use';
import * as storedBatch from './stored-batch';
import type { TimeIndex } from './time-index';
import type { TransactionIndex } from './transaction-index';

/** Sizes of the files as found; undefined for one that does not exist. */
export interface SegmentFileSizes extends IndexSizes {
  readonly log: number;
}

export interface AppendedBatch {
  readonly sizeInBytes: number;
  readonly lastOffset: number;
  readonly maxTimestampMs: number;
}

/** A stretch of the file made of whole batches. */
export interface SegmentRead {
  readonly position: number;
  readonly sizeInBytes: number;
  /**
   * The offset after the last batch, or the first of the batch behind it; undefined where the read reaches the given
   * limit and it was not looked at.
   */
  readonly nextOffset: number | undefined;
}

/** A time index counts to 2^53; a producer's larger timestamp is taken as this. */
const LARGEST_TIMESTAMP = Number.MAX_SAFE_INTEGER;

export class Segment {
  readonly baseOffset: number;
  sizeInBytes: number;
  readonly options: SegmentOptions;
  /** Sizes of the index files while the indexes are not in use; undefined where nobody has looked. */
  #indexSizes: IndexSizes | undefined;
  /** Whether the indexes were compared with the log, or made by us. */
  #isChecked: boolean;
  /** The time index ends with the largest timestamp, and all indexes are in their files. */
  #isComplete = false;
  #hasTransactionFile = false;
  /** The file is longer than its batches. */
  #isPreallocated = false;
  /** Undefined where it must be read from the time index. */
  #maxTimestampMs: number | undefined;
  #maxTimestampOffset: number;
  #bytesSinceIndexEntry = 0;
  #use: SegmentUse | undefined;

  /** `sizes` are those of files that are known to be right; without any for the indexes, there are none. */
  constructor(options: SegmentOptions, baseOffset: number, { log, ...indexes }: SegmentFileSizes) {
    this.options = options;
    this.baseOffset = baseOffset;
    this.sizeInBytes = log;
    this.#indexSizes = indexes;
    this.#isChecked = true;
    this.#maxTimestampOffset = baseOffset;
  }

  /** A segment that was closed in order. Its indexes are looked at when they are first needed. */
  static found(options: SegmentOptions, found: FoundSegment): Segment {
    const segment = new Segment(options, found.baseOffset, { log: found.sizeInBytes });
    segment.#indexSizes = undefined;
    segment.#isChecked = false;
    segment.#isComplete = found.hasIndexes;
    segment.#hasTransactionFile = found.hasTransactions;
    return segment;
  }

  /** A new, empty segment; leftovers of a failed attempt to make it are cut away. */
  static create(options: SegmentOptions, baseOffset: number): Segment {
    const segment = new Segment(options, baseOffset, { log: 0 });
    segment.#indexSizes = NO_INDEX_FILES;
    segment.#maxTimestampMs = -1;
    const handle = options.files.forWriting(segment.logPath);
    if (handle.size() > 0) handle.truncate(0);
    if (options.preallocatedBytes === undefined) return segment;
    handle.truncate(options.preallocatedBytes);
    segment.#isPreallocated = true;
    return segment;
  }

  get logPath(): string {
    const use = this.#used;
    use.logPath ??= this.#pathOf(LOG_SUFFIX);
    return use.logPath;
  }

  get offsetIndex(): OffsetIndex {
    return this.#loadedIndexes().offset;
  }

  get timeIndex(): TimeIndex {
    return this.#loadedIndexes().time;
  }

  get transactionIndex(): TransactionIndex {
    return this.#loadedIndexes().transaction;
  }

  /** Whether aborted transactions may have ended here: most segments say no without a look at the disk. */
  get mayHaveAborted(): boolean {
    const { transactionIndex = 0 } = this.#indexSizes ?? {};
    const indexes = this.#use?.indexes;
    return indexes ? !indexes.transaction.isEmpty : this.#hasTransactionFile || transactionIndex > 0;
  }

  /** Largest timestamp of a record, -1 for none. */
  get maxTimestampMs(): number {
    // Indexes that are made anew tell it on the way.
    if (this.#maxTimestampMs === undefined) this.#loadedIndexes();
    return this.#maxTimestampMs ?? this.#takeMaxTimestampFromIndex();
  }

  /** Takes note of a batch that now lies at the end of the file. */
  noteAppended(batch: AppendedBatch): void {
    const { lastOffset } = batch;
    const maxTimestampMs = Math.min(batch.maxTimestampMs, LARGEST_TIMESTAMP);
    const use = this.#used;
    if (this.sizeInBytes === 0) use.firstTimestampMs = maxTimestampMs;
    if (maxTimestampMs > this.maxTimestampMs) {
      this.#maxTimestampMs = maxTimestampMs;
      this.#maxTimestampOffset = lastOffset;
    }
    this.#isComplete = false;
    if (this.#bytesSinceIndexEntry > this.options.indexIntervalBytes) {
      this.offsetIndex.append(lastOffset, this.sizeInBytes);
      this.timeIndex.maybeAppend(this.maxTimestampMs, this.#maxTimestampOffset);
      this.#bytesSinceIndexEntry = 0;
    }
    use.recent ??= new RecentBatches();
    use.recent.add(this.sizeInBytes, lastOffset);
    this.#bytesSinceIndexEntry += batch.sizeInBytes;
    this.sizeInBytes += batch.sizeInBytes;
  }

  /** Position of the batch that holds `offset`, or of the first one after it; undefined beyond the last batch. */
  positionOf(offset: number): number | undefined {
    if (offset <= this.baseOffset) return this.sizeInBytes > 0 ? 0 : undefined;
    const recent = this.#use?.recent?.positionOf(offset) ?? -1;
    if (recent >= 0) return recent;
    const known = this.#use?.readers?.positionOf(offset) ?? -1;
    if (known >= 0) return known < this.sizeInBytes ? known : undefined;
    const position = walkFrom(
      this,
      () => this.offsetIndex.floorByOffset(offset),
      (buffer, at) => storedBatch.lastOffset(buffer, at) < offset,
    );
    return position < this.sizeInBytes ? position : undefined;
  }

  /**
   * The whole batches from the one that holds `offset` on, up to `maxBytes` and below the position `limit`; undefined
   * when all batches end before `offset`. Empty when the first batch is larger than `maxBytes` and not `minOneBatch`.
   */
  read(options: { offset: number; maxBytes: number; limit: number; minOneBatch: boolean }): SegmentRead | undefined {
    const { maxBytes, limit, minOneBatch } = options;
    const position = this.positionOf(options.offset);
    if (position === undefined) return undefined;
    if (position >= limit) return { position, sizeInBytes: 0, nextOffset: undefined };
    if (limit - position <= maxBytes) return { position, sizeInBytes: limit - position, nextOffset: undefined };
    const [end, nextOffset] = this.#lastBorder(position, position + Math.max(0, maxBytes), minOneBatch);
    if (nextOffset !== undefined) this.noteReader(nextOffset, end);
    return { position, sizeInBytes: end - position, nextOffset };
  }

  /** Remembers that the batch with `offset` begins at `position`, because a reader will ask next. */
  noteReader(offset: number, position: number): void {
    const use = this.#used;
    use.readers ??= new ReaderPlaces();
    use.readers.note(offset, position);
  }

  /** Goes through the headers from a batch border on while `goOn`; returns where it stopped. */
  walk(from: number, goOn: storedBatch.BatchVisitor): number {
    const handle = this.options.files.forReading(this.logPath);
    return storedBatch.walkBatches(handle, { from, to: this.sizeInBytes }, goOn);
  }

  /** Where the search for the first record at or after `timestampMs` may begin. */
  searchStart(timestampMs: number): number {
    const { offset } = this.timeIndex.floor(timestampMs);
    return trustedPosition(this, () => this.offsetIndex.floorByOffset(offset));
  }

  /** Cuts off everything from `offset` on. */
  truncateTo(offset: number): void {
    const position = this.positionOf(offset);
    this.offsetIndex.truncateTo(offset);
    this.timeIndex.truncateTo(offset);
    this.transactionIndex.truncateTo(offset);
    if (position !== undefined) this.cutAt(position);
    this.#bytesSinceIndexEntry = 0;
    this.#isComplete = false;
    this.#takeMaxTimestampFromIndex();
    const { offset: indexed } = this.timeIndex.last;
    this.walk(
      trustedPosition(this, () => this.offsetIndex.floorByOffset(indexed)),
      (buffer, at) => {
        this.#raiseMaxTimestamp(buffer, at);
        return true;
      },
    );
  }

  /** Makes `position`, a batch border, the end of the file; the indexes are the caller's to cut. */
  cutAt(position: number): void {
    this.#cutFile(position);
    this.sizeInBytes = position;
    if (!this.#use) return;
    this.#use.recent?.clear();
    this.#use.readers = undefined;
    if (position === 0) this.#use.firstTimestampMs = undefined;
  }

  /** What is wrong with the indexes, undefined for nothing. From now on they count as looked at. */
  indexDamage(): string | undefined {
    this.#isChecked = true;
    this.#indexSizes ??= findIndexSizes(this.options.files, (suffix) => this.#pathOf(suffix));
    return indexDamage(this, this.#indexSizes);
  }

  #cutFile(position: number): void {
    this.options.files.forWriting(this.logPath).truncate(position);
    this.#isPreallocated = false;
  }

  /** Forgets all that was derived from the batches; a scan notes them again one by one. */
  startOver(): void {
    this.#isChecked = true;
    this.offsetIndex.reset();
    this.timeIndex.reset();
    this.transactionIndex.reset();
    this.#isComplete = false;
    this.#maxTimestampMs = -1;
    this.#maxTimestampOffset = this.baseOffset;
    this.#bytesSinceIndexEntry = 0;
    if (this.#use) {
      this.#use.recent = undefined;
      this.#use.readers = undefined;
    }
    this.sizeInBytes = 0;
  }

  /** Completes the time index: nothing more comes, or the log closes. Then brings the index files up to date. */
  becomeInactive(): void {
    if (this.#use) this.#use.recent = undefined;
    if (this.#isPreallocated) this.#cutFile(this.sizeInBytes);
    if (this.#isComplete && !this.hasUnwrittenIndexes) return;
    this.timeIndex.maybeAppend(this.maxTimestampMs, this.#maxTimestampOffset);
    this.writeIndexes();
    this.#isComplete = true;
  }

  get isIndexWriteDue(): boolean {
    return this.#use?.indexes?.isWriteDue === true;
  }

  get hasUnwrittenIndexes(): boolean {
    return this.#use?.indexes?.hasUnwritten === true;
  }

  writeIndexes(): void {
    this.#loadedIndexes().writeOut();
  }

  /** Lets go of what can be read again, unless some of it is in memory alone. */
  rest(): void {
    const indexes = this.#use?.indexes;
    this.#use = undefined;
    if (indexes?.hasUnwritten) this.#used.indexes = indexes;
    else if (indexes) this.#indexSizes = indexes.sizes;
  }

  /** Largest timestamp, or the file's time where records have none. For retention. */
  largestTimestampMs(): number {
    if (this.maxTimestampMs >= 0) return this.maxTimestampMs;
    return this.options.files.fileSystem.stat(this.logPath)?.modifiedMs ?? 0;
  }

  /** The paths that the segment may have files at. */
  paths(): string[] {
    return SEGMENT_SUFFIXES.map((suffix) => this.#pathOf(suffix));
  }

  /** Rebuilds offset and time index from the headers in the log, up to a damaged one: behind it nothing is known. */
  rebuildIndexes(): void {
    const { sizeInBytes } = this;
    this.offsetIndex.reset();
    this.timeIndex.reset();
    this.#isComplete = false;
    this.#maxTimestampMs = -1;
    this.#bytesSinceIndexEntry = 0;
    if (this.#use) this.#use.recent = undefined;
    this.sizeInBytes = 0;
    let nextOffset = this.baseOffset;
    const handle = this.options.files.forReading(this.logPath);
    storedBatch.walkBatches(handle, { from: 0, to: sizeInBytes }, (buffer, at) => {
      const lastOffset = storedBatch.lastOffset(buffer, at);
      if (lastOffset < nextOffset || !this.offsetIndex.canHold(lastOffset)) return false;
      const maxTimestampMs = storedBatch.maxTimestamp(buffer, at);
      this.noteAppended({ sizeInBytes: batchHeader.sizeInBytes(buffer, at), lastOffset, maxTimestampMs });
      nextOffset = lastOffset + 1;
      return true;
    });
    this.sizeInBytes = sizeInBytes;
  }

  /** The last border at or below `target`, reached from the border `start`, and the offset that is asked for next. */
  #lastBorder(start: number, target: number, minOneBatch: boolean): [number, number | undefined] {
    let end = start;
    let nextOffset: number | undefined;
    const visit: storedBatch.BatchVisitor = (buffer, at, position) => {
      const behind = position + batchHeader.sizeInBytes(buffer, at);
      const fits = behind <= target || (minOneBatch && position === start);
      end = fits ? behind : position;
      if (fits) nextOffset = storedBatch.lastOffset(buffer, at) + 1;
      else if (storedBatch.isV2(buffer, at)) nextOffset ??= batchHeader.baseOffset(buffer, at);
      return behind < target;
    };
    const recent = this.#use?.recent?.floorByPosition(target) ?? -1;
    const lookUp = (): OffsetPosition => this.offsetIndex.floorByPosition(target);
    if (recent >= 0 || lookUp().position <= start) this.walk(Math.max(start, recent), visit);
    else walkFrom(this, lookUp, visit);
    return [end, nextOffset];
  }

  /** Largest timestamp of the first batch, -1 for none. */
  firstTimestampMs(): number {
    const use = this.#used;
    if (use.firstTimestampMs === undefined) {
      this.walk(0, (buffer, at) => {
        use.firstTimestampMs = storedBatch.maxTimestamp(buffer, at);
        return false;
      });
    }
    return use.firstTimestampMs ?? -1;
  }

  #takeMaxTimestampFromIndex(): number {
    const { timestampMs, offset } = this.timeIndex.last;
    this.#maxTimestampMs = timestampMs;
    this.#maxTimestampOffset = offset;
    return timestampMs;
  }

  #pathOf(suffix: string): string {
    const { directory, nameSuffix = '' } = this.options;
    return segmentFilePath(directory, this.baseOffset, suffix + nameSuffix);
  }

  get #used(): SegmentUse {
    this.#use ??= new SegmentUse();
    return this.#use;
  }

  #loadedIndexes(): SegmentIndexes {
    return this.#use?.indexes ?? this.#loadIndexes();
  }

  #loadIndexes(): SegmentIndexes {
    const { files, logger } = this.options;
    const pathOf = (suffix: string): string => this.#pathOf(suffix);
    const sizes = this.#indexSizes ?? findIndexSizes(files, pathOf);
    const indexes = new SegmentIndexes(files, pathOf, { baseOffset: this.baseOffset, sizes });
    this.#used.indexes = indexes;
    if (this.#isChecked) return indexes;
    this.#isChecked = true;
    const damage = indexDamage(this, sizes);
    if (damage === undefined) return indexes;
    logger?.warn('Rebuilding indexes', { log: this.logPath, reason: damage });
    this.rebuildIndexes();
    return indexes;
  }

  #raiseMaxTimestamp(buffer: Buffer, at: number): void {
    const timestampMs = Math.min(storedBatch.maxTimestamp(buffer, at), LARGEST_TIMESTAMP);
    if (timestampMs <= this.maxTimestampMs) return;
    this.#maxTimestampMs = timestampMs;
    this.#maxTimestampOffset = storedBatch.lastOffset(buffer, at);
  }
}
