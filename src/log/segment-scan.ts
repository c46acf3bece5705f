/**
 * Reading a segment from its start to derive again what can be derived: indexes, aborted transactions, producers,
 * epochs, and where the last whole batch ends. (Kafka: LogSegment.recover.)
 */
import * as batchHeader from '../records/batch-header';
import { crc32 } from '../records/checksum';
import { BatchScanner } from './batch-scanner';
import type { LeaderEpochs } from './leader-epochs';
import { isPassing } from './log-state';
import type { OpenFiles } from './open-files';
import { applyBatch } from './producer-batch';
import type { ProducerState } from './producer-state';
import type { Segment } from './segment';
import * as storedBatch from './stored-batch';

export interface ScanOptions {
  readonly files: OpenFiles;
  /** As it was at the segment's base offset; as it is at its end afterwards. */
  readonly producers: ProducerState;
  readonly epochs: LeaderEpochs;
  /** Compare checksums, and take the first wrong one for the end. */
  readonly verify: boolean;
}

/** Offset, size and CRC of an old message come before what its CRC covers. */
const LEGACY_CRC = batchHeader.LOG_OVERHEAD;
const LEGACY_CRC_COVERS_FROM = LEGACY_CRC + 4;

/** Derives everything anew; gives the offset after the last whole batch and what follows it in the file, in bytes. */
export async function scanSegment(
  segment: Segment,
  options: ScanOptions,
): Promise<{ nextOffset: number; trailingBytes: number }> {
  const { handle, release } = options.files.lendForWriting(segment.logPath);
  try {
    const fileBytes = handle.size();
    segment.startOver();
    const scanner = new BatchScanner(handle, { from: 0, to: fileBytes });
    let nextOffset = segment.baseOffset;
    while (await scanner.next()) {
      const { buffer, at } = scanner;
      const lastOffset = storedBatch.lastOffset(buffer, at);
      if (lastOffset < nextOffset || !segment.offsetIndex.canHold(lastOffset)) break;
      if (options.verify && !isChecksumRight(scanner)) break;
      derive(segment, scanner, options);
      nextOffset = lastOffset + 1;
    }
    return { nextOffset, trailingBytes: fileBytes - segment.sizeInBytes };
  } finally {
    release();
  }
}

function derive(segment: Segment, { buffer, at, sizeInBytes }: BatchScanner, options: ScanOptions): void {
  const lastOffset = storedBatch.lastOffset(buffer, at);
  segment.noteAppended({ sizeInBytes, lastOffset, maxTimestampMs: storedBatch.maxTimestamp(buffer, at) });
  if (segment.isIndexWriteDue) unlessFull(() => segment.writeIndexes());
  if (!storedBatch.isV2(buffer, at)) return;
  const epoch = batchHeader.partitionLeaderEpoch(buffer, at);
  if (epoch > options.epochs.latest) options.epochs.assign(epoch, batchHeader.baseOffset(buffer, at));
  const draft = options.producers.draft();
  applyBatch(draft, { buffer, at }, { origin: 'replication' });
  for (const aborted of draft.commit()) segment.transactionIndex.append(aborted);
}

/**
 * Runs a write of what can be derived again, on a disk that may be full: a log is usable without. False where it was
 * not written.
 */
export function unlessFull(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (!isPassing(error)) throw error;
    return false;
  }
}

function isChecksumRight({ buffer, at, sizeInBytes }: BatchScanner): boolean {
  if (storedBatch.isV2(buffer, at)) return batchHeader.isCrcValid(buffer, at);
  const covered = buffer.subarray(at + LEGACY_CRC_COVERS_FROM, at + sizeInBytes);
  return crc32(covered) === buffer.readUInt32BE(at + LEGACY_CRC);
}
