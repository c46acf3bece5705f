/**
 * `npm run compat -- [NAME]…`: the client checks, each in a process of its own with a limit of time; without names,
 * all but those that run on demand. Ends with the sum `N passed, N failed, N skipped`.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';

interface Suite {
  readonly folder: string;
  readonly limitMs: number;
  /** Arguments of its main.ts. */
  readonly words?: readonly string[];
  /** Runs only when it is named. */
  readonly onDemand?: true;
}

/** A round of the crash check takes two seconds or three; a slow machine may take longer. */
const CRASH_ROUND_MS = 10_000;

const SUITES: Readonly<Record<string, Suite>> = {
  kcat: { folder: 'clients/kcat', limitMs: 120_000 },
  java: { folder: 'clients/java', limitMs: 420_000 },
  'java-metrics': { folder: 'clients/java-metrics', limitMs: 120_000 },
  quotas: { folder: 'quotas', limitMs: 600_000, onDemand: true },
  // The same requests to a real Kafka, some seconds of them; more with other arguments (CONTRIBUTING.md).
  differential: { folder: 'differential', limitMs: 180_000, words: ['--seconds', '20'] },
  'admin-tools': { folder: 'clients/admin-tools', limitMs: 600_000 },
  'kafka-node': { folder: 'clients/kafka-node', limitMs: 120_000 },
  'kafka-python': { folder: 'clients/kafka-python', limitMs: 120_000 },
  rsyslog: { folder: 'shippers/rsyslog', limitMs: 120_000 },
  'log-dirs': { folder: 'log-dirs', limitMs: 400_000 },
  export: { folder: 'export', limitMs: 240_000 },
  crash: { folder: 'crash', limitMs: 240_000 + CRASH_ROUND_MS * Number(process.env.CRASH_ROUNDS ?? 0) },
  // Whether the bench's own load notices what a broker does wrong.
  'bench-load': { folder: '../tools/bench/load', limitMs: 120_000 },
};

const REGULAR = Object.keys(SUITES).filter((name) => !SUITES[name]?.onDemand);

const SUM_LINE = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m;
const ROOT = path.dirname(__dirname);

/** The suites that run, each leading a process group; they end with this process. */
const leaders = new Set<number>();

function killGroup(leader: number): void {
  leaders.delete(leader);
  process.kill(-leader, 'SIGKILL');
}

process.once('exit', () => {
  for (const leader of leaders) killGroup(leader);
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/** [passed, failed, skipped]; a suite that is too slow or ends without its sum counts as one more failure. */
function runSuite(name: string, suite: Suite): Promise<[number, number, number]> {
  return new Promise((resolve) => {
    console.log(`\n== ${name}`);
    const words = [
      path.join(ROOT, 'tools', 'run.js'),
      path.join(__dirname, suite.folder, 'main.ts'),
      ...(suite.words ?? []),
    ];
    const child = spawn(process.execPath, words, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      process.stdout.write(data);
      output += data.toString();
    });
    const leader = child.pid ?? 0;
    leaders.add(leader);
    const timer = setTimeout(() => killGroup(leader), suite.limitMs);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      leaders.delete(leader);
      const sum = SUM_LINE.exec(output);
      if (sum !== null) return resolve([Number(sum[1]), Number(sum[2]), Number(sum[3])]);
      console.log(`FAILED  ${name} ended with ${signal ?? code} and no sum`);
      const passed = (output.match(/^ok /gm) ?? []).length;
      const failed = (output.match(/^FAILED /gm) ?? []).length;
      resolve([passed, failed + 1, (output.match(/^skipped /gm) ?? []).length]);
    });
  });
}

async function main(): Promise<void> {
  const names = process.argv.length > 2 ? process.argv.slice(2) : REGULAR;
  const sum: [number, number, number] = [0, 0, 0];
  for (const name of names) {
    const suite = SUITES[name];
    if (suite === undefined) throw new Error(`no suite ${name}; there are: ${Object.keys(SUITES).join(', ')}`);
    const counts = await runSuite(name, suite);
    for (const at of [0, 1, 2] as const) sum[at] += counts[at];
  }
  console.log(`\n${sum[0]} passed, ${sum[1]} failed, ${sum[2]} skipped`);
  process.exitCode = sum[1] > 0 ? 1 : 0;
}

void main();
