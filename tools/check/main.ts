/**
 * `npm run check`: everything that must hold of the sources, one line a step. A step that fails shows its output in
 * full; all steps run, so that one call tells everything.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';

interface Step {
  readonly name: string;
  /** Run by this Node from the repository's root. */
  readonly command: readonly string[];
}

const STEPS: readonly Step[] = [
  { name: 'generated code is current', command: ['tools/run.js', 'tools/codegen/main.ts', '--check'] },
  { name: 'configuration docs are current', command: ['tools/run.js', 'tools/config-docs/main.ts', '--check'] },
  {
    name: 'format and lint',
    command: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off'],
  },
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '-p', '.', '--pretty', 'false'] },
  {
    name: 'layers',
    command: ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', 'src', 'tools', 'compat-tests'],
  },
  { name: 'unused code', command: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  { name: 'own rules', command: ['tools/run.js', 'tools/tidy/main.ts'] },
];

/** How many steps run at once: the two cores of a small machine. */
const AT_ONCE = 2;

interface Outcome {
  readonly passed: boolean;
  readonly output: string;
}

function run(step: Step): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, step.command, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    child.stdout.on('data', (data: Buffer) => output.push(data));
    child.stderr.on('data', (data: Buffer) => output.push(data));
    child.on('error', (error) => resolve({ passed: false, output: String(error) }));
    child.on('close', (code) => resolve({ passed: code === 0, output: Buffer.concat(output).toString() }));
  });
}

async function report(step: Step): Promise<boolean> {
  const startedMs = performance.now();
  const { passed, output } = await run(step);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${step.name} (${seconds} s)`);
  if (!passed) console.log(output.trimEnd().replace(/^/gm, '    '));
  return passed;
}

async function main(): Promise<void> {
  process.chdir(path.join(__dirname, '..', '..'));
  const waiting = [...STEPS];
  let failed = 0;
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      if (!(await report(step))) failed++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.exitCode = failed > 0 ? 1 : 0;
}

void main();
