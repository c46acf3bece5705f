/**
 * Topics that are deleted and made anew under the same names, produced to, read, trimmed and moved between log
 * directories, all at once by clients of their own (`LOG_DIRS_STRESS_SECONDS`, 5 by default). Every request must be
 * answered, with a code that such a life explains; what is read of a topic belongs to it; and when all are deleted
 * nothing is left in the directories.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newMetadataRequest, newMetadataRequestTopic } from '../../src/codec/generated/03-metadata';
import { apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { buildBatch } from '../../src/records/batch-builder';
import { decodeRecords } from '../../src/records/record-codec';
import { WireClient } from '../../src/testing/wire-client';
import { type BrokerProcess, startBrokerProcess } from '../broker-process';
import { deleteRecords, fetchOne, listOffset, produce, recordsOf } from '../scenarios/data-calls';
import { answered, createTopic, deleteTopic, describeDirs, growTopic, moveTo, sleep } from './directory-calls';

const SECONDS = Number(process.env.LOG_DIRS_STRESS_SECONDS ?? 5);
/** Each is made and deleted by one client. */
const OWNED = ['one', 'two', 'three', 'four'];
/** These by several at once, which also make them larger and have them made by naming them. */
const SHARED = ['five', 'six'];
const TOPICS = [...OWNED, ...SHARED];
const PARTITIONS = 3;
const PATIENCE_MS = 30_000;
const SETTINGS = ['log.segment.delete.delay.ms=200'];
/** What a request about a topic that comes and goes may hear. */
const EXPLAINED = new Set<number>([
  ErrorCode.NONE,
  ErrorCode.OFFSET_OUT_OF_RANGE,
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  ErrorCode.LEADER_NOT_AVAILABLE,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.REPLICA_NOT_AVAILABLE,
  ErrorCode.TOPIC_ALREADY_EXISTS,
  ErrorCode.INVALID_PARTITIONS,
]);

interface Stress {
  readonly clients: WireClient[];
  readonly connect: () => Promise<WireClient>;
  readonly isOver: () => boolean;
  readonly dirs: readonly string[];
  requests: number;
  moves: number;
}

type Pick = (count: number) => number;

/** The same choices for the same seed. */
function dice(seed: number): Pick {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

function explain(what: string, code: number): void {
  if (!EXPLAINED.has(code)) throw new Error(`${what}: unexpected error ${code}`);
}

async function run(
  stress: Stress,
  seed: number,
  step: (client: WireClient, pick: Pick) => Promise<void>,
): Promise<void> {
  const client = await stress.connect();
  const pick = dice(seed);
  while (!stress.isOver()) {
    await step(client, pick);
    stress.requests++;
  }
}

/** Each life of a topic has a name of its own, which its records carry. */
async function comeAndGo(stress: Stress, topic: string): Promise<void> {
  const client = await stress.connect();
  const configs = { 'file.delete.delay.ms': '200', 'segment.bytes': '65536', 'flush.messages': '20' };
  for (let life = 0; !stress.isOver(); life++) {
    explain(`create ${topic}`, await createTopic(client, topic, { partitions: PARTITIONS, configs }));
    await sleep(30 * (life % 7));
    explain(`delete ${topic}`, await deleteTopic(client, topic));
    const request = newMetadataRequest({
      topics: [newMetadataRequestTopic({ name: topic })],
      allowAutoTopicCreation: false,
    });
    const { topics } = await answered('metadata', client.call({ api: apis.Metadata, version: 9, request }));
    if (topics[0]!.errorCode !== ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
      throw new Error(`${topic} outlives its deletion`);
    stress.requests += 3;
  }
}

async function quarrel(client: WireClient, pick: Pick): Promise<void> {
  const topic = SHARED[pick(SHARED.length)]!;
  switch (pick(4)) {
    case 0:
      explain('delete', await deleteTopic(client, topic));
      break;
    case 1:
      explain('grow', await growTopic(client, topic, 1 + pick(PARTITIONS)));
      break;
    case 2: {
      const topics = [newMetadataRequestTopic({ name: topic })];
      const request = newMetadataRequest({ topics, allowAutoTopicCreation: true });
      const answer = client.call({ api: apis.Metadata, version: 9, request });
      explain('metadata', (await answered('metadata', answer)).topics[0]!.errorCode);
      break;
    }
    default:
      explain('create', await createTopic(client, topic, { partitions: 1 + pick(PARTITIONS) }));
  }
  await sleep(pick(30));
}

async function write(client: WireClient, pick: Pick): Promise<void> {
  const [topic, partition] = [TOPICS[pick(TOPICS.length)]!, pick(PARTITIONS)];
  const value = Buffer.from(`${topic}-${partition}`.padEnd(1 + pick(3000), '.'));
  const records = Array.from({ length: 1 + pick(20) }, () => ({ timestamp: Date.now(), key: null, value }));
  const answer = produce(client, { topic, partition, records: buildBatch({ records }), acks: pick(2) === 0 ? -1 : 1 });
  explain('produce', (await answered('produce', answer)).errorCode);
}

async function read(client: WireClient, pick: Pick): Promise<void> {
  const [topic, partition] = [TOPICS[pick(TOPICS.length)]!, pick(PARTITIONS)];
  const wanted = { topic, partition, offset: pick(60), minBytes: 1 + pick(100_000), maxWaitMs: pick(300) };
  const data = await answered('fetch', fetchOne(client, wanted));
  explain('fetch', data.errorCode);
  if (data.errorCode !== 0) return;
  const bytes = recordsOf(data);
  for (let at = 0; at + 12 <= bytes.length; at += 12 + bytes.readInt32BE(at + 8)) {
    if (at + 12 + bytes.readInt32BE(at + 8) > bytes.length) break;
    const decoded = decodeRecords(bytes, at);
    if (!decoded.ok) throw new Error(`fetch: ${decoded.error}`);
    const stranger = decoded.value.find(({ value }) => !value?.toString().startsWith(`${topic}-${partition}`));
    if (stranger) throw new Error(`${topic}-${partition} has a record of another partition at ${stranger.offset}`);
  }
}

async function look(client: WireClient, pick: Pick): Promise<void> {
  const [topic, partition] = [TOPICS[pick(TOPICS.length)]!, pick(PARTITIONS)];
  const timestamp = [-1, -2, -3, Date.now() - pick(2000)][pick(4)]!;
  explain('list offsets', (await answered('list', listOffset(client, { topic, partition, timestamp }))).errorCode);
  if (pick(4) === 0) {
    const deleted = await answered('delete records', deleteRecords(client, { topic, partition, offset: -1 }));
    explain('delete records', deleted.errorCode);
  }
  if (pick(4) === 0) await describeDirs(client);
}

async function move(stress: Stress, client: WireClient, pick: Pick): Promise<void> {
  const [topic, partition] = [TOPICS[pick(TOPICS.length)]!, pick(PARTITIONS)];
  const code = await moveTo(client, stress.dirs[pick(stress.dirs.length)]!, { topic, partition });
  explain('move', code);
  if (code === 0) stress.moves++;
  await sleep(pick(10));
}

export interface StressOutcome {
  readonly requests: number;
  readonly moves: number;
}

export async function runStress(): Promise<StressOutcome> {
  const home = mkdtempSync(path.join(tmpdir(), 'odradek-stress-'));
  const dirs = ['a', 'b', 'c'].map((name) => path.join(home, name));
  const broker = await startBrokerProcess({ dataDir: dirs.join(','), overrides: SETTINGS });
  const clients: WireClient[] = [];
  const until = performance.now() + SECONDS * 1000;
  let hasFailed = false;
  const stress: Stress = {
    clients,
    dirs,
    isOver: () => hasFailed || performance.now() > until,
    connect: async () => {
      const client = await WireClient.connect(broker.port, { host: broker.host });
      clients.push(client);
      return client;
    },
    requests: 0,
    moves: 0,
  };
  try {
    const lives = [
      ...OWNED.map((topic) => comeAndGo(stress, topic)),
      ...[10, 11, 12].map((seed) => run(stress, seed, quarrel)),
      ...[1, 2, 3].map((seed) => run(stress, seed, write)),
      ...[4, 5, 6].map((seed) => run(stress, seed, read)),
      run(stress, 7, look),
      ...[8, 9].map((seed) => run(stress, seed, (client, pick) => move(stress, client, pick))),
    ];
    const failures: unknown[] = [];
    await Promise.all(
      lives.map((life) =>
        life.catch((error: unknown) => {
          hasFailed = true;
          failures.push(error);
        }),
      ),
    );
    if (failures.length > 0) throw new Error(`${failures[0]}\n${complaints(broker).slice(-5).join('\n')}`);
    for (const topic of SHARED) explain(`delete ${topic}`, await deleteTopic(clients[0]!, topic));
    await untilEmpty(dirs, broker);
  } finally {
    for (const client of clients) client.close();
    await broker.kill();
    rmSync(home, { recursive: true, force: true });
  }
  return { requests: stress.requests, moves: stress.moves };
}

/** Nothing is left, the broker has not complained, and it stops as it should. */
async function untilEmpty(dirs: readonly string[], broker: BrokerProcess): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const names = dirs
      .flatMap((dir) => readdirSync(dir))
      .filter((name) => TOPICS.some((topic) => name.startsWith(topic)));
    if (names.length === 0) break;
    if (performance.now() > deadline) throw new Error(`directories are left over: ${names.join(' ')}`);
    await sleep(100);
  }
  const [complaint] = complaints(broker);
  if (complaint !== undefined) throw new Error(`the broker complains: ${complaint}`);
  const stopped = await answered('SIGTERM', broker.stop(), PATIENCE_MS);
  if (stopped !== 0) throw new Error(`the broker ended with ${stopped}`);
}

function complaints(broker: BrokerProcess): string[] {
  return broker
    .log()
    .split('\n')
    .filter((line) => /"level":(50|60)/.test(line));
}
