/**
 * Replays a partition into a fresh shard, batch by batch in reads of bounded size, so that other work goes on
 * meanwhile. A record that cannot be read is reported and left out: one bad record must not close the coordinator to
 * all others.
 */
import type { Logger } from '../base/logger';
import { ok, type Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import type { ErrorCode } from '../codec/generated/errors';
import { MalformedMessage } from '../codec/malformed';
import * as batchHeader from '../records/batch-header';
import { endTransactionMarkerOf } from '../records/control-record';
import { decodeRecords, type LogRecord } from '../records/record-codec';
import type { PartitionReader } from './partition-access';
import type { RecordCodec } from './record-codec';
import type { Shard } from './shard';

export interface LoadOptions<Op, Rec> {
  readonly partition: TopicPartition;
  readonly reader: PartitionReader;
  readonly shard: Shard<Op, Rec>;
  readonly codec: RecordCodec<Rec>;
  readonly readSizeBytes: number;
  readonly logger: Logger;
  /** Nobody wants the result any more. */
  readonly isCancelled: () => boolean;
}

export interface Loaded {
  /** Where the next record will be. */
  readonly logEndOffset: number;
  readonly highWatermark: number;
  readonly records: number;
}

export async function loadShard<Op, Rec>(o: LoadOptions<Op, Rec>): Promise<Result<Loaded, ErrorCode>> {
  const bounds = o.reader.bounds(o.partition);
  if (!bounds.ok) return bounds;
  const { logStartOffset, logEndOffset, highWatermark } = bounds.value;
  let offset = logStartOffset;
  let records = 0;
  while (offset < logEndOffset && !o.isCancelled()) {
    const read = await o.reader.read(o.partition, offset, o.readSizeBytes);
    if (!read.ok) return read;
    if (read.value.length === 0) break;
    const replayed = replayBatches(o, read.value, offset);
    offset = replayed.nextOffset;
    records += replayed.records;
  }
  return ok({ logEndOffset, highWatermark, records });
}

function replayBatches<Op, Rec>(
  o: LoadOptions<Op, Rec>,
  batches: Buffer,
  fromOffset: number,
): { nextOffset: number; records: number } {
  let nextOffset = fromOffset;
  let records = 0;
  for (let position = 0; position < batches.length; position += batchHeader.sizeInBytes(batches, position)) {
    if (batchHeader.isControl(batches, position)) {
      const marker = endTransactionMarkerOf(batches, position);
      if (marker) o.shard.applyEndMarker(batchHeader.producerId(batches, position), marker.isCommit);
    } else {
      records += replayRecords(o, batches, position);
    }
    nextOffset = batchHeader.lastOffset(batches, position) + 1;
  }
  return { nextOffset, records };
}

function replayRecords<Op, Rec>(o: LoadOptions<Op, Rec>, batches: Buffer, position: number): number {
  const decoded = decodeRecords(batches, position);
  if (!decoded.ok) {
    const offset = batchHeader.baseOffset(batches, position);
    o.logger.error('a batch of a coordinator cannot be read', { ...o.partition, offset, reason: decoded.error });
    return 0;
  }
  const isTransactional = batchHeader.isTransactional(batches, position);
  const producerId = isTransactional ? batchHeader.producerId(batches, position) : -1;
  for (const record of decoded.value) {
    const applied = decodeRecord(o, record);
    if (applied !== undefined) o.shard.apply(applied, { offset: record.offset, producerId });
  }
  return decoded.value.length;
}

function decodeRecord<Op, Rec>(o: LoadOptions<Op, Rec>, { offset, key, value }: LogRecord): Rec | undefined {
  if (key === null) return undefined;
  try {
    return o.codec.decode(key, value);
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    o.logger.error('a record of a coordinator cannot be read', { ...o.partition, offset, reason: error.message });
    return undefined;
  }
}
