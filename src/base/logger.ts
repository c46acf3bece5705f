/**
 * Structured logging: a constant message with fields as data, never payloads or secrets.
 * Standard output belongs to the command line's own lines, so logs go to standard error. pino is used here only.
 */
import pino from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: LogFields): Logger;
}

function wrap(target: pino.Logger): Logger {
  return {
    debug: (message, fields) => target.debug(fields ?? {}, message),
    info: (message, fields) => target.info(fields ?? {}, message),
    warn: (message, fields) => target.warn(fields ?? {}, message),
    error: (message, fields) => target.error(fields ?? {}, message),
    child: (fields) => wrap(target.child(fields)),
  };
}

/** A logger that writes one JSON object per line to standard error, synchronously, so that no line is lost at exit. */
export function createLogger(level: LogLevel): Logger {
  const serializers = { error: pino.stdSerializers.err };
  const options = { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers };
  return wrap(pino(options, pino.destination({ dest: 2, sync: true })));
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
