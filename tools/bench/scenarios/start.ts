/** What a broker costs before anybody uses it, and the most memory that it took while all was done to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../candidates';
import type { Figures } from '../figures';
import type { Broker, Scenario } from '../scenario';

const SETTLE_MS = 2000;

export const START_SCENARIOS: readonly Scenario[] = [
  {
    group: 'start',
    name: 'command to ready',
    targets: [{ what: 'command to ready', figure: 'ready, ms', of: 'ratio', atMost: 0.1 }],
    run: async ({ readyMs }: Broker): Promise<Figures> => new Map([['ready, ms', readyMs]]),
  },
  {
    group: 'start',
    name: 'memory at rest',
    targets: [
      { what: 'memory at rest', figure: 'memory, MB', of: 'own', atMost: 80 },
      { what: 'memory at rest', figure: 'memory, MB', of: 'ratio', atMost: 0.25 },
    ],
    run: async ({ pid }: Broker): Promise<Figures> => {
      await sleep(SETTLE_MS);
      return new Map([['memory, MB', residentMegabytes(pid)]]);
    },
  },
];

/** Goes last: its figure is of everything before it. */
export const END_SCENARIOS: readonly Scenario[] = [
  {
    group: 'start',
    name: 'memory under load, the most in the whole run',
    targets: [{ what: 'memory under load', figure: 'memory, MB', of: 'ratio', atMost: 1 / 3 }],
    run: async (broker: Broker): Promise<Figures> => new Map([['memory, MB', broker.peakMegabytes()]]),
  },
];
