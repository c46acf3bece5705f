/**
 * Puts the records of several changes into as few batches as the size limit allows and appends them in order. A change
 * is not split unless it is too large for any batch.
 */

import type { Clock } from '../base/clock';
import { err, ok, type Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import { ErrorCode } from '../codec/generated/errors';
import { buildBatch } from '../records/batch-builder';
import { HEADER_SIZE } from '../records/batch-header';
import type { Codec } from '../records/compression';
import type { PartitionWriter } from './partition-access';
import type { EncodedRecord } from './record-codec';

/** The records of one operation. */
export interface EncodedChange {
  /** Where its first record must come to lie. */
  readonly firstOffset: number;
  readonly records: readonly EncodedRecord[];
}

export interface BatchLimits {
  readonly maxBatchBytes: number;
  readonly compressionCodec: Codec;
  readonly writer: PartitionWriter;
  readonly clock: Clock;
}

/** What a record takes beside its key and value, at most: lengths, deltas, attributes. */
export const RECORD_OVERHEAD_BYTES = 24;

/** An upper bound of what the record takes in a batch. */
export function recordSizeBytes({ key, value }: EncodedRecord): number {
  return key.length + (value?.length ?? 0) + RECORD_OVERHEAD_BYTES;
}

/** How much of a batch is left for records. */
export function recordBytesOf(maxBatchBytes: number): number {
  return maxBatchBytes - HEADER_SIZE;
}

/** Whole changes as long as they fit; a change that fits nowhere goes in pieces. */
function* group(changes: readonly EncodedChange[], maxBytes: number): Iterable<EncodedChange> {
  let records: EncodedRecord[] = [];
  let firstOffset = 0;
  let size = 0;
  for (const change of changes) {
    const changeSize = change.records.reduce((sum, record) => sum + recordSizeBytes(record), 0);
    const fits = size + changeSize <= maxBytes;
    if (!fits && records.length > 0) {
      yield { firstOffset, records };
      records = [];
    }
    for (const [at, record] of change.records.entries()) {
      if (records.length > 0 && size + recordSizeBytes(record) > maxBytes) {
        yield { firstOffset, records };
        records = [];
      }
      if (records.length === 0) {
        firstOffset = change.firstOffset + at;
        size = 0;
      }
      records.push(record);
      size += recordSizeBytes(record);
    }
  }
  if (records.length > 0) yield { firstOffset, records };
}

/** Appends everything; at the first failure the rest is not tried. Fails too when a record lands at another offset. */
export async function writeBatches(
  limits: BatchLimits,
  { partition, changes }: { partition: TopicPartition; changes: readonly EncodedChange[] },
): Promise<Result<void, ErrorCode>> {
  const timestamp = limits.clock.nowMs();
  for (const { firstOffset, records } of group(changes, recordBytesOf(limits.maxBatchBytes))) {
    const batch = buildBatch({
      records: records.map(({ key, value }) => ({ timestamp, key, value })),
      codec: limits.compressionCodec,
    });
    const appended = await limits.writer.append(partition, batch);
    if (!appended.ok) return err(appended.error);
    // Somebody else has written to the partition: what was decided rests on a state that is not the log's.
    if (appended.value.firstOffset !== firstOffset) return err(ErrorCode.UNKNOWN_SERVER_ERROR);
  }
  return ok(undefined);
}
