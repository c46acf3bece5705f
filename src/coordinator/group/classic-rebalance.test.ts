/** Plays `scripts/rebalance.txt`: operations in, effects out. */
import { join } from 'node:path';
import { playScenarios } from '../../testing/group-script';

describe('Rebalances', () => playScenarios(join(__dirname, 'scripts/rebalance.txt')));
