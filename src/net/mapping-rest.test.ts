/** Mappings are looked at for as long as there are any. */
import { unmapIdle } from '../base/mapped-writes';
import { ManualClock } from '../testing/manual-clock';
import { watchMappings } from './mapping-rest';

jest.mock('../base/mapped-writes');

it('looks again and again until none is left, with one timer however often it is told', async () => {
  const clock = new ManualClock();
  const left = [true, true, false, false];
  const look = jest.mocked(unmapIdle).mockImplementation(() => left.shift()!);
  for (let told = 0; told < 5; told++) watchMappings(clock);
  expect(clock.timerCount).toBe(1);
  await clock.advance(1000);
  expect([look.mock.calls.length, clock.timerCount]).toEqual([3, 0]);
  watchMappings(clock);
  await clock.advance(1000);
  expect([look.mock.calls.length, clock.timerCount]).toEqual([4, 0]);
});
