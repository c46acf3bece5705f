/** Replica manager, logs and controller of one broker over a faulty disk in memory: for tests of replication. */
import { isFileRegion } from '../base/chunk';
import { silentLogger } from '../base/logger';
import { systemRandom, ZERO_UUID } from '../base/random';
import { BrokerConfig } from '../config/broker-config';
import { LogManager } from '../log/log-manager';
import { type BatchOptions, buildBatch } from '../records/batch-builder';
import type { AppendRequest } from '../replication/append-request';
import type { FetchPartition, FetchRequest, PartitionFetchResult } from '../replication/fetch-request';
import { LogConfigs } from '../replication/log-configs';
import { LogDirMoves } from '../replication/log-dir-moves';
import { ReplicaManager } from '../replication/replica-manager';
import { FaultyFileSystem } from './faulty-file-system';
import { ManualClock } from './manual-clock';
import {
  type MetadataBroker,
  type MetadataBrokerOptions,
  newTopic,
  startMetadataBroker,
  testBroker,
} from './metadata-broker';

export interface ReplicaFixture {
  readonly moves: LogDirMoves;
  readonly clock: ManualClock;
  readonly disk: FaultyFileSystem;
  readonly logManager: LogManager;
  readonly replicaManager: ReplicaManager;
  readonly broker: MetadataBroker;
}

export interface ReplicaFixtureOptions extends Pick<MetadataBrokerOptions, 'settings' | 'storage'> {
  readonly disk?: FaultyFileSystem;
  readonly logDirs?: readonly string[];
  readonly moveBytesPerSecond?: number;
}

const HOUR_MS = 3_600_000;

export async function startReplicas(o: ReplicaFixtureOptions = {}): Promise<ReplicaFixture> {
  const clock = new ManualClock();
  const disk = o.disk ?? new FaultyFileSystem(clock);
  const logConfigs = new LogConfigs(BrokerConfig.of(o.settings ?? {}), new Map());
  const logManager = await LogManager.open({
    fileSystem: disk,
    logDirs: o.logDirs ?? ['/data'],
    topicConfig: (topic) => logConfigs.of(topic),
    clock,
    random: systemRandom,
    logger: silentLogger,
    retentionCheckIntervalMs: HOUR_MS,
    flushSchedulerIntervalMs: HOUR_MS,
    recoveryPointCheckpointIntervalMs: HOUR_MS,
    logStartOffsetCheckpointIntervalMs: HOUR_MS,
    highWatermarkCheckpointIntervalMs: HOUR_MS,
    producerIdExpirationMs: () => HOUR_MS,
    producerIdExpirationCheckIntervalMs: HOUR_MS,
  });
  const { id: brokerId } = testBroker;
  const moves = new LogDirMoves({
    logManager,
    clock,
    logger: silentLogger,
    maxBytesPerSecond: () => o.moveBytesPerSecond ?? Number.POSITIVE_INFINITY,
    isCordoned: () => false,
    checkDirectory: (path) => disk.volumeSpace(path),
  });
  const replicaManager = new ReplicaManager({ brokerId, logManager, moves, logConfigs, clock, logger: silentLogger });
  const subscribers = [logConfigs.onImage, replicaManager.onImage];
  const broker = await startMetadataBroker({ ...o, subscribers });
  return { clock, disk, logManager, moves, replicaManager, broker };
}

/** A batch of records `v0`, `v1`, …, of about the bytes that are asked for. */
export function testBatch(count = 1, o: Partial<BatchOptions> & { valueBytes?: number } = {}): Buffer {
  const records = Array.from({ length: count }, (_, i) => ({
    timestamp: 1_700_000_000_000 + i,
    key: null,
    value: o.valueBytes === undefined ? Buffer.from(`v${i}`) : Buffer.alloc(o.valueBytes, 120),
  }));
  return buildBatch({ records, ...o });
}

/** A fetch of one partition from its start, with Kafka's usual limits. */
export function testFetch(
  partitions: readonly (Partial<FetchPartition> & { topic: string })[],
  o: Partial<FetchRequest> = {},
): FetchRequest {
  return {
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: 50_000_000,
    hardMaxBytes: false,
    isolation: 'high-watermark',
    onCancel: () => undefined,
    ...o,
    partitions: partitions.map((partition) => ({
      topicId: ZERO_UUID,
      partition: 0,
      fetchOffset: 0,
      maxBytes: 1_000_000,
      currentLeaderEpoch: -1,
      lastFetchedEpoch: -1,
      ...partition,
    })),
  };
}

export interface AppendOptions extends Partial<AppendRequest> {
  readonly partition?: number;
  readonly records?: Buffer;
}

/** A broker with these topics. */
export async function startWithTopics(...topics: Parameters<typeof newTopic>[]): Promise<ReplicaFixture> {
  const fixture = await startReplicas();
  const results = await fixture.broker.controller.createTopics(
    topics.map((topic) => newTopic(...topic)),
    { validateOnly: false },
  );
  const failed = results.find(({ ok }) => !ok);
  if (failed) throw new Error(`topic not created: ${JSON.stringify(failed)}`);
  return fixture;
}

/** Appends one batch as a client with acks=all does, unless `o` says otherwise. */
export async function appendOne({ replicaManager }: ReplicaFixture, topic: string, o: AppendOptions = {}) {
  const { partition = 0, records = testBatch(), ...request } = o;
  const entries = [{ topic, partition, records }];
  const pending = replicaManager.append({
    requiredAcks: -1,
    origin: 'client',
    internalTopicsAllowed: false,
    entries,
    ...request,
  });
  return (await pending.promise())[0]!;
}

/** What a fetch gave: code, high watermark, base offsets of the batches. */
export async function seen(result: PartitionFetchResult | undefined): Promise<[number, number, number[]]> {
  const { errorCode, highWatermark, records } = result!;
  if (records === null) return [errorCode, highWatermark, []];
  let bytes: Buffer;
  if (isFileRegion(records)) {
    bytes = Buffer.alloc(records.length);
    await records.read(bytes, 0);
    records.release();
  } else bytes = records;
  const bases: number[] = [];
  for (let at = 0; at < bytes.length; at += 12 + bytes.readInt32BE(at + 8)) bases.push(bytes.readInt32BE(at + 4));
  return [errorCode, highWatermark, bases];
}
