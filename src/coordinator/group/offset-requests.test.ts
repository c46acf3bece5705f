/** Plays `scripts/offsets.txt`: operations in, effects out. */
import { join } from 'node:path';
import { playScenarios } from '../../testing/group-script';

describe('OffsetCommit and OffsetFetch', () => playScenarios(join(__dirname, 'scripts/offsets.txt')));
