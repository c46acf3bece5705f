/** The report as Markdown: `docs/benchmarks.md` and the section of the README. Pure text of what was recorded. */
import { lessIsBetter, type Spread, shown } from '../figures';
import { GROUPS, type Group, type Scenario } from '../scenario';
import { failures, type Outcome, outcomes, type Row, rows } from './rows';
import type { Recorded, Session } from './session';

const TITLES: Readonly<Record<Group, string>> = {
  start: 'Start and memory',
  produce: 'Producing',
  unbatched: 'Single small requests',
  consume: 'Consuming',
  mixed: 'Producing and consuming at once',
  crowd: 'Many clients, groups and partitions',
  limit: 'Beside what the machine can do at most',
};

function cell(value: Spread | undefined, text: (value: number) => string): string {
  if (value === undefined) return '–';
  const [median, least, most] = [text(value.median), text(value.least), text(value.most)];
  return least === most ? median : `${median} (${least}–${most})`;
}

function ratioText(value: number): string {
  return value.toFixed(2);
}

function targetCell({ judged }: Row): string {
  return judged
    .map(({ target, verdict }) => {
      const [sign, bound] = target.atLeast === undefined ? ['≤', target.atMost] : ['≥', target.atLeast];
      const subject = target.of === 'own' ? 'own figure ' : '';
      return `${subject}${sign} ${shown(bound ?? 0)}: ${verdict === 'met' ? 'met' : '**missed**'}`;
    })
    .join('; ');
}

function figureTable(table: readonly Row[]): string[] {
  const lines = ['| scenario | figure | Odradek | Apache Kafka | ratio | target |', '|---|---|---|---|---|---|'];
  let last = '';
  for (const row of table) {
    const name = row.scenario === last ? '' : row.scenario;
    last = row.scenario;
    const figure = `${row.figure} ${lessIsBetter(row.figure) ? '↓' : '↑'}`;
    const cells = [cell(row.odradek, shown), cell(row.kafka, shown), cell(row.ratio, ratioText), targetCell(row)];
    lines.push(`| ${[name, figure, ...cells].join(' | ')} |`);
  }
  return lines;
}

function outcomeTable(all: readonly Outcome[]): string[] {
  const lines = ['| what | target | measured | |', '|---|---|---|---|'];
  for (const { what, bound, least, most, missed, of, verdict } of all) {
    const measured = least === most ? shown(least) : `${shown(least)}–${shown(most)}`;
    const word =
      verdict === 'met' ? 'met' : missed.length === 0 ? '**missed**' : `**missed** in ${missed.length} of ${of}`;
    lines.push(`| ${what} | ${bound} | ${measured} | ${word} |`);
  }
  return lines;
}

/** `30 November 2026, Node.js 20.20.2, …, 2 × some CPU, 23 GB, Linux 6.1, ext4`. */
function circumstancesOf({ date, machine, versions }: Session): string {
  const day = new Date(date).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const software = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const { cpus, model, memoryGigabytes, kernel, fileSystem } = machine;
  const hardware = [`${cpus} × ${model}`, `${memoryGigabytes} GB`, kernel, fileSystem];
  return `${[day, ...software].join(', ')}; ${hardware.join(', ')}`;
}

function sessionLines({ sessions }: Recorded): string[] {
  return sessions.flatMap((session, at) => {
    const { pairs, scale, minutes, runs, remarks } = session;
    const names = [...new Set(runs.map(({ scenario }) => scenario))];
    const which = at === 0 ? '' : `; measured again: ${names.join('; ')}`;
    const size = scale === 1 ? '' : `, shortened to ${scale} of the usual length`;
    const duration = `${pairs} ${pairs === 1 ? 'pair' : 'pairs'} in ${Math.round(minutes)} minutes`;
    const head = `- ${circumstancesOf(session)}; ${duration}${size}${which}.`;
    return [head, ...remarks.map((remark) => `  - ${remark}`)];
  });
}

const EXPLANATION = `Both brokers run one after the other on the same machine and file system, each as its users start
it, in alternation (A B A B …), and do the same scenarios in the same order; the loads run on the same machine and take
part of it. A cell is the median of the pairs with the least and the most. The ratio is Odradek's figure through Kafka's
of the same pair, its median and spread; for figures with ↑ more is better, with ↓ less. MB are 2^20 bytes, GB 10^9, of
the records' values. CPU is the broker process's own, user and system. Memory is resident less what is mapped from
files.`;

function failureLines(recorded: Recorded): string[] {
  const all = recorded.sessions.flatMap(({ runs }) => failures(runs));
  if (all.length === 0) return [];
  const lines = all.map(({ scenario, side, pair, error }) => {
    const cause = error.replace(/\s+/g, ' ').slice(0, 300);
    return `- ${scenario}, ${side === 'odradek' ? 'Odradek' : 'Apache Kafka'}, pair ${pair}: ${cause}`;
  });
  return ['## What failed', '', ...lines, ''];
}

/** All of `docs/benchmarks.md`; `plots` are files beside it, by their titles. */
export function document(
  recorded: Recorded,
  scenarios: readonly Scenario[],
  plots: ReadonlyMap<string, string>,
): string {
  const table = rows(
    recorded.sessions.flatMap(({ runs }) => runs),
    scenarios,
  );
  const parts = ['# Beside Apache Kafka', '', 'Made by `npm run bench -- --write`; not to be edited by hand.', ''];
  parts.push(...sessionLines(recorded), '', EXPLANATION, '', '## Targets', '', ...outcomeTable(outcomes(table)), '');
  for (const [title, file] of plots) parts.push(`![${title}](${file})`, '');
  for (const group of GROUPS) {
    const own = table.filter((row) => row.group === group);
    if (own.length > 0) parts.push(`## ${TITLES[group]}`, '', ...figureTable(own), '');
  }
  return [...parts, ...failureLines(recorded)].join('\n');
}

/** What stands between the README's markers. */
export function readmeSection(recorded: Recorded, scenarios: readonly Scenario[], plot: string): string {
  const table = rows(
    recorded.sessions.flatMap(({ runs }) => runs),
    scenarios,
  );
  const measured = recorded.sessions.map(circumstancesOf).at(0) ?? '';
  return [
    '## Beside Apache Kafka',
    '',
    ...outcomeTable(outcomes(table)),
    '',
    `${measured}.`,
    "Ratios are Odradek's figure through Kafka's, medians of the pairs; all figures, losses included, are in",
    '[docs/benchmarks.md](docs/benchmarks.md).',
    '',
    `![Odradek beside Apache Kafka](${plot})`,
  ].join('\n');
}

const [BEGIN, END] = ['<!-- bench: begin -->', '<!-- bench: end -->'];

/** `text` with the section between its markers; throws where there are none. */
export function withSection(text: string, section: string): string {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${BEGIN} followed by ${END}`);
  return `${text.slice(0, from + BEGIN.length)}\n${section}\n${text.slice(to)}`;
}
