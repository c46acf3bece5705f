import fc from 'fast-check';
import { BrokerConfig, checkConfigValue, definitionOf, isConfigKey } from './broker-config';
import { type ConfigType, formatConfigValue, parseConfigValue } from './definition';
import { definitions } from './definitions';

const PARSED: readonly [ConfigType, string, unknown][] = [
  ['boolean', ' TRUE ', true],
  ['boolean', '1', undefined],
  ['int', '+5', 5],
  ['int', '-0', 0],
  ['int', '007', 7],
  ['int', '2147483647', 2147483647],
  ['int', '2147483648', undefined],
  ['int', '1.5', undefined],
  ['int', '', undefined],
  ['short', '32768', undefined],
  ['long', '9223372036854775807', 2 ** 63],
  ['long', '9223372036854775808', undefined],
  ['long', '1e3', undefined],
  ['double', '0.25', 0.25],
  ['double', '1.7976931348623157E308', Number.MAX_VALUE],
  ['double', '', undefined],
  ['list', 'a , b,c', ['a', 'b', 'c']],
  ['list', '', []],
  ['string', '  x y ', 'x y'],
];

describe('parseConfigValue', () => {
  it.each(PARSED)('%s %j → %j', (type, source, value) => {
    const parsed = parseConfigValue(type, source);
    expect(parsed.ok ? parsed.value : undefined).toEqual(value);
  });

  it('reads back whole numbers as written', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        const parsed = parseConfigValue('int', String(value));
        expect(value === -(2 ** 31) || (parsed.ok && formatConfigValue('int', parsed.value) === String(value))).toBe(
          true,
        );
      }),
    );
  });
});

describe('formatConfigValue', () => {
  it('writes numbers as Java does', () => {
    expect(formatConfigValue('long', 2 ** 63)).toBe('9223372036854775807');
    expect(formatConfigValue('double', 1)).toBe('1.0');
    expect(formatConfigValue('double', Number.MAX_VALUE)).toBe('1.7976931348623157E308');
    expect(formatConfigValue('list', ['a', 'b'])).toBe('a,b');
    expect(formatConfigValue('int', null)).toBeNull();
  });
});

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
