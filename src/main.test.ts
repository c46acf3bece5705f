import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line to its end. */
function odradek(parameters: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, 'tools/run.js'), join(ROOT, 'src/main.ts'), ...parameters], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    timeout: 20_000,
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => {
    output.stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    output.stderr += data.toString();
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, ...output }));
  });
}

describe('the command line', () => {
  it('tells its version and its options', async () => {
    const { version } = require('../package.json') as { version: string };
    const [asked, help, startHelp] = await Promise.all([
      odradek(['--version']),
      odradek(['--help']),
      odradek(['start', '--help']),
    ]);
    expect(asked).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(help.stdout).toContain('start [options] [server.properties]');
    for (const option of ['--override', '--port', '--data-dir', '--strict', '--log-level', 'KAFKA_LOG_DIRS']) {
      expect(startHelp.stdout).toContain(option);
    }
  });

  it.each([
    {
      what: 'a bad value',
      parameters: ['start', '--override', 'num.partitions=0'],
      message: 'num.partitions=0: must be at least 1',
    },
    {
      what: 'a bad variable',
      parameters: ['start'],
      environment: { KAFKA_LOG_ROLL_HOURS: 'x' },
      message: 'log.roll.hours=x: must be a whole number',
    },
    {
      what: 'an unknown name in the strict mode',
      parameters: ['start', '--strict', '--override', 'log.dri=1'],
      message: 'did you mean log.dir?',
    },
    {
      what: 'a missing file',
      parameters: ['start', '/no/such.properties'],
      message: 'cannot read /no/such.properties: ENOENT',
    },
    { what: 'a bad port', parameters: ['start', '--port', '65536'], message: 'a port is a number from 0 to 65535' },
    { what: 'an unknown option', parameters: ['start', '--prot', '1'], message: "unknown option '--prot'" },
  ])('stops with code 1 and one message at $what', async ({ parameters, environment, message }) => {
    const ended = await odradek(parameters, environment);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).not.toMatch(/^ +at /m);
  });
});
