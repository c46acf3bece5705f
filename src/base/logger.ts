/**
 * Structured logging: a constant message with fields as data, never payloads or secrets.
 * Standard output belongs to the command line's own lines, so logs go to standard error. pino is used here only, and
 * loaded with the first line that is written. Where it cannot be, as when the process has no descriptors left, lines
 * that look the same are made here: whoever tells of a trouble must not get another one.
 */
import type { Logger as Pino } from 'pino';
import { systemClock } from './clock';
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

/** As they are in pino's lines. */
const PINO_LEVEL = { debug: 20, info: 30, warn: 40, error: 50 } as const;

/** pino's children keep the level that they were made with; here all ask the same control. */
function wrap(target: () => Pino, levels: LevelControl, inherited: LogFields = {}): Logger {
  const writer = (level: keyof typeof PINO_LEVEL) => (message: string, fields?: LogFields) => {
    if (RANK[level] < RANK[levels.level]) return;
    let pino: Pino;
    try {
      pino = target();
    } catch {
      writeAlone(level, message, { ...inherited, ...fields });
      return;
    }
    pino[level](fields ?? {}, message);
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
        { ...inherited, ...fields },
      ),
    levels,
  };
}

function writeAlone(level: keyof typeof PINO_LEVEL, msg: string, fields: LogFields): void {
  const time = new Date(systemClock.nowMs()).toISOString();
  const { error } = fields;
  const told =
    error instanceof Error ? { error: { type: error.name, message: error.message, stack: error.stack } } : {};
  process.stderr.write(`${JSON.stringify({ level: PINO_LEVEL[level], time, ...fields, ...told, msg })}\n`);
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
