/** Logs for tests: settings, batches, a log manager over a disk in memory, and reading back what a log holds. */
import { isFileRegion } from '../base/chunk';
import { silentLogger } from '../base/logger';
import type { Random } from '../base/random';
import { BrokerConfig } from '../config/broker-config';
import type { LogConfig } from '../config/log-config';
import { topicLogConfig } from '../config/topic-config';
import type { FileSystem } from '../log/file-system';
import type { AppendInfo, AppendOptions } from '../log/log-append';
import { LogManager, type LogManagerOptions } from '../log/log-manager';
import type { PartitionLog } from '../log/partition-log';
import { type BatchOptions, buildBatch } from '../records/batch-builder';
import * as batchHeader from '../records/batch-header';
import { decodeRecords, type LogRecord } from '../records/record-codec';
import { ManualClock } from './manual-clock';

const HOUR_MS = 3_600_000;

/** The same numbers for the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const integer = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return { integer, bytes: (count) => Buffer.from(Array.from({ length: count }, () => integer(256))) };
}

/** Kafka's defaults with changes; timestamps of any age are accepted unless a test says otherwise. */
export function logConfig(changes: Partial<LogConfig> = {}): LogConfig {
  return {
    ...topicLogConfig(BrokerConfig.of({}), new Map()),
    messageTimestampAfterMaxMs: Number.POSITIVE_INFINITY,
    ...changes,
  };
}

export interface OpenLogsOptions extends Partial<LogManagerOptions> {
  readonly fileSystem: FileSystem;
  readonly config?: Partial<LogConfig>;
}

/** A log manager on `/data` whose background work runs only when a test says how often. */
export function openLogs(options: OpenLogsOptions): Promise<LogManager> {
  return LogManager.open({
    logDirs: ['/data'],
    topicConfig: () => logConfig(options.config),
    clock: new ManualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    retentionCheckIntervalMs: HOUR_MS,
    flushSchedulerIntervalMs: HOUR_MS,
    recoveryPointCheckpointIntervalMs: HOUR_MS,
    logStartOffsetCheckpointIntervalMs: HOUR_MS,
    highWatermarkCheckpointIntervalMs: HOUR_MS,
    producerIdExpirationCheckIntervalMs: HOUR_MS,
    producerIdExpirationMs: () => 24 * HOUR_MS,
    ...options,
  });
}

export const TOPIC_ID = 'Zm9vYmFyYmF6cXV4cXV1eA';

/** The log of `t-0`, made if it is not there. */
export async function openLog(manager: LogManager): Promise<PartitionLog> {
  const created = await manager.create('t', 0, TOPIC_ID);
  if (!created.ok) throw new Error(`no log: ${created.error}`);
  return created.value;
}

/** A batch whose values are `texts`, with timestamps that count up from `timestamp`. */
export function batchOf(
  texts: readonly string[],
  options: Omit<BatchOptions, 'records'> & { timestamp?: number } = {},
): Buffer {
  const { timestamp = 1000, ...rest } = options;
  const records = texts.map((text, i) => ({ timestamp: timestamp + i, key: null, value: Buffer.from(text) }));
  return buildBatch({ records, ...rest });
}

const CLIENT: AppendOptions = { origin: 'client', leaderEpoch: 0 };

/** Appends and demands success. */
export async function append(log: PartitionLog, batch: Buffer, options = CLIENT): Promise<AppendInfo> {
  const result = await log.append(batch, options).promise();
  if (!result.ok) throw new Error(`append failed: ${result.error.code} ${result.error.message}`);
  return result.value;
}

/** Appends and gives the error code, 0 for success. */
export async function appendCode(log: PartitionLog, batch: Buffer, options = CLIENT): Promise<number> {
  const result = await log.append(batch, options).promise();
  return result.ok ? 0 : result.error.code;
}

export interface ReadBack {
  readonly bytes: Buffer;
  readonly records: LogRecord[];
  readonly aborted: readonly { readonly producerId: number; readonly firstOffset: number }[];
}

/** The records of the batches that one read gives; of the first batch those before `offset` too. */
export async function readFrom(
  log: PartitionLog,
  offset: number,
  options: { maxBytes?: number; upTo?: number; minOneBatch?: boolean; withAbortedTransactions?: boolean } = {},
): Promise<ReadBack> {
  const { maxBytes = 1_000_000, upTo = log.logEndOffset, minOneBatch = true } = options;
  const read = log.read({ ...options, offset, maxBytes, upTo, minOneBatch });
  if (!read.ok) throw new Error(`read failed: ${read.error} ${read.message}`);
  const { chunk, sizeInBytes, abortedTransactions } = read.value;
  let bytes = Buffer.alloc(0);
  if (chunk && isFileRegion(chunk)) {
    bytes = Buffer.alloc(chunk.length);
    let done = 0;
    while (done < bytes.length) done += await chunk.read(bytes.subarray(done), done);
    chunk.release();
  } else if (chunk) {
    bytes = Buffer.from(chunk);
  }
  if (bytes.length !== sizeInBytes) throw new Error(`${sizeInBytes} bytes promised, ${bytes.length} read`);
  return { bytes, records: recordsOf(bytes), aborted: abortedTransactions };
}

/** All records from `offset` to the log end, over as many reads as it takes. */
export async function readAll(log: PartitionLog, offset = log.logStartOffset, maxBytes = 1000): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  let at = offset;
  while (at < log.logEndOffset) {
    const found = (await readFrom(log, at, { maxBytes })).records;
    if (found.length === 0) throw new Error(`nothing at offset ${at}`);
    records.push(...found.filter((record) => record.offset >= at));
    at = found.at(-1)!.offset + 1;
  }
  return records;
}

/** The records of whole v2 batches. */
export function recordsOf(bytes: Buffer): LogRecord[] {
  const records: LogRecord[] = [];
  for (let at = 0; at < bytes.length; at += batchHeader.sizeInBytes(bytes, at)) {
    if (!batchHeader.isCrcValid(bytes, at)) throw new Error(`bad checksum at ${at}`);
    const decoded = decodeRecords(bytes, at);
    if (!decoded.ok) throw new Error(decoded.error);
    records.push(...decoded.value);
  }
  return records;
}

export function textsOf(records: readonly LogRecord[]): string[] {
  return records.map(({ value }) => value?.toString() ?? 'null');
}
