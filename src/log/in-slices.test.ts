/** Work on very many things lets others go on. */
import { type Clock, systemClock } from '../base/clock';
import { inSlices } from './in-slices';

it('gives the loop away after every few milliseconds of work', async () => {
  let atMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => atMs };
  const seen: (number | 'others')[] = [];
  const others = (): void => {
    seen.push('others');
    if (seen.length < 20) setImmediate(others);
  };
  setImmediate(others);
  await inSlices(clock, [1, 2, 3, 4, 5], (item) => {
    seen.push(item);
    atMs += 2;
  });
  // Two items take four milliseconds.
  expect(seen.slice(0, 7)).toEqual([1, 2, 'others', 3, 4, 'others', 5]);
});
