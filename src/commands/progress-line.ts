/** How far a long command is: a line a second on standard error, in place on a terminal, nothing for a short one. */
import { systemClock } from '../base/clock';

const INTERVAL_MS = 1000;
const GIGABYTE = 1e9;

export class ProgressLine {
  readonly #command: string;
  readonly #isTerminal = process.stderr.isTTY === true;
  #lastMs = systemClock.monotonicMs();
  #isShown = false;

  constructor(command: string) {
    this.#command = command;
  }

  show({ bytes, totalBytes }: { bytes: number; totalBytes: number }, detail = ''): void {
    const nowMs = systemClock.monotonicMs();
    if (nowMs - this.#lastMs < INTERVAL_MS) return;
    this.#lastMs = nowMs;
    this.wipe();
    const percent = totalBytes === 0 ? 100 : Math.floor((100 * bytes) / totalBytes);
    const [unit, size] = totalBytes < GIGABYTE ? ['MB', 1e6] : ['GB', GIGABYTE];
    const done = `${(bytes / size).toFixed(1)} of ${(totalBytes / size).toFixed(1)} ${unit}`;
    const end = this.#isTerminal ? '' : '\n';
    process.stderr.write(`${this.#command}: ${percent} %, ${done}${detail && `, ${detail}`}${end}`);
    this.#isShown = true;
  }

  /** Makes room for another line, or for the end. */
  wipe(): void {
    if (this.#isTerminal && this.#isShown) process.stderr.write('\r\x1b[K');
    this.#isShown = false;
  }
}
