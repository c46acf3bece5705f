/** Levels of loggers: what is shown, set and refused. */
import type { LevelControl } from '../base/logger';
import { ErrorCode } from '../codec/generated/errors';
import { alterLoggerLevels, type LevelOperation, loggerLevels } from './logger-levels';

function alter(operation: Partial<LevelOperation>, validateOnly = false) {
  const levels: LevelControl = { level: 'warn' };
  const all = { logger: 'root', operation: 0, level: 'DEBUG', ...operation };
  const outcome = alterLoggerLevels(levels, [all], { validateOnly });
  return outcome.ok ? levels.level : [outcome.error, outcome.message];
}

describe('levels of loggers', () => {
  it("are shown by Kafka's names", () => {
    expect([...loggerLevels({ level: 'info' })]).toEqual([['root', 'INFO']]);
    expect([...loggerLevels({ level: 'silent' })]).toEqual([['root', 'FATAL']]);
    expect([...loggerLevels(undefined)]).toEqual([]);
  });

  it('are set, unless the request is only validated', () => {
    expect([alter({}), alter({ level: 'TRACE' }), alter({ level: 'FATAL' })]).toEqual(['debug', 'debug', 'silent']);
    expect(alter({}, true)).toBe('warn');
  });

  it.each<[Partial<LevelOperation>, ErrorCode, string]>([
    [{ level: 'LOUD' }, ErrorCode.INVALID_CONFIG, 'Valid log levels are DEBUG, ERROR, FATAL, INFO, TRACE, WARN'],
    [{ logger: 'org.x' }, ErrorCode.INVALID_CONFIG, 'Logger org.x does not exist!'],
    [{ operation: 1, level: null }, ErrorCode.INVALID_REQUEST, 'Removing the log level of the root logger'],
    [{ operation: 2 }, ErrorCode.INVALID_REQUEST, 'APPEND operation is not allowed'],
    [{ operation: 3 }, ErrorCode.INVALID_REQUEST, 'SUBTRACT operation is not allowed'],
    [{ operation: 9 }, ErrorCode.INVALID_REQUEST, 'Unknown operation type 9'],
  ])('refuses %j', (operation, code, message) => {
    expect(alter(operation)).toEqual([code, expect.stringContaining(message)]);
  });

  it('change all together or not at all', () => {
    const levels: LevelControl = { level: 'warn' };
    const operations = [
      { logger: 'root', operation: 0, level: 'DEBUG' },
      { logger: 'x', operation: 0, level: 'DEBUG' },
    ];
    expect(alterLoggerLevels(levels, operations, { validateOnly: false }).ok).toBe(false);
    expect(levels.level).toBe('warn');
  });
});
