/** Settings as they are described to clients. */
import { BrokerConfig } from './broker-config';
import {
  ConfigSource,
  describeBrokerConfigs,
  describeClusterConfigs,
  describeLoggers,
  topicDescriber,
} from './config-entry';

function own(settings: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(settings));
}

describe('described settings', () => {
  it("tells a topic's own value, the broker's and the default apart", () => {
    const config = BrokerConfig.of({ 'log.retention.hours': '2', 'log.segment.bytes': '5000000' });
    const entries = new Map(topicDescriber(config)(own({ 'max.message.bytes': '7' })).map((e) => [e.name, e]));
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
    // Kafka takes the source from settings in milliseconds alone.
    expect(entries.get('retention.ms')).toMatchObject({ value: '7200000', source: ConfigSource.DEFAULT_CONFIG });
    expect(entries.get('flush.ms')).toMatchObject({
      value: '9223372036854775807',
      source: ConfigSource.DEFAULT_CONFIG,
    });
    expect(entries.get('cleanup.policy')).toMatchObject({ value: 'delete', type: 7 });
  });

  it('tells of what Kafka keeps to itself, and of unknown names, only where they were given', () => {
    const find = (settings: Record<string, string>, name: string) => {
      const parsed = BrokerConfig.parse(own(settings));
      return parsed.ok ? describeBrokerConfigs(parsed.value).find((entry) => entry.name === name) : undefined;
    };
    const name = 'producer.id.expiration.check.interval.ms';
    expect(find({}, name)).toBeUndefined();
    expect(find({ [name]: '5' }, name)).toMatchObject({ value: '5', source: ConfigSource.STATIC_BROKER_CONFIG });
    expect(find({ 'my.plugin.token': 'hunter2' }, 'my.plugin.token')).toMatchObject({
      value: null,
      isSensitive: true,
      source: ConfigSource.STATIC_BROKER_CONFIG,
    });
  });

  it('tells of a setting for one listener what it is, with what it takes the place of', () => {
    const [limit, password] = ['listener.name.plaintext.max.connections', 'listener.name.a.ssl.key.password'];
    const parsed = BrokerConfig.parse(own({ 'max.connections': '9', [password]: 'hunter2' }));
    if (!parsed.ok) throw new Error('not parsed');
    const { config } = parsed.value.withRuntime({ broker: own({ [limit]: '5' }), cluster: own({ [limit]: '6' }) });
    const entries = new Map(describeBrokerConfigs(config).map((entry) => [entry.name, entry]));
    expect(entries.get(limit)).toMatchObject({ value: '5', type: 3, isSensitive: false, readOnly: true });
    expect(entries.get(limit)?.synonyms).toEqual([
      { name: limit, value: '5', source: ConfigSource.DYNAMIC_BROKER_CONFIG },
      { name: limit, value: '6', source: ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG },
      { name: 'max.connections', value: '9', source: ConfigSource.STATIC_BROKER_CONFIG },
      { name: 'max.connections', value: '2147483647', source: ConfigSource.DEFAULT_CONFIG },
    ]);
    expect(entries.get(password)).toMatchObject({ value: null, type: 9, isSensitive: true });
    expect(describeClusterConfigs(config).map(({ name, value }) => [name, value])).toEqual([[limit, '6']]);
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

  it('tells settings that Kafka does not have only where they were set', () => {
    const names = (settings: Record<string, string>) =>
      describeBrokerConfigs(BrokerConfig.of(settings)).filter(({ name }) => name.startsWith('odradek.'));
    expect(names({})).toEqual([]);
    expect(names({ 'odradek.slow.request.ms': '7' })).toMatchObject([{ name: 'odradek.slow.request.ms', value: '7' }]);
  });

  describe('with settings made at run time', () => {
    const { config } = BrokerConfig.of({ 'log.retention.ms': '4' }).withRuntime({
      broker: own({ 'log.retention.ms': '2', 'my.own': 'x' }),
      cluster: own({ 'log.retention.ms': '3', 'log.cleanup.policy': 'compact' }),
    });

    it('tells every layer that has a value, the one that counts first', () => {
      const broker = describeBrokerConfigs(config).find(({ name }) => name === 'log.retention.ms');
      const topic = topicDescriber(config)(own({ 'retention.ms': '1' })).find(({ name }) => name === 'retention.ms');
      const told = (entry: typeof topic) => entry?.synonyms.map(({ name, value, source }) => [name, value, source]);
      const brokerWide = [
        ['log.retention.ms', '2', 2],
        ['log.retention.ms', '3', 3],
        ['log.retention.ms', '4', 4],
        ['log.retention.hours', '168', 5],
      ];
      expect(told(broker)).toEqual(brokerWide);
      expect(told(topic)).toEqual([['retention.ms', '1', 1], ...brokerWide]);
      expect([broker?.source, broker?.value, topic?.source, topic?.value]).toEqual([2, '2', 1, '1']);
    });

    it('tells the defaults of the cluster alone', () => {
      expect(describeClusterConfigs(config).map(({ name, value, source }) => [name, value, source])).toEqual([
        ['log.cleanup.policy', 'compact', 3],
        ['log.retention.ms', '3', 3],
      ]);
    });

    it('hides the values of names that it does not know', () => {
      const entry = describeBrokerConfigs(config).find(({ name }) => name === 'my.own');
      expect(entry).toMatchObject({ value: null, isSensitive: true, source: 2, type: 0 });
    });
  });

  it('tells levels of loggers', () => {
    expect(describeLoggers(own({ root: 'INFO' }))).toMatchObject([{ name: 'root', value: 'INFO', source: 6 }]);
  });
});
