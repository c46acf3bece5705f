/** The typed view of the settings, and that every row of the table is sound. */
import {
  BrokerConfig,
  type ConfigKey,
  checkClientValue,
  checkConfigValue,
  definitionOf,
  isConfigKey,
} from './broker-config';
import { formatConfigValue } from './definition';
import { definitions } from './definitions';

describe('BrokerConfig', () => {
  it('gives typed values, and the default where nothing is set', () => {
    const config = BrokerConfig.of({ 'log.segment.bytes': '1048576', 'log.dirs': '/a, /b' });
    const segmentBytes: number = config.get('log.segment.bytes');
    const dirs: readonly string[] | null = config.get('log.dirs');
    expect([segmentBytes, dirs, config.get('log.retention.ms')]).toEqual([1048576, ['/a', '/b'], null]);
    expect(config.isSet('log.segment.bytes')).toBe(true);
    expect(config.isSet('num.partitions')).toBe(false);
    expect(config.textOf('log.dirs')).toBe('/a,/b');
  });

  it('takes broker.id and node.id for one thing', () => {
    expect(BrokerConfig.of({ 'broker.id': '3' }).get('node.id')).toBe(3);
    expect(BrokerConfig.of({ 'node.id': '4' }).textOf('broker.id')).toBe('4');
  });

  it('keeps what it does not know', () => {
    const parsed = BrokerConfig.parse(new Map([['a.b', 'c']]));
    expect(parsed.ok && [...parsed.value.unknown]).toEqual([['a.b', 'c']]);
  });

  it('lets settings made at run time count before those of the start, and takes them over in place', () => {
    const config = BrokerConfig.of({ 'log.segment.bytes': '4000000' });
    const { config: changed, problems } = config.withRuntime({
      broker: new Map([
        ['log.retention.ms', '2'],
        ['num.partitions', 'many'],
      ]),
      cluster: new Map([
        ['log.retention.ms', '3'],
        ['log.segment.bytes', '5000000'],
        ['a.b', 'c'],
      ]),
    });
    expect(problems).toMatchObject([{ key: 'num.partitions' }]);
    expect([changed.get('log.retention.ms'), changed.get('log.segment.bytes')]).toEqual([2, 5000000]);
    expect(changed.layersOf('log.segment.bytes')).toEqual([
      { layer: 'cluster', value: 5000000 },
      { layer: 'start', value: 4000000 },
    ]);
    expect([config.get('log.retention.ms'), config.isSet('log.retention.ms')]).toEqual([null, false]);
    config.takeOver(changed);
    expect([config.get('log.retention.ms'), config.isSet('log.retention.ms')]).toEqual([2, true]);
    expect(config.runtimeSettings.cluster.get('a.b')).toBe('c');
  });

  it('explains to a client what Kafka explains', () => {
    const explained = (name: ConfigKey, source: string) => checkClientValue({ name, source }, definitionOf(name));
    expect(explained('num.partitions', 'x')).toMatchObject({
      error: 'Invalid value x for configuration num.partitions: Not a number of type INT',
    });
    expect(explained('num.partitions', '0')).toMatchObject({
      error: 'Invalid value 0 for configuration num.partitions: Value must be at least 1',
    });
    expect(explained('log.cleanup.policy', 'delete,x')).toMatchObject({
      error: 'Invalid value x for configuration log.cleanup.policy: String must be one of: compact, delete',
    });
  });

  it('throws for embedders who set an impossible value', () => {
    expect(() => BrokerConfig.of({ 'num.partitions': '0' })).toThrow('num.partitions=0: must be at least 1');
  });
});

describe('the table', () => {
  const rows = Object.keys(definitions).filter(isConfigKey);

  it.each(rows)('%s has a default of its own type that passes its check, and a text', (key) => {
    const definition = definitionOf(key);
    const source = formatConfigValue(definition.type, definition.default);
    expect(definition.doc).toMatch(/^[A-Z0-9_].*\.$/);
    if (source === null) return;
    const checked = checkConfigValue(definition, source);
    expect(checked.ok && checked.value).toEqual(definition.default);
  });
});
