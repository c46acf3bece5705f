/** The commands for data directories, in processes of their own: options, exit codes, what a running broker means. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { apis } from '../codec/generated/apis';
import { type EmbeddedBroker, startBroker } from '../start-broker';
import { WireClient } from '../testing/wire-client';
import { createTopic, produceRequest } from '../testing/wire-records';

const ROOT = resolve(__dirname, '../..');

const CHECKPOINTS = ['log.flush.offset', 'log.flush.start.offset', 'replica.high.watermark'];

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function odradek(...words: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, 'tools/run.js'), join(ROOT, 'src/main.ts'), ...words], {
    cwd: ROOT,
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => {
    said.stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    said.stderr += data.toString();
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, ...said }));
  });
}

let dataDir: string;
let broker: EmbeddedBroker;
let segment: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'odradek-offline-'));
  segment = join(dataDir, 't-0', '00000000000000000000.log');
  // Nothing is written meanwhile that a command could be taken for.
  const config = Object.fromEntries(CHECKPOINTS.map((name) => [`${name}.checkpoint.interval.ms`, 3_600_000]));
  broker = await startBroker({ dataDir, logLevel: 'silent', config });
  const client = await WireClient.connect(broker.port);
  await createTopic(client, 't');
  const request = produceRequest({ topic: 't', values: ['one', 'two'] });
  await client.call({ api: apis.Produce, version: 7, request });
  client.close();
});

afterAll(async () => {
  await broker.close();
  rmSync(dataDir, { recursive: true, force: true });
});

it('while a broker runs, what reads says so and goes on', async () => {
  const [verified, dumped] = await Promise.all([
    odradek('verify', dataDir),
    odradek('dump-log', '--print-data-log', segment),
  ]);
  expect(verified.stderr).toContain(`${dataDir} is in use by process ${process.pid}: what is being written may look`);
  expect(verified).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nverified 1 partitions, 0.0 MB: 0 problems/),
  });
  expect(dumped).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/ payload: two\n$/) });
});

it('export does not touch what a broker works on', async () => {
  const before = readdirSync(dataDir).sort();
  const copy = join(dataDir, '..', 'never');
  const ended = await odradek('export', dataDir, copy);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe(`${dataDir} is in use by process ${process.pid}: stop the broker first\n`);
  expect(readdirSync(dataDir).sort()).toEqual(before);
});

it('dump-log takes files as Kafka does, and ends with 1 where one cannot be read', async () => {
  const none = join(dataDir, 't-0', '00000000000000000007.log');
  const [both, unknown, nothing] = await Promise.all([
    odradek('dump-log', '--deep-iteration', '--files', `${none},${segment}`),
    odradek('dump-log', '--value-decoder-class', 'my.Decoder', segment),
    odradek('dump-log'),
  ]);
  expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining(`Cannot read ${none}: ENOENT`) });
  expect(both.stdout).toContain('\n| offset: 1 CreateTime: 1 keySize: -1 valueSize: 3 sequence: -1 headerKeys: []\n');
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('there are StringDecoder, ') });
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('no files') });
});

describe('when it was stopped', () => {
  beforeAll(() => broker.close());

  it('verify ends with 0, with 1 for problems, with 2 where there is nothing to check', async () => {
    const before = readdirSync(dataDir).sort();
    const [sound, nothing] = await Promise.all([odradek('verify', dataDir), odradek('verify')]);
    expect(sound).toEqual({ code: 0, stdout: 'verified 1 partitions, 0.0 MB: 0 problems, 0 notes\n', stderr: '' });
    expect(nothing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('missing required') });
    expect(readdirSync(dataDir).sort()).toEqual(before);

    const whole = readFileSync(segment);
    writeFileSync(segment, whole.subarray(0, whole.length - 1));
    const damaged = await odradek('verify', '--json', dataDir);
    writeFileSync(segment, whole);
    const [finding, ...others] = damaged.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(damaged).toMatchObject({ code: 1, stderr: '' });
    expect(finding).toMatchObject({ severity: 'problem', file: segment, position: 0 });
    expect(others.at(-1)).toMatchObject({ summary: { partitions: 1 } });
  });

  it('export makes a copy and tells with what Kafka is to be started', async () => {
    const copy = join(dataDir, 'copy');
    const within = await odradek('export', dataDir, copy);
    expect(within).toMatchObject({ code: 1, stderr: `${copy} lies within the data directory ${dataDir}\n` });
    const [exported, nowhere] = await Promise.all([
      odradek('export', dataDir, `${dataDir}-copy`),
      odradek('export', dataDir),
    ]);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout).toContain(
      `\nstart Kafka with node.id=1 and log.dirs=${dataDir}-copy; cluster.id is ${broker.clusterId}\n`,
    );
    expect(readdirSync(`${dataDir}-copy`)).toEqual(expect.arrayContaining(['__cluster_metadata-0', 't-0']));
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('where to?') });
    rmSync(`${dataDir}-copy`, { recursive: true });
  });
});

it.each([
  ['around the data directory, by a link', 'up', / holds the data directory .*source$/m],
  ['behind a link that leads nowhere', 'nowhere', /cannot use .*nowhere: ENOENT/],
  ['within a partition that is a link', 'disk/t-0/copy', / lies within a partition of the data directory, .*t-0$/m],
])('export refuses a target %s', async (_, target, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'odradek-export-'));
  const source = join(folder, 'source');
  for (const name of [source, join(folder, 'disk/t-0')]) mkdirSync(name, { recursive: true });
  for (const name of ['meta.properties', 'odradek-metadata.journal'])
    writeFileSync(join(source, name), readFileSync(join(dataDir, name)));
  symlinkSync(folder, join(folder, 'up'));
  symlinkSync(join(folder, 'none'), join(folder, 'nowhere'));
  symlinkSync(join(folder, 'disk/t-0'), join(source, 't-0'));
  const before = readdirSync(folder, { recursive: true });
  const ended = await odradek('export', source, join(folder, target));
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) });
  const locks = /\.lock/;
  expect(readdirSync(folder, { recursive: true }).filter((name) => !locks.test(String(name)))).toEqual(before);
  rmSync(folder, { recursive: true });
});
