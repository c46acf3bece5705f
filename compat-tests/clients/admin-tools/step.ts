/** One call of a tool in the side-by-side comparison, and the short ways to write one. */

export interface Step {
  /** The class; `org.apache.kafka.tools.` is put in front of a name without a package. */
  readonly main: string;
  /**
   * `BOOTSTRAP` stands for the side's address, which is put in front when no word names it; `FILE:NAME` for a file's
   * path; `$NAME` for what an earlier step remembered.
   */
  readonly words: readonly string[];
  /** Standard input. */
  readonly input?: string;
  /** Runs beside the steps that follow, under this name, until a step with `stop`. */
  readonly start?: string;
  /** Ends what was started under this name, as SIGTERM does. */
  readonly stop?: string;
  /** Repeated, on each side by itself, until the output matches: what tools set off goes on after they have ended. */
  readonly until?: RegExp;
  /** Keeps the first group of this pattern, of each side's own output, for `$NAME`. */
  readonly remember?: readonly [name: string, pattern: RegExp];
  /** Keeps standard output as `FILE:NAME`, for each side. */
  readonly save?: string;
  /** What this step may say differently, besides what `comparable` takes out of all. */
  readonly blur?: readonly (readonly [pattern: RegExp, instead: string])[];
  /** Here the two differ by nature; Odradek's whole output must match this. */
  readonly instead?: RegExp;
  /** Only with `--all`: it waits long for what never comes. */
  readonly slow?: boolean;
  /** Not with these versions. */
  readonly except?: readonly string[];
}

/** What may be added to a call. */
export type StepOptions = Omit<Step, 'main' | 'words'>;

/** Splits at blanks; a word with blanks stands in single quotes. */
export function words(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'));
}

/** A way to write calls of one tool: a line of words, and what is special about it. */
export function tool(main: string): (line: string, options?: StepOptions) => Step {
  return (line, options = {}) => ({ main, words: words(line), ...options });
}
