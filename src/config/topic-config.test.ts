/** Settings of topics: checked, and over the broker's. */
import { BrokerConfig, type ConfigKey } from './broker-config';
import { checkTopicConfigs, topicLogConfig } from './topic-config';

const DEFAULTS = BrokerConfig.of();

function own(settings: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(settings));
}

function problem(settings: Record<string, string>): string | undefined {
  const checked = checkTopicConfigs(DEFAULTS, own(settings));
  return checked.ok ? undefined : checked.error;
}

describe('topicLogConfig', () => {
  it("takes Kafka's defaults", () => {
    expect(topicLogConfig(DEFAULTS, own({}))).toMatchObject({
      segmentBytes: 1073741824,
      segmentMs: 604800000,
      retentionMs: 604800000,
      retentionBytes: -1,
      flushMessages: 2 ** 63,
      flushMs: 2 ** 63,
      maxMessageBytes: 1048588,
      cleanupDelete: true,
      cleanupCompact: false,
      messageTimestampType: 'CreateTime',
      messageTimestampAfterMaxMs: 3600000,
      minCleanableDirtyRatio: 0.5,
    });
  });

  it.each<[Partial<Record<ConfigKey, string>>, number]>([
    [{ 'log.retention.hours': '2' }, 7200000],
    [{ 'log.retention.hours': '2', 'log.retention.minutes': '3' }, 180000],
    [{ 'log.retention.hours': '2', 'log.retention.minutes': '3', 'log.retention.ms': '4' }, 4],
    [{ 'log.retention.hours': '-1' }, -1],
    [{ 'log.retention.minutes': '-1', 'log.retention.hours': '5' }, -1],
  ])('%j keeps records for %d ms', (settings, retentionMs) => {
    expect(topicLogConfig(BrokerConfig.of(settings), own({})).retentionMs).toBe(retentionMs);
  });

  it("puts the topic's own settings over the broker's", () => {
    const config = BrokerConfig.of({ 'log.segment.bytes': '2000000', 'log.cleanup.policy': 'compact' });
    expect(topicLogConfig(config, own({ 'cleanup.policy': 'delete, compact', 'flush.ms': '0' }))).toMatchObject({
      segmentBytes: 2000000,
      cleanupDelete: true,
      cleanupCompact: true,
      flushMs: 0,
    });
    expect(topicLogConfig(config, own({ 'cleanup.policy': '' }))).toMatchObject({
      cleanupDelete: false,
      cleanupCompact: false,
    });
  });

  it('lets the common timestamp limit of old releases fill in', () => {
    expect(topicLogConfig(DEFAULTS, own({ 'message.timestamp.difference.max.ms': '9' }))).toMatchObject({
      messageTimestampBeforeMaxMs: 9,
      messageTimestampAfterMaxMs: 9,
    });
    const config = BrokerConfig.of({ 'log.message.timestamp.difference.max.ms': '9' });
    expect(topicLogConfig(config, own({ 'message.timestamp.after.max.ms': '5' }))).toMatchObject({
      messageTimestampBeforeMaxMs: 9,
      messageTimestampAfterMaxMs: 5,
    });
  });
});

describe('checkTopicConfigs', () => {
  it.each<[Record<string, string>, string | undefined]>([
    [{ 'retention.ms': '-1', 'cleanup.policy': 'compact,delete' }, undefined],
    [{ 'no.such.key': '1' }, 'Unknown topic config name: no.such.key'],
    [{ 'retention.ms': '-2' }, 'Invalid value -2 for configuration retention.ms: Value must be at least -1'],
    [
      { 'cleanup.policy': 'keep' },
      'Invalid value keep for configuration cleanup.policy: String must be one of: compact, delete',
    ],
    [
      { 'segment.bytes': '99999999999' },
      'Invalid value 99999999999 for configuration segment.bytes: Not a number of type INT',
    ],
    [{ 'remote.storage.enable': 'true' }, 'Topic cannot be configured with remote log storage'],
    [{ 'remote.storage.enable': 'false' }, undefined],
    [
      { 'min.compaction.lag.ms': '2', 'max.compaction.lag.ms': '1' },
      'min.compaction.lag.ms (2) > max.compaction.lag.ms (1)',
    ],
    [{ 'leader.replication.throttled.replicas': '0:1,1:2' }, undefined],
    [{ 'leader.replication.throttled.replicas': '0-1' }, '[partitionId]:[brokerId]'],
  ])('%j → %s', (settings, message) => {
    if (message === undefined) expect(problem(settings)).toBeUndefined();
    else expect(problem(settings)).toContain(message);
  });
});
