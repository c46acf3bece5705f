/** Log lines are JSON on standard error; standard output stays free. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { silentLogger } from './logger';

const SCRIPT = `
const { createLogger } = require(${JSON.stringify(path.join(__dirname, 'logger.ts'))});
const logger = createLogger('info');
logger.debug('not this');
logger.info('started', { port: 1 });
logger.child({ topic: 't' }).error('failed', { error: new Error('why'), reason: 'text' });
logger.warn('last', { error: 'a text' });
`;

/** Takes every descriptor that the process may have, and writes. */
const WITHOUT_DESCRIPTORS = `
const { openSync } = require('node:fs');
const { createLogger } = require(${JSON.stringify(path.join(__dirname, 'logger.ts'))});
const logger = createLogger('info');
try {
  for (;;) openSync(__filename);
} catch {
  logger.debug('not this');
  logger.child({ topic: 't' }).child({ partition: 1 }).error('failed', { error: new Error('why') });
  logger.warn('last');
}
`;

/** The lines of a process that runs `script` and may have `most` descriptors. */
function linesOf(script: string, most = 1000): unknown[] {
  const directory = mkdtempSync(path.join(tmpdir(), 'logger-'));
  const file = path.join(directory, 'script.ts');
  writeFileSync(file, script);
  const runner = path.join(__dirname, '../../tools/run.js');
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', `ulimit -n ${most}; exec "$0" "$@"`, process.execPath, runner, file],
    {
      encoding: 'utf8',
    },
  );
  rmSync(directory, { recursive: true });
  expect(stdout).toBe('');
  const lines = stderr.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

it('writes one object per line, with fields, time, errors in full and the fields of its parent', () => {
  expect(linesOf(SCRIPT)).toEqual([
    { level: 30, time: expect.stringMatching(/^\d{4}-/), port: 1, msg: 'started' },
    {
      level: 50,
      time: expect.any(String),
      topic: 't',
      error: { type: 'Error', message: 'why', stack: expect.stringContaining('script.ts') },
      reason: 'text',
      msg: 'failed',
    },
    { level: 40, time: expect.any(String), error: 'a text', msg: 'last' },
  ]);
});

it('writes its first lines also when there are no files left to be opened', () => {
  const time = expect.stringMatching(/^\d{4}-/);
  const error = expect.objectContaining({ type: 'Error', message: 'why', stack: expect.stringContaining('script.ts') });
  expect(linesOf(WITHOUT_DESCRIPTORS, 64)).toEqual([
    { level: 50, time, topic: 't', partition: 1, error, msg: 'failed' },
    { level: 40, time, msg: 'last' },
  ]);
});

it('has a logger that says nothing', () => {
  const child = silentLogger.child({});
  for (const level of ['debug', 'info', 'warn', 'error'] as const) expect(child[level]('x')).toBeUndefined();
});
