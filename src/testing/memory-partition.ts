/**
 * A partition for coordinator tests: batches in an array. Appends can be held back or made to fail, and the high
 * watermark follows at once or when the test says so.
 */
import { ok, type Result } from '../base/result';
import type { TopicPartition } from '../base/topic-partition';
import type { ErrorCode } from '../codec/generated/errors';
import type {
  AppendedOffsets,
  PartitionBounds,
  PartitionReader,
  PartitionWriter,
} from '../coordinator/partition-access';
import * as batchHeader from '../records/batch-header';
import { decodeRecords, type LogRecord } from '../records/record-codec';

export class MemoryPartition implements PartitionWriter, PartitionReader {
  readonly batches: Buffer[] = [];
  highWatermark = 0;
  /** Told of every new high watermark. */
  onHighWatermark: (offset: number) => void = () => undefined;
  /** False: the high watermark stays until `commit`. */
  commitsAtOnce = true;
  /** The next appends fail with these, first come first. */
  readonly appendFailures: Result<never, ErrorCode>[] = [];
  /** The next reads, and the next looks at the bounds, fail with these. */
  readonly readFailures: Result<never, ErrorCode>[] = [];
  #held: (() => void)[] | undefined;
  #endOffset = 0;

  get endOffset(): number {
    return this.#endOffset;
  }

  /** Appends wait from now on until `releaseAppends`. */
  holdAppends(): void {
    this.#held = [];
  }

  releaseAppends(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const run of held) run();
  }

  async append(_partition: TopicPartition, batch: Buffer): Promise<Result<AppendedOffsets, ErrorCode>> {
    if (this.#held) await new Promise<void>((resolve) => this.#held!.push(resolve));
    const failure = this.appendFailures.shift();
    if (failure) return failure;
    const firstOffset = this.put(batch);
    if (this.commitsAtOnce) this.commit();
    return ok({ firstOffset, lastOffset: this.#endOffset - 1 });
  }

  /** Adds a batch as another writer would; its first offset. */
  put(batch: Buffer): number {
    const firstOffset = this.#endOffset;
    batchHeader.patchBaseOffset(batch, 0, firstOffset);
    this.batches.push(batch);
    this.#endOffset = batchHeader.lastOffset(batch) + 1;
    return firstOffset;
  }

  commit(): void {
    this.highWatermark = this.#endOffset;
    this.onHighWatermark(this.#endOffset);
  }

  bounds(): Result<PartitionBounds, ErrorCode> {
    const failure = this.readFailures.shift();
    return failure ?? ok({ logStartOffset: 0, logEndOffset: this.#endOffset, highWatermark: this.highWatermark });
  }

  async read(_partition: TopicPartition, offset: number, maxBytes: number): Promise<Result<Buffer, ErrorCode>> {
    const failure = this.readFailures.shift();
    if (failure) return failure;
    const found: Buffer[] = [];
    let size = 0;
    for (const batch of this.batches) {
      if (batchHeader.lastOffset(batch) < offset) continue;
      if (found.length > 0 && size + batch.length > maxBytes) break;
      found.push(batch);
      size += batch.length;
    }
    return ok(Buffer.concat(found));
  }

  /** The records of each batch. */
  records(): LogRecord[][] {
    return this.batches.map((batch) => {
      const decoded = decodeRecords(batch);
      return decoded.ok ? decoded.value : [];
    });
  }
}
