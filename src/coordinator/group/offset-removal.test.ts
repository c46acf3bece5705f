/** Plays `scripts/offset-removal.txt`: operations in, effects out. */
import { join } from 'node:path';
import { playScenarios } from '../../testing/group-script';

describe('Removal of offsets', () => playScenarios(join(__dirname, 'scripts/offset-removal.txt')));
