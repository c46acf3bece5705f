/** Settings as they are described to clients. */
import { BrokerConfig } from './broker-config';
import { ConfigSource, describeBrokerConfigs, describeTopicConfigs } from './config-entry';

function own(settings: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(settings));
}

describe('described settings', () => {
  it("tells a topic's own value, the broker's and the default apart", () => {
    const config = BrokerConfig.of({ 'log.retention.hours': '2', 'log.segment.bytes': '5000000' });
    const entries = new Map(describeTopicConfigs(config, own({ 'max.message.bytes': '7' })).map((e) => [e.name, e]));
    expect(entries.get('max.message.bytes')).toMatchObject({
      value: '7',
      source: ConfigSource.TOPIC_CONFIG,
      type: 3,
      synonyms: [
        { name: 'max.message.bytes', value: '7', source: 1 },
        { name: 'message.max.bytes', value: '1048588', source: 5 },
      ],
    });
    expect(entries.get('segment.bytes')).toMatchObject({ value: '5000000', source: ConfigSource.STATIC_BROKER_CONFIG });
    expect(entries.get('retention.ms')).toMatchObject({ value: '7200000', source: ConfigSource.STATIC_BROKER_CONFIG });
    expect(entries.get('flush.ms')).toMatchObject({
      value: '9223372036854775807',
      source: ConfigSource.DEFAULT_CONFIG,
    });
    expect(entries.get('cleanup.policy')).toMatchObject({ value: 'delete', type: 7 });
  });

  it('hides what is sensitive and says what cannot be changed', () => {
    const config = BrokerConfig.of({ 'ssl.key.password': 'hunter2' });
    const entries = describeBrokerConfigs(config);
    expect(JSON.stringify(entries)).not.toContain('hunter2');
    expect(entries.find((entry) => entry.name === 'ssl.key.password')).toMatchObject({
      value: null,
      isSensitive: true,
      source: ConfigSource.STATIC_BROKER_CONFIG,
    });
    expect(entries.find((entry) => entry.name === 'num.partitions')).toMatchObject({ value: '1', readOnly: true });
    expect(entries.find((entry) => entry.name === 'log.retention.ms')).toMatchObject({ readOnly: false, value: null });
    expect(entries.every((entry) => entry.documentation.length > 0)).toBe(true);
  });
});
