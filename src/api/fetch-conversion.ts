/**
 * What versions of Fetch before 10 get instead of what was read: message sets of format 0 (versions 0 and 1) or 1
 * (2 and 3), and no zstd. Owns the rules; the conversion itself is records/down-conversion.ts.
 * (Kafka up to 3.9: KafkaApis.maybeConvertFetchedData; KIP-110, KIP-283.)
 */
import { type Chunk, isFileRegion } from '../base/chunk';
import { err, ok, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from '../records/batch-header';
import { convertDown } from '../records/down-conversion';
import { emptyResult } from '../replication/fetch-reader';
import type { FetchPartition, PartitionFetchResult } from '../replication/fetch-request';
import type { RequestContext } from './request-context';

/** From the next version on nothing is looked at. */
export const NEWEST_CONVERTED = 9;
/** Up to this one what was read is converted as a whole, and takes memory. */
export const NEWEST_WITH_MESSAGE_SETS = 3;
const NEWEST_WITH_FORMAT_0 = 1;
const NEWEST_WITH_HARD_LIMITS = 2;

/** A result that says nothing but its error. Its list of aborted transactions is empty; a failed read has none. */
export function withoutData(
  partition: Pick<FetchPartition, 'topic' | 'topicId' | 'partition'>,
  errorCode: ErrorCode,
): PartitionFetchResult {
  return { ...emptyResult(partition, errorCode), abortedTransactions: [] };
}

/** `result` as the version of the request wants it. Takes over the records that it replaces. */
export async function convertFetched(
  context: RequestContext,
  wanted: Pick<FetchPartition, 'fetchOffset' | 'maxBytes'>,
  result: PartitionFetchResult,
): Promise<PartitionFetchResult> {
  const { apiVersion, broker } = context;
  if (result.errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) return result;
  // Undefined where the partition has gone since it was read: its records are as old a reader can read them, too.
  const logConfig = broker.replicaManager.logConfig(result);
  const refused = (errorCode: ErrorCode): PartitionFetchResult => {
    release(result.records);
    return withoutData(result, errorCode);
  };
  if (logConfig?.compressionType === 'zstd') return refused(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
  if (result.errorCode !== ErrorCode.NONE) return result;
  if (apiVersion > NEWEST_WITH_MESSAGE_SETS || result.records === null) return result;
  if (logConfig?.messageDownconversionEnable === false) return refused(ErrorCode.UNSUPPORTED_VERSION);
  const bytes = await bytesOf(result.records);
  if (!bytes.ok) return withoutData(result, bytes.error);
  const toMagic = apiVersion <= NEWEST_WITH_FORMAT_0 ? 0 : 1;
  const converted = convertDown(bytes.value, { toMagic, firstOffset: wanted.fetchOffset });
  if (!converted.ok) return withoutData(result, converted.error);
  broker.replicaManager.traffic.onFetchConversion(result.topic, recordCount(bytes.value));
  const records =
    apiVersion <= NEWEST_WITH_HARD_LIMITS ? converted.value.subarray(0, Math.max(0, wanted.maxBytes)) : converted.value;
  return { ...result, records, sizeInBytes: records.length };
}

/** Records in whole batches. */
function recordCount(batches: Buffer): number {
  let count = 0;
  for (let at = 0; at + batchHeader.HEADER_SIZE <= batches.length; at += batchHeader.sizeInBytes(batches, at)) {
    count += batchHeader.recordCount(batches, at);
  }
  return count;
}

function release(chunk: Chunk | null): void {
  if (chunk !== null && isFileRegion(chunk)) chunk.release();
}

/** All bytes of `chunk`, which is let go of. KAFKA_STORAGE_ERROR when they cannot be read. */
async function bytesOf(chunk: Chunk): Promise<Result<Buffer, ErrorCode>> {
  if (!isFileRegion(chunk)) return ok(chunk);
  const bytes = Buffer.allocUnsafe(chunk.length);
  try {
    let at = 0;
    while (at < bytes.length) {
      const read = await chunk.read(bytes.subarray(at), at);
      if (read === 0) return err(ErrorCode.KAFKA_STORAGE_ERROR, 'The log ends before the records that were read');
      at += read;
    }
    return ok(bytes);
  } catch (error) {
    return err(ErrorCode.KAFKA_STORAGE_ERROR, error instanceof Error ? error.message : String(error));
  } finally {
    chunk.release();
  }
}
