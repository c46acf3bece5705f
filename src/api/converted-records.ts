/**
 * Records that were converted for an old client and wait to be sent. Unlike stored ones they take memory until then, so
 * they are counted: a request gets a bounded share, and a small one while slow readers hold much. Owns the account, for
 * all brokers of this process, and the limits; not the conversion.
 * (Kafka converts while it sends instead: LazyDownConversionRecords.)
 */
import { assert } from '../base/assert';
import type { FileRegion } from '../base/chunk';

/** From here on requests get no more than one batch. */
const HELD_BYTES_LIMIT = 64 * 1024 * 1024;
/** What all partitions of one request get, in bytes as stored. */
const REQUEST_BYTES = 4 * 1024 * 1024;
/** A partition gets that much at least: clients of that age ask in the same order each time. */
const SMALLEST_PARTITION_BYTES = 16 * 1024;

let heldBytes = 0;

export interface ConversionLimits {
  readonly requestBytes: number;
  readonly partitionBytes: number;
}

/** How much a request for so many partitions may read; the first batch comes whole in any case. */
export function conversionLimits(partitionCount: number): ConversionLimits {
  if (heldBytes >= HELD_BYTES_LIMIT) return { requestBytes: 1, partitionBytes: 1 };
  const share = Math.floor(REQUEST_BYTES / Math.max(1, partitionCount));
  return { requestBytes: REQUEST_BYTES, partitionBytes: Math.max(SMALLEST_PARTITION_BYTES, share) };
}

/** `records` as a chunk that counts until it is released. */
export function holdConverted(records: Buffer): FileRegion {
  let isHeld = true;
  heldBytes += records.length;
  return {
    length: records.length,
    read: (target, offset) => Promise.resolve(records.copy(target, 0, offset)),
    release: () => {
      assert(isHeld, 'converted records are released once');
      isHeld = false;
      heldBytes -= records.length;
    },
  };
}
