/** Plays `scripts/static-members.txt`: operations in, effects out. */
import { join } from 'node:path';
import { playScenarios } from '../../testing/group-script';

describe('Static members', () => playScenarios(join(__dirname, 'scripts/static-members.txt')));
