/**
 * A Java process that runs Kafka's tools one after the other (`ToolRunner.java`): starting a virtual machine for each
 * would take most of the time. Owns the process; one request at a time.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const PROGRAM = path.join(__dirname, 'ToolRunner.java');
const JAVA_OPTIONS = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
const TOOL_TIMEOUT_MS = 60_000;

const running = new Set<ToolRunner>();
process.once('exit', () => {
  for (const runner of running) runner.close();
});

/** How a tool ended. */
export interface Outcome {
  /** -1 when it did not end in time. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A class with its words, and what it reads from standard input. */
export interface ToolCall {
  readonly main: string;
  readonly words: readonly string[];
  readonly input?: string;
}

export class ToolRunner {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting: ((line: string) => void)[] = [];
  #ended = false;

  constructor(jars: string) {
    const words = [...JAVA_OPTIONS, '-cp', `${jars}/*`, PROGRAM];
    this.#child = spawn('java', words, { stdio: ['pipe', 'pipe', 'inherit'] });
    running.add(this);
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#waiting.shift()?.(line));
    this.#child.once('close', () => {
      this.#ended = true;
      running.delete(this);
      for (const answer of this.#waiting.splice(0)) answer(`-1 - ${base64('the Java process ended')}`);
    });
  }

  run({ main, words, input = '' }: ToolCall): Promise<Outcome> {
    return this.#request(['run', String(TOOL_TIMEOUT_MS), input, main, ...words]);
  }

  /** It runs on beside others until `stop(name)`. */
  start(name: string, { main, words }: ToolCall): Promise<Outcome> {
    return this.#request(['start', name, main, ...words]);
  }

  /** As SIGTERM stops it. */
  stop(name: string): Promise<Outcome> {
    return this.#request(['stop', name]);
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  #request(words: readonly string[]): Promise<Outcome> {
    if (this.#ended) throw new Error('the Java process has ended');
    return new Promise((resolve) => {
      this.#waiting.push((line) => {
        const [code = '', stdout = '', stderr = ''] = line.split(' ');
        resolve({ exitCode: Number(code), stdout: text(stdout), stderr: text(stderr) });
      });
      this.#child.stdin.write(`${words.map(base64).join(' ')}\n`);
    });
  }
}

function base64(word: string): string {
  return Buffer.from(word).toString('base64');
}

function text(encoded: string): string {
  return encoded === '-' ? '' : Buffer.from(encoded, 'base64').toString();
}
