/**
 * Lines for standard output and standard error, gathered into larger writes and held back while a reader is slow, so
 * that a dump of any size takes little memory. When the reader of standard output goes away, as `head` does, the rest
 * is of no use, and the process ends.
 */
import type { DumpOutput } from '../offline/dump-output';

const GATHERED_CHARACTERS = 64 * 1024;

export class StreamOutput implements DumpOutput {
  #lines: string[] = [];
  #characters = 0;

  constructor() {
    process.stdout.on('error', () => process.exit(0));
  }

  line(text: string): void {
    this.#lines.push(text);
    this.#characters += text.length + 1;
  }

  /** In the order of what was said before. */
  problem(text: string): void {
    this.#write();
    process.stderr.write(`${text}\n`);
  }

  async drained(): Promise<void> {
    if (this.#characters < GATHERED_CHARACTERS) return;
    if (this.#write()) return;
    await new Promise<void>((done) => process.stdout.once('drain', done));
  }

  /** Brings out the rest. */
  end(): void {
    this.#write();
  }

  /** False while the reader is behind. */
  #write(): boolean {
    if (this.#lines.length === 0) return true;
    const text = `${this.#lines.join('\n')}\n`;
    this.#lines = [];
    this.#characters = 0;
    return process.stdout.write(text);
  }
}
