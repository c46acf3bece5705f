/**
 * `kill -9` under load, again and again (`CRASH_ROUNDS`, 5 by default; one data directory, one port): with an
 * idempotent producer every acknowledged record is there, in order, once, at the offset that was told, and
 * unacknowledged ones at most once; without idempotence none is lost; a consumer goes on from its commits; topics are
 * there or gone as it was acknowledged. Some kills hit the start itself. Segments are small and background work is
 * frequent, so that kills hit that, too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrokerOptions, type BrokerProcess, killWhileStarting, startBrokerProcess } from '../broker-process';
import { type Checks, commandExists, runChecks } from '../checks';
import { kafkaClient, type Load, type Reader, readAll, startJavaLoad, startKafkajsLoad, startReader } from './loads';
import { startTopicLoad } from './topics';

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 5);
const LEAST_LOAD_MS = 300;
const MOST_LOAD_MS = 1500;
const PATIENCE_MS = 60_000;
/** How late a start is killed at most; it may be ready by then. */
const LONGEST_START_MS = 500;
const BUSY = [
  'log.flush.offset.checkpoint.interval.ms=300',
  'log.flush.start.offset.checkpoint.interval.ms=300',
  'replica.high.watermark.checkpoint.interval.ms=300',
  'log.flush.scheduler.interval.ms=200',
  'log.retention.check.interval.ms=400',
  'offsets.topic.num.partitions=5',
];
const TOPIC_SETTINGS = { 'segment.bytes': '200000', 'flush.ms': '200' };

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(what: string, holds: () => boolean, missing: () => string = () => ''): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what} ${missing()}`);
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
  const configEntries = Object.entries(TOPIC_SETTINGS).map(([name, value]) => ({ name, value }));
  const topics = ['java', 'kafkajs', 'plain'].map((topic) => ({ topic, numPartitions: 1, configEntries }));
  await admin.createTopics({ topics });
  await admin.disconnect();
  const idempotent = [await startKafkajsLoad(bootstrap, 'kafkajs', true)];
  if (commandExists('java')) idempotent.push(await startJavaLoad(bootstrap, 'java'));
  return { idempotent, plain: await startKafkajsLoad(bootstrap, 'plain', false) };
}

/** Starts the broker again; none, one or two starts do not come to their end before. */
async function restart(options: BrokerOptions & { dataDir: string }, round: number): Promise<BrokerProcess> {
  for (let kills = round % 3; kills > 0; kills--) await killWhileStarting(options, Math.random() * LONGEST_START_MS);
  return startBrokerProcess(options);
}

async function suite(checks: Checks): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-crash-'));
  const options = { dataDir, overrides: BUSY };
  let broker: BrokerProcess = await startBrokerProcess(options);
  const { bootstrap, port } = broker;
  const { idempotent, plain } = await startLoads(bootstrap);
  const reader = await startReader(bootstrap, 'plain');
  const topics = startTopicLoad(bootstrap);
  await until(
    'every load runs',
    () => [...idempotent, plain].every((load) => load.acknowledged.size > 0) && reader.values.length > 0,
  );

  for (let round = 1; round <= ROUNDS; round++) {
    await checks.check(
      `kill ${round} of ${ROUNDS}: the broker comes back, commits and topics hold, loads go on`,
      async () => {
        await sleep(LEAST_LOAD_MS + Math.random() * (MOST_LOAD_MS - LEAST_LOAD_MS));
        const committed = reader.committed();
        await broker.kill();
        broker = await restart({ ...options, port }, round);
        const kept = await committedOffset(bootstrap, reader);
        if (kept < committed) throw new Error(`committed ${committed}, kept ${kept}`);
        const wrong = await topics.wrong();
        if (wrong.length > 0) throw new Error(wrong.join(', '));
        const counts = (): [string, number][] => [
          ...[...idempotent, plain].map(({ topic, acknowledged }): [string, number] => [topic, acknowledged.size]),
          ['topics', topics.changes()],
        ];
        const before = counts();
        const stuck = (): string[] =>
          counts().flatMap(([name, count], at) => (count > before[at]![1] ? [] : [`${name} stands at ${count}`]));
        await until(
          'every load goes on',
          () => stuck().length === 0,
          () => stuck().join(', '),
        );
      },
    );
  }
  for (const load of [...idempotent, plain, topics]) await load.stop();

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
