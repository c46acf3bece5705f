/**
 * A client check outside Jest: named steps, run one after the other, each bounded in time; at the end the line
 * `N passed, N failed, N skipped` and the exit code. Owns the counting and the running of foreign commands.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

const STEP_TIMEOUT_MS = 120_000;
const COMMAND_TIMEOUT_MS = 60_000;

/** Commands that still run: they end with the process that started them. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface CommandOptions {
  readonly input?: string | Buffer;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Give standard output whatever the exit code is. */
  readonly anyExit?: boolean;
}

/** Runs a command to its end and gives its standard output; throws with all it said when it fails or is too slow. */
export function run(command: string, words: readonly string[], options: CommandOptions = {}): Promise<string> {
  const timeoutMs = options.timeoutMs ?? COMMAND_TIMEOUT_MS;
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { env: { ...process.env, ...options.env }, cwd: options.cwd });
    running.add(child);
    child.once('close', () => running.delete(child));
    const output: Buffer[] = [];
    const complaints: Buffer[] = [];
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.stdout.on('data', (data: Buffer) => output.push(data));
    child.stderr.on('data', (data: Buffer) => complaints.push(data));
    child.stdin.on('error', () => child.kill('SIGTERM'));
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      const text = Buffer.concat(output).toString();
      if (!late && (code === 0 || options.anyExit === true)) return resolve(text);
      const why = late ? `not done in ${timeoutMs} ms` : `exit code ${code}`;
      const said = `${text.slice(-3000)}\n${Buffer.concat(complaints).toString().slice(-3000)}`;
      reject(new Error(`${command} ${words.join(' ').slice(0, 500)}: ${why}\n${said}`));
    });
    child.stdin.end(options.input ?? '');
  });
}

export function commandExists(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v "$0"`, command]).status === 0;
}

/** Throws with both sides unless they are the same text. */
export function expectSame(actual: string, expected: string, what: string): void {
  if (actual === expected) return;
  const [a, e] = [actual.split('\n'), expected.split('\n')];
  const at = e.findIndex((line, index) => line !== a[index]);
  throw new Error(
    `${what}: ${a.length} lines instead of ${e.length}; first difference in line ${at + 1}:\n` +
      `  is        ${a[at]?.slice(0, 200)}\n  should be ${e[at]?.slice(0, 200)}`,
  );
}

/** Throws unless `text` matches. */
export function expectMatch(text: string, pattern: RegExp, what: string): void {
  if (!pattern.test(text)) throw new Error(`${what}: nothing matches ${pattern} in:\n${text.slice(0, 3000)}`);
}

export class Checks {
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  async check(name: string, step: () => Promise<void>): Promise<void> {
    const startedMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done in ${STEP_TIMEOUT_MS} ms`)), STEP_TIMEOUT_MS);
    });
    try {
      await Promise.race([step(), tooLate]);
      this.#passed++;
      console.log(`ok      ${name} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
    } catch (error) {
      this.#failed++;
      console.log(`FAILED  ${name}\n${String(error instanceof Error ? error.message : error).replace(/^/gm, '    ')}`);
    } finally {
      clearTimeout(timer);
    }
  }

  skip(name: string, reason: string): void {
    this.#skipped++;
    console.log(`skipped ${name}: ${reason}`);
  }

  /** Prints the sum and ends the process. */
  finish(): never {
    console.log(`${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`);
    process.exit(this.#failed > 0 ? 1 : 0);
  }
}

/** Runs a suite as the process's only business: an error that escapes it is one more failure; the sum is printed. */
export function runChecks(suite: (checks: Checks) => Promise<void>): void {
  const checks = new Checks();
  const broken = (error: unknown): Promise<void> =>
    checks.check('the suite itself', async () => {
      throw error;
    });
  void suite(checks)
    .catch(broken)
    .then(() => checks.finish());
}
