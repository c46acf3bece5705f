/**
 * What a coordinator needs of the partition that keeps its records. Declared here so that coordinators do not know logs
 * or replicas; `broker.ts` passes adapters over the replica manager.
 */
import type { Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import type { ErrorCode } from '../codec/generated/errors';

export interface AppendedOffsets {
  readonly firstOffset: number;
  readonly lastOffset: number;
}

export interface PartitionWriter {
  /**
   * Appends one v2 batch as leader; `batch` is handed over. Resolves when it is written here; when it is committed is
   * told by the high watermark. Never rejects for what a disk or a replica did.
   */
  append(partition: TopicPartition, batch: Buffer): Promise<Result<AppendedOffsets, ErrorCode>>;
}

export interface PartitionBounds {
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly highWatermark: number;
}

export interface PartitionReader {
  bounds(partition: TopicPartition): Result<PartitionBounds, ErrorCode>;
  /**
   * Whole v2 batches up to the log end, from the one that holds `offset` (or the next one, where compaction left a
   * gap); at least one where there is any, about `maxBytes` otherwise; empty at the log end.
   */
  read(partition: TopicPartition, offset: number, maxBytes: number): Promise<Result<Buffer, ErrorCode>>;
}
