/**
 * `kill -9` in the midst of moves between log directories (`LOG_DIRS_KILLS`, 2 by default), while producers go on.
 * Every record's value is the offset that it should have, so what is read back says by itself whether something was
 * lost, invented or put elsewhere; what was acknowledged must be there.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildBatch } from '../../src/records/batch-builder';
import { decodeRecords } from '../../src/records/record-codec';
import { WireClient } from '../../src/testing/wire-client';
import { type BrokerProcess, startBrokerProcess } from '../broker-process';
import { deleteRecords, endOffset, fetchAll, listOffset, produce } from '../scenarios/data-calls';
import { answered, createTopic, limitMoves, moveTo, placesOf, sleep } from './directory-calls';

const KILLS = Number(process.env.LOG_DIRS_KILLS ?? 2);
const PARTITIONS = [0, 1, 2];
const TOPIC = 'moving';
const VALUE_BYTES = 900;
const BATCH_RECORDS = 50;
const FILLED_BATCHES = 40;
const BYTES_PER_SECOND = 600_000;
/** A kill comes so soon after the moves have begun at the latest; at this speed they take about nine seconds. */
const LONGEST_MOVE_MS = 2500;
const PATIENCE_MS = 60_000;

/** Produces, one batch at a time, until the broker is gone; remembers what was acknowledged. */
class Writer {
  acknowledged = 0;
  /** Where the log was told to begin. */
  start = 0;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(readonly partition: number) {}

  async append(client: WireClient, count = BATCH_RECORDS): Promise<void> {
    const { partition } = this;
    const from = this.acknowledged;
    const records = Array.from({ length: count }, (_, i) => ({
      timestamp: Date.now(),
      key: null,
      value: Buffer.from(String(from + i).padEnd(VALUE_BYTES, '.')),
    }));
    const answer = produce(client, { topic: TOPIC, partition, records: buildBatch({ records }) });
    const { errorCode, baseOffset } = await answered(`produce to ${partition}`, answer);
    if (errorCode !== 0 || baseOffset !== from) throw new Error(`partition ${partition}: ${errorCode}, ${baseOffset}`);
    this.acknowledged += count;
  }

  /** Until the connection ends. */
  begin(client: WireClient): void {
    this.#isStopped = false;
    this.#running = (async () => {
      while (!this.#isStopped && !client.raw.closed) {
        try {
          await this.append(client);
        } catch (error) {
          if (!client.raw.closed) throw error;
        }
        await sleep(20);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** After a start: all that was acknowledged is there, and what is there is what was sent. */
  async check(client: WireClient): Promise<void> {
    const { partition } = this;
    const end = await endOffset(client, TOPIC, partition);
    if (end < this.acknowledged) throw new Error(`${TOPIC}-${partition} ends at ${end}, not ${this.acknowledged}`);
    const start = (await listOffset(client, { topic: TOPIC, partition, timestamp: -2 })).offset;
    if (start !== this.start) throw new Error(`${TOPIC}-${partition} begins at ${start}, not ${this.start}`);
    const bytes = await answered('fetch all', fetchAll(client, { topic: TOPIC, partition, offset: start }));
    let expected = start;
    for (let at = 0; at < bytes.length; at += 12 + bytes.readInt32BE(at + 8)) {
      const decoded = decodeRecords(bytes, at);
      if (!decoded.ok) throw new Error(`${TOPIC}-${partition}: ${decoded.error}`);
      for (const { offset, value } of decoded.value) {
        if (offset < start) continue;
        const text = value?.toString().replace(/\.+$/, '');
        if (offset !== expected || text !== String(offset)) {
          throw new Error(`${TOPIC}-${partition}: ${text} at ${offset}, where ${expected} should be`);
        }
        expected++;
      }
    }
    if (expected !== end) throw new Error(`${TOPIC}-${partition}: records end at ${expected}, the log at ${end}`);
    this.acknowledged = end;
  }
}

export interface KillsOutcome {
  /** Kills that came before the last move had ended. */
  readonly midway: number;
  readonly records: number;
}

export async function runKills(): Promise<KillsOutcome> {
  const home = mkdtempSync(path.join(tmpdir(), 'odradek-moves-'));
  const dirs = ['a', 'b'].map((name) => path.join(home, name));
  const writers = PARTITIONS.map((partition) => new Writer(partition));
  const overrides = ['node.id=1', 'log.segment.delete.delay.ms=500'];
  const start = (): Promise<BrokerProcess> => startBrokerProcess({ dataDir: dirs.join(','), overrides });
  let broker = await start();
  let client = await WireClient.connect(broker.port, { host: broker.host });
  const configs = { 'segment.bytes': '1048576', 'file.delete.delay.ms': '500' };
  await createTopic(client, TOPIC, { partitions: PARTITIONS.length, configs });
  for (let i = 0; i < FILLED_BATCHES; i++) for (const writer of writers) await writer.append(client);
  let midway = 0;
  try {
    for (let round = 0; round < KILLS; round++) {
      await limitMoves(client, BYTES_PER_SECOND);
      const targets = new Map<number, string>();
      for (const { partition } of writers) {
        const places = await placesOf(client, { topic: TOPIC, partition });
        const from = places.find(({ isFuture }) => !isFuture)!.path;
        const target = dirs.find((dir) => dir !== from)!;
        targets.set(partition, target);
        const code = await moveTo(client, target, { topic: TOPIC, partition });
        if (code !== 0) throw new Error(`the move to ${target} was refused: ${code}`);
      }
      for (const writer of writers) writer.begin(client);
      await sleep(Math.floor((LONGEST_MOVE_MS * (round + 1)) / KILLS));
      const under = writers.map(({ partition }) => placesOf(client, { topic: TOPIC, partition }));
      if ((await Promise.all(under)).some((places) => places.length > 1)) midway++;
      await broker.kill();
      for (const writer of writers) await writer.stop();
      broker = await start();
      client = await WireClient.connect(broker.port, { host: broker.host });
      for (const writer of writers) await writer.check(client);
      await limitMoves(client, 1e9);
      for (const [partition, target] of targets) await untilIn(client, partition, target);
      for (const writer of writers) {
        await writer.check(client);
        await writer.append(client, 1);
        await deleteSome(client, writer);
      }
    }
    await untilClean(dirs);
  } finally {
    client.close();
    await broker.kill();
    rmSync(home, { recursive: true, force: true });
  }
  return { midway, records: writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) };
}

/** The start must hold, too; it lies within a segment. */
async function deleteSome(client: WireClient, writer: Writer): Promise<void> {
  const { partition } = writer;
  const offset = writer.acknowledged - FILLED_BATCHES * BATCH_RECORDS - 7;
  const { errorCode, lowWatermark } = await deleteRecords(client, { topic: TOPIC, partition, offset });
  if (errorCode !== 0 || lowWatermark !== offset) throw new Error(`delete records: ${errorCode}, ${lowWatermark}`);
  writer.start = offset;
}

async function untilIn(client: WireClient, partition: number, target: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const places = await placesOf(client, { topic: TOPIC, partition });
    if (places.length === 1 && places[0]!.path === target) return;
    if (performance.now() > deadline)
      throw new Error(`${TOPIC}-${partition} does not get on: ${JSON.stringify(places)}`);
    await sleep(50);
  }
}

async function untilClean(dirs: readonly string[]): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const names = dirs.flatMap((dir) => readdirSync(dir).filter((name) => name.startsWith(TOPIC)));
    if (names.length === PARTITIONS.length && names.every((name) => /-\d$/.test(name))) return;
    if (performance.now() > deadline) throw new Error(`directories are left over: ${names.join(' ')}`);
    await sleep(100);
  }
}
