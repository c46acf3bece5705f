/**
 * `odradek export` against real Kafkas: a directory that Kafka wrote, taken over and written to by Odradek, goes to
 * Kafka 4.4 and 4.0, which start on it, set nothing aside, and give readers the same records at the same offsets:
 * compacted, compressed, transactional and deleted-from topics, committed offsets, producers that go on. Then back to
 * Odradek.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { newPartitionProduceData, newProduceRequest, newTopicProduceData } from '../../src/codec/generated/00-produce';
import { newMetadataRequest } from '../../src/codec/generated/03-metadata';
import { newInitProducerIdRequest } from '../../src/codec/generated/22-init-producer-id';
import { apis } from '../../src/codec/generated/apis';
import { buildBatch } from '../../src/records/batch-builder';
import { WireClient } from '../../src/testing/wire-client';
import { startBrokerProcess } from '../broker-process';
import { type Checks, commandExists, expectMatch, expectSame, run, runChecks } from '../checks';
import { GROUP, MANUAL_GROUP, SHAPED_TOPICS } from '../fixtures/contents';
import { fillPlainShapes } from '../fixtures/shaped-topics';
import { type PartitionContents, partitionContents } from '../partition-contents';
import { startReferenceKafka } from '../reference-kafka';

const COMMAND = path.join(__dirname, '..', '..', 'dist', 'main.js');
const FIXTURE = path.join(__dirname, '..', 'fixtures', 'kafka-4.0.2');
const VERSIONS = ['4.4.0', '4.0.2'];
const PREFIX = 'own-';
const OWN_GROUP = 'own-readers';
const OWN_TOPIC = 'own-numbers';
const OWN_OFFSET = '3';
const RETRY_MS = 200;
const MOST_ATTEMPTS = 50;

/** What would change the logs while they are compared. */
const QUIET = ['transaction.abort.timed.out.transaction.cleanup.interval.ms=2000000000', 'log.retention.ms=-1'];

function client(bootstrap: string): Promise<WireClient> {
  return WireClient.connect(Number(bootstrap.split(':').at(-1)));
}

interface Contents {
  /** By topic. */
  readonly ids: ReadonlyMap<string, string>;
  /** By the name of the partition's directory. */
  readonly partitions: Readonly<Record<string, PartitionContents>>;
}

/** Everything that a broker hands out; tried again until all partitions are led. */
async function contentsOf(bootstrap: string): Promise<Contents> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const wire = await client(bootstrap);
    try {
      return await readAll(wire);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    } finally {
      wire.close();
    }
  }
}

async function readAll(wire: WireClient): Promise<Contents> {
  const request = newMetadataRequest({ topics: null });
  const { topics } = await wire.call({ api: apis.Metadata, version: 12, request });
  const ids = new Map<string, string>();
  const partitions: Record<string, PartitionContents> = {};
  for (const { name, topicId, partitions: all, isInternal } of topics) {
    ids.set(String(name), topicId);
    // A broker writes to its internal topics as it starts.
    if (isInternal) continue;
    for (const { partitionIndex } of all)
      partitions[`${name}-${partitionIndex}`] = await partitionContents(wire, String(name), partitionIndex);
  }
  return { ids, partitions };
}

function asText({ ids, partitions }: Contents): string {
  const sorted = (entries: [string, unknown][]): unknown =>
    Object.fromEntries(entries.sort((a, b) => (a[0] < b[0] ? -1 : 1)));
  return JSON.stringify({ ids: sorted([...ids]), partitions: sorted(Object.entries(partitions)) }, null, 1);
}

/** A producer by hand, whose batches can be repeated. */
class NumberedProducer {
  readonly #producerId: number;

  private constructor(producerId: number) {
    this.#producerId = producerId;
  }

  static async make(bootstrap: string): Promise<NumberedProducer> {
    return new NumberedProducer(await newProducerId(bootstrap));
  }

  /** Gives the offset of the batch that begins with this sequence, one record long. */
  async send(bootstrap: string, sequence: number): Promise<number> {
    const wire = await client(bootstrap);
    const records = buildBatch({
      // Of now: a producer whose newest record is a day old is forgotten.
      records: [{ timestamp: Date.now(), key: null, value: Buffer.from(`number ${sequence}`) }],
      producerId: this.#producerId,
      producerEpoch: 0,
      baseSequence: sequence,
    });
    const partitionData = [newPartitionProduceData({ index: 0, records })];
    const topicData = [newTopicProduceData({ name: OWN_TOPIC, partitionData })];
    const request = newProduceRequest({ acks: -1, timeoutMs: 10_000, topicData });
    const answer = await wire.call({ api: apis.Produce, version: 7, request });
    wire.close();
    const partition = answer.responses[0]?.partitionResponses[0];
    if (partition === undefined || partition.errorCode !== 0) throw new Error(`refused: ${partition?.errorCode}`);
    return partition.baseOffset;
  }
}

/** Kafka says "later" to the first who asks, while it fetches a block of ids. */
async function newProducerId(bootstrap: string): Promise<number> {
  const wire = await client(bootstrap);
  const request = newInitProducerIdRequest({ transactionalId: null, transactionTimeoutMs: 60_000 });
  for (let attempt = 0; ; attempt++) {
    const { errorCode, producerId } = await wire.call({ api: apis.InitProducerId, version: 4, request });
    if (errorCode !== 0 && attempt < MOST_ATTEMPTS) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      continue;
    }
    wire.close();
    if (errorCode !== 0) throw new Error(`no producer id: ${errorCode}`);
    return producerId;
  }
}

/** The committed offsets of all groups, as text. */
async function committed(bootstrap: string): Promise<string> {
  const admin = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const found: [string, string][] = [];
  for (const [groupId, topic] of [
    [GROUP, 'orders'],
    [MANUAL_GROUP, 'orders'],
    [OWN_GROUP, OWN_TOPIC],
  ] as const) {
    const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const offsets = answer?.partitions.map(({ partition, offset }) => `${partition}:${offset}`).sort();
    found.push([groupId, String(offsets)]);
  }
  await admin.disconnect();
  return found.map((entry) => entry.join(' ')).join('\n');
}

/** What Odradek left in a directory that was Kafka's before. */
interface Written {
  readonly dataDir: string;
  readonly contents: Contents;
  readonly committed: string;
  readonly producer: NumberedProducer;
  readonly newestProducerId: number;
}

async function writeWithOdradek(dataDir: string): Promise<Written> {
  cpSync(FIXTURE, dataDir, { recursive: true });
  const overrides = [...QUIET, 'log.cleaner.backoff.ms=100', 'offsets.topic.num.partitions=2'];
  const broker = await startBrokerProcess({ dataDir, overrides });
  const { bootstrap } = broker;
  const kafka = new Kafka({ brokers: [bootstrap], logLevel: logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  const shapes = SHAPED_TOPICS.filter(({ name }) => !name.includes('ledger'));
  const topics = shapes.map(({ name, configs }) => ({
    topic: PREFIX + name,
    numPartitions: 1,
    configEntries: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
  }));
  await admin.createTopics({ topics: [...topics, { topic: OWN_TOPIC, numPartitions: 2 }], waitForLeaders: true });
  await fillPlainShapes(kafka, bootstrap, PREFIX);
  const producer = await NumberedProducer.make(bootstrap);
  for (let sequence = 0; sequence < 5; sequence++) await producer.send(bootstrap, sequence);
  await admin.setOffsets({
    groupId: OWN_GROUP,
    topic: OWN_TOPIC,
    partitions: [{ partition: 0, offset: OWN_OFFSET }],
  });
  await admin.disconnect();
  const written: Written = {
    dataDir,
    contents: await contentsOf(bootstrap),
    committed: await committed(bootstrap),
    producer,
    newestProducerId: await newProducerId(bootstrap),
  };
  const code = await broker.stop();
  if (code !== 0) throw new Error(`Odradek ended with ${code}\n${broker.log()}`);
  return written;
}

async function checkKafka(checks: Checks, version: string, written: Written): Promise<string> {
  const copy = `${written.dataDir}-${version}`;
  await checks.check(`${version} export`, async () => {
    const said = await run(process.execPath, [COMMAND, 'export', written.dataDir, copy]);
    expectMatch(said, /^start Kafka with node\.id=1 /m, 'what to do next');
  });
  await checks.check(`${version} Kafka starts on it and gives readers the same`, async () => {
    const kafka = await startReferenceKafka({ version, dataDir: copy, overrides: QUIET });
    try {
      expectSame(asText(await contentsOf(kafka.bootstrap)), asText(written.contents), 'topics and records');
      expectSame(await committed(kafka.bootstrap), written.committed, 'committed offsets');
      expectMatch(written.committed, new RegExp(`${OWN_GROUP} 0:${OWN_OFFSET}`), 'a group of ours');
      const { producer } = written;
      const repeated = await producer.send(kafka.bootstrap, 4);
      const next = await producer.send(kafka.bootstrap, 5);
      expectSame(`${repeated} ${next}`, '4 5', 'a batch that is repeated, and the next one');
      const given = await newProducerId(kafka.bootstrap);
      if (given <= written.newestProducerId) throw new Error(`producer id ${given} was given before`);
    } finally {
      await kafka.stop();
    }
    const aside = readdirSync(copy).filter((name) => /-(stray|delete)$/.test(name));
    if (aside.length > 0) throw new Error(`set aside: ${aside.join()}`);
  });
  await checks.check(`${version} what Kafka leaves is sound`, async () => {
    expectMatch(await run(process.execPath, [COMMAND, 'verify', copy]), / 0 problems, \d+ notes$/m, 'verify');
  });
  return copy;
}

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('java') || !commandExists('mvn')) {
    checks.skip('export', 'java or mvn is not installed');
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-export-'));
  let written: Written | undefined;
  await checks.check('Odradek takes over a directory of Kafka and writes to it', async () => {
    written = await writeWithOdradek(path.join(folder, 'data'));
  });
  if (written === undefined) return;
  await checks.check('what Odradek leaves is sound', async () => {
    const said = await run(process.execPath, [COMMAND, 'verify', path.join(folder, 'data')]);
    expectMatch(said, / 0 problems, \d+ notes$/m, 'verify');
  });
  let copy = '';
  for (const version of VERSIONS) copy = await checkKafka(checks, version, written);
  await checks.check('Odradek takes back what Kafka had', async () => {
    const broker = await startBrokerProcess({ dataDir: copy, overrides: QUIET });
    const { ids, partitions } = await contentsOf(broker.bootstrap);
    const numbers = partitions[`${OWN_TOPIC}-0`]!.records.map((record) => (JSON.parse(record) as string[])[3]);
    expectSame(numbers.join(), [0, 1, 2, 3, 4, 5].map((number) => `number ${number}`).join(), 'records');
    const others = { ...partitions, [`${OWN_TOPIC}-0`]: written!.contents.partitions[`${OWN_TOPIC}-0`]! };
    expectSame(asText({ ids, partitions: others }), asText(written!.contents), 'all else');
    expectSame(await committed(broker.bootstrap), written!.committed, 'committed offsets');
    await broker.stop();
  });
  rmSync(folder, { recursive: true, force: true });
}

runChecks(suite);
