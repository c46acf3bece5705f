/** Kafka's settings as the coordinator uses them. */
import { BrokerConfig } from '../../config/broker-config';
import { groupConfigOf } from './group-config';

describe('groupConfigOf', () => {
  it('has the defaults of a single node', () => {
    expect(groupConfigOf(BrokerConfig.of())).toEqual({
      minSessionTimeoutMs: 6000,
      maxSessionTimeoutMs: 1_800_000,
      initialRebalanceDelayMs: 0,
      maxSize: 2 ** 31 - 1,
      offsetMetadataMaxLength: 4096,
      offsetsRetentionMs: 7 * 24 * 3600 * 1000,
      offsetsRetentionCheckIntervalMs: 600_000,
      maxRecordBytes: 1_048_588 - 61,
    });
  });

  it('takes what is set', () => {
    const config = groupConfigOf(
      BrokerConfig.of({ 'offsets.retention.minutes': '1', 'group.initial.rebalance.delay.ms': '3000' }),
    );
    expect(config.offsetsRetentionMs).toBe(60_000);
    expect(config.initialRebalanceDelayMs).toBe(3000);
  });
});
