/**
 * What a check of a data directory finds: where, what is wrong, and what the broker would do about it when it starts.
 * Owns the forms in which findings are shown, and that one broken file does not drown the others.
 */

/** A note is no fault: leftovers that the broker clears away, an end after a crash that it puts right. */
export type Severity = 'problem' | 'note';

export interface Finding {
  readonly severity: Severity;
  readonly file: string;
  /** In bytes; left out where it is about the whole file. */
  readonly position?: number;
  readonly what: string;
  /** What the broker does about it at start. */
  readonly atStart: string;
}

/** Findings of one file that are shown; the rest is counted. */
const SHOWN_PER_FILE = 20;

export class Findings {
  readonly #show: (finding: Finding) => void;
  /** Counts of the file at hand: findings of a file come one behind the other. */
  #file = '';
  #ofFile = 0;
  problems = 0;
  notes = 0;

  constructor(show: (finding: Finding) => void) {
    this.#show = show;
  }

  add(finding: Finding): void {
    if (finding.severity === 'problem') this.problems++;
    else this.notes++;
    if (finding.file !== this.#file) {
      this.end();
      this.#file = finding.file;
      this.#ofFile = 0;
    }
    this.#ofFile++;
    if (this.#ofFile <= SHOWN_PER_FILE) this.#show(finding);
  }

  /** Tells how many findings of the last file were not shown. */
  end(): void {
    const left = this.#ofFile - SHOWN_PER_FILE;
    if (left > 0) {
      const what = `and ${left} more findings in this file`;
      this.#show({ severity: 'note', file: this.#file, what, atStart: 'as above' });
    }
    this.#ofFile = 0;
  }
}

export function findingText({ severity, file, position, what, atStart }: Finding): string {
  const place = position === undefined ? file : `${file} at byte ${position}`;
  return `${severity}: ${place}: ${what}; at start: ${atStart}`;
}
