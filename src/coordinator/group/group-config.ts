/**
 * The settings that groups live by, as plain numbers. Read once per shard; a changed setting counts after a restart.
 */
import type { BrokerConfig } from '../../config/broker-config';
import { recordBytesOf } from '../record-batches';

export interface GroupConfig {
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** How long the first members of a group that has none are gathered. */
  readonly initialRebalanceDelayMs: number;
  readonly maxSize: number;
  /** Length of the text that may go with an offset, in UTF-16 units as Java counts. */
  readonly offsetMetadataMaxLength: number;
  readonly offsetsRetentionMs: number;
  readonly offsetsRetentionCheckIntervalMs: number;
  /** How large the records of one change may be together, in bytes. */
  readonly maxRecordBytes: number;
}

const MS_PER_MINUTE = 60_000;

export function groupConfigOf(config: BrokerConfig): GroupConfig {
  return {
    minSessionTimeoutMs: config.get('group.min.session.timeout.ms'),
    maxSessionTimeoutMs: config.get('group.max.session.timeout.ms'),
    initialRebalanceDelayMs: config.get('group.initial.rebalance.delay.ms'),
    maxSize: config.get('group.max.size'),
    offsetMetadataMaxLength: config.get('offset.metadata.max.bytes'),
    offsetsRetentionMs: config.get('offsets.retention.minutes') * MS_PER_MINUTE,
    offsetsRetentionCheckIntervalMs: config.get('offsets.retention.check.interval.ms'),
    // Clients may change it at run time.
    get maxRecordBytes() {
      return recordBytesOf(config.get('message.max.bytes'));
    },
  };
}
