/** Choosing scenarios by words, and what a machine lacks for them. */
import { chosen, lacks, SCENARIOS } from './catalogue';
import type { Scenario } from './scenario';

const run = async (): Promise<Map<string, number>> => new Map();
const A: Scenario = { group: 'produce', name: 'produce 1 KB, acks=all', run };
const B: Scenario = { group: 'crowd', name: 'idle connections', needs: ['cc'], run };

it('has scenarios of different names with targets that can be judged', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  for (const { targets = [] } of SCENARIOS) {
    for (const { atLeast, atMost } of targets) expect((atLeast === undefined) !== (atMost === undefined)).toBe(true);
  }
});

it('finds words in titles, whatever their case, and names what is allowed', () => {
  expect(chosen([], [A, B])).toEqual([A, B]);
  expect(chosen(['CROWD', 'acks=all'], [A, B])).toEqual([A, B]);
  expect(chosen(['crowd: idle'], [A, B])).toEqual([B]);
  const longer = { ...A, name: `${A.name}, lz4` };
  expect(chosen([A.name], [longer, A])).toEqual([A]);
  expect(chosen(['acks=all'], [longer, A])).toEqual([longer, A]);
  expect(() => chosen(['acks=all', 'acks=7'], [A, B])).toThrow(/'acks=7'[\s\S]*produce: produce 1 KB, acks=all/);
});

it('tells which scenarios fall out for want of what', () => {
  expect(lacks([A, B], () => true)).toEqual([]);
  const found = lacks([A, B], (command) => command !== 'cc' && command !== 'java');
  expect(found.map(({ command, scenarios }) => [command, scenarios])).toEqual([
    ['java', [A, B]],
    ['cc', [B]],
  ]);
});
