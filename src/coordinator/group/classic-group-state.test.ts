/** The transition table, all of it. */
import { assertTransition, type ClassicGroupState, canPrepareRebalance } from './classic-group-state';

const STATES: readonly ClassicGroupState[] = ['Empty', 'PreparingRebalance', 'CompletingRebalance', 'Stable', 'Dead'];

const ALLOWED = new Set([
  'Empty>PreparingRebalance',
  'PreparingRebalance>CompletingRebalance',
  'PreparingRebalance>Empty',
  'CompletingRebalance>Stable',
  'CompletingRebalance>PreparingRebalance',
  'Stable>PreparingRebalance',
  'Empty>Dead',
  'PreparingRebalance>Dead',
  'CompletingRebalance>Dead',
  'Stable>Dead',
]);

describe('states of a classic group', () => {
  const pairs = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));
  it.each(pairs)('%s → %s', (from, to) => {
    const transition = () => assertTransition(from, to);
    if (ALLOWED.has(`${from}>${to}`)) expect(transition).not.toThrow();
    else expect(transition).toThrow('cannot become');
  });

  it('can rebalance unless it does already or is gone', () => {
    expect(STATES.filter(canPrepareRebalance)).toEqual(['Empty', 'CompletingRebalance', 'Stable']);
  });
});
