/** From runs to rows, targets and documents: pair by pair, losses included, failures said. */
import type { SideName } from '../candidates';
import type { Scenario } from '../scenario';
import { document, readmeSection, withSection } from './markdown';
import { outcomes, rows } from './rows';
import { merged, type Run, type Session } from './session';

const run = async (): Promise<Map<string, number>> => new Map();

function scenario(name: string, bounds: { atLeast?: number; halfAtLeast?: number; atMost?: number }): Scenario {
  return { group: 'produce', name, targets: [{ what: 'produce', figure: 'MB/s', of: 'ratio', ...bounds }], run };
}

function ran(name: string, pair: number, [ours, theirs]: readonly [number?, number?]): Run[] {
  const sides = [
    ['odradek', ours],
    ['kafka', theirs],
  ] as const;
  return sides.flatMap(([side, value]: readonly [SideName, number | undefined]) =>
    value === undefined ? [] : [{ pair, side, group: 'produce' as const, scenario: name, figures: { 'MB/s': value } }],
  );
}

function session(runs: readonly Run[], date = '2026-11-30T10:00:00.000Z'): Session {
  const machine = { cpus: 2, model: 'CPU', memoryGigabytes: 8, kernel: 'Linux 6', fileSystem: 'ext4' };
  return { date, machine, versions: { Odradek: '1' }, pairs: 3, scale: 1, minutes: 1, remarks: [], runs };
}

it('takes ratios pair by pair, not of the medians, and only of pairs that both sides finished', () => {
  const runs = [...ran('a', 1, [10, 10]), ...ran('a', 2, [20, 5]), ...ran('a', 3, [30, 40]), ...ran('a', 4, [99])];
  const [row] = rows(runs, [scenario('a', { atLeast: 1 })]);
  expect(row?.ratio).toEqual({ median: 1, least: 0.75, most: 4 });
  expect(row?.odradek).toEqual({ median: 30, least: 10, most: 99 });
  expect(row?.judged.map(({ verdict }) => verdict)).toEqual(['met']);
});

it.each([
  [[2, 1, 1.2], 'missed', []],
  [[2, 1.3, 1], 'met', []],
  [[2, 2, 0.9], 'missed', ['c']],
] as const)('%j beside ≥ 1 everywhere and ≥ 1.3 in half: %s', (ratios, verdict, missed) => {
  const names = ['a', 'b', 'c'];
  const runs = names.flatMap((name, at) => ran(name, 1, [ratios[at], 1]));
  const table = rows(
    runs,
    names.map((name) => scenario(name, { atLeast: 1, halfAtLeast: 1.3 })),
  );
  expect(outcomes(table)).toMatchObject([{ verdict, missed, of: 3 }]);
});

it('shows what was missed and what failed', () => {
  const failed: Run = { pair: 1, side: 'kafka', group: 'produce', scenario: 'b', figures: {}, error: 'it\nbroke' };
  const text = document(
    { sessions: [session([...ran('a', 1, [1, 4]), failed])] },
    [scenario('a', { atMost: 0.2 })],
    new Map(),
  );
  expect(text).toContain('| a | MB/s ↑ | 1.00 | 4.00 | 0.25 | ≤ 0.20: **missed** |');
  expect(text).toContain('| produce | ratio ≤ 0.2 | 0.25 | **missed** in 1 of 1 |');
  expect(text).toContain('- b, Apache Kafka, pair 1: it broke');
});

it('lets a later session take the place of the scenarios that it measured again', () => {
  const first = session([...ran('a', 1, [1, 1]), ...ran('b', 1, [1, 1])]);
  const again = session(ran('a', 1, [3, 1]), '2026-12-01T10:00:00.000Z');
  const both = merged({ sessions: [first] }, again);
  expect(both.sessions.map(({ runs }) => runs.map((one) => one.scenario))).toEqual([
    ['b', 'b'],
    ['a', 'a'],
  ]);
  expect(document(both, [], new Map())).toContain('1 December 2026');
  expect(merged(both, session([...ran('a', 1, [2, 1]), ...ran('b', 1, [2, 1])])).sessions).toHaveLength(1);
});

it('writes between the markers of the README and nowhere else', () => {
  const text = 'before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nafter\n';
  const section = readmeSection({ sessions: [session(ran('a', 1, [2, 1]))] }, [scenario('a', { atLeast: 1 })], 'x.svg');
  const written = withSection(text, section);
  expect(written).toContain('| produce | ratio ≥ 1 | 2.00 | met |');
  expect(written).not.toContain('old');
  expect([
    written.startsWith('before\n<!-- bench: begin -->\n'),
    written.endsWith('<!-- bench: end -->\nafter\n'),
  ]).toEqual([true, true]);
  expect(withSection(written, section)).toBe(written);
  expect(() => withSection('no markers', section)).toThrow(/README.md has no/);
});
