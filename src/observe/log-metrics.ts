/** Rows of the table of metrics: logs, flushes, the cleaner. (Kafka: the beans of `kafka.log`.) */
import type { PartitionLog } from '../log/partition-log';
import { counter, gauge, type MetricRow, QUANTILES, sample } from './metric-row';

const FLUSH = 'kafka_log_logflushstats_logflushrateandtimems';
const CLEANER = 'kafka_log_logcleanermanager_';
const NEVER = -1;

function byLog(name: string, help: string, read: (log: PartitionLog) => number): MetricRow {
  return {
    name: `kafka_log_log_${name}`,
    type: 'gauge',
    help,
    labels: ['topic', 'partition'],
    collect: function* ({ logManager }) {
      for (const log of logManager.logs()) {
        const { topic, partition } = log.topicPartition;
        yield sample(read(log), { topic, partition: String(partition) });
      }
    },
  };
}

export const logMetrics: readonly MetricRow[] = [
  byLog('size', 'Bytes of the segments of a log', ({ sizeInBytes }) => sizeInBytes),
  byLog('numlogsegments', 'Segments of a log', ({ segmentCount }) => segmentCount),
  byLog('logstartoffset', 'First offset of a log', ({ logStartOffset }) => logStartOffset),
  byLog('logendoffset', 'Offset of the next message of a log', ({ logEndOffset }) => logEndOffset),
  gauge(
    'kafka_log_logmanager_offlinelogdirectorycount',
    'Log directories that cannot be used',
    ({ logDirs }) => logDirs.filter(({ hasFailed }) => hasFailed).length,
  ),
  {
    name: 'kafka_log_logmanager_logdirectoryoffline',
    type: 'gauge',
    help: '1 where a log directory cannot be used',
    labels: ['logDirectory'],
    collect: ({ logDirs }) => logDirs.map(({ path, hasFailed }) => sample(Number(hasFailed), { logDirectory: path })),
  },
  {
    name: FLUSH,
    type: 'gauge',
    help: 'Milliseconds that a flush to the disk takes, of the last five to ten minutes',
    labels: ['quantile'],
    collect: ({ logManager, nowMs }) =>
      QUANTILES.map(([q, quantile]) => sample(logManager.flushTimes.quantile(q, nowMs), { quantile })),
  },
  counter(`${FLUSH}_count`, 'Flushes to the disk', ({ logManager }) => logManager.flushTimes.count),
  gauge(
    `${CLEANER}time_since_last_run_ms`,
    'Milliseconds since the cleaner looked at the logs; -1: not yet',
    (scrape) => {
      const lastRunMs = scrape.logManager.cleanerNumbers?.lastRunMs;
      return lastRunMs === undefined ? NEVER : scrape.nowMs - lastRunMs;
    },
  ),
  gauge(
    `${CLEANER}uncleanable_partitions_count`,
    'Logs that the cleaner gave up',
    ({ logManager }) => logManager.cleanerNumbers?.uncleanable ?? 0,
  ),
];
