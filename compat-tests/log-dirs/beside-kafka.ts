/**
 * The same life of log directories beside a real Kafka with two of them: requests on the wire, and what
 * kafka-log-dirs and kafka-reassign-partitions say. Only paths and addresses may differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildBatch } from '../../src/records/batch-builder';
import { WireClient } from '../../src/testing/wire-client';
import { startBrokerProcess } from '../broker-process';
import { type Checks, expectSame, run } from '../checks';
import { kafkaJars } from '../clients/java/jars';
import { startReferenceKafka } from '../reference-kafka';
import { listOffset, produce } from '../scenarios/data-calls';
import { createTopic, describeDirs, moveTo, placesOf, sleep } from './directory-calls';

const VERSION = '4.4.0';
const JAVA_OPTIONS = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
const TOPIC = 'placed';
const PATIENCE_MS = 20_000;

interface Side {
  readonly bootstrap: string;
  readonly home: string;
  readonly stop: () => Promise<unknown>;
}

const dirsOf = (home: string): [string, string] => [path.join(home, 'a'), path.join(home, 'b')];

async function startSides(): Promise<{ theirs: Side; ours: Side }> {
  const [theirHome, ourHome] = ['kafka', 'odradek'].map((name) => mkdtempSync(path.join(tmpdir(), `${name}-dirs-`)));
  const dirs = dirsOf(theirHome!);
  const [kafka, odradek] = await Promise.all([
    startReferenceKafka({ version: VERSION, dataDir: dirs[0], overrides: [`log.dirs=${dirs.join(',')}`] }),
    startBrokerProcess({ dataDir: dirsOf(ourHome!).join(','), overrides: ['node.id=1'] }),
  ]);
  return {
    theirs: { bootstrap: kafka.bootstrap, home: theirHome!, stop: () => kafka.stop() },
    ours: { bootstrap: odradek.bootstrap, home: ourHome!, stop: () => odradek.stop() },
  };
}

/** What a client hears, one line for each request. */
async function heard({ bootstrap, home }: Side): Promise<string> {
  const [a, b] = dirsOf(home);
  const lines: string[] = [];
  const [host = '', port = ''] = bootstrap.split(':');
  const client = await WireClient.connect(Number(port), { host });
  const move = async (to: string, topic: string, partition = 0): Promise<void> => {
    lines.push(`move ${topic.slice(0, 20)}-${partition} to ${to}: ${await moveTo(client, to, { topic, partition })}`);
  };
  const describe = async (...topics: string[]): Promise<void> => {
    for (const { logDir, errorCode, topics: found, totalBytes, usableBytes } of await describeDirs(client, ...topics)) {
      const partitions = found.flatMap(({ name, partitions: each }) =>
        each.map((one) => `${name}-${one.partitionIndex} ${one.partitionSize} ${one.offsetLag} ${one.isFutureKey}`),
      );
      lines.push(`${logDir} ${errorCode} ${totalBytes > 0} ${usableBytes > 0}: ${partitions.sort().join(', ')}`);
    }
  };
  const moved = async (to: string): Promise<void> => {
    await move(to, TOPIC);
    await untilIn(client, to);
    await describe(TOPIC);
    for (const timestamp of [-1, -2, -3, 1002]) {
      const { offset, timestamp: found, leaderEpoch } = await listOffset(client, { topic: TOPIC, timestamp });
      lines.push(`${timestamp} is at ${offset}, ${found}, epoch ${leaderEpoch}`);
    }
  };
  await createTopic(client, TOPIC, { configs: { 'retention.ms': '-1' } });
  await untilServed(client, TOPIC, 0);
  await describe();
  for (const from of [1000, 1003, 1001]) await append(client, from);
  for (const to of [a, b, b, a]) await moved(to);
  await append(client, 1005);
  await describe('none', TOPIC);
  for (const to of ['/nowhere', `${a}/`, '', 'b']) await move(to, TOPIC);
  await move(b, TOPIC, 7);
  await move(b, 'none');
  await move(b, 'l'.repeat(240));
  for (const partition of [0, 1, 2]) await move(b, 'wished', partition);
  await createTopic(client, 'wished', { partitions: 4 });
  for (const partition of [0, 1, 2, 3]) await untilServed(client, 'wished', partition);
  await describe('wished');
  client.close();
  return lines.join('\n').replaceAll(home, 'HOME');
}

async function append(client: WireClient, timestamp: number): Promise<void> {
  const records = [0, 1, 2].map((i) => ({ timestamp: timestamp + i, key: null, value: Buffer.alloc(100) }));
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { errorCode } = await produce(client, { topic: TOPIC, records: buildBatch({ records }) });
    if (errorCode === 0) return;
    if (performance.now() > deadline) throw new Error(`produce: error ${errorCode}`);
    await sleep(100);
  }
}

async function untilIn(client: WireClient, to: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const places = await placesOf(client, { topic: TOPIC });
    if (places.length === 1 && places[0]!.path === to) return;
    if (performance.now() > deadline) throw new Error(`not in ${to} but in ${JSON.stringify(places)}`);
    await sleep(100);
  }
}

async function untilServed(client: WireClient, topic: string, partition: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while ((await listOffset(client, { topic, partition, timestamp: -1 })).errorCode !== 0) {
    if (performance.now() > deadline) throw new Error(`${topic}-${partition} is not served`);
    await sleep(100);
  }
}

type Tool = readonly [main: string, ...words: string[]];

/** A plan that puts the partition into these directories. */
function plan(home: string, ...logDirs: string[]): string {
  const file = path.join(home, `plan-${logDirs.join('-').replace(/\W/g, '_')}.json`);
  const partitions = [{ topic: TOPIC, partition: 0, replicas: [1], log_dirs: logDirs }];
  writeFileSync(file, JSON.stringify({ version: 1, partitions }));
  return file;
}

function tools(home: string): readonly Tool[] {
  const [, b] = dirsOf(home);
  const reassign = 'org.apache.kafka.tools.reassign.ReassignPartitionsCommand';
  const logDirs = 'org.apache.kafka.tools.LogDirsCommand';
  const throttle = ['--replica-alter-log-dirs-throttle', '50000000'];
  return [
    [reassign, '--execute', ...throttle, '--reassignment-json-file', plan(home, b)],
    [reassign, '--verify', '--reassignment-json-file', plan(home, b)],
    [logDirs, '--describe', '--topic-list', TOPIC],
    [reassign, '--execute', '--reassignment-json-file', plan(home, '/nowhere')],
  ];
}

async function said(jars: string, { bootstrap, home }: Side, [main, ...words]: Tool): Promise<string> {
  const java = [...JAVA_OPTIONS, '-cp', `${jars}/*`, main, '--bootstrap-server', bootstrap, ...words];
  const output = await run('sh', ['-c', 'exec java "$@" 2>&1', 'sh', ...java], { anyExit: true });
  return output
    .replaceAll(home, 'HOME')
    .replaceAll(bootstrap, 'BOOTSTRAP')
    .split('\n')
    .filter((line) => !/^\s+at |^\s*\.\.\. \d+ more|SLF4J|StatusLogger/.test(line))
    .map(inOrder)
    .join('\n');
}

/** The tool tells the directories as they lie in a hash table of paths. */
function inOrder(line: string): string {
  if (!line.startsWith('{"brokers"')) return line;
  const described = JSON.parse(line) as { brokers: { logDirs: { logDir: string }[] }[] };
  for (const { logDirs } of described.brokers) logDirs.sort((x, y) => (x.logDir < y.logDir ? -1 : 1));
  return JSON.stringify(described);
}

export async function compareWithKafka(checks: Checks): Promise<void> {
  const jars = await kafkaJars(VERSION);
  const { theirs, ours } = await startSides();
  try {
    await checks.check('requests about log directories', async () => {
      const [expected, actual] = await Promise.all([heard(theirs), heard(ours)]);
      expectSame(actual, expected, 'answers');
    });
    for (const [at, [main, ...words]] of tools(ours.home).entries()) {
      await checks.check(`${main.split('.').at(-1)} ${words.join(' ').replaceAll(ours.home, 'HOME')}`, async () => {
        const call = (side: Side): Promise<string> => said(jars, side, tools(side.home)[at]!);
        const [expected, actual] = await Promise.all([call(theirs), call(ours)]);
        expectSame(actual, expected, main);
      });
    }
  } finally {
    await Promise.all([theirs.stop(), ours.stop()]);
    for (const { home } of [theirs, ours]) rmSync(home, { recursive: true, force: true });
  }
}
