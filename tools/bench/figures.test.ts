/** What counts as better, and medians. */
import { lessIsBetter, median, spread } from './figures';

it('takes the middle of what was measured', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(spread([9, 1, 5])).toEqual({ median: 5, least: 1, most: 9 });
  expect(spread([])).toBeUndefined();
});

it.each([
  ['MB/s', false],
  ['requests/s', false],
  ['share of the limit, %', false],
  ['broker CPU-s/GB', true],
  ['broker CPU-s/million requests', true],
  ['end to end p99, ms', true],
  ['memory, MB', true],
])('%s: less is better is %s', (figure, expected) => {
  expect(lessIsBetter(figure)).toBe(expected);
});
