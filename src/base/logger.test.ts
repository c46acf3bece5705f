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

it('writes one object per line, with fields, time, errors in full and the fields of its parent', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'logger-'));
  const file = path.join(directory, 'script.ts');
  writeFileSync(file, SCRIPT);
  const runner = path.join(__dirname, '../../tools/run.js');
  const { stdout, stderr } = spawnSync(process.execPath, [runner, file], { encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  expect(stdout).toBe('');
  const lines = stderr.split('\n').filter(Boolean);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
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

it('has a logger that says nothing', () => {
  const child = silentLogger.child({});
  for (const level of ['debug', 'info', 'warn', 'error'] as const) expect(child[level]('x')).toBeUndefined();
});
