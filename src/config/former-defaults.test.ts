/** What adopted topics take for defaults. */
import { BrokerConfig } from './broker-config';
import { topicDescriber } from './config-entry';
import { MAX_LONG } from './definition';
import { formerDefaults } from './former-defaults';
import { topicLogConfig } from './topic-config';

const NOTHING_SET = BrokerConfig.of();

describe('formerDefaults', () => {
  it('keeps everything of a topic that nobody limits', () => {
    const adopted = formerDefaults(new Map());
    expect(topicLogConfig(NOTHING_SET, adopted)).toEqual({
      ...topicLogConfig(NOTHING_SET, new Map()),
      retentionMs: -1,
      retentionBytes: -1,
      minCompactionLagMs: MAX_LONG,
    });
  });

  it("gives way to the topic's own settings and to this broker's", () => {
    const own = new Map([...formerDefaults(new Map()), ['retention.ms', '5']]);
    expect(topicLogConfig(NOTHING_SET, own)).toMatchObject({ retentionMs: 5, retentionBytes: -1 });
    const config = BrokerConfig.of({ 'log.retention.hours': '1', 'log.retention.bytes': '1000' });
    expect(topicLogConfig(config, formerDefaults(new Map()))).toMatchObject({
      retentionMs: 3600000,
      retentionBytes: 1000,
    });
  });

  it('is not compacted until somebody says what the lag is', () => {
    const adopted = formerDefaults(new Map());
    const lag = (config: BrokerConfig, own: Record<string, string> = {}): number =>
      topicLogConfig(config, new Map([...adopted, ...Object.entries(own)])).minCompactionLagMs;
    expect([
      lag(NOTHING_SET),
      lag(NOTHING_SET, { 'min.compaction.lag.ms': '0' }),
      lag(BrokerConfig.of({ 'log.cleaner.min.compaction.lag.ms': '5' })),
    ]).toEqual([MAX_LONG, 0, 5]);
  });

  it('carries on what was set at run time', () => {
    const adopted = formerDefaults(
      new Map([
        ['log.roll.ms', '1000'],
        ['log.retention.ms', '2000'],
        ['log.cleanup.policy', 'compact'],
        ['num.io.threads', '3'],
      ]),
    );
    expect(topicLogConfig(NOTHING_SET, adopted)).toMatchObject({
      segmentMs: 1000,
      retentionMs: 2000,
      cleanupCompact: true,
      cleanupDelete: false,
    });
  });

  it('shows in the value, and nowhere else', () => {
    const entries = topicDescriber(NOTHING_SET)(formerDefaults(new Map()));
    expect(entries.find(({ name }) => name === 'retention.ms')).toMatchObject({ value: '-1', source: 5, synonyms: [] });
    expect(entries.filter(({ name }) => name.includes('odradek'))).toEqual([]);
  });
});
