/**
 * `kill -9` under load, again and again (`CRASH_ROUNDS`, 5 by default; one port, data in two directories), with all
 * that changes a log at work: producers idempotent and plain, of all codecs and of the oldest formats, compaction,
 * retention, DeleteRecords, topics that come and go, a group that commits. What was acknowledged is there afterwards:
 * in order, once, at the offset that was told where the producer was idempotent; log starts, commits and topics hold.
 * Some kills hit the start itself. Segments are small and background work is frequent, so that kills hit that, too.
 * With `CRASH_FLUSH=1` every append waits for its fsync.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrokerOptions, type BrokerProcess, killWhileStarting, startBrokerProcess } from '../broker-process';
import { type Checks, commandExists, runChecks } from '../checks';
import { ALL_COMPRESSIONS, registerCodecs } from './codecs';
import { type Deletions, startDeletions } from './deletions';
import { startLegacyLoad } from './legacy-load';
import { kafkaClient, type Load, type Reader, startJavaLoad, startKafkajsLoad, startReader } from './loads';
import { checkCompacted, checkNoneLost, checkOnce, type KeyedLoad } from './log-checks';
import { NUMBER_HEADER } from './log-content';
import { startTopicLoad, type TopicLoad } from './topics';

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 5);
const LEAST_LOAD_MS = 300;
const MOST_LOAD_MS = 1500;
const PATIENCE_MS = 60_000;
/** How late a start is killed at most; it may be ready by then. */
const LONGEST_START_MS = 500;
const KEYS = 50;
const TOMBSTONE_EVERY = 17;
const BUSY = [
  'log.flush.offset.checkpoint.interval.ms=300',
  'log.flush.start.offset.checkpoint.interval.ms=300',
  'replica.high.watermark.checkpoint.interval.ms=300',
  'log.flush.scheduler.interval.ms=200',
  'log.retention.check.interval.ms=400',
  'log.cleaner.backoff.ms=150',
  'log.cleaner.min.cleanable.ratio=0.01',
  'log.cleaner.dedupe.buffer.size=2097152',
  'offsets.topic.num.partitions=5',
  'offsets.topic.segment.bytes=20000',
  ...(process.env.CRASH_FLUSH === '1' ? ['log.flush.interval.messages=1'] : []),
];
const SETTINGS: Readonly<Record<string, string>> = {
  'segment.bytes': '200000',
  'flush.ms': '200',
  'file.delete.delay.ms': '300',
};
const TOPICS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  java: {},
  kafkajs: {},
  plain: {},
  legacy: { 'compression.type': 'lz4' },
  compacted: { 'cleanup.policy': 'compact', 'segment.bytes': '20000', 'delete.retention.ms': '500' },
  retained: { 'segment.bytes': '10000', 'retention.bytes': '10000' },
  trimmed: { 'segment.bytes': '20000' },
};

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

interface Loads {
  /** Of idempotent producers. */
  readonly once: readonly Load[];
  readonly plain: Load;
  readonly legacy: Load;
  readonly compacted: KeyedLoad;
  readonly retained: Load;
  readonly trimmed: Load;
}

async function createTopics(bootstrap: string): Promise<void> {
  const admin = kafkaClient(bootstrap).admin();
  await admin.connect();
  const topics = Object.entries(TOPICS).map(([topic, own]) => ({
    topic,
    numPartitions: 1,
    configEntries: Object.entries({ ...SETTINGS, ...own }).map(([name, value]) => ({ name, value })),
  }));
  await admin.createTopics({ topics });
  await admin.disconnect();
}

async function startCompactedLoad(bootstrap: string): Promise<KeyedLoad> {
  const keyOf = (number: number): string => `k${number % KEYS}`;
  const isTombstone = (number: number): boolean => number % TOMBSTONE_EVERY === 0;
  const load = await startKafkajsLoad(bootstrap, 'compacted', {
    idempotent: true,
    compressions: ALL_COMPRESSIONS,
    message: (number) => ({
      key: keyOf(number),
      value: isTombstone(number) ? null : String(number),
      headers: { [NUMBER_HEADER]: String(number) },
    }),
  });
  return { ...load, keyOf, isTombstone };
}

async function startLoads({ bootstrap, port }: BrokerProcess): Promise<Loads> {
  await createTopics(bootstrap);
  const once = [await startKafkajsLoad(bootstrap, 'kafkajs', { idempotent: true, compressions: ALL_COMPRESSIONS })];
  if (commandExists('java')) once.push(await startJavaLoad(bootstrap, 'java'));
  const idempotent = { idempotent: true };
  return {
    once,
    plain: await startKafkajsLoad(bootstrap, 'plain', { idempotent: false }),
    legacy: startLegacyLoad(port, 'legacy'),
    compacted: await startCompactedLoad(bootstrap),
    retained: await startKafkajsLoad(bootstrap, 'retained', idempotent),
    trimmed: await startKafkajsLoad(bootstrap, 'trimmed', idempotent),
  };
}

/** What goes on while the broker is killed. */
interface Work {
  readonly loads: Loads;
  readonly reader: Reader;
  readonly topics: TopicLoad;
  readonly deletions: Deletions;
}

function allLoads({ once, plain, legacy, compacted, retained, trimmed }: Loads): Load[] {
  return [...once, plain, legacy, compacted, retained, trimmed];
}

/** How far everything has come, by name. */
function progress({ loads, topics, deletions, reader }: Work): [string, number][] {
  return [
    ...allLoads(loads).map(({ topic, acknowledged }): [string, number] => [topic, acknowledged.size]),
    ['reader', reader.values.length],
    ['topics', topics.changes()],
    ['deletions', deletions.count()],
  ];
}

async function goesOn(work: Work, before: readonly [string, number][]): Promise<void> {
  const stuck = (): string[] =>
    progress(work).flatMap(([name, count], at) => (count > before[at]![1] ? [] : [`${name} stands at ${count}`]));
  await until(
    'everything goes on',
    () => stuck().length === 0,
    () => stuck().join(', '),
  );
}

/** Starts the broker again; none, one or two starts do not come to their end before. */
async function restart(options: StartOptions, round: number): Promise<BrokerProcess> {
  for (let kills = round % 3; kills > 0; kills--) await killWhileStarting(options, Math.random() * LONGEST_START_MS);
  return startBrokerProcess(options);
}

/** Kills the broker under load and starts it again; gives the new one, and throws where something does not hold. */
async function round(work: Work, number: number, o: { broker: BrokerProcess; options: StartOptions }) {
  const { broker, options } = o;
  const { reader, topics, deletions } = work;
  await sleep(LEAST_LOAD_MS + Math.random() * (MOST_LOAD_MS - LEAST_LOAD_MS));
  const [committed, start] = [reader.committed(), deletions.startOffset()];
  await broker.kill();
  const next = await restart({ ...options, port: broker.port }, number);
  const check = async (): Promise<void> => {
    const kept = await committedOffset(broker.bootstrap, reader);
    if (kept < committed) throw new Error(`committed ${committed}, kept ${kept}`);
    const wrong = [...(await topics.wrong()), await deletions.wrong(start)].filter((text) => text !== undefined);
    if (wrong.length > 0) throw new Error(wrong.join(', '));
    await goesOn(work, progress(work));
  };
  return { next, check };
}

async function checkLogs(checks: Checks, port: number, { loads, reader }: Work): Promise<void> {
  for (const load of loads.once) {
    await checks.check(`${load.topic}: acknowledged records are there, in order, once`, () => checkOnce(port, load));
  }
  const { plain, legacy, compacted, retained, trimmed } = loads;
  for (const load of [plain, legacy]) {
    await checks.check(`${load.topic}: no acknowledged record is lost`, () => checkNoneLost(port, load));
  }
  await checks.check('compacted: the newest record of each key is there', () => checkCompacted(port, compacted));
  for (const load of [retained, trimmed]) {
    await checks.check(`${load.topic}: what was not deleted is there, in order, once`, () =>
      checkOnce(port, load, { mustHaveMoved: true }),
    );
  }
  await checks.check('the consumer has read every acknowledged record', async () => {
    const allRead = (): boolean => {
      const read = new Set(reader.values);
      return [...plain.acknowledged.keys()].every((value) => read.has(value));
    };
    await until('all is read', allRead);
  });
}

type StartOptions = BrokerOptions & { readonly dataDir: string };

async function suite(checks: Checks): Promise<void> {
  registerCodecs();
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-crash-'));
  const dataDir = ['a', 'b'].map((name) => path.join(folder, name)).join(',');
  const options: StartOptions = { dataDir, overrides: BUSY };
  let broker: BrokerProcess = await startBrokerProcess(options);
  const { bootstrap, port } = broker;
  const loads = await startLoads(broker);
  const work: Work = {
    loads,
    reader: await startReader(bootstrap, 'plain'),
    topics: startTopicLoad(bootstrap),
    deletions: startDeletions(port, loads.trimmed),
  };
  await goesOn(
    work,
    progress(work).map(([name]) => [name, 0]),
  );
  for (let number = 1; number <= ROUNDS; number++) {
    await checks.check(`kill ${number} of ${ROUNDS}: it comes back, all holds, all goes on`, async () => {
      const { next, check } = await round(work, number, { broker, options });
      broker = next;
      await check();
    });
  }
  for (const load of [...allLoads(loads), work.topics, work.deletions]) await load.stop();
  await checkLogs(checks, port, work);
  await work.reader.stop();
  await checks.check('the broker ends cleanly', async () => {
    const code = await broker.stop();
    if (code !== 0) throw new Error(`exit code ${code}\n${broker.log()}`);
  });
  rmSync(folder, { recursive: true });
}

runChecks(suite);
