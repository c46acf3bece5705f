/** One side of the comparison: a broker, the process that runs tools against it, its files and what was remembered. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Step } from './step';
import type { Outcome, ToolRunner } from './tool-runner';

const UNTIL_TIMEOUT_MS = 20_000;
const PAUSE_MS = 200;

export interface SideOptions {
  readonly bootstrap: string;
  readonly dataDir: string;
  readonly runner: ToolRunner;
  /** Empty, for the files that steps name. */
  readonly folder: string;
}

export class Side {
  readonly bootstrap: string;
  readonly dataDir: string;
  readonly #runner: ToolRunner;
  readonly #folder: string;
  readonly #remembered = new Map<string, string>();

  constructor({ bootstrap, dataDir, runner, folder }: SideOptions) {
    this.bootstrap = bootstrap;
    this.dataDir = dataDir;
    this.#runner = runner;
    this.#folder = folder;
  }

  writeFiles(files: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(files)) writeFileSync(this.#file(name), content);
  }

  /** Runs the step; again and again if it waits for something, and what it says at last. */
  async perform(step: Step): Promise<Outcome> {
    const deadlineMs = performance.now() + UNTIL_TIMEOUT_MS;
    for (;;) {
      const outcome = await this.#once(step);
      const late = performance.now() > deadlineMs;
      if (step.until === undefined || step.until.test(outcome.stdout) || late) return this.#kept(step, outcome);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Output without what differs by nature: addresses, files, what was remembered. */
  neutral(text: string): string {
    let neutral = text.replaceAll(this.bootstrap, 'BOOTSTRAP');
    for (const place of [this.dataDir, this.#folder]) neutral = neutral.replaceAll(place, 'DIRECTORY');
    for (const [name, value] of this.#remembered) neutral = neutral.replaceAll(value, name);
    const port = this.bootstrap.split(':').at(-1);
    return neutral.replaceAll(`port = ${port}`, 'port = PORT').replace(new RegExp(`\\b${port}\\b`, 'g'), 'PORT');
  }

  #once(step: Step): Promise<Outcome> {
    if (step.stop !== undefined) return this.#runner.stop(step.stop);
    const call = {
      main: /^(org|kafka)\./.test(step.main) ? step.main : `org.apache.kafka.tools.${step.main}`,
      words: this.#words(step),
      input: step.input,
    };
    return step.start === undefined ? this.#runner.run(call) : this.#runner.start(step.start, call);
  }

  #words({ words }: Step): string[] {
    const named = words.map((word) =>
      word
        .replaceAll('BOOTSTRAP', this.bootstrap)
        .replace(/^FILE:(\w+)$/, (_, name: string) => this.#file(name))
        .replace(/^\$(\w+)$/, (_, name: string) => this.#remembered.get(name) ?? `nothing-remembered-as-${name}`),
    );
    if (words.some((word) => word.includes('BOOTSTRAP'))) return named;
    return ['--bootstrap-server', this.bootstrap, ...named];
  }

  #kept({ remember, save }: Step, outcome: Outcome): Outcome {
    const value = remember?.[1].exec(outcome.stdout)?.[1];
    if (remember !== undefined && value !== undefined) this.#remembered.set(remember[0], value);
    if (save !== undefined) writeFileSync(this.#file(save), outcome.stdout);
    return outcome;
  }

  #file(name: string): string {
    return path.join(this.#folder, name);
  }
}
