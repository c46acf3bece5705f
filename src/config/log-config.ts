/**
 * What a partition's log needs to know about its topic: the topic's own settings over the broker's defaults, as plain
 * typed values. Owned here because both the topic settings and the broker settings feed it; `topicLogConfig` of
 * topic-config.ts builds one.
 *
 * Kafka's sentinels are kept: -1 in `retentionMs`, `retentionBytes` means without limit. A long that Kafka writes as
 * 9223372036854775807 is 2^63 here (a number compares just as well), for example in `flushMessages` and `flushMs`.
 */

/** Codec by which the broker recompresses, or 'producer' to keep what the producer chose. */
export type LogCompressionType = 'producer' | 'uncompressed' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

export type MessageTimestampType = 'CreateTime' | 'LogAppendTime';

export interface LogConfig {
  /** A segment rolls before it grows beyond this. */
  readonly segmentBytes: number;
  /** A segment rolls when its first record is older than this. */
  readonly segmentMs: number;
  /** Upper bound of the random part taken off `segmentMs`. */
  readonly segmentJitterMs: number;
  /** Size limit of an index file; a full index rolls the segment. */
  readonly segmentIndexBytes: number;
  /** About one index entry per this many bytes of log. */
  readonly indexIntervalBytes: number;
  /** Age limit of records, -1 for none; counts only with `cleanupDelete`. */
  readonly retentionMs: number;
  /** Size limit of the partition, -1 for none; counts only with `cleanupDelete`. */
  readonly retentionBytes: number;
  /** An fsync is due when this many records are unflushed. */
  readonly flushMessages: number;
  /** An fsync is due when the oldest unflushed record has waited this long. */
  readonly flushMs: number;
  /** Largest batch accepted, in bytes as stored (log overhead included). */
  readonly maxMessageBytes: number;
  /** Largest size a compressed batch may have when inflated, in bytes. */
  readonly maxDecompressedMessageBytes: number;
  readonly cleanupDelete: boolean;
  readonly cleanupCompact: boolean;
  readonly compressionType: LogCompressionType;
  readonly compressionGzipLevel: number;
  readonly compressionLz4Level: number;
  readonly compressionZstdLevel: number;
  readonly messageTimestampType: MessageTimestampType;
  /** A CreateTime may lie this far before the broker's clock. */
  readonly messageTimestampBeforeMaxMs: number;
  /** A CreateTime may lie this far after the broker's clock. */
  readonly messageTimestampAfterMaxMs: number;
  /** Deleted files are kept this long under their `.deleted` name. */
  readonly fileDeleteDelayMs: number;
  readonly minInsyncReplicas: number;
  readonly preallocate: boolean;
  /** Whether old fetch versions get old message formats (KIP-283). */
  readonly messageDownconversionEnable: boolean;
  readonly uncleanLeaderElectionEnable: boolean;
  readonly minCompactionLagMs: number;
  readonly maxCompactionLagMs: number;
  readonly deleteRetentionMs: number;
  readonly minCleanableDirtyRatio: number;
}
