/**
 * The states of a classic group and the only place that says which may follow which. Source: Kafka's
 * `ClassicGroupState`.
 */
import { assert } from '../../base/assert';

/**
 * Empty: no members; what remains are offsets. PreparingRebalance: collecting joins. CompletingRebalance: waiting for
 * the leader's assignment. Stable: every member knows its assignment. Dead: deleted or gone elsewhere.
 */
export type ClassicGroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead';

const SUCCESSORS: Readonly<Record<ClassicGroupState, readonly ClassicGroupState[]>> = {
  Empty: ['PreparingRebalance', 'Dead'],
  PreparingRebalance: ['CompletingRebalance', 'Empty', 'Dead'],
  CompletingRebalance: ['Stable', 'PreparingRebalance', 'Dead'],
  Stable: ['PreparingRebalance', 'Dead'],
  Dead: [],
};

/** Whether a rebalance can start from `state`; in the other states one is under way or pointless. */
export function canPrepareRebalance(state: ClassicGroupState): boolean {
  return SUCCESSORS[state].includes('PreparingRebalance');
}

export function assertTransition(from: ClassicGroupState, to: ClassicGroupState): void {
  assert(SUCCESSORS[from].includes(to), `a group in state ${from} cannot become ${to}`);
}
