/** Made at the first call, and once. */
import { onDemand } from './on-demand';

it('makes at the first call, and once, whatever that gives', () => {
  const made: (string | undefined)[] = ['first', 'second'];
  const text = onDemand(() => made.shift());
  expect(made).toHaveLength(2);
  expect([text(), text()]).toEqual(['first', 'first']);
  expect(made).toEqual(['second']);

  let calls = 0;
  const nothing = onDemand(() => {
    calls++;
  });
  expect([nothing(), nothing(), calls]).toEqual([undefined, undefined, 1]);
});

it('tries again after a failure', () => {
  let isThere = false;
  const number = onDemand(() => {
    if (!isThere) throw new Error('not yet');
    return 7;
  });
  expect(number).toThrow('not yet');
  isThere = true;
  expect(number()).toBe(7);
});
