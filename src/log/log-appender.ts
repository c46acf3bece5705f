/**
 * The one way into a log: appends wait in a queue, those that are there together become one write, and only after it
 * succeeded do offsets, producers, indexes and answers follow. Other changes of the log take their turn in the same
 * queue. Owns the order and the failure rule: a failed or short write fails every append of its gather and leaves the
 * log as it was; an error that does not pass takes the log offline.
 */
import { Later } from '../base/later';
import { err, ok, type Result } from '../base/result';
import { ErrorCode } from '../codec/generated/errors';
import * as batchHeader from '../records/batch-header';
import { checkAppend, checkReplicated } from './append-check';
import type { AppendFailure, AppendInfo, AppendOptions } from './log-append';
import type { LogFlusher } from './log-flusher';
import { isPassing, type LogState } from './log-state';
import type { PassingTrouble } from './passing-trouble';
import { backfillProducer } from './producer-backfill';
import { applyBatch } from './producer-batch';
import type { ProducerFailure } from './producer-entry';
import type { ProducerDraft } from './producer-state';
import { shouldRoll } from './segment-roll';
import * as storedBatch from './stored-batch';

type AppendResult = Result<AppendInfo, AppendFailure>;

interface WaitingAppend {
  readonly kind: 'append';
  /** One v2 batch, or for `replication` one or more. */
  readonly records: Buffer;
  readonly options: AppendOptions;
  readonly result: Later<AppendResult>;
}

interface WaitingTask {
  readonly kind: 'task';
  readonly run: () => Promise<void>;
}

interface Answer {
  readonly result: Later<AppendResult>;
  readonly info: AppendInfo;
}

/** What one write holds. */
interface Gather {
  readonly parts: Buffer[];
  readonly answers: Answer[];
  readonly draft: ProducerDraft;
  readonly nowMs: number;
  bytes: number;
  batches: number;
  nextOffset: number;
}

/** A write up to this size costs less on the loop than through the thread pool. */
const LARGEST_SYNC_WRITE = 128 * 1024;
/** Where the parts of such a write come together: fresh memory for each would be work for the garbage collector. */
const room = Buffer.allocUnsafeSlow(LARGEST_SYNC_WRITE);
/** One write takes no more than this, unless a single append is larger. */
const LARGEST_GATHER = 4 * 1024 * 1024;

function storageFailure(message: string): Result<never, AppendFailure> {
  return err({ code: ErrorCode.KAFKA_STORAGE_ERROR, message, recordErrors: [] });
}

/** Valid until the next call. */
function together(parts: readonly Buffer[]): Buffer {
  let bytes = 0;
  for (const part of parts) bytes += part.copy(room, bytes);
  return room.subarray(0, bytes);
}

export class LogAppender {
  readonly #state: LogState;
  readonly #flusher: LogFlusher;
  readonly #trouble: PassingTrouble;
  #queue: (WaitingAppend | WaitingTask)[] = [];
  #isRunning = false;
  /** What a failed write may have left behind the last batch, and could not be cut off yet. */
  #hasRest = false;

  constructor(state: LogState, flusher: LogFlusher, trouble: PassingTrouble) {
    this.#state = state;
    this.#flusher = flusher;
    this.#trouble = trouble;
  }

  append(records: Buffer, options: AppendOptions): Later<AppendResult> {
    const { config, environment } = this.#state;
    const { origin } = options;
    const checked =
      origin === 'replication'
        ? checkReplicated(records)
        : checkAppend(records, { config, nowMs: environment.clock.nowMs(), origin });
    if (!checked.ok) return Later.of<AppendResult>(checked);
    const batch = checked.value;
    if (batch === null) return Later.of<AppendResult>(ok(this.#info(-1, -1)));
    if (origin !== 'replication' && batch.length > config.segmentBytes) {
      const message = `The record batch size is ${batch.length} bytes, a segment holds ${config.segmentBytes}`;
      return Later.of<AppendResult>(err({ code: ErrorCode.RECORD_LIST_TOO_LARGE, message, recordErrors: [] }));
    }
    const result = new Later<AppendResult>();
    this.#enqueue({ kind: 'append', records: batch, options, result });
    return result;
  }

  /** Runs `task` when no write is under way and none begins until it has ended. */
  exclusive<T>(task: () => Promise<T> | T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ kind: 'task', run: async () => Promise.resolve().then(task).then(resolve, reject) });
    });
  }

  #enqueue(waiting: WaitingAppend | WaitingTask): void {
    this.#queue.push(waiting);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#state.environment.clock.gather(this.#run);
  }

  /** Works off the queue, at once as far as nothing of it has to be waited for. */
  readonly #run = (): void => {
    while (this.#queue.length > 0) {
      const pending = this.#step();
      if (pending === undefined) continue;
      void pending.then(this.#run);
      return;
    }
    this.#isRunning = false;
  };

  /** The task or the appends at the head of the queue; what has to be waited for, and never rejects. */
  #step(): Promise<void> | undefined {
    const first = this.#queue[0]!;
    if (first.kind === 'task') {
      this.#queue.shift();
      return first.run();
    }
    const gather = this.#gather();
    try {
      return this.#write(gather)?.catch((error: unknown) => this.#onBug(gather, error));
    } catch (error) {
      this.#onBug(gather, error);
      return undefined;
    }
  }

  /** What is in memory may not be what is on disk, so nothing more may be written. */
  #onBug({ answers }: Gather, error: unknown): void {
    this.#state.takeOffline(error);
    for (const { result } of answers) if (!result.isThere) result.settle(storageFailure('The log failed'));
  }

  /** Takes appends from the head of the queue, as many as go into one write. Refused ones are answered at once. */
  #gather(): Gather {
    const state = this.#state;
    const queue = this.#queue;
    const gather: Gather = {
      parts: [],
      answers: [],
      draft: state.producers.draft(),
      nowMs: state.environment.clock.monotonicMs(),
      bytes: 0,
      batches: 0,
      nextOffset: state.nextOffset,
    };
    let taken = 0;
    for (; taken < queue.length; taken++) {
      const waiting = queue[taken]!;
      if (waiting.kind === 'task') break;
      if (state.isOffline || state.isClosed) {
        waiting.result.settle(storageFailure('The log is offline'));
        continue;
      }
      try {
        if (!this.#hasRoom(gather, waiting)) {
          if (gather.bytes > 0) break;
          this.#roll();
        }
        this.#take(gather, waiting);
      } catch (error) {
        waiting.result.settle(this.#failed(error));
      }
    }
    if (taken === queue.length) this.#queue = [];
    else queue.splice(0, taken);
    return gather;
  }

  #hasRoom(gather: Gather, { records, options }: WaitingAppend): boolean {
    if (gather.bytes > 0 && gather.bytes + records.length > LARGEST_GATHER) return false;
    const { config } = this.#state;
    const lastOffset =
      options.origin === 'replication'
        ? batchHeader.lastOffset(records)
        : gather.nextOffset + batchHeader.lastOffsetDelta(records);
    return !shouldRoll(
      this.#state.active,
      { sizeInBytes: records.length, lastOffset, maxTimestampMs: batchHeader.maxTimestamp(records) },
      { bytes: gather.bytes, batches: gather.batches, config, nowMs: gather.nowMs },
    );
  }

  #roll(): void {
    this.cutRest();
    this.#state.roll();
    // The old segment becomes durable in the background; a failure takes the log offline by itself.
    this.#flusher.flushInTurn();
  }

  #take(gather: Gather, waiting: WaitingAppend): void {
    const { records, options, result } = waiting;
    const { environment, config } = this.#state;
    const isReplicated = options.origin === 'replication';
    const firstOffset = isReplicated ? batchHeader.baseOffset(records) : gather.nextOffset;
    if (firstOffset < gather.nextOffset) {
      const message = `Offset ${firstOffset} is below the log end ${gather.nextOffset}`;
      result.settle(err({ code: ErrorCode.OFFSET_OUT_OF_RANGE, message, recordErrors: [] }));
      return;
    }
    let logAppendTimeMs = -1;
    if (!isReplicated) {
      batchHeader.patchBaseOffset(records, 0, firstOffset);
      batchHeader.patchPartitionLeaderEpoch(records, 0, options.leaderEpoch);
      if (config.messageTimestampType === 'LogAppendTime') {
        logAppendTimeMs = environment.clock.nowMs();
        batchHeader.patchLogAppendTime(records, 0, logAppendTimeMs);
      }
    }
    let lastOffset = firstOffset;
    let batches = 0;
    for (let at = 0; at < records.length; at += batchHeader.sizeInBytes(records, at)) {
      const applied = this.#apply(gather.draft, { buffer: records, at }, options);
      if (!applied.ok) {
        result.settle(err({ ...applied.error, recordErrors: [] }));
        return;
      }
      if (applied.value !== null) {
        gather.answers.push({ result, info: applied.value });
        return;
      }
      lastOffset = batchHeader.lastOffset(records, at);
      batches++;
    }
    gather.parts.push(records);
    gather.bytes += records.length;
    gather.batches += batches;
    gather.nextOffset = lastOffset + 1;
    gather.answers.push({ result, info: this.#info(firstOffset, lastOffset, logAppendTimeMs) });
  }

  /** Checks a batch against its producer; a value is the answer for one that was appended before. */
  #apply(
    draft: ProducerDraft,
    batch: { buffer: Buffer; at: number },
    options: AppendOptions,
  ): Result<AppendInfo | null, ProducerFailure> {
    let applied = applyBatch(draft, batch, options);
    if (
      !applied.ok &&
      applied.error.code === ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER &&
      backfillProducer(this.#state, batchHeader.producerId(batch.buffer, batch.at))
    ) {
      applied = applyBatch(draft, batch, options);
    }
    if (!applied.ok) return applied;
    if (applied.value === null) return ok(null);
    const { lastOffset, offsetDelta, timestampMs } = applied.value;
    const logAppendTimeMs = this.#state.config.messageTimestampType === 'LogAppendTime' ? timestampMs : -1;
    return ok({ ...this.#info(lastOffset - offsetDelta, lastOffset, logAppendTimeMs), duplicate: true });
  }

  #info(firstOffset: number, lastOffset: number, logAppendTimeMs = -1): AppendInfo {
    return { firstOffset, lastOffset, logAppendTimeMs, logStartOffset: this.#state.logStartOffset, duplicate: false };
  }

  #write(gather: Gather): Promise<void> | undefined {
    if (gather.bytes > LARGEST_SYNC_WRITE) return this.#writeLater(gather);
    try {
      if (gather.parts.length > 0) this.#writeNow(gather);
    } catch (error) {
      this.#onWriteFailed(gather, error);
      return undefined;
    }
    this.#onWritten(gather);
    return undefined;
  }

  #onWriteFailed({ answers }: Gather, error: unknown): void {
    this.#tryToCutRest();
    const failed = this.#failed(error);
    for (const { result } of answers) result.settle(failed);
  }

  #onWritten(gather: Gather): void {
    if (gather.parts.length > 0) this.#commit(gather);
    if (gather.answers.length > 0) this.#answer(gather);
  }

  #writeNow({ parts }: Gather): void {
    this.cutRest();
    const { active, environment } = this.#state;
    const data = parts.length === 1 ? parts[0]! : together(parts);
    const handle = environment.files.forWriting(active.logPath);
    this.#hasRest = true;
    handle.write(data, active.sizeInBytes);
    this.#hasRest = false;
  }

  async #writeLater(gather: Gather): Promise<void> {
    try {
      this.cutRest();
      const { active, environment } = this.#state;
      const { handle, release } = environment.files.lendForWriting(active.logPath);
      try {
        this.#hasRest = true;
        await handle.writeAsync(gather.parts, active.sizeInBytes);
        this.#hasRest = false;
      } finally {
        release();
      }
    } catch (error) {
      this.#onWriteFailed(gather, error);
      return;
    }
    this.#onWritten(gather);
  }

  /**
   * After a failed write: what may have reached the file goes, at the latest before something else is written there.
   */
  cutRest(): void {
    if (!this.#hasRest) return;
    const { active, environment } = this.#state;
    environment.files.forWriting(active.logPath).truncate(active.sizeInBytes);
    this.#hasRest = false;
  }

  #tryToCutRest(): void {
    try {
      this.cutRest();
    } catch (error) {
      if (!isPassing(error)) this.#state.takeOffline(error);
    }
  }

  #failed(error: unknown): Result<never, AppendFailure> {
    const message = error instanceof Error ? error.message : String(error);
    if (isPassing(error)) this.#trouble.note(error);
    else this.#state.takeOffline(error);
    return storageFailure(`The records could not be written: ${message}`);
  }

  #commit(gather: Gather): void {
    const state = this.#state;
    this.#trouble.end();
    const { active } = state;
    for (const part of gather.parts) {
      for (let at = 0; at < part.length; ) {
        const sizeInBytes = batchHeader.sizeInBytes(part, at);
        const epoch = batchHeader.partitionLeaderEpoch(part, at);
        if (epoch > state.epochs.latest) state.epochs.assign(epoch, batchHeader.baseOffset(part, at));
        const lastOffset = batchHeader.lastOffset(part, at);
        active.noteAppended({ sizeInBytes, lastOffset, maxTimestampMs: storedBatch.maxTimestamp(part, at) });
        at += sizeInBytes;
      }
    }
    for (const aborted of gather.draft.commit()) active.transactionIndex.append(aborted);
    state.nextOffset = gather.nextOffset;
    if (!active.isIndexWriteDue) return;
    try {
      active.writeIndexes();
    } catch (error) {
      // The entries stay in memory and are written later; the records themselves are safe.
      if (!isPassing(error)) state.takeOffline(error);
    }
  }

  /** Publishes the new end and answers; after the flush where one is due. */
  #answer(gather: Gather): void {
    const state = this.#state;
    const { nextOffset } = state;
    if (nextOffset - state.recoveryPoint < state.config.flushMessages) {
      this.#publish(gather, nextOffset);
      return;
    }
    void this.#flusher.flush().then((flushed) => {
      if (flushed.ok) this.#publish(gather, nextOffset);
      else
        for (const { result } of gather.answers) result.settle(storageFailure('The records could not be made durable'));
    });
  }

  #publish(gather: Gather, endOffset: number): void {
    const state = this.#state;
    // A truncation may have come in between; it waits for nobody.
    state.logEndOffset = Math.max(state.logEndOffset, Math.min(endOffset, state.nextOffset));
    for (const { result, info } of gather.answers) result.settle(ok(info));
  }
}
