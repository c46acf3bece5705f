/** The names of files and directories of a partition, as Kafka gives them. (Kafka: LogFileUtils, LocalLog.) */
import { join } from 'node:path';

export const LOG_SUFFIX = '.log';
export const OFFSET_INDEX_SUFFIX = '.index';
export const TIME_INDEX_SUFFIX = '.timeindex';
export const TRANSACTION_INDEX_SUFFIX = '.txnindex';
export const SNAPSHOT_SUFFIX = '.snapshot';
/** Added to the name of a file that waits for its removal. */
export const DELETED_SUFFIX = '.deleted';
/** Added by the compactor while it writes a segment. */
export const CLEANED_SUFFIX = '.cleaned';
/** Added by the compactor to a finished segment that is about to replace others. */
export const SWAP_SUFFIX = '.swap';
/** The directory where KRaft brokers keep the metadata of their cluster. */
export const CLUSTER_METADATA_DIRECTORY = '__cluster_metadata-0';
/** Ends the name of a partition directory that waits for its removal. */
export const DELETED_DIRECTORY_SUFFIX = '-delete';
/** Ends the name of a directory to which a partition is on its way (KIP-113). */
export const FUTURE_DIRECTORY_SUFFIX = '-future';
/** Ends the name of a partition directory of a topic that nobody knows: kept, and left alone. */
export const STRAY_DIRECTORY_SUFFIX = '-stray';

export const SEGMENT_SUFFIXES: readonly string[] = [
  LOG_SUFFIX,
  OFFSET_INDEX_SUFFIX,
  TIME_INDEX_SUFFIX,
  TRANSACTION_INDEX_SUFFIX,
];

/** Kafka's limit of a directory name, minus what `.<uuid>-delete` takes. */
const LONGEST_KEPT_NAME = 255 - (1 + 32 + DELETED_DIRECTORY_SUFFIX.length);

/** `00000000000000001234.log` */
export function segmentFileName(offset: number, suffix: string): string {
  return String(offset).padStart(20, '0') + suffix;
}

/** The same in `directory`. */
export function segmentFilePath(directory: string, offset: number, suffix: string): string {
  return join(directory, segmentFileName(offset, suffix));
}

/** The offset in a name such as `00000000000000001234.log`; undefined when the name is not of that kind. */
export function offsetOfFileName(name: string, suffix: string): number | undefined {
  if (!name.endsWith(suffix)) return undefined;
  const digits = name.slice(0, name.length - suffix.length);
  return /^\d{1,20}$/.test(digits) ? Number(digits) : undefined;
}

/** Whether the name of a partition's directory leaves room for `.<uuid>-future`. (Kafka: KAFKA-4893.) */
export function canHaveFuture(name: string): boolean {
  return name.length <= LONGEST_KEPT_NAME;
}

/** The partition's directory of which a `<topic>-<partition>.<unique>` with `suffix` is; undefined for other names. */
export function directoryBefore(name: string, suffix: string): string | undefined {
  if (!name.endsWith(suffix)) return undefined;
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : undefined;
}

/** The name of a partition's directory that is not in use: `<topic>-<partition>.<unique>` and `suffix`. */
export function retiredDirectoryName(name: string, unique: string, suffix: string): string {
  return `${name.slice(0, LONGEST_KEPT_NAME)}.${unique}${suffix}`;
}
