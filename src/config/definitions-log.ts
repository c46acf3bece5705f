/**
 * Rows of the configuration table: data directories, segments, retention, compaction, flushing, what an append may
 * hold. The defaults are those of the newest Kafka; ranges are the wider ones of 3.9 and 4.4.
 */
import {
  atLeast,
  between,
  bool,
  double,
  dynamic,
  inert,
  inertThreads,
  int,
  list,
  long,
  MAX_LONG,
  notEmpty,
  oneOf,
  optionalInt,
  optionalList,
  optionalLong,
  perBroker,
  text,
} from './definition';
import { formatVersion, gzipLevel } from './value-checks';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GIB = 2 ** 30;

export const logDefinitions = {
  'log.dir': list(
    ['data'],
    'Directory of the data, when log.dirs is not set. Relative paths start at the working directory.',
    {
      kafkaDefault: '/tmp/kafka-logs',
      check: notEmpty,
    },
  ),
  'log.dirs': optionalList('Directories of the data, separated by commas; takes precedence over log.dir.', {
    check: notEmpty,
  }),
  'cordoned.log.dirs': list([], 'Data directories that get no new partitions; * for all.', perBroker()),
  'log.segment.bytes': int(GIB, 'Size at which a segment is closed and the next one begun.', dynamic(atLeast(14))),
  'log.roll.ms': optionalLong(
    'Age of its first record at which a segment is closed; unset: log.roll.hours.',
    dynamic(),
  ),
  'log.roll.hours': int(168, 'The same in hours, when log.roll.ms is not set.', { check: atLeast(1) }),
  'log.roll.jitter.ms': optionalLong(
    'Most that chance takes off the rolling age; unset: log.roll.jitter.hours.',
    dynamic(),
  ),
  'log.roll.jitter.hours': int(0, 'The same in hours, when log.roll.jitter.ms is not set.', { check: atLeast(0) }),
  'log.retention.ms': optionalLong(
    'Age at which records are deleted, -1 for never; unset: log.retention.minutes.',
    dynamic(),
  ),
  'log.retention.minutes': optionalInt('The same in minutes; unset: log.retention.hours.'),
  'log.retention.hours': int(168, 'The same in hours, when neither of the finer ones is set.'),
  'log.retention.bytes': long(
    -1,
    'Size a partition may reach before its oldest segments go; -1 for any size.',
    dynamic(),
  ),
  'log.retention.check.interval.ms': long(300_000, 'How often segments that are due for deletion are looked for.', {
    check: atLeast(1),
  }),
  'log.cleanup.policy': list(['delete'], 'What happens to old records: delete, compact, both, or (empty) nothing.', {
    ...dynamic(oneOf('compact', 'delete')),
  }),
  'log.index.size.max.bytes': int(
    10_485_760,
    'Size limit of an index file; a full index rolls the segment.',
    dynamic(atLeast(4)),
  ),
  'log.index.interval.bytes': int(4096, 'Bytes of log between two index entries, about.', dynamic(atLeast(0))),
  'log.flush.interval.messages': long(
    MAX_LONG,
    'Records after which a log is flushed to the disk.',
    dynamic(atLeast(1)),
  ),
  'log.flush.interval.ms': optionalLong(
    'Time after which a log is flushed; unset: log.flush.scheduler.interval.ms.',
    dynamic(),
  ),
  'log.flush.scheduler.interval.ms': long(MAX_LONG, 'How often logs that are due for a flush are looked for.'),
  'log.flush.offset.checkpoint.interval.ms': int(60_000, 'How often the recovery points are written down.', {
    check: atLeast(0),
  }),
  'log.flush.start.offset.checkpoint.interval.ms': int(60_000, 'How often the log start offsets are written down.', {
    check: atLeast(0),
  }),
  'log.segment.delete.delay.ms': long(
    60_000,
    'How long deleted files are kept under another name.',
    dynamic(atLeast(0)),
  ),
  'log.preallocate': bool(false, 'Whether a new segment takes all its space on the disk at once.', dynamic()),
  'log.initial.task.delay.ms': long(
    30_000,
    'How long after the start the first round of log maintenance comes.',
    inert(atLeast(0)),
  ),
  'log.dir.failure.timeout.ms': long(30_000, 'Time a broker has to report a failed directory to a KRaft controller.', {
    ...inert(atLeast(1)),
  }),
  'num.recovery.threads.per.data.dir': int(2, 'Logs of one directory that are recovered at the same time.', {
    ...inertThreads(atLeast(1)),
  }),
  'log.cleaner.enable': bool(true, 'Whether logs are compacted at all.'),
  'log.cleaner.threads': int(1, 'Logs that are compacted at the same time; here always one.', inertThreads(atLeast(0))),
  'log.cleaner.io.max.bytes.per.second': double(
    Number.MAX_VALUE,
    'Bytes a second that compaction may read and write.',
    dynamic(),
  ),
  'log.cleaner.dedupe.buffer.size': long(
    134_217_728,
    'Memory for the key map of compaction, 24 bytes a key; more keys take several passes.',
    dynamic(),
  ),
  'log.cleaner.io.buffer.size': int(524_288, 'Memory for the input and output of compaction.', {
    ...dynamic(atLeast(0)),
  }),
  'log.cleaner.io.buffer.load.factor': double(0.9, 'How full the key map of compaction may become.', dynamic()),
  'log.cleaner.backoff.ms': long(15_000, 'Pause of a cleaner that finds nothing to compact.', dynamic(atLeast(0))),
  'log.cleaner.min.cleanable.ratio': double(0.5, 'Uncompacted part of a log from which on it is compacted.', {
    ...dynamic(between(0, 1)),
  }),
  'log.cleaner.delete.retention.ms': long(DAY_MS, 'How long deletion markers of compacted topics are kept.', {
    ...dynamic(atLeast(0)),
  }),
  'log.cleaner.min.compaction.lag.ms': long(0, 'Age below which a record is not compacted.', dynamic(atLeast(0))),
  'log.cleaner.max.compaction.lag.ms': long(MAX_LONG, 'Age at which a record is compacted whatever the ratio.', {
    ...dynamic(atLeast(1)),
  }),
  'log.message.timestamp.type': text('CreateTime', 'Whose clock stamps a record: the producer or the broker.', {
    ...dynamic(oneOf('CreateTime', 'LogAppendTime')),
  }),
  'log.message.timestamp.before.max.ms': long(MAX_LONG, "How far a producer's time may lie in the past.", {
    ...dynamic(atLeast(0)),
  }),
  'log.message.timestamp.after.max.ms': long(HOUR_MS, "How far a producer's time may lie in the future.", {
    ...dynamic(atLeast(0)),
  }),
  'log.message.timestamp.difference.max.ms': long(
    MAX_LONG,
    'Before 3.6: both of the above in one; used where they are unset.',
    dynamic(atLeast(0)),
  ),
  'log.message.format.version': text(
    '3.0-IV1',
    'Format of stored records in old releases; here always the newest.',
    inert(formatVersion),
  ),
  'log.message.downconversion.enable': bool(
    true,
    'Whether old consumers get records converted to their format.',
    dynamic(),
  ),
  'message.max.bytes': int(1_048_588, 'Largest batch that is accepted, in bytes as stored.', dynamic(atLeast(0))),
  'max.decompressed.message.bytes': int(2_147_483_639, 'Largest size a compressed batch may have when inflated.', {
    ...dynamic(between(1, 2_147_483_639)),
  }),
  'compression.type': text('producer', "Codec of stored batches; producer keeps the producer's choice.", {
    ...dynamic(oneOf('uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer')),
  }),
  'compression.gzip.level': int(
    -1,
    'Level when the broker compresses with gzip; -1 for its default.',
    dynamic(gzipLevel),
  ),
  'compression.lz4.level': int(9, 'Level when the broker compresses with lz4.', dynamic(between(1, 17))),
  'compression.zstd.level': int(3, 'Level when the broker compresses with zstd.', dynamic(between(-131072, 22))),
};
