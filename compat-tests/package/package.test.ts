/** The package as others install it: what is in it, its two entries, its types, its command. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../checks';

const ROOT = path.join(__dirname, '..', '..');
const COMMAND = path.join(ROOT, 'dist', 'main.js');

let project: string;

/** A project that has the package (and kafkajs, and Node's types) among its dependencies. */
beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'odradek-package-'));
  mkdirSync(path.join(project, 'node_modules', '@types'), { recursive: true });
  symlinkSync(ROOT, path.join(project, 'node_modules', 'odradek'));
  for (const name of ['kafkajs', '@types/node', 'undici-types']) {
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(project, 'node_modules', name));
  }
  writeFileSync(path.join(project, 'package.json'), '{"private": true}');
});

afterAll(() => rmSync(project, { recursive: true }));

function node(file: string, text: string): Promise<string> {
  writeFileSync(path.join(project, file), text);
  return run(process.execPath, [file], { cwd: project, timeoutMs: 20_000 });
}

/** Sends and reads one record through a broker of its own; the process must end by itself afterwards. */
const SESSION = `
  const broker = await startBroker({ port: 0, storage: 'memory' });
  const kafka = new Kafka({ brokers: [broker.bootstrap], logLevel: 0 });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: 'greetings', messages: [{ value: 'hello' }] });
  await producer.disconnect();
  const consumer = kafka.consumer({ groupId: 'readers', maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic: 'greetings', fromBeginning: true });
  const value = await new Promise((resolve) => {
    void consumer.run({ eachMessage: async ({ message }) => resolve(String(message.value)) });
  });
  await consumer.disconnect();
  await broker.close();
  console.log(value);
`;

it('works by require', async () => {
  const entry = "const { startBroker } = require('odradek'); const { Kafka } = require('kafkajs');";
  expect(await node('required.cjs', `${entry}\nvoid (async () => {${SESSION}})();`)).toBe('hello\n');
});

it('works by import', async () => {
  const entry = "import { startBroker } from 'odradek'; import { Kafka } from 'kafkajs';";
  expect(await node('imported.mjs', `${entry}\n${SESSION}`)).toBe('hello\n');
});

it('is one module, however it is loaded', async () => {
  const text = `
    import { createRequire } from 'node:module';
    import { startBroker } from 'odradek';
    console.log(createRequire(import.meta.url)('odradek').startBroker === startBroker);
  `;
  expect(await node('same.mjs', text)).toBe('true\n');
});

it('works inside Jest', async () => {
  const { startBroker } = require('../../dist/index.js') as typeof import('../../src/index');
  const brokers = await Promise.all([startBroker(), startBroker()]);
  expect(new Set(brokers.map(({ bootstrap }) => bootstrap)).size).toBe(2);
  await Promise.all(brokers.map((broker) => broker.close()));
});

it('has types for both kinds of module', async () => {
  const use = `
    import { type EmbeddedBroker, startBroker } from 'odradek';
    export async function start(): Promise<string> {
      const broker: EmbeddedBroker = await startBroker({ port: 0, storage: 'memory' });
      await broker.close();
      return broker.bootstrap + broker.host + broker.port.toFixed();
    }
    // @ts-${'expect-error'}: a wrong option is an error
    void startBroker({ port: 'any' });
  `;
  writeFileSync(path.join(project, 'use.cts'), use);
  writeFileSync(path.join(project, 'use.mts'), use);
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--noEmit', '--strict', '--module', 'node16', '--target', 'es2022', '--types', 'node'];
  await run(process.execPath, [compiler, ...options, 'use.cts', 'use.mts'], { cwd: project });
});

it('holds what is needed to run it, and no tests', async () => {
  const packed = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  const paths = files.map((file) => file.path);
  const wanted = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.mjs', 'dist/index.d.ts'];
  expect(paths).toEqual(expect.arrayContaining([...wanted, 'dist/index.d.mts', 'dist/main.js']));
  const strangers = paths.filter((name) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(name));
  expect(strangers).toEqual([]);
  expect(paths.filter((name) => /\.test\.|testing/.test(name))).toEqual([]);
});

it('has a command that runs by itself', async () => {
  expect(readFileSync(COMMAND, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(statSync(COMMAND).mode & 0o111).toBe(0o111);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(await run(process.execPath, [COMMAND, '--version'])).toBe(`${version}\n`);
  expect(await run(process.execPath, [COMMAND, 'start', '--help'])).toMatch(/--data-dir/);
});

it('no dependency compiles or downloads anything on install', () => {
  const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; hasInstallScript?: boolean; resolved?: string }>;
  };
  const needed = Object.entries(lock.packages).filter(([name, { dev }]) => name !== '' && dev !== true);
  // koffi's script looks whether its prebuilt binary fits, and ends there; the package is optional besides.
  const scripted = needed.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name);
  expect(scripted).toEqual(['node_modules/koffi']);
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});
