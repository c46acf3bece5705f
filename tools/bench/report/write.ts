/** Where the report is kept: `docs/benchmarks.md`, its figures and plots beside it, and a section of the README. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Scenario } from '../scenario';
import { document, readmeSection, withSection } from './markdown';
import { plots } from './plots';
import { merged, type Recorded, type Session } from './session';

const ROOT = path.join(__dirname, '..', '..', '..');
const FOLDER = path.join(ROOT, 'docs', 'benchmarks');
const FIGURES = path.join(FOLDER, 'figures.json');
const README = path.join(ROOT, 'README.md');
const PLOT_TITLES: ReadonlyMap<string, string> = new Map([
  ['ratios.svg', 'How many times better or worse than Apache Kafka'],
  ['latency.svg', 'Percentiles of the latency from end to end'],
]);

function recordedFigures(): Recorded {
  return existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : { sessions: [] };
}

/** A line for each run, so that a change of few figures is a change of few lines. */
function asText({ sessions }: Recorded): string {
  const lines = sessions.map(({ runs, ...head }) => {
    const body = runs.map((run) => `    ${JSON.stringify(run)}`).join(',\n');
    return `  ${JSON.stringify(head).slice(0, -1)}, "runs": [\n${body}\n  ]}`;
  });
  return `{"sessions": [\n${lines.join(',\n')}\n]}\n`;
}

/** Makes all documents anew, from the record with `session` in it. Gives the files that it has written. */
export async function writeReport(scenarios: readonly Scenario[], session?: Session): Promise<string[]> {
  const old = recordedFigures();
  const recorded = session === undefined ? old : merged(old, session);
  if (recorded.sessions.length === 0) throw new Error(`there are no figures in ${path.relative(ROOT, FIGURES)} yet`);
  mkdirSync(FOLDER, { recursive: true });
  const written = new Map<string, string>([[FIGURES, asText(recorded)]]);
  const drawn = await plots(recorded, scenarios);
  for (const [name, svg] of drawn) written.set(path.join(FOLDER, name), `${svg}\n`);
  const links = new Map([...drawn.keys()].map((name) => [PLOT_TITLES.get(name) ?? name, `benchmarks/${name}`]));
  written.set(path.join(ROOT, 'docs', 'benchmarks.md'), document(recorded, scenarios, links));
  const section = readmeSection(recorded, scenarios, 'docs/benchmarks/ratios.svg');
  written.set(README, withSection(readFileSync(README, 'utf8'), section));
  for (const [file, text] of written) writeFileSync(file, text);
  return [...written.keys()].map((file) => path.relative(ROOT, file));
}
