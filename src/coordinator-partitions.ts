/**
 * Gives coordinators their partitions: what `coordinator/partition-access.ts` asks for, over the replica manager. The
 * two layers do not know each other.
 */
import { type Chunk, isFileRegion } from './base/chunk';
import { ZERO_UUID } from './base/random';
import { err, ok, type Result } from './base/result';
import type { TopicPartition } from './base/topic-partition';
import { ErrorCode } from './codec/generated/errors';
import type {
  AppendedOffsets,
  PartitionBounds,
  PartitionReader,
  PartitionWriter,
} from './coordinator/partition-access';
import type { ReplicaManager } from './replication/replica-manager';

const NOTHING = Buffer.alloc(0);
/** Written by the leader; whether it is committed is the high watermark's to say. */
const LEADER_ACKS = 1;

export class CoordinatorPartitions implements PartitionWriter, PartitionReader {
  readonly #replicaManager: ReplicaManager;

  constructor(replicaManager: ReplicaManager) {
    this.#replicaManager = replicaManager;
  }

  async append({ topic, partition }: TopicPartition, batch: Buffer): Promise<Result<AppendedOffsets, ErrorCode>> {
    const appended = this.#replicaManager.append({
      requiredAcks: LEADER_ACKS,
      origin: 'coordinator',
      internalTopicsAllowed: true,
      entries: [{ topic, partition, records: batch }],
    });
    const [result] = await appended.promise();
    const { errorCode, errorMessage, baseOffset, lastOffset } = result!;
    if (errorCode !== ErrorCode.NONE) return err(errorCode, errorMessage ?? undefined);
    return ok({ firstOffset: baseOffset, lastOffset });
  }

  bounds(partition: TopicPartition): Result<PartitionBounds, ErrorCode> {
    return this.#replicaManager.partitionOffsets(partition);
  }

  async read(
    { topic, partition }: TopicPartition,
    offset: number,
    maxBytes: number,
  ): Promise<Result<Buffer, ErrorCode>> {
    const [result] = await this.#replicaManager.fetch({
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes,
      hardMaxBytes: false,
      isolation: 'log-end',
      onCancel: () => undefined,
      partitions: [
        {
          topic,
          topicId: ZERO_UUID,
          partition,
          fetchOffset: offset,
          maxBytes,
          currentLeaderEpoch: -1,
          lastFetchedEpoch: -1,
        },
      ],
    });
    const { errorCode, records } = result!;
    if (errorCode !== ErrorCode.NONE) return err(errorCode);
    return ok(records === null ? NOTHING : await readChunk(records));
  }
}

async function readChunk(chunk: Chunk): Promise<Buffer> {
  if (!isFileRegion(chunk)) return chunk;
  try {
    const bytes = Buffer.allocUnsafe(chunk.length);
    let filled = 0;
    while (filled < bytes.length) {
      const count = await chunk.read(bytes.subarray(filled), filled);
      if (count === 0) throw new Error(`a file region ended ${bytes.length - filled} bytes early`);
      filled += count;
    }
    return bytes;
  } finally {
    chunk.release();
  }
}
