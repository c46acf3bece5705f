/**
 * Structured logging: a constant message with fields as data, never payloads or secrets.
 * Standard output belongs to the command line's own lines, so logs go to standard error. pino is used here only, and
 * loaded with the first line that is written.
 */
import type { Logger as Pino } from 'pino';
import { onDemand } from './on-demand';

export type LogFields = Readonly<Record<string, unknown>>;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The least level of the lines that are written; holds for the logger and all its children. */
export interface LevelControl {
  level: LogLevel;
}

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: LogFields): Logger;
  /** To change the level at run time, where that is possible. */
  readonly levels?: LevelControl;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** pino's children keep the level that they were made with; here all ask the same control. */
function wrap(target: () => Pino, levels: LevelControl): Logger {
  const writer = (level: Exclude<LogLevel, 'silent'>) => (message: string, fields?: LogFields) => {
    if (RANK[level] >= RANK[levels.level]) target()[level](fields ?? {}, message);
  };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (fields) =>
      wrap(
        onDemand(() => target().child(fields)),
        levels,
      ),
    levels,
  };
}

/** A logger that writes one JSON object per line to standard error, synchronously, so that no line is lost at exit. */
export function createLogger(level: LogLevel): Logger {
  return wrap(onDemand(pinoToStandardError), { level });
}

/** Loads what the first line would: it then needs no files. */
export function loadLogger(): typeof import('pino') {
  return require('pino') as typeof import('pino');
}

function pinoToStandardError(): Pino {
  const { destination, pino, stdSerializers, stdTimeFunctions } = loadLogger();
  const serializers = { error: stdSerializers.err };
  const options = { level: 'debug', base: undefined, timestamp: stdTimeFunctions.isoTime, serializers };
  return pino(options, destination({ dest: 2, sync: true }));
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
