/**
 * Side by side with Apache Kafka: `npm run bench -- --help`. Owns the command line; nothing is asserted, and a busy
 * machine shows in the spread.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chosen, lacks, SCENARIOS, title } from './catalogue';
import { count } from './count';
import { INTERRUPTED_EXIT_CODE, Interruption, interruptible } from './interruption';
import { measure } from './measuring';
import { profile } from './profile';
import { document } from './report/markdown';
import { writeReport } from './report/write';
import type { Scenario } from './scenario';

const ROOT = path.join(__dirname, '..', '..');

const HELP = `Usage: npm run bench -- [options]

Starts Odradek and Apache Kafka in turn on this machine, gives both the same loads, and prints a table of all figures
with their ratios. Needs Java 17 or newer and, the first time, Maven; a C compiler (cc) for some of the scenarios.
Standard error tells how far it is. Ctrl-C stops the brokers and prints what there is.

  --pairs N          how often each broker is measured, in alternation (default 5)
  --scale X          factor for the length of the loads (default 1, some 40 minutes with 5 pairs; 0.1 to try it)
  --only WORDS       only scenarios with these words in their title, or the one that is called exactly so; may be given
                     several times
  --list             lists the scenarios by their titles
  --write            writes docs/benchmarks.md, docs/benchmarks/* and the README's section; scenarios that are measured
                     again take the place of what is recorded of them
  --report-only      makes these anew from docs/benchmarks/figures.json, measures nothing
  --profile WORDS    takes one scenario, runs it on Odradek alone and tells where CPU time and allocations go
  --help             this

Other benches: node tools/run.js tools/bench/{soak,log,topics,codec}/main.ts
`;

const OPTIONS = {
  pairs: { type: 'string', default: '5' },
  scale: { type: 'string', default: '1' },
  only: { type: 'string', multiple: true, default: [] as string[] },
  list: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  'report-only': { type: 'boolean', default: false },
  profile: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

function scaleOf(word: string): number {
  const scale = Number(word);
  if (!(scale > 0 && scale <= 10)) throw new Error(`--scale takes a number above 0, at most 10, not ${word}`);
  return scale;
}

/** Says on standard error what is missing; gives the scenarios that can run, and remarks for the report. */
function possible(wanted: readonly Scenario[]): { scenarios: readonly Scenario[]; remarks: readonly string[] } {
  const out = new Set<Scenario>();
  const remarks: string[] = [];
  for (const { command, why, scenarios } of lacks(wanted)) {
    for (const scenario of scenarios) out.add(scenario);
    const which = scenarios.length === wanted.length ? 'all scenarios' : scenarios.map(title).join('; ');
    remarks.push(`${command} is not there (${why}), which leaves out ${which}`);
  }
  for (const remark of remarks) console.error(remark);
  return { scenarios: wanted.filter((scenario) => !out.has(scenario)), remarks };
}

/** What is measured is `dist/`: figures of an older one would be taken for those of the sources. */
function assertBuilt(): void {
  const built = statSync(path.join(ROOT, 'dist', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .find((name) => statSync(path.join(ROOT, 'src', name)).mtimeMs > built);
  if (newest !== undefined) throw new Error(`dist/ is older than src/${newest}: npm run build first`);
}

async function compare(o: {
  wanted: readonly Scenario[];
  pairs: number;
  scale: number;
  write: boolean;
}): Promise<void> {
  const { scenarios, remarks } = possible(o.wanted);
  if (scenarios.length === 0) throw new Error('nothing is left to be measured');
  assertBuilt();
  const { session, failure } = await measure({ scenarios, pairs: o.pairs, scale: o.scale, remarks }, interruptible());
  if (session.runs.length > 0) console.log(document({ sessions: [session] }, SCENARIOS, new Map()));
  if (o.write && session.runs.length > 0) {
    for (const file of await writeReport(SCENARIOS, session)) console.error(`written: ${file}`);
  }
  if (failure !== undefined && !(failure instanceof Interruption)) console.error(failure.message);
  if (failure !== undefined) process.exit(failure instanceof Interruption ? INTERRUPTED_EXIT_CODE : 1);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return console.log(HELP);
  const wanted = chosen(values.only);
  if (values.list) return console.log(wanted.map(title).join('\n'));
  if (values['report-only']) {
    for (const file of await writeReport(SCENARIOS)) console.log(file);
    return;
  }
  const [pairs, scale] = [count('pairs', values.pairs), scaleOf(values.scale)];
  if (values.profile !== undefined) assertBuilt();
  if (values.profile !== undefined) return profile(chosen([values.profile]), scale);
  await compare({ wanted, pairs, scale, write: values.write });
}

main().catch((error: Error) => {
  console.error(`bench: ${error.message}\n--help tells the options`);
  process.exitCode = 2;
});
