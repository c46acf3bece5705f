/** Types of settings and conditions on them. */
import fc from 'fast-check';
import {
  atLeast,
  between,
  type ConfigType,
  formatConfigValue,
  notEmpty,
  oneOf,
  oneOfAnyCase,
  parseConfigValue,
} from './definition';

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

  it('takes time in proportion to the text, whatever it is', () => {
    const [zeros, spaces] = ['0'.repeat(500_000), ' '.repeat(500_000)];
    expect(parseConfigValue('long', `${zeros}x`).ok).toBe(false);
    expect(parseConfigValue('long', `${zeros}7`)).toEqual({ ok: true, value: 7 });
    expect(parseConfigValue('list', `a${spaces}b`)).toEqual({ ok: true, value: [`a${spaces}b`] });
    expect(parseConfigValue('list', `a${spaces},${spaces},b`)).toEqual({ ok: true, value: ['a', '', 'b'] });
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

describe('checks', () => {
  it.each([
    [atLeast(3), [3, 4, null], [2]],
    [between(0, 1), [0, 0.5, 1, null], [-0.1, 1.1]],
    [oneOf('a', 'b'), ['a', ['a', 'b'], [], null], ['c', 'A', ['a', 'c']]],
    [oneOfAnyCase('a'), ['a', 'A'], ['b']],
    [notEmpty, ['x', ['x'], null], ['', []]],
  ])('%j', (check, good, bad) => {
    for (const value of good) expect(check.test(value)).toBe(true);
    for (const value of bad) expect(check.test(value)).toBe(false);
  });
});
