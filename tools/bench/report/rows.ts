/**
 * From runs to rows: for each scenario and figure both sides' spread, the ratio pair by pair, and what became of the
 * targets. A ratio is Odradek's figure through Kafka's of the same pair.
 */
import type { SideName } from '../candidates';
import { type Spread, spread } from '../figures';
import type { Group, Scenario, Target } from '../scenario';
import type { Run } from './session';

export type Verdict = 'met' | 'missed';

export interface Judged {
  readonly target: Target;
  /** What is compared with the bound: a median. */
  readonly value: number;
  readonly verdict: Verdict;
}

export interface Row {
  readonly group: Group;
  readonly scenario: string;
  readonly figure: string;
  readonly odradek: Spread | undefined;
  readonly kafka: Spread | undefined;
  /** Of the pairs in which both have the figure. */
  readonly ratio: Spread | undefined;
  readonly judged: readonly Judged[];
}

/** A scenario that did not run to its end, on which side and why. */
export interface Failure {
  readonly scenario: string;
  readonly side: SideName;
  readonly pair: number;
  readonly error: string;
}

function values(runs: readonly Run[], side: SideName, figure: string): Map<number, number> {
  const found = new Map<number, number>();
  for (const run of runs) {
    const value = run.figures[figure];
    if (run.side === side && value !== undefined) found.set(run.pair, value);
  }
  return found;
}

function judge(target: Target, own: Spread | undefined, ratio: Spread | undefined): Judged[] {
  const value = (target.of === 'own' ? own : ratio)?.median;
  if (value === undefined) return [];
  const met = value >= (target.atLeast ?? Number.NEGATIVE_INFINITY) && value <= (target.atMost ?? Infinity);
  return [{ target, value, verdict: met ? 'met' : 'missed' }];
}

function rowsOf(runs: readonly Run[], scenario: string, targets: readonly Target[]): Row[] {
  const figures = [...new Set(runs.flatMap((run) => Object.keys(run.figures)))];
  const isCost = (figure: string): boolean => figure.startsWith('broker ');
  return [...figures.filter((figure) => !isCost(figure)), ...figures.filter(isCost)].map((figure) => {
    const [ours, theirs] = [values(runs, 'odradek', figure), values(runs, 'kafka', figure)];
    const ratios = [...ours].filter(([pair]) => theirs.has(pair)).map(([pair, value]) => value / theirs.get(pair)!);
    const [odradek, kafka, ratio] = [spread([...ours.values()]), spread([...theirs.values()]), spread(ratios)];
    const judged = targets.filter((target) => target.figure === figure).flatMap((t) => judge(t, odradek, ratio));
    return { group: runs[0]!.group, scenario, figure, odradek, kafka, ratio, judged };
  });
}

/** Rows in the scenarios' order; scenarios that are no longer in the catalogue come last and have no targets. */
export function rows(runs: readonly Run[], scenarios: readonly Scenario[]): Row[] {
  const names = new Set([...scenarios.map(({ name }) => name), ...runs.map(({ scenario }) => scenario)]);
  const targets = new Map(scenarios.map((scenario) => [scenario.name, scenario.targets ?? []]));
  return [...names].flatMap((name) => {
    const own = runs.filter(({ scenario }) => scenario === name);
    return rowsOf(own, name, targets.get(name) ?? []);
  });
}

export function failures(runs: readonly Run[]): Failure[] {
  return runs.flatMap(({ scenario, side, pair, error }) =>
    error === undefined ? [] : [{ scenario, side, pair, error }],
  );
}

/** A row of the table of targets: all figures that belong to it together. */
export interface Outcome {
  readonly what: string;
  /** 'ratio ≥ 1, ≥ 1.3 in half of them' */
  readonly bound: string;
  readonly least: number;
  readonly most: number;
  readonly missed: readonly string[];
  readonly of: number;
  readonly verdict: Verdict;
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function bound(target: Target): string {
  const subject = target.of === 'ratio' ? 'ratio ' : '';
  const unit = target.of === 'own' ? (/, (\S+)$/.exec(target.figure)?.[1] ?? '') : '';
  const half = target.halfAtLeast === undefined ? '' : `, ≥ ${target.halfAtLeast} in at least half`;
  const limit = target.atLeast === undefined ? `≤ ${number(target.atMost ?? 0)}` : `≥ ${number(target.atLeast)}`;
  return `${subject}${limit}${half}${unit === '' ? '' : ` ${unit}`}`;
}

/** The table of targets: each met where all of its figures meet it, and half of them its second bound if it has one. */
export function outcomes(table: readonly Row[]): Outcome[] {
  const byBound = new Map<string, { judged: Judged; scenario: string }[]>();
  for (const { judged, scenario } of table) {
    for (const one of judged) {
      const key = `${one.target.what}\n${bound(one.target)}`;
      byBound.set(key, [...(byBound.get(key) ?? []), { judged: one, scenario }]);
    }
  }
  return [...byBound.values()].map((all) => {
    const { target } = all[0]!.judged;
    const figures = all.map(({ judged }) => judged.value);
    const missed = all.filter(({ judged }) => judged.verdict === 'missed').map(({ scenario }) => scenario);
    const high = figures.filter((value) => value >= (target.halfAtLeast ?? Number.NEGATIVE_INFINITY)).length;
    const met = missed.length === 0 && high * 2 >= figures.length;
    const extent = { least: Math.min(...figures), most: Math.max(...figures) };
    return {
      what: target.what,
      bound: bound(target),
      ...extent,
      missed,
      of: all.length,
      verdict: met ? 'met' : 'missed',
    };
  });
}
