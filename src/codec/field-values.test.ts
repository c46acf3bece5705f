/** The little that generated code calls by name. */
import { AssertionFailure } from '../base/assert';
import { MAX_INT64, MIN_INT64, notNull } from './field-values';

it('has ends of int64 that numbers can hold', () => {
  expect([MAX_INT64, MIN_INT64]).toEqual([2 ** 53 - 1, -(2 ** 53 - 1)]);
});

it('passes values and refuses null', () => {
  expect(notNull(0, 'F.x')).toBe(0);
  expect(notNull('', 'F.x')).toBe('');
  expect(() => notNull(null, 'F.x')).toThrow(AssertionFailure);
  expect(() => notNull(null, 'F.x')).toThrow('F.x is null');
});
