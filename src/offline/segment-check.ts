/**
 * Checks one segment with its indexes in a single pass over its batches, in a constant amount of memory. Owns what the
 * broker does about what is found: it depends on whether a start scans the segment (behind the recovery point of a log
 * that was not closed cleanly) or relies on it.
 */
import { decodeAbortedTxn } from '../codec/generated/records/aborted-txn';
import { MalformedMessage } from '../codec/malformed';
import { Reader } from '../codec/reader';
import { BatchScanner } from '../log/batch-scanner';
import type { FileHandle, FileSystem } from '../log/file-system';
import type { EpochEntry } from '../log/leader-epochs';
import {
  LOG_SUFFIX,
  OFFSET_INDEX_SUFFIX,
  segmentFilePath,
  TIME_INDEX_SUFFIX,
  TRANSACTION_INDEX_SUFFIX,
} from '../log/log-file-name';
import type { AbortedTransactionEntry } from '../log/producer-state';
import * as storedBatch from '../log/stored-batch';
import * as batchHeader from '../records/batch-header';
import { batchDamage } from './batch-check';
import type { Findings, Severity } from './finding';
import { OffsetIndexCheck, TimeIndexCheck, TransactionIndexCheck, type WalkedBatch } from './index-check';
import { OFFSET_ENTRY_BYTES, offsetIndexEntries, TIME_ENTRY_BYTES, timeIndexEntries } from './index-entries';
import type { LogFacts } from './segment-facts';

export interface SegmentContext {
  readonly fileSystem: FileSystem;
  readonly findings: Findings;
  /** Told of bytes as they are read. */
  readonly progress: (bytes: number) => void;
  readonly facts: LogFacts;
  /** Undefined where the file is damaged. */
  readonly epochs: readonly EpochEntry[] | undefined;
  readonly logStartOffset: number;
  /** Whether offsets may be missing, as compaction leaves it. */
  readonly mayHaveGaps: boolean;
}

export interface SegmentToCheck {
  readonly directory: string;
  readonly baseOffset: number;
  /** Infinity for the last segment. */
  readonly endsAt: number;
  /** A start scans it and rebuilds its indexes. */
  readonly isUnflushed: boolean;
}

const LARGEST_RELATIVE = 2 ** 31 - 1;
/** A start finds an index without entries wrong only beside a segment of more bytes. */
const LARGEST_UNINDEXED = 1024 * 1024;
const ABORTED_BYTES = 34;

const REBUILT = 'the indexes are rebuilt';
const RELIED_ON = 'nothing; it is relied on, and look-ups go wrong';

export class SegmentCheck {
  readonly #context: SegmentContext;
  readonly #segment: SegmentToCheck;
  readonly #logPath: string;
  /** What is wrong with indexes that a start rebuilds is no fault. */
  readonly #indexSeverity: Severity;

  constructor(context: SegmentContext, segment: SegmentToCheck) {
    this.#context = context;
    this.#segment = segment;
    this.#logPath = this.#path(LOG_SUFFIX);
    this.#indexSeverity = segment.isUnflushed ? 'note' : 'problem';
  }

  async run(): Promise<void> {
    const { fileSystem } = this.#context;
    const open: FileHandle[] = [];
    const openIfThere = (suffix: string): FileHandle | undefined => {
      const path = this.#path(suffix);
      if (!fileSystem.stat(path)) return undefined;
      const handle = fileSystem.open(path, 'read');
      open.push(handle);
      return handle;
    };
    try {
      const log = fileSystem.open(this.#logPath, 'read');
      open.push(log);
      const offsets = openIfThere(OFFSET_INDEX_SUFFIX);
      const times = openIfThere(TIME_INDEX_SUFFIX);
      await this.#walk(log, {
        offsets: this.#checkOf(OFFSET_INDEX_SUFFIX, offsets, log),
        times: this.#checkOf(TIME_INDEX_SUFFIX, times, log),
        transactions: new TransactionIndexCheck(
          this.#abortedEntries(),
          { firstOffset: this.#context.facts.firstOffset, mayHaveGaps: this.#context.mayHaveGaps },
          (what) => this.#indexProblem(TRANSACTION_INDEX_SUFFIX, { what, seen: false }),
        ),
      });
    } finally {
      for (const handle of open) handle.close();
    }
  }

  #path(suffix: string): string {
    return segmentFilePath(this.#segment.directory, this.#segment.baseOffset, suffix);
  }

  /** `seen`: whether a start sees it by itself. */
  #indexProblem(suffix: string, { what, position, seen }: { what: string; position?: number; seen: boolean }): void {
    const atStart = this.#segment.isUnflushed || seen ? REBUILT : RELIED_ON;
    const file = this.#path(suffix);
    const place = position === undefined ? {} : { position };
    this.#context.findings.add({ severity: this.#indexSeverity, file, ...place, what, atStart });
  }

  #checkOf(suffix: typeof OFFSET_INDEX_SUFFIX, index: FileHandle | undefined, log: FileHandle): OffsetIndexCheck;
  #checkOf(suffix: typeof TIME_INDEX_SUFFIX, index: FileHandle | undefined, log: FileHandle): TimeIndexCheck;
  #checkOf(suffix: string, index: FileHandle | undefined, log: FileHandle): OffsetIndexCheck | TimeIndexCheck {
    const { baseOffset } = this.#segment;
    const { mayHaveGaps } = this.#context;
    const isOffsets = suffix === OFFSET_INDEX_SUFFIX;
    const entryBytes = isOffsets ? OFFSET_ENTRY_BYTES : TIME_ENTRY_BYTES;
    const bytes = index?.size() ?? 0;
    if (!index && log.size() > 0) this.#indexProblem(suffix, { what: 'is missing', seen: true });
    if (bytes % entryBytes !== 0)
      this.#indexProblem(suffix, { what: `${bytes} bytes are no whole entries of ${entryBytes}`, seen: true });
    if (index && isOffsets && bytes === 0 && log.size() > LARGEST_UNINDEXED)
      this.#indexProblem(suffix, { what: `no entries for a segment of ${log.size()} bytes`, seen: true });
    const complain = (entry: number, what: string): void =>
      this.#indexProblem(suffix, { what: `entry ${entry}: ${what}`, position: entry * entryBytes, seen: false });
    return isOffsets
      ? new OffsetIndexCheck(index ? offsetIndexEntries(index, baseOffset) : [], baseOffset, complain)
      : new TimeIndexCheck(index ? timeIndexEntries(index, baseOffset) : [], { baseOffset, mayHaveGaps }, complain);
  }

  #abortedEntries(): AbortedTransactionEntry[] {
    const { fileSystem } = this.#context;
    const path = this.#path(TRANSACTION_INDEX_SUFFIX);
    const entries: AbortedTransactionEntry[] = [];
    if (!fileSystem.stat(path)) return entries;
    const content = fileSystem.readFile(path);
    const reader = new Reader(content);
    try {
      while (reader.remaining > 0) entries.push(decodeAbortedTxn(reader, reader.int16()));
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      const position = entries.length * ABORTED_BYTES;
      this.#indexProblem(TRANSACTION_INDEX_SUFFIX, { what: `no whole entry: ${error.message}`, position, seen: true });
    }
    return entries;
  }

  async #walk(
    log: FileHandle,
    checks: { offsets: OffsetIndexCheck; times: TimeIndexCheck; transactions: TransactionIndexCheck },
  ): Promise<void> {
    const { facts, progress } = this.#context;
    const fileBytes = log.size();
    const scanner = new BatchScanner(log, { from: 0, to: fileBytes });
    while (await scanner.next()) {
      const buffer = scanner.batch();
      const { position } = scanner;
      const lastOffset = storedBatch.lastOffset(buffer, 0);
      // Where an old compressed message begins is not in its header.
      const baseOffset = storedBatch.isV2(buffer, 0) ? batchHeader.baseOffset(buffer) : facts.nextOffset;
      const batch: WalkedBatch = { buffer, position, baseOffset, lastOffset };
      progress(buffer.length);
      if (!this.#isInOrder(batch)) continue;
      const damage = batchDamage(buffer);
      if (damage !== undefined)
        this.#damaged(position, `the batch of offsets ${baseOffset} to ${lastOffset}: ${damage}`);
      else this.#checkEpoch(batch);
      checks.offsets.batch(batch);
      checks.times.batch(batch);
      const ended = damage === undefined ? facts.take(buffer) : [];
      facts.nextOffset = lastOffset + 1;
      checks.transactions.batch(batch, ended);
    }
    if (scanner.position < fileBytes) this.#trailing(scanner.position, await restOf(log, scanner.position));
    this.#endOfIndexes(checks);
  }

  /** Offsets rise from batch to batch, within the segment. False: the batch is out of place. */
  #isInOrder({ buffer, position, baseOffset, lastOffset }: WalkedBatch): boolean {
    const { facts, mayHaveGaps } = this.#context;
    const { baseOffset: segmentBase, endsAt } = this.#segment;
    const offsets = `the batch of offsets ${baseOffset} to ${lastOffset}`;
    if (lastOffset < facts.nextOffset || baseOffset < facts.nextOffset) {
      this.#damaged(position, `${offsets} comes after offset ${facts.nextOffset - 1}`);
      return false;
    }
    if (lastOffset - segmentBase > LARGEST_RELATIVE || lastOffset >= endsAt) {
      this.#damaged(position, `${offsets} does not belong to a segment of offsets ${segmentBase} to ${endsAt - 1}`);
      return false;
    }
    if (baseOffset > facts.nextOffset && !mayHaveGaps && storedBatch.isV2(buffer, 0)) {
      const what = `offsets ${facts.nextOffset} to ${baseOffset - 1} are missing, and the topic is not compacted`;
      this.#problem(position, what, 'nothing; readers go on behind the gap');
    }
    return true;
  }

  /** Of the batches that the checkpoint does not fit, the first of each epoch is told. */
  #checkEpoch({ buffer, position, baseOffset, lastOffset }: WalkedBatch): void {
    const { epochs, facts, logStartOffset } = this.#context;
    if (!storedBatch.isV2(buffer, 0)) return;
    const epoch = batchHeader.partitionLeaderEpoch(buffer);
    if (epoch < facts.leaderEpoch)
      this.#problem(position, `leader epoch ${epoch} comes after ${facts.leaderEpoch}`, 'nothing');
    if (!epochs || epoch < 0 || this.#segment.isUnflushed) return;
    // Of epochs that ended before the log start nothing is kept.
    if (lastOffset < logStartOffset) return;
    const offset = Math.max(baseOffset, logStartOffset);
    const known = epochs.findLast(({ startOffset }) => startOffset <= offset)?.epoch ?? -1;
    if (known !== epoch && epoch !== facts.wrongEpoch) {
      facts.wrongEpoch = epoch;
      const what = `leader epoch ${epoch} from offset ${baseOffset} on, and leader-epoch-checkpoint says ${known}`;
      this.#problem(position, what, 'nothing; a client that asks where an epoch ends is told wrong');
    }
  }

  /** Something in the log that a start does not get past when it scans. */
  #damaged(position: number, what: string): void {
    this.#problem(
      position,
      what,
      this.#segment.isUnflushed
        ? 'the log is cut here and what follows is lost, later segments included'
        : 'nothing; it is not looked at, and reading it fails',
    );
  }

  #trailing(position: number, rest: { bytes: number; isZeros: boolean }): void {
    const { isUnflushed, endsAt } = this.#segment;
    const what = `${rest.bytes} bytes${rest.isZeros ? ' of zeros' : ''} behind the last whole batch`;
    const isCut = isUnflushed || endsAt === Number.POSITIVE_INFINITY;
    this.#problem(position, what, isCut ? 'they are cut off' : 'nothing; reading on from here fails');
  }

  #problem(position: number, what: string, atStart: string): void {
    this.#context.findings.add({ severity: 'problem', file: this.#logPath, position, what, atStart });
  }

  #endOfIndexes(checks: {
    offsets: OffsetIndexCheck;
    times: TimeIndexCheck;
    transactions: TransactionIndexCheck;
  }): void {
    const offsetZeros = checks.offsets.end();
    const { zeros, unknownMs } = checks.times.end();
    checks.transactions.end();
    const zeroText = (count: number): string => `${count} entries of nothing but zeros at its end`;
    if (offsetZeros > 0) this.#indexProblem(OFFSET_INDEX_SUFFIX, { what: zeroText(offsetZeros), seen: true });
    if (zeros > 0) this.#indexProblem(TIME_INDEX_SUFFIX, { what: zeroText(zeros), seen: true });
    if (unknownMs !== undefined && !this.#segment.isUnflushed) {
      const what = `it does not know the largest time of the segment, ${unknownMs}`;
      this.#indexProblem(TIME_INDEX_SUFFIX, { what, seen: false });
    }
  }
}

const PIECE_BYTES = 1024 * 1024;

/** What lies behind the last whole batch. */
async function restOf(log: FileHandle, from: number): Promise<{ bytes: number; isZeros: boolean }> {
  const bytes = log.size() - from;
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytes));
  const zeros = Buffer.alloc(piece.length);
  for (let done = 0; done < bytes; ) {
    const count = await log.readAsync(piece, from + done);
    if (count === 0) break;
    if (!piece.subarray(0, count).equals(zeros.subarray(0, count))) return { bytes, isZeros: false };
    done += count;
  }
  return { bytes, isZeros: true };
}
