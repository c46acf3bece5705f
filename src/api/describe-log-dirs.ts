/**
 * DescribeLogDirs (key 35), versions 0 to 5 (KIP-113): partitions and their sizes by log directory.
 *
 * - Null: all partitions; an empty list: none; partitions that are not here are left out.
 * - A directory whose volume fails is told with KAFKA_STORAGE_ERROR. The lag is 0: what is here leads; but for a copy
 *   on its way to another directory, which is told beside the log as a future one, it is what the copy lacks.
 * - From version 4 on size and free space of the volume (KIP-827), -1 where there is none, as in memory; from version 5
 *   on whether the directory takes no new partitions (KIP-1066).
 */
import {
  type DescribeLogDirsRequest,
  type DescribeLogDirsResponse,
  type DescribeLogDirsResult,
  newDescribeLogDirsPartition,
  newDescribeLogDirsResponse,
  newDescribeLogDirsResult,
  newDescribeLogDirsTopic,
} from '../codec/generated/35-describe-log-dirs';
import { ErrorCode } from '../codec/generated/errors';
import { cordonedDirs } from '../config/derived-settings';
import type { LogDirDescription } from '../log/log-dir-description';
import type { Handler } from './request-context';

const UNKNOWN_SIZE = -1;

export const describeLogDirs: Handler<DescribeLogDirsRequest, DescribeLogDirsResponse> = async (
  { broker },
  request,
) => {
  const wanted = request.topics && wantedPartitions(request.topics);
  const directories = await broker.describeLogDirs();
  const cordoned = cordonedDirs(
    broker.config,
    directories.map(({ path }) => path),
  );
  const results = directories.map((directory) => {
    const isCordoned = cordoned.includes(directory.path) && !directory.hasFailed;
    return { ...described(directory, wanted), isCordoned };
  });
  return newDescribeLogDirsResponse({ results });
};

/** Partition numbers by topic; null means all. */
type Wanted = ReadonlyMap<string, ReadonlySet<number>> | null;

function wantedPartitions(topics: NonNullable<DescribeLogDirsRequest['topics']>): Wanted {
  const wanted = new Map<string, Set<number>>();
  for (const { topic, partitions } of topics) {
    wanted.set(topic, new Set([...(wanted.get(topic) ?? []), ...partitions]));
  }
  return wanted;
}

function described({ path, hasFailed, partitions, space }: LogDirDescription, wanted: Wanted): DescribeLogDirsResult {
  if (hasFailed) return newDescribeLogDirsResult({ logDir: path, errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
  const topics = new Map<string, ReturnType<typeof newDescribeLogDirsPartition>[]>();
  for (const { topic, partition, sizeInBytes, offsetLag, isFuture } of partitions) {
    if (wanted && !wanted.get(topic)?.has(partition)) continue;
    const found = topics.get(topic) ?? [];
    topics.set(topic, found);
    found.push(
      newDescribeLogDirsPartition({
        partitionIndex: partition,
        partitionSize: sizeInBytes,
        offsetLag,
        isFutureKey: isFuture,
      }),
    );
  }
  return newDescribeLogDirsResult({
    logDir: path,
    topics: [...topics].map(([name, found]) => newDescribeLogDirsTopic({ name, partitions: found })),
    totalBytes: space?.totalBytes ?? UNKNOWN_SIZE,
    usableBytes: space?.usableBytes ?? UNKNOWN_SIZE,
  });
}
