/**
 * The table of topic settings: one row per key, with the broker settings that give its default. Types, ranges and names
 * are those of Kafka 3.9 and 4.4, the wider one where they differ.
 */
import type { ConfigKey } from './broker-config';
import {
  atLeast,
  between,
  bool,
  type ConfigValue,
  type Definition,
  double,
  inert,
  int,
  list,
  long,
  MAX_LONG,
  oneOf,
  optionalInt,
  text,
} from './definition';
import { formatVersion, gzipLevel, throttledReplicas } from './value-checks';

/** A broker setting that gives a topic setting its default, and what its value is multiplied by. */
export interface Synonym {
  readonly key: ConfigKey;
  readonly factor?: number;
}

export interface TopicDefinition<T extends ConfigValue = ConfigValue> {
  readonly definition: Definition<T>;
  /** In the order of precedence; the last one always has a value. Empty: the default is the row's own. */
  readonly synonyms: readonly Synonym[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

function from<T extends ConfigValue>(
  definition: Definition<T>,
  ...keys: readonly (ConfigKey | Synonym)[]
): TopicDefinition<T> {
  return { definition, synonyms: keys.map((key) => (typeof key === 'string' ? { key } : key)) };
}

export const topicDefinitions = {
  'cleanup.policy': from(
    list(['delete'], 'What happens to old records: delete, compact, both, or (empty) nothing.', {
      check: oneOf('compact', 'delete'),
    }),
    'log.cleanup.policy',
  ),
  'compression.type': from(
    text('producer', "Codec of stored batches; producer keeps the producer's choice.", {
      check: oneOf('uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'),
    }),
    'compression.type',
  ),
  'compression.gzip.level': from(int(-1, 'Level of gzip.', { check: gzipLevel }), 'compression.gzip.level'),
  'compression.lz4.level': from(int(9, 'Level of lz4.', { check: between(1, 17) }), 'compression.lz4.level'),
  'compression.zstd.level': from(int(3, 'Level of zstd.', { check: between(-131072, 22) }), 'compression.zstd.level'),
  'delete.retention.ms': from(
    long(86_400_000, 'How long deletion markers are kept after compaction.', { check: atLeast(0) }),
    'log.cleaner.delete.retention.ms',
  ),
  'errors.deadletterqueue.group.enable': from(
    bool(false, 'Whether share groups may use this topic for dead letters.', inert()),
  ),
  'file.delete.delay.ms': from(
    long(60_000, 'How long deleted files are kept under another name.', { check: atLeast(0) }),
    'log.segment.delete.delay.ms',
  ),
  'flush.messages': from(
    long(MAX_LONG, 'Records after which the log is flushed to the disk.', { check: atLeast(1) }),
    'log.flush.interval.messages',
  ),
  'flush.ms': from(
    long(MAX_LONG, 'Time after which the log is flushed to the disk.', { check: atLeast(0) }),
    'log.flush.interval.ms',
    'log.flush.scheduler.interval.ms',
  ),
  'follower.replication.throttled.replicas': from(
    list(
      [],
      'Replicas whose copying is throttled on the side of the follower, once there is replication.',
      inert(throttledReplicas),
    ),
  ),
  'leader.replication.throttled.replicas': from(
    list(
      [],
      'Replicas whose copying is throttled on the side of the leader, once there is replication.',
      inert(throttledReplicas),
    ),
  ),
  'index.interval.bytes': from(
    int(4096, 'Bytes of log between two index entries, about.', { check: atLeast(0) }),
    'log.index.interval.bytes',
  ),
  'internal.segment.bytes': from(optionalInt('Segment size in tests of Kafka itself.', inert())),
  'local.retention.bytes': from(
    long(-2, 'Size kept on the own disk; -2: as retention.bytes.', inert(atLeast(-2))),
    'log.local.retention.bytes',
  ),
  'local.retention.ms': from(
    long(-2, 'Age kept on the own disk; -2: as retention.ms.', inert(atLeast(-2))),
    'log.local.retention.ms',
  ),
  'max.compaction.lag.ms': from(
    long(MAX_LONG, 'Age at which a record is compacted whatever the ratio.', { check: atLeast(1) }),
    'log.cleaner.max.compaction.lag.ms',
  ),
  'max.decompressed.message.bytes': from(
    int(2_147_483_639, 'Largest size a compressed batch may have when inflated.', {
      check: between(1, 2_147_483_639),
    }),
    'max.decompressed.message.bytes',
  ),
  'max.message.bytes': from(
    int(1_048_588, 'Largest batch that is accepted, in bytes as stored.', { check: atLeast(0) }),
    'message.max.bytes',
  ),
  'message.downconversion.enable': from(
    bool(true, 'Whether old consumers get records converted to their format.'),
    'log.message.downconversion.enable',
  ),
  'message.format.version': from(
    text('3.0-IV1', 'Format of stored records in old releases; here always the newest.', inert(formatVersion)),
    'log.message.format.version',
  ),
  'message.timestamp.after.max.ms': from(
    long(HOUR_MS, "How far a producer's time may lie in the future.", { check: atLeast(0) }),
    'log.message.timestamp.after.max.ms',
  ),
  'message.timestamp.before.max.ms': from(
    long(MAX_LONG, "How far a producer's time may lie in the past.", { check: atLeast(0) }),
    'log.message.timestamp.before.max.ms',
  ),
  'message.timestamp.difference.max.ms': from(
    long(MAX_LONG, 'Before 3.6: both of the above in one; used where they are unset.', { check: atLeast(0) }),
    'log.message.timestamp.difference.max.ms',
  ),
  'message.timestamp.type': from(
    text('CreateTime', 'Whose clock stamps a record: the producer or the broker.', {
      check: oneOf('CreateTime', 'LogAppendTime'),
    }),
    'log.message.timestamp.type',
  ),
  'min.cleanable.dirty.ratio': from(
    double(0.5, 'Uncompacted part of the log from which on it is compacted.', { check: between(0, 1) }),
    'log.cleaner.min.cleanable.ratio',
  ),
  'min.compaction.lag.ms': from(
    long(0, 'Age below which a record is not compacted.', { check: atLeast(0) }),
    'log.cleaner.min.compaction.lag.ms',
  ),
  'min.insync.replicas': from(
    int(1, 'Replicas that must have a record before acks=all is answered.', { check: atLeast(1) }),
    'min.insync.replicas',
  ),
  preallocate: from(bool(false, 'Whether a new segment takes all its space at once.'), 'log.preallocate'),
  'remote.copy.lag.bytes': from(
    long(-1, 'Size before a segment is copied to another storage.', inert(atLeast(-1))),
    'log.remote.copy.lag.bytes',
  ),
  'remote.copy.lag.ms': from(
    long(0, 'Age before a segment is copied to another storage.', inert(atLeast(-1))),
    'log.remote.copy.lag.ms',
  ),
  'remote.log.copy.disable': from(bool(false, 'Whether nothing more is copied to another storage.', inert())),
  'remote.log.delete.on.disable': from(bool(false, 'Whether copies go when the other storage is left.', inert())),
  'remote.storage.enable': from(
    bool(false, 'Whether old segments move to another storage; not offered here.', { effect: 'refused' }),
  ),
  'retention.bytes': from(
    long(-1, 'Size the partition may reach before its oldest segments go; -1 for any size.'),
    'log.retention.bytes',
  ),
  'retention.ms': from(
    long(604_800_000, 'Age at which records are deleted, -1 for never.', { check: atLeast(-1) }),
    'log.retention.ms',
    { key: 'log.retention.minutes', factor: MINUTE_MS },
    { key: 'log.retention.hours', factor: HOUR_MS },
  ),
  'segment.bytes': from(
    int(2 ** 30, 'Size at which a segment is closed and the next one begun.', { check: atLeast(14) }),
    'log.segment.bytes',
  ),
  'segment.index.bytes': from(
    int(10_485_760, 'Size limit of an index file; a full index rolls the segment.', { check: atLeast(4) }),
    'log.index.size.max.bytes',
  ),
  'segment.jitter.ms': from(
    long(0, 'Most that chance takes off segment.ms.', { check: atLeast(0) }),
    'log.roll.jitter.ms',
    { key: 'log.roll.jitter.hours', factor: HOUR_MS },
  ),
  'segment.ms': from(
    long(604_800_000, 'Age of its first record at which a segment is closed.', { check: atLeast(1) }),
    'log.roll.ms',
    { key: 'log.roll.hours', factor: HOUR_MS },
  ),
  'unclean.leader.election.enable': from(
    bool(false, 'Whether a replica that lags may lead when no other is left.'),
    'unclean.leader.election.enable',
  ),
};
