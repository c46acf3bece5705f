/** Plays `scripts/membership.txt`: operations in, effects out. */
import { join } from 'node:path';
import { playScenarios } from '../../testing/group-script';

describe('Membership', () => playScenarios(join(__dirname, 'scripts/membership.txt')));
