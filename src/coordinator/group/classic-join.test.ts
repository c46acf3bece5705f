/** Plays `scripts/join.txt`: operations in, effects out. */
import { join } from 'node:path';
import { playScenarios } from '../../testing/group-script';

describe('JoinGroup', () => playScenarios(join(__dirname, 'scripts/join.txt')));
