/**
 * `kill -9` under load, again and again (`CRASH_ROUNDS`, 5 by default; one data directory, one port): with an
 * idempotent producer every acknowledged record is there, in order, once, at the offset that was told, and
 * unacknowledged ones at most once; without idempotence none is lost; a consumer goes on from its commits.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrokerProcess, startBrokerProcess } from '../broker-process';
import { type Checks, commandExists, runChecks } from '../checks';
import { kafkaClient, type Load, type Reader, readAll, startJavaLoad, startKafkajsLoad, startReader } from './loads';

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 5);
const LEAST_LOAD_MS = 300;
const MOST_LOAD_MS = 1500;
const PATIENCE_MS = 60_000;

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
    await sleep(50);
  }
}

async function committedOffset(bootstrap: string, { groupId, topic }: Reader): Promise<number> {
  const admin = kafkaClient(bootstrap).admin();
  await admin.connect();
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  return Number(offsets?.partitions[0]?.offset);
}

/** What is wrong with the log of an idempotent producer; values were sent in order from 0. */
async function checkOnce(bootstrap: string, load: Load): Promise<void> {
  const log = await readAll(bootstrap, load.topic);
  const places = new Map<number, string>();
  let last = -1;
  for (const { value, offset } of log) {
    if (places.has(value)) throw new Error(`${value} is there twice: at ${places.get(value)} and ${offset}`);
    if (value < last) throw new Error(`${value} at ${offset} stands behind ${last}`);
    places.set(value, offset);
    last = value;
  }
  for (const [value, offset] of load.acknowledged) {
    if (places.get(value) === offset) continue;
    throw new Error(`${value} was acknowledged at ${offset}; it is at ${places.get(value) ?? 'no place'}`);
  }
  console.log(`        ${load.acknowledged.size} acknowledged, ${log.length} there`);
}

async function checkNoneLost(bootstrap: string, load: Load): Promise<void> {
  const log = await readAll(bootstrap, load.topic);
  const there = new Set(log.map(({ value }) => value));
  const lost = [...load.acknowledged.keys()].filter((value) => !there.has(value));
  if (lost.length > 0) throw new Error(`${lost.length} acknowledged records are lost, the first is ${lost[0]}`);
  console.log(`        ${load.acknowledged.size} acknowledged, ${log.length} there`);
}

async function startLoads(bootstrap: string): Promise<{ idempotent: Load[]; plain: Load }> {
  const admin = kafkaClient(bootstrap).admin();
  await admin.connect();
  await admin.createTopics({ topics: ['java', 'kafkajs', 'plain'].map((topic) => ({ topic, numPartitions: 1 })) });
  await admin.disconnect();
  const idempotent = [await startKafkajsLoad(bootstrap, 'kafkajs', true)];
  if (commandExists('java')) idempotent.push(await startJavaLoad(bootstrap, 'java'));
  return { idempotent, plain: await startKafkajsLoad(bootstrap, 'plain', false) };
}

async function suite(checks: Checks): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-crash-'));
  let broker: BrokerProcess = await startBrokerProcess({ dataDir });
  const { bootstrap, port } = broker;
  const { idempotent, plain } = await startLoads(bootstrap);
  const reader = await startReader(bootstrap, 'plain');
  await until(
    'every load runs',
    () => [...idempotent, plain].every((load) => load.acknowledged.size > 0) && reader.values.length > 0,
  );

  for (let round = 1; round <= ROUNDS; round++) {
    await checks.check(`kill ${round} of ${ROUNDS}: the broker comes back, commits hold, loads go on`, async () => {
      await sleep(LEAST_LOAD_MS + Math.random() * (MOST_LOAD_MS - LEAST_LOAD_MS));
      const committed = reader.committed();
      await broker.kill();
      broker = await startBrokerProcess({ dataDir, port });
      const kept = await committedOffset(bootstrap, reader);
      if (kept < committed) throw new Error(`committed ${committed}, kept ${kept}`);
      const loads = [...idempotent, plain];
      const before = loads.map(({ acknowledged }) => acknowledged.size);
      await until('every load goes on', () =>
        loads.every(({ acknowledged }, at) => acknowledged.size > (before[at] ?? 0)),
      );
    });
  }
  for (const load of [...idempotent, plain]) await load.stop();

  for (const load of idempotent) {
    await checks.check(`${load.topic}, idempotent: acknowledged records are there, in order, once`, () =>
      checkOnce(bootstrap, load),
    );
  }
  await checks.check('plain: no acknowledged record is lost', () => checkNoneLost(bootstrap, plain));
  await checks.check('the consumer has read every acknowledged record', async () => {
    const allRead = (): boolean => {
      const read = new Set(reader.values);
      return [...plain.acknowledged.keys()].every((value) => read.has(value));
    };
    await until('all is read', allRead);
  });
  await reader.stop();
  await checks.check('the broker ends cleanly', async () => {
    const code = await broker.stop();
    if (code !== 0) throw new Error(`exit code ${code}\n${broker.log()}`);
  });
  rmSync(dataDir, { recursive: true });
}

runChecks(suite);
