/**
 * Levels of the broker's loggers as Kafka names them (KIP-412). There is one logger, the root; its level holds until
 * the broker stops. Source of rules and sentences: Kafka's `RuntimeLoggerManager`.
 */
import type { LevelControl, LogLevel } from '../base/logger';
import { err, ok, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import { ROOT_LOGGER } from './config-resource';

const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['DEBUG', 'debug'],
  ['ERROR', 'error'],
  ['FATAL', 'silent'],
  ['INFO', 'info'],
  ['TRACE', 'debug'],
  ['WARN', 'warn'],
]);

export interface LevelOperation {
  readonly logger: string;
  /** The number of the operation on the wire: 0 set, 1 delete. */
  readonly operation: number;
  readonly level: string | null;
}

const SET = 0;
const DELETE = 1;
const APPEND = 2;
const SUBTRACT = 3;

/** The levels to describe; empty where they cannot be changed. */
export function loggerLevels(levels: LevelControl | undefined): ReadonlyMap<string, string> {
  if (!levels) return new Map();
  const name = [...LEVELS].find(([, level]) => level === levels.level)?.[0];
  return new Map([[ROOT_LOGGER, name ?? 'FATAL']]);
}

/** What the level shall be, or why it cannot be that. */
function checked({ logger, operation, level }: LevelOperation, known: boolean): Result<LogLevel, ErrorCode> {
  if (operation === APPEND || operation === SUBTRACT) {
    const name = operation === APPEND ? 'APPEND' : 'SUBTRACT';
    return err(ErrorCode.INVALID_REQUEST, `${name} operation is not allowed for the BROKER_LOGGER resource`);
  }
  if (operation !== SET && operation !== DELETE) {
    const message = `Unknown operation type ${operation} is not allowed for the BROKER_LOGGER resource`;
    return err(ErrorCode.INVALID_REQUEST, message);
  }
  if (!known || logger !== ROOT_LOGGER) return err(ErrorCode.INVALID_CONFIG, `Logger ${logger} does not exist!`);
  if (operation === DELETE) {
    return err(ErrorCode.INVALID_REQUEST, `Removing the log level of the ${ROOT_LOGGER} logger is not allowed`);
  }
  const wanted = LEVELS.get(level ?? '');
  if (wanted) return ok(wanted);
  const names = [...LEVELS.keys()].join(', ');
  const problem = `Cannot set the log level of ${logger} to ${level} as it is not a supported log level.`;
  return err(ErrorCode.INVALID_CONFIG, `${problem} Valid log levels are ${names}`);
}

/** All of `operations` or none of them. */
export function alterLoggerLevels(
  levels: LevelControl | undefined,
  operations: readonly LevelOperation[],
  { validateOnly }: { readonly validateOnly: boolean },
): Result<void, ErrorCode> {
  let last: LogLevel | undefined;
  for (const operation of operations) {
    const level = checked(operation, levels !== undefined);
    if (!level.ok) return level;
    last = level.value;
  }
  if (levels && last && !validateOnly) levels.level = last;
  return ok(undefined);
}
