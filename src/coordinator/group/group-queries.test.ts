/** Plays `scripts/queries.txt`: operations in, effects out. */
import { join } from 'node:path';
import { playScenarios } from '../../testing/group-script';

describe('Group queries', () => playScenarios(join(__dirname, 'scripts/queries.txt')));
