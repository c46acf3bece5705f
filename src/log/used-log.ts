/** The parts of a log that is read or written: most of very many logs never are, and do without. */
import { LogAppender } from './log-appender';
import { LogFlusher } from './log-flusher';
import { LogReader } from './log-reader';
import type { LogState } from './log-state';
import { PassingTrouble } from './passing-trouble';

export class UsedLog {
  readonly flusher: LogFlusher;
  readonly trouble: PassingTrouble;
  readonly appender: LogAppender;
  readonly reader: LogReader;

  constructor(state: LogState) {
    this.flusher = new LogFlusher(state);
    this.trouble = new PassingTrouble(state);
    this.appender = new LogAppender(state, this.flusher, this.trouble);
    this.reader = new LogReader(state);
  }
}
