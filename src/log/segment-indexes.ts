/**
 * The indexes of one segment together: made when one of them is first needed, and again after the segment has rested.
 * Owns bringing their files up to date; what they mean for the segment is the segment's.
 */
import { OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX } from './log-file-name';
import { OffsetIndex } from './offset-index';
import type { OpenFiles } from './open-files';
import { TimeIndex } from './time-index';
import { TransactionIndex } from './transaction-index';

/** Bytes of the files; undefined for one that does not exist. */
export interface IndexSizes {
  readonly offsetIndex?: number | undefined;
  readonly timeIndex?: number | undefined;
  readonly transactionIndex?: number | undefined;
}

/** Of a segment that has no index files yet; one for all of them. */
export const NO_INDEX_FILES: IndexSizes = {};

/** Sizes of small files, which very many idle segments have alike, by their numbers of bytes. */
const shared = new Map<string, IndexSizes>();
const SHARED_BELOW_BYTES = 256;
const MOST_SHARED = 1024;

function sharedSizes(sizes: IndexSizes): IndexSizes {
  const { offsetIndex = 0, timeIndex = 0, transactionIndex = 0 } = sizes;
  if (offsetIndex + timeIndex + transactionIndex >= SHARED_BELOW_BYTES) return sizes;
  const key = `${sizes.offsetIndex} ${sizes.timeIndex} ${sizes.transactionIndex}`;
  const known = shared.get(key);
  if (known || shared.size >= MOST_SHARED) return known ?? sizes;
  shared.set(key, sizes);
  return sizes;
}

/** Looks at the files; `pathOf` gives the path of the one with a suffix. */
export function findIndexSizes({ fileSystem }: OpenFiles, pathOf: (suffix: string) => string): IndexSizes {
  const sizeOf = (suffix: string): number | undefined => fileSystem.stat(pathOf(suffix))?.size;
  return sharedSizes({
    offsetIndex: sizeOf(OFFSET_INDEX_SUFFIX),
    timeIndex: sizeOf(TIME_INDEX_SUFFIX),
    transactionIndex: sizeOf(TRANSACTION_INDEX_SUFFIX),
  });
}

export class SegmentIndexes {
  readonly offset: OffsetIndex;
  readonly time: TimeIndex;
  readonly transaction: TransactionIndex;

  constructor(
    files: OpenFiles,
    pathOf: (suffix: string) => string,
    { baseOffset, sizes }: { readonly baseOffset: number; readonly sizes: IndexSizes },
  ) {
    const { offsetIndex = 0, timeIndex = 0, transactionIndex = 0 } = sizes;
    this.offset = new OffsetIndex(files, pathOf(OFFSET_INDEX_SUFFIX), { baseOffset, storedBytes: offsetIndex });
    this.time = new TimeIndex(files, pathOf(TIME_INDEX_SUFFIX), { baseOffset, storedBytes: timeIndex });
    this.transaction = new TransactionIndex(files, pathOf(TRANSACTION_INDEX_SUFFIX), transactionIndex);
  }

  /** Of the files, once all is written. */
  get sizes(): IndexSizes {
    const [offsetIndex, timeIndex] = [this.offset.sizeInBytes, this.time.sizeInBytes];
    const transactionIndex = this.transaction.sizeInBytes;
    return offsetIndex + timeIndex + transactionIndex === 0
      ? NO_INDEX_FILES
      : sharedSizes({ offsetIndex, timeIndex, transactionIndex });
  }

  get isWriteDue(): boolean {
    return this.offset.isWriteDue || this.time.isWriteDue || this.transaction.hasUnwritten;
  }

  get hasUnwritten(): boolean {
    return this.offset.hasUnwritten || this.time.hasUnwritten || this.transaction.hasUnwritten;
  }

  /** Brings the files up to date; offset and time index get one even without entries. Not synced. */
  writeOut(): void {
    this.offset.writeOut();
    this.time.writeOut();
    this.transaction.writeOut();
  }
}
