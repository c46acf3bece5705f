/** The README's own examples, run as they stand there; only the address is another. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrokerProcess, startBrokerProcess } from '../broker-process';
import { commandExists, run } from '../checks';

const ROOT = path.join(__dirname, '..', '..');
const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

let broker: BrokerProcess;
let project: string;

beforeAll(async () => {
  broker = await startBrokerProcess();
  project = mkdtempSync(path.join(tmpdir(), 'odradek-readme-'));
  mkdirSync(path.join(project, 'node_modules'));
  symlinkSync(ROOT, path.join(project, 'node_modules', 'odradek'));
  symlinkSync(path.join(ROOT, 'node_modules', 'kafkajs'), path.join(project, 'node_modules', 'kafkajs'));
});

afterAll(async () => {
  await broker.stop();
  rmSync(project, { recursive: true });
});

/** The code block that holds `word`, with this broker's address. */
function example(word: string): string {
  const blocks = [...README.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block]) => block ?? '');
  const block = blocks.find((text) => text.includes(word));
  if (block === undefined) throw new Error(`no example has ${word}`);
  return block.replaceAll('localhost:9092', `localhost:${broker.port}`);
}

it('kafkajs', async () => {
  writeFileSync(
    path.join(project, 'send.js'),
    `${example('.producer();\nproducer.connect()')}\nsetTimeout(process.exit, 2000);`,
  );
  await run(process.execPath, ['send.js'], { cwd: project });
  const offsets = `
    const { Kafka } = require('kafkajs');
    const admin = new Kafka({ brokers: ['${broker.bootstrap}'] }).admin();
    void admin.connect().then(async () => {
      console.log(JSON.stringify(await admin.fetchTopicOffsets('greetings')));
      await admin.disconnect();
    });
  `;
  writeFileSync(path.join(project, 'offsets.js'), offsets);
  const told = await run(process.execPath, ['offsets.js'], { cwd: project });
  expect(JSON.parse(told)).toMatchObject([{ partition: 0, low: '0', high: '1' }]);
});

it('a test of somebody else', async () => {
  writeFileSync(path.join(project, 'package.json'), '{"private": true}');
  writeFileSync(path.join(project, 'example.test.js'), example('beforeAll'));
  const jest = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  await run(process.execPath, [jest, '--rootDir', project, '--ci'], { cwd: project });
});

it('kcat, where it is installed', async () => {
  const [produce = '', consume = ''] = example('kcat -b').split('\n');
  if (!commandExists('kcat')) return;
  await run('sh', ['-c', produce.replace('greetings', 'licence')], { cwd: ROOT });
  const read = await run('sh', ['-c', `${consume.replace('greetings', 'licence')} -q`], { cwd: ROOT });
  expect(read).toBe(readFileSync(path.join(ROOT, 'LICENSE'), 'utf8').replace(/^\n/gm, ''));
});
