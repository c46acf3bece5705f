/**
 * Indexes, producer snapshots and leader epochs as lines, an entry each, in the form of Kafka's dump tool, and what
 * that tool finds wrong with them. Entries are compared with the segment beside the index. (Kafka: DumpLogSegments.)
 */
import { dirname } from 'node:path';
import { decodeAbortedTxn } from '../codec/generated/records/aborted-txn';
import { decodeProducerSnapshot, type ProducerEntry } from '../codec/generated/records/producer-snapshot';
import { Reader } from '../codec/reader';
import { parseEpochs } from '../log/checkpoint-file';
import type { FileHandle, FileSystem } from '../log/file-system';
import { LOG_SUFFIX, OFFSET_INDEX_SUFFIX, segmentFilePath } from '../log/log-file-name';
import * as storedBatch from '../log/stored-batch';
import * as batchHeader from '../records/batch-header';
import { crc32c } from '../records/checksum';
import { decodeRecords } from '../records/record-codec';
import type { DumpOutput } from './dump-output';
import {
  OFFSET_ENTRY_BYTES,
  type OffsetIndexEntry,
  offsetIndexEntries,
  TIME_ENTRY_BYTES,
  type TimeIndexEntry,
  timeIndexEntries,
} from './index-entries';
import { legacyRecords } from './legacy-records';

export interface DumpIndexOptions {
  readonly indexSanityOnly: boolean;
  readonly verifyOnly: boolean;
}

/** Pairs of what an index says and what is so, for the end of the whole dump. */
export interface IndexMismatches {
  /** Offsets. */
  readonly offsets: [number, number][];
  /** Timestamps. */
  readonly timestamps: [number, number][];
  /** Timestamps, each with the one before it, which is not smaller. */
  readonly disorder: [number, number][];
  /** Offsets; -1 where the log has none. */
  readonly notFound: [number, number][];
}

export function noMismatches(): IndexMismatches {
  return { offsets: [], timestamps: [], disorder: [], notFound: [] };
}

/** An index, the segment beside it, and where it begins. */
export interface IndexFiles {
  readonly fileSystem: FileSystem;
  /** As it was named; for messages. */
  readonly name: string;
  readonly path: string;
  readonly baseOffset: number;
}

function withOpen<T>(fileSystem: FileSystem, path: string, run: (handle: FileHandle) => T): T {
  const handle = fileSystem.open(path, 'read');
  try {
    return run(handle);
  } finally {
    handle.close();
  }
}

/** Where the first batch from `position` on lies for which `isIt` holds; undefined: nowhere. */
function findBatch(
  log: FileHandle,
  position: number,
  isIt: (lastOffset: number) => boolean,
): { position: number; size: number; lastOffset: number } | undefined {
  // As a damaged index may have it.
  if (position < 0) return undefined;
  let found: { position: number; size: number; lastOffset: number } | undefined;
  storedBatch.walkBatches(log, { from: position, to: log.size() }, (buffer, at, batchPosition) => {
    const lastOffset = storedBatch.lastOffset(buffer, at);
    if (!isIt(lastOffset)) return true;
    found = { position: batchPosition, size: batchHeader.sizeInBytes(buffer, at), lastOffset };
    return false;
  });
  return found;
}

export async function dumpOffsetIndex(
  files: IndexFiles,
  options: DumpIndexOptions,
  output: DumpOutput,
): Promise<IndexMismatches> {
  const { fileSystem, name, path, baseOffset } = files;
  const mismatches = noMismatches();
  const index = fileSystem.open(path, 'read');
  const log = fileSystem.open(segmentFilePath(dirname(path), baseOffset, LOG_SUFFIX), 'read');
  try {
    if (isEmptyOrChecked({ index, name, entryBytes: OFFSET_ENTRY_BYTES }, options, output)) return mismatches;
    let isFirst = true;
    for (const entry of offsetIndexEntries(index, baseOffset)) {
      // What was taken ahead of use is zeros.
      if (entry.offset === baseOffset && !isFirst) break;
      isFirst = false;
      const lastOffset = findBatch(log, entry.position, () => true)?.lastOffset ?? -1;
      if (lastOffset !== entry.offset) mismatches.offsets.push([entry.offset, lastOffset]);
      if (!options.verifyOnly) output.line(`offset: ${entry.offset} position: ${entry.position}`);
      await output.drained();
    }
    return mismatches;
  } finally {
    log.close();
    index.close();
  }
}

/** Whether that was all there is to say. Kafka's tool says of offset indexes alone that they are empty. */
function isEmptyOrChecked(
  { index, name, entryBytes }: { index: FileHandle; name: string; entryBytes: number },
  { indexSanityOnly }: DumpIndexOptions,
  output: DumpOutput,
): boolean {
  const bytes = index.size();
  if (bytes < entryBytes && entryBytes === OFFSET_ENTRY_BYTES) output.line(`${name} is empty.`);
  else if (!indexSanityOnly) return false;
  else if (bytes % entryBytes === 0) output.line(`${name} passed sanity check.`);
  else output.problem(`${name} has ${bytes} bytes, which is no multiple of ${entryBytes}`);
  return true;
}

export async function dumpTimeIndex(
  files: IndexFiles,
  options: DumpIndexOptions,
  output: DumpOutput,
): Promise<IndexMismatches> {
  const { fileSystem, name, path, baseOffset } = files;
  const mismatches = noMismatches();
  const beside = (suffix: string): string => segmentFilePath(dirname(path), baseOffset, suffix);
  const index = fileSystem.open(path, 'read');
  const log = fileSystem.open(beside(LOG_SUFFIX), 'read');
  try {
    if (isEmptyOrChecked({ index, name, entryBytes: TIME_ENTRY_BYTES }, options, output)) return mismatches;
    const positions = withOpen(fileSystem, beside(OFFSET_INDEX_SUFFIX), (offsets) => [
      ...offsetIndexEntries(offsets, baseOffset),
    ]);
    let previousMs = -1;
    let isFirst = true;
    for (const entry of timeIndexEntries(index, baseOffset)) {
      if (entry.offset === baseOffset && !isFirst) break;
      isFirst = false;
      compareTime(entry, { log, positions, previousMs }, mismatches);
      if (!options.verifyOnly) output.line(`timestamp: ${entry.timestampMs} offset: ${entry.offset}`);
      previousMs = entry.timestampMs;
      await output.drained();
    }
    return mismatches;
  } finally {
    log.close();
    index.close();
  }
}

function compareTime(
  { timestampMs, offset }: TimeIndexEntry,
  against: { log: FileHandle; positions: readonly OffsetIndexEntry[]; previousMs: number },
  mismatches: IndexMismatches,
): void {
  const start = floorPosition(against.positions, offset);
  const batch = findBatch(against.log, start, (lastOffset) => lastOffset >= offset);
  if (batch?.lastOffset !== offset) {
    mismatches.notFound.push([offset, batch?.lastOffset ?? -1]);
    return;
  }
  const whole = Buffer.allocUnsafe(batch.size);
  against.log.read(whole, batch.position);
  const largestMs = largestTimestamp(whole);
  if (largestMs !== timestampMs) mismatches.timestamps.push([timestampMs, largestMs]);
  if (against.previousMs >= timestampMs) mismatches.disorder.push([timestampMs, against.previousMs]);
}

function floorPosition(positions: readonly OffsetIndexEntry[], offset: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]!.offset <= offset) low = middle + 1;
    else high = middle;
  }
  return positions[low - 1]?.position ?? 0;
}

/** Of the records themselves; -1 where there are none. */
function largestTimestamp(batch: Buffer): number {
  const records = storedBatch.isV2(batch, 0) ? decodeRecords(batch) : legacyRecords(batch);
  if (!records.ok) return -1;
  return records.value.reduce((largest, { timestamp }) => Math.max(largest, timestamp), -1);
}

export async function dumpTransactionIndex({ fileSystem, path }: IndexFiles, output: DumpOutput): Promise<void> {
  const reader = new Reader(fileSystem.readFile(path));
  while (reader.remaining > 0) {
    const version = reader.int16();
    const { producerId, firstOffset, lastOffset, lastStableOffset } = decodeAbortedTxn(reader, version);
    output.line(
      `version: ${version} producerId: ${producerId} firstOffset: ${firstOffset} lastOffset: ${lastOffset} ` +
        `lastStableOffset: ${lastStableOffset}`,
    );
    await output.drained();
  }
}

const SNAPSHOT_CRC_AT = 2;
const SNAPSHOT_CRC_COVERS_FROM = 6;

export function dumpProducerSnapshot(
  { fileSystem, path, name }: Pick<IndexFiles, 'fileSystem' | 'path' | 'name'>,
  output: DumpOutput,
): void {
  const content = fileSystem.readFile(path);
  if (content.length < SNAPSHOT_CRC_COVERS_FROM) {
    output.problem(`${name} is cut off`);
    return;
  }
  const stored = content.readUInt32BE(SNAPSHOT_CRC_AT);
  const computed = crc32c(content.subarray(SNAPSHOT_CRC_COVERS_FROM));
  if (stored !== computed) {
    output.problem(`Snapshot is corrupt (${name}): stored crc ${stored}, computed crc ${computed}`);
    return;
  }
  const reader = new Reader(content);
  for (const entry of decodeProducerSnapshot(reader, reader.int16()).producerEntries) output.line(producerLine(entry));
}

function producerLine(entry: ProducerEntry): string {
  const { producerId, epoch, coordinatorEpoch, currentTxnFirstOffset, timestamp } = entry;
  const { lastSequence, lastOffset, offsetDelta } = entry;
  const open = currentTxnFirstOffset < 0 ? 'OptionalLong.empty' : `OptionalLong[${currentTxnFirstOffset}]`;
  const line =
    `producerId: ${producerId} producerEpoch: ${epoch} coordinatorEpoch: ${coordinatorEpoch} ` +
    `currentTxnFirstOffset: ${open} lastTimestamp: ${timestamp}`;
  if (lastOffset < 0) return line;
  const first = lastSequence - offsetDelta;
  const firstSequence = first < 0 ? first + 2 ** 31 : first;
  return (
    `${line} firstSequence: ${firstSequence} lastSequence: ${lastSequence} lastOffset: ${lastOffset} ` +
    `offsetDelta: ${offsetDelta} timestamp: ${timestamp}`
  );
}

/** Kafka's tool does not read these. */
export function dumpLeaderEpochs(
  { fileSystem, path, name }: Pick<IndexFiles, 'fileSystem' | 'path' | 'name'>,
  output: DumpOutput,
): void {
  const epochs = parseEpochs(fileSystem.readFile(path));
  if (!epochs) output.problem(`${name} is no checkpoint of leader epochs`);
  for (const { epoch, startOffset } of epochs ?? []) output.line(`epoch: ${epoch} startOffset: ${startOffset}`);
}
