/** What a client's first requests load in a process that has loaded ahead: nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { loadAhead } from './load-ahead';

const ROOT = resolve(__dirname, '..');

/** Tells its address, and at the end of its input what was loaded since. */
const SCRIPT = `
const { systemClock } = require(${JSON.stringify(join(__dirname, 'base/clock.ts'))});
const { loadAhead } = require(${JSON.stringify(join(__dirname, 'load-ahead.ts'))});
const { startBroker } = require(${JSON.stringify(join(__dirname, 'start-broker.ts'))});
async function run() {
  const broker = await startBroker({ logLevel: 'silent' });
  // Behind what the broker itself loads, in the same order.
  await loadAhead(systemClock);
  const before = new Set(Object.keys(require.cache));
  console.log(broker.bootstrap);
  process.stdin.resume().on('end', async () => {
    console.log(JSON.stringify(Object.keys(require.cache).filter((path) => !before.has(path))));
    await broker.close();
  });
}
run();
`;

describe('loadAhead', () => {
  let directory: string;
  let child: ChildProcess;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'odradek-load-ahead-'));
    writeFileSync(join(directory, 'broker.ts'), SCRIPT);
    child = spawn(process.execPath, [join(ROOT, 'tools/run.js'), join(directory, 'broker.ts')], { cwd: ROOT });
  });

  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  function nextLine(): Promise<string> {
    return new Promise((done, fail) => {
      child.stdout!.once('data', (data: Buffer) => done(data.toString().trim()));
      child.stderr!.once('data', (data: Buffer) => fail(new Error(data.toString())));
    });
  }

  it('leaves nothing to load to a first producer and consumer', async () => {
    const kafka = new Kafka({ brokers: [await nextLine()], logLevel: logLevel.NOTHING });
    const producer = kafka.producer({ createPartitioner: () => () => 0 });
    await producer.connect();
    await producer.send({ topic: 't', compression: CompressionTypes.GZIP, messages: [{ value: 'first' }] });
    await producer.disconnect();
    const consumer = kafka.consumer({ groupId: 'g' });
    await consumer.connect();
    await consumer.subscribe({ topic: 't', fromBeginning: true });
    const value = await new Promise((done, fail) => {
      consumer.run({ eachMessage: async ({ message }) => done(String(message.value)) }).catch(fail);
    });
    await consumer.disconnect();
    expect(value).toBe('first');
    child.stdin!.end();
    expect(JSON.parse(await nextLine())).toEqual([]);
  });

  it('gives others a turn before each module', async () => {
    const turns: (() => void)[] = [];
    let isLoaded = false;
    const loading = loadAhead({ immediate: (run) => turns.push(run) }).then(() => {
      isLoaded = true;
    });
    let count = 0;
    for (; !isLoaded && count < 1000; count++) {
      expect(turns).toHaveLength(1);
      turns.pop()!();
      await new Promise((done) => setImmediate(done));
    }
    await loading;
    expect(count).toBeGreaterThan(10);
  });
});
