/**
 * What an append must know of the records of a batch, in one pass over the inflated bytes: that they are well-formed
 * and as many as declared, their times, whether their offsets have gaps and whether a key is missing. The hot path of
 * Produce: no object and no call out of the loop for a record of the usual shape.
 * Invariant: says the same as a walk with `RecordCursor`, which also has the last word on every record of another shape
 * and names what is wrong with it.
 * (Kafka: LogValidator over DefaultRecordBatch.skipKeyValueIterator, which looks at the same and no more.)
 */
import { err, ok, type Result } from '../base/result';
import { COUNT_TOO_LARGE, COUNT_TOO_SMALL, RecordCursor } from './batch-walk';

export interface RecordFacts {
  /** Relative to the batch's base timestamp, in milliseconds; no records, no meaning. */
  readonly minTimestampDelta: number;
  readonly maxTimestampDelta: number;
  /** Whether the offset deltas are 0, 1, 2, … */
  readonly isDense: boolean;
  readonly hasNullKey: boolean;
}

const LENGTH_MASK = 3;
const LENGTH_BITS = 2;

/**
 * A varint of up to three bytes, still in zigzag, above two bits that say how long it is; 0 when it is longer, or not
 * all there.
 */
function shortVarint(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return (first << LENGTH_BITS) | 1;
  const second = bytes[at + 1]!;
  if (second < 0x80) return (((first & 0x7f) | (second << 7)) << LENGTH_BITS) | 2;
  const third = bytes[at + 2]!;
  if (third < 0x80) return (((first & 0x7f) | ((second & 0x7f) << 7) | (third << 14)) << LENGTH_BITS) | 3;
  return 0;
}

/** The number in a short varint, zigzag undone. */
function numberIn(varint: number): number {
  return (varint >>> (LENGTH_BITS + 1)) ^ -((varint >>> LENGTH_BITS) & 1);
}

/** Where `headers` of a record end that are to be before `end`; -1 when they do not, or are not of the usual shape. */
function skipHeaders(bytes: Buffer, at: number, { headers, end }: { headers: number; end: number }): number {
  let position = at;
  for (let left = headers; left > 0; left--) {
    const key = shortVarint(bytes, position);
    const keyLength = numberIn(key);
    if (key === 0 || keyLength < 0) return -1;
    position += (key & LENGTH_MASK) + keyLength;
    if (position >= end) return -1;
    const value = shortVarint(bytes, position);
    if (value === 0) return -1;
    position += (value & LENGTH_MASK) + Math.max(0, numberIn(value));
    if (position > end) return -1;
  }
  return position;
}

/** Whoever finds gaps writes the batch anew, on the loop; no client that leaves some sends so many records. */
const MOST_WITH_GAPS = 1_000_000;

/**
 * Takes the inflated `bytes` of a batch that says it has `recordCount` records; the error says what is wrong, and comes
 * before the end where that can be known.
 */
export function scanRecords(bytes: Buffer, recordCount: number): Result<RecordFacts, string> {
  const limit = bytes.length;
  let cursor: RecordCursor | undefined;
  let minTimestampDelta = Number.POSITIVE_INFINITY;
  let maxTimestampDelta = Number.NEGATIVE_INFINITY;
  let isDense = true;
  let hasNullKey = false;
  let index = 0;
  let start = 0;
  for (; start < limit; index++) {
    const size = shortVarint(bytes, start);
    const attributesAt = start + (size & LENGTH_MASK);
    let end = attributesAt + numberIn(size);
    const time = shortVarint(bytes, attributesAt + 1);
    let at = attributesAt + 1 + (time & LENGTH_MASK);
    const offset = shortVarint(bytes, at);
    at += offset & LENGTH_MASK;
    const key = shortVarint(bytes, at);
    let keyLength = numberIn(key);
    at += (key & LENGTH_MASK) + Math.max(keyLength, 0);
    const value = shortVarint(bytes, at);
    at += (value & LENGTH_MASK) + Math.max(numberIn(value), 0);
    const headers = shortVarint(bytes, at);
    const headerCount = numberIn(headers);
    at += headers & LENGTH_MASK;
    let timestampDelta = numberIn(time);
    let offsetDelta = numberIn(offset);
    if (headerCount > 0) at = skipHeaders(bytes, at, { headers: headerCount, end });
    // Positions only rise, so what ends where the record does lies within it.
    const isUsual = at === end && end > start && end <= limit && headerCount >= 0;
    if (!isUsual || size === 0 || time === 0 || offset === 0 || key === 0 || value === 0 || headers === 0) {
      cursor ??= new RecordCursor().reset(bytes);
      if (!cursor.readAt(start)) return err(cursor.failure!);
      ({ end, timestampDelta, offsetDelta, keyLength } = cursor);
    }
    if (index >= recordCount) return err(COUNT_TOO_LARGE);
    if (timestampDelta < minTimestampDelta) minTimestampDelta = timestampDelta;
    if (timestampDelta > maxTimestampDelta) maxTimestampDelta = timestampDelta;
    if (offsetDelta !== index) {
      if (recordCount > MOST_WITH_GAPS) return err(`The offsets of ${recordCount} records are not 0, 1, 2, …`);
      isDense = false;
    }
    if (keyLength < 0) hasNullKey = true;
    start = end;
  }
  if (index !== recordCount) return err(COUNT_TOO_SMALL);
  return ok({ minTimestampDelta, maxTimestampDelta, isDense, hasNullKey });
}
