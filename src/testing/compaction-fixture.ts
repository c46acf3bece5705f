/** Compacting logs in tests: keyed batches, transactions, one cleaning at a time, and what a consumer sees after it. */
import type { Clock } from '../base/clock';
import { CleanerPace } from '../log/cleaner-pace';
import type { CleaningTools } from '../log/cleaning-run';
import type { CompactedLog } from '../log/log-compaction';
import { OffsetMap } from '../log/offset-map';
import type { PartitionLog } from '../log/partition-log';
import { type BatchOptions, buildBatch } from '../records/batch-builder';
import * as batchHeader from '../records/batch-header';
import { endTransactionMarkerOf } from '../records/control-record';
import { decodeRecords, type LogRecord } from '../records/record-codec';
import { readFrom, seededRandom } from './log-fixture';
import { ManualClock } from './manual-clock';

const BYTES_PER_KEY = 24;

/** Tools whose map holds `keys` keys. */
export function cleaningTools(options: { keys?: number; bufferBytes?: number; clock?: Clock } = {}): CleaningTools {
  const { keys = 1000, bufferBytes = 16 * 1024, clock = new ManualClock() } = options;
  return {
    map: new OffsetMap({
      memoryBytes: Math.ceil(keys / 0.9) * BYTES_PER_KEY,
      loadFactor: 0.9,
      random: seededRandom(1),
    }),
    pace: new CleanerPace(clock, () => Number.MAX_VALUE),
    bufferBytes,
    isStopped: () => false,
  };
}

/** Compacts once, whether it is worth it or not. */
export async function compactOnce(log: PartitionLog, tools = cleaningTools()): Promise<CompactedLog> {
  const range = log.cleanableRange();
  if (!range) throw new Error('not a log to compact');
  const result = await log.compact(range, tools);
  if (!result.ok) throw new Error(`compaction ended: ${result.error} ${result.message ?? ''}`);
  return result.value;
}

/** A key and its value; null is a tombstone. */
export type Put = readonly [key: string, value: string | null];

export function keyedBatch(
  puts: readonly Put[],
  options: Omit<BatchOptions, 'records'> & { timestamp?: number } = {},
): Buffer {
  const { timestamp = 1000, ...rest } = options;
  const records = puts.map(([key, value], i) => ({
    timestamp: timestamp + i,
    key: Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
  }));
  return buildBatch({ records, ...rest });
}

export interface Seen {
  /** As a read_uncommitted consumer sees them; without control records. */
  readonly records: LogRecord[];
  /** As a read_committed one. */
  readonly committed: LogRecord[];
  readonly batches: Buffer[];
}

/** Reads a log from its start to its end as consumers do, with small reads. */
export async function consume(log: PartitionLog, maxBytes = 700): Promise<Seen> {
  const seen: Seen = { records: [], committed: [], batches: [] };
  for (let at = log.logStartOffset; at < log.logEndOffset; ) {
    const { bytes, aborted } = await readFrom(log, at, { maxBytes, withAbortedTransactions: true });
    if (bytes.length === 0) break;
    const ahead = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset);
    const abortedProducers = new Set<number>();
    for (let start = 0; start < bytes.length; start += batchHeader.sizeInBytes(bytes, start)) {
      const batch = bytes.subarray(start, start + batchHeader.sizeInBytes(bytes, start));
      const lastOffset = batchHeader.lastOffset(batch);
      while (ahead[0] && ahead[0].firstOffset <= lastOffset) abortedProducers.add(ahead.shift()!.producerId);
      take(batch, { from: at, abortedProducers, seen });
      at = Math.max(at, lastOffset + 1);
    }
  }
  return seen;
}

function take(
  batch: Buffer,
  { from, abortedProducers, seen }: { from: number; abortedProducers: Set<number>; seen: Seen },
): void {
  if (!batchHeader.isCrcValid(batch)) throw new Error(`bad checksum at offset ${batchHeader.baseOffset(batch)}`);
  seen.batches.push(batch);
  const producerId = batchHeader.producerId(batch);
  if (batchHeader.isControl(batch)) {
    if (endTransactionMarkerOf(batch)?.isCommit === false) abortedProducers.delete(producerId);
    return;
  }
  const decoded = decodeRecords(batch);
  if (!decoded.ok) throw new Error(decoded.error);
  const records = decoded.value.filter(({ offset }) => offset >= from);
  seen.records.push(...records);
  if (!(batchHeader.isTransactional(batch) && abortedProducers.has(producerId))) seen.committed.push(...records);
}

/** The newest value of each key; a key whose newest record is a tombstone has none. */
export function newestValues(records: readonly LogRecord[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const { key, value } of records) {
    if (key === null) continue;
    if (value === null) values.delete(key.toString());
    else values.set(key.toString(), value.toString());
  }
  return values;
}
