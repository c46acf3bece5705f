/** The typed view of the settings, and that every row of the table is sound. */
import { BrokerConfig, checkConfigValue, definitionOf, isConfigKey } from './broker-config';
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
