/** The command line in processes of its own: messages, exit codes, signals, ownership. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with the first line of standard output. */
  readonly firstLine: Promise<string>;
}

function launch(parameters: readonly string[], environment: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [join(ROOT, 'tools/run.js'), join(ROOT, 'src/main.ts'), ...parameters], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => {
    output.stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    output.stderr += data.toString();
  });
  const firstLine = new Promise<string>((done) => {
    child.stdout.on('data', () => output.stdout.includes('\n') && done(output.stdout.split('\n')[0]!));
  });
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => done({ code, signal, ...output }));
  });
  return { child, ended, firstLine };
}

/** From the line that says that it is ready until a signal. */
const TAKE_ALL_DESCRIPTORS = `
const { closeSync, openSync } = require('node:fs');
const taken = [];
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  const isWritten = write(text, ...rest);
  try {
    while (String(text).includes(' ready ')) taken.push(openSync(__filename));
  } catch {}
  return isWritten;
};
process.on('SIGTERM', () => taken.splice(0).forEach((fd) => closeSync(fd)));
`;

/** Runs the command line to its end. */
function odradek(parameters: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return launch(parameters, environment).ended;
}

describe('the command line', () => {
  it('tells its version and its options', async () => {
    const { version } = require('../package.json') as { version: string };
    const [asked, help, startHelp, misspelt] = await Promise.all([
      odradek(['--version']),
      odradek(['--help']),
      odradek(['start', '--help']),
      odradek(['verfy']),
    ]);
    expect(asked).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(help.stdout).toContain('start [options] [server.properties]');
    expect(help.stdout).toContain('odradek start --port 0');
    for (const command of ['codec', 'decode', 'dump-log', 'verify', 'export']) {
      expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    expect(misspelt).toMatchObject({ code: 1, stderr: expect.stringContaining('(Did you mean verify?)') });
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

describe('a started broker', () => {
  const READY = /^odradek \S+ ready PLAINTEXT:\/\/localhost:\d+ broker\.id=1 cluster\.id=[\w-]{22} in \d+ ms$/;
  let dataDir: string;
  let children: ChildProcess[];

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'odradek-main-'));
    children = [];
  });

  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true });
  });

  function start(): Running {
    const running = launch(['start', '--port', '0', '--data-dir', dataDir]);
    children.push(running.child);
    return running;
  }

  const isClean = (): boolean => existsSync(join(dataDir, '.kafka_cleanshutdown'));

  it('owns its directory until it is killed, and stops cleanly when it is told to', async () => {
    const first = start();
    expect(await first.firstLine).toMatch(READY);
    const second = await start().ended;
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`${dataDir} is in use by process ${first.child.pid}`);

    first.child.kill('SIGKILL');
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(isClean()).toBe(false);

    const third = start();
    expect(await third.firstLine).toMatch(READY);
    third.child.kill('SIGTERM');
    third.child.kill('SIGINT');
    expect(await third.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nodradek stopped\n$/) });
    expect(isClean()).toBe(true);
  });

  it('says in one line what is wrong with its data', async () => {
    mkdirSync(join(dataDir, 'odradek-metadata.journal'));
    const ended = await start().ended;
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^The data (directory )?cannot be used: EISDIR.*odradek-metadata\.journal'\n$/);
  });

  it('goes on where the process has no descriptors left when it is ready', async () => {
    const greedy = join(dataDir, 'greedy.js');
    writeFileSync(greedy, TAKE_ALL_DESCRIPTORS);
    const running = launch(['start', '--port', '0', '--data-dir', dataDir], { NODE_OPTIONS: `--require ${greedy}` });
    children.push(running.child);
    expect(await running.firstLine).toMatch(READY);
    // Until it has tried to load what first requests need.
    await new Promise((done) => setTimeout(done, 300));
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('odradek stopped') });
  });

  it('listens to signals before it is ready', async () => {
    const slow = join(dataDir, 'slow.js');
    const signal = `process.on('newListener', (name) => name === 'SIGHUP' && process.kill(process.pid, 'SIGTERM'));`;
    writeFileSync(slow, signal);
    const running = launch(['start', '--port', '0', '--data-dir', dataDir], { NODE_OPTIONS: `--require ${slow}` });
    children.push(running.child);
    expect(await running.ended).toMatchObject({ code: 143, stdout: expect.stringContaining('not ready yet') });
  });
});

describe('messages', () => {
  const request = '0000000b 0012 0000 00000001 0001 63';
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'odradek-decode-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('are decoded from a file', async () => {
    const file = join(folder, 'capture.hex');
    writeFileSync(file, request);
    const ended = await odradek(['decode', file]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^> ApiVersions v0 request, key 18, correlation id 1, client "c", 11 bytes\n/);
    expect(await odradek(['decode', join(folder, 'none')])).toMatchObject({ code: 1, stdout: '' });
  });

  it('are translated and decoded from standard input', async () => {
    const decoding = launch(['decode', '--json', '-']);
    decoding.child.stdin?.end(`${request}\n\nff`);
    const translating = launch(['codec']);
    translating.child.stdin?.end('{"api":"Heartbeat","version":0,"type":"response","hex":"0019"}\n\n{}\n');
    const decoded = await decoding.ended;
    expect(decoded.code).toBe(1);
    expect(decoded.stdout.split('\n').map((line) => line.slice(0, 27))).toEqual([
      '{"api":"ApiVersions","versi',
      '{"hex":"ff","error":"as a r',
      '',
    ]);
    expect(await translating.ended).toMatchObject({
      code: 0,
      stdout: '{"message":{"errorCode":25}}\n{"error":"no API is called undefined"}\n',
    });
  });
});
