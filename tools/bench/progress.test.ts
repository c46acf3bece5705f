/** The time that is left, from what was seen. */
import { Progress } from './progress';

it('takes the last time of the same step, else that of the other side, else the average', () => {
  const pair = [
    { side: 'a', scenario: 'long' },
    { side: 'a', scenario: 'short' },
    { side: 'b', scenario: 'long' },
    { side: 'b', scenario: 'short' },
  ];
  const progress = new Progress([...pair, ...pair]);
  expect(progress.leftMs()).toBe(0);
  progress.done({ side: 'a', scenario: 'long' }, 1000);
  expect(progress.leftMs()).toBe(7000);
  progress.done({ side: 'a', scenario: 'short' }, 100);
  expect(progress.leftMs()).toBe(1000 * 3 + 100 * 3);
  progress.done({ side: 'b', scenario: 'long' }, 3000);
  expect(progress.leftMs()).toBe(1000 + 3000 + 100 * 3);
});
