/** Patterns and texts of others. */
import { linearPattern } from './linear-pattern';

it.each([
  ['app-.*', 'app-1', true],
  ['app', 'app-1', false],
  ['a|b', 'b', true],
  ['4\\.\\d+', '4.4', true],
  ['', '', true],
])('%s matches all of %s: %s', (source, text, isMatched) => {
  expect(linearPattern(source)?.matches(text)).toBe(isMatched);
});

it('is done soon with what would hold the engine for ever', () => {
  const text = `${'a'.repeat(1000)}!`;
  for (const source of ['(a+)+', '(a|aa)*', '(.*)*b', '(a?){200}b']) {
    expect(linearPattern(source)!.matches(text)).toBe(false);
  }
});

it.each([['['], ['(?=a)b'], ['(a)\\1'], ['((a{30}){30})*'.repeat(3)], ['a{1001}'], ['x'.repeat(1001)]])(
  'is none: %s',
  (source) => {
    expect(linearPattern(source)).toBeUndefined();
  },
);
