/** Where what is dumped goes; the command line and the tests have one each. */
export interface DumpOutput {
  /** A line of what a file holds. */
  line(text: string): void;
  /** A line about something that is wrong. */
  problem(text: string): void;
  /** Resolves when there is room for more lines: a reader of ours may be slow, and logs are large. */
  drained(): Promise<void>;
}
