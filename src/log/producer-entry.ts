/**
 * What a log remembers of one idempotent or transactional producer: its epoch, its last five batches, its open
 * transaction. Owns the rules for the next batch; does not decide when a change becomes real (producer-state.ts).
 * (Kafka: ProducerStateEntry, ProducerAppendInfo, KIP-98, KIP-360.)
 */
import { ErrorCode } from '../codec/generated/errors';
import type { ProducerChecks } from './log-append';

/** A client may have this many batches under way; each of them can be recognized when it comes again. */
const KEPT_BATCHES = 5;
const LARGEST_SEQUENCE = 2 ** 31 - 1;
const NO_EPOCH = -1;
const LARGEST_EPOCH = 2 ** 15 - 1;
/** The version of transactions from which a marker raises the epoch (KIP-890). */
const EPOCH_FOR_EACH_TRANSACTION = 2;
const NO_SEQUENCE = -1;

export interface BatchMetadata {
  readonly lastSequence: number;
  readonly lastOffset: number;
  /** Last offset minus first offset, so also last sequence minus first sequence. */
  readonly offsetDelta: number;
  readonly timestampMs: number;
}

/** A batch of records of a producer, as its header tells, with the offsets that it has or will have. */
export interface ProducerBatch {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly lastSequence: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly maxTimestampMs: number;
  readonly isTransactional: boolean;
}

/** A control record that ends a transaction. */
export interface EndTransactionMarker {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly coordinatorEpoch: number;
  readonly isAbort: boolean;
  readonly offset: number;
  readonly timestampMs: number;
}

export interface ProducerFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

function metadataOf({ firstOffset, lastOffset, lastSequence, maxTimestampMs }: ProducerBatch): BatchMetadata {
  return { lastSequence, lastOffset, offsetDelta: lastOffset - firstOffset, timestampMs: maxTimestampMs };
}

function firstSequence(batch: BatchMetadata): number {
  const first = batch.lastSequence - batch.offsetDelta;
  return first >= 0 ? first : first + LARGEST_SEQUENCE + 1;
}

function isNext(lastSequence: number, sequence: number): boolean {
  return sequence === lastSequence + 1 || (sequence === 0 && lastSequence === LARGEST_SEQUENCE);
}

export class ProducerEntry {
  producerEpoch = NO_EPOCH;
  coordinatorEpoch = -1;
  lastTimestampMs = -1;
  /** First offset of the open transaction, -1 for none. */
  transactionFirstOffset = -1;
  /** Oldest first. */
  batches: BatchMetadata[] = [];
  /** Came from a snapshot, which keeps only the last of the five batches. */
  isPartial = false;

  constructor(readonly producerId: number) {}

  clone(): ProducerEntry {
    const copy = new ProducerEntry(this.producerId);
    copy.producerEpoch = this.producerEpoch;
    copy.coordinatorEpoch = this.coordinatorEpoch;
    copy.lastTimestampMs = this.lastTimestampMs;
    copy.transactionFirstOffset = this.transactionFirstOffset;
    copy.batches = this.batches.slice();
    copy.isPartial = this.isPartial;
    return copy;
  }

  get lastSequence(): number {
    return this.batches.at(-1)?.lastSequence ?? NO_SEQUENCE;
  }

  /** The remembered batch with the same epoch and sequences. */
  findDuplicate(batch: ProducerBatch): BatchMetadata | undefined {
    if (batch.producerEpoch !== this.producerEpoch) return undefined;
    return this.batches.find(
      (known) => known.lastSequence === batch.lastSequence && firstSequence(known) === batch.baseSequence,
    );
  }

  /** Why `batch` may not come next, undefined when it may. What is replicated was checked by its leader. */
  check(batch: ProducerBatch, checks: ProducerChecks): ProducerFailure | undefined {
    const { origin } = checks;
    if (origin === 'replication') return undefined;
    const failure =
      this.#checkEpoch(batch.producerEpoch) ??
      (origin === 'client' ? (this.#checkTransaction(batch, checks) ?? this.#checkSequence(batch, checks)) : undefined);
    if (failure) return failure;
    if (this.transactionFirstOffset < 0 || batch.isTransactional) return undefined;
    return {
      code: ErrorCode.INVALID_TXN_STATE,
      message: `Producer ${this.producerId} wrote outside of its open transaction`,
    };
  }

  /** Why a marker may not be written now, undefined when it may. */
  checkMarker(marker: EndTransactionMarker, checks: ProducerChecks): ProducerFailure | undefined {
    if (checks.origin === 'replication') return undefined;
    const failure = this.#checkMarkerEpoch(marker.producerEpoch, checks);
    if (failure || marker.coordinatorEpoch >= this.coordinatorEpoch) return failure;
    return {
      code: ErrorCode.TRANSACTION_COORDINATOR_FENCED,
      message: `Coordinator epoch ${marker.coordinatorEpoch} is below the known ${this.coordinatorEpoch}`,
    };
  }

  /** Replaces what is remembered by the newest of `batches`, all of the current epoch. */
  restoreBatches(batches: readonly ProducerBatch[]): void {
    this.batches = batches.slice(-KEPT_BATCHES).map(metadataOf);
  }

  /** Takes over a batch; true when a transaction began with it. */
  add(batch: ProducerBatch): boolean {
    this.#moveToEpoch(batch.producerEpoch);
    if (this.batches.length === KEPT_BATCHES) this.batches.shift();
    this.batches.push(metadataOf(batch));
    this.lastTimestampMs = batch.maxTimestampMs;
    if (!batch.isTransactional || this.transactionFirstOffset >= 0) return false;
    this.transactionFirstOffset = batch.firstOffset;
    return true;
  }

  /** Takes over a marker; gives the first offset of the transaction that it ends, -1 for none. */
  end(marker: EndTransactionMarker): number {
    const firstOffset = this.transactionFirstOffset;
    this.#moveToEpoch(marker.producerEpoch);
    this.coordinatorEpoch = marker.coordinatorEpoch;
    this.lastTimestampMs = marker.timestampMs;
    this.transactionFirstOffset = -1;
    return firstOffset;
  }

  isExpired(nowMs: number, expirationMs: number): boolean {
    return this.transactionFirstOffset < 0 && nowMs - this.lastTimestampMs >= expirationMs;
  }

  #moveToEpoch(producerEpoch: number): void {
    if (this.producerEpoch === producerEpoch) return;
    this.batches = [];
    this.producerEpoch = producerEpoch;
  }

  #checkEpoch(producerEpoch: number): ProducerFailure | undefined {
    if (producerEpoch >= this.producerEpoch) return undefined;
    return {
      code: ErrorCode.INVALID_PRODUCER_EPOCH,
      message: `Epoch ${producerEpoch} of producer ${this.producerId} is below its last epoch ${this.producerEpoch}`,
    };
  }

  /** A marker that ends a transaction of version 2 comes with the next epoch; the same once more is a repetition. */
  #checkMarkerEpoch(producerEpoch: number, { transactionVersion = 0 }: ProducerChecks): ProducerFailure | undefined {
    const isRepeated = this.transactionFirstOffset < 0 || producerEpoch === LARGEST_EPOCH;
    if (transactionVersion < EPOCH_FOR_EACH_TRANSACTION || producerEpoch !== this.producerEpoch || isRepeated) {
      return this.#checkEpoch(producerEpoch);
    }
    return {
      code: ErrorCode.INVALID_PRODUCER_EPOCH,
      message: `Epoch ${producerEpoch} of a marker for producer ${this.producerId} is not above that of its records`,
    };
  }

  /** A transaction begins in a log only with the coordinator's word. */
  #checkTransaction(batch: ProducerBatch, { isVerified }: ProducerChecks): ProducerFailure | undefined {
    if (!batch.isTransactional || isVerified) return undefined;
    if (this.transactionFirstOffset >= 0 && batch.producerEpoch === this.producerEpoch) return undefined;
    return {
      code: ErrorCode.INVALID_TXN_STATE,
      message: `Producer ${this.producerId} has no ongoing transaction that these records could belong to`,
    };
  }

  #checkSequence(batch: ProducerBatch, checks: ProducerChecks): ProducerFailure | undefined {
    if (this.producerEpoch === NO_EPOCH) return this.#checkFirstSequence(batch, checks);
    const isNewEpoch = batch.producerEpoch !== this.producerEpoch;
    const expectsNext = isNewEpoch ? batch.baseSequence === 0 : isNext(this.lastSequence, batch.baseSequence);
    if (expectsNext) return undefined;
    const after = isNewEpoch ? `0 in its new epoch ${batch.producerEpoch}` : `what follows ${this.lastSequence}`;
    return {
      code: ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
      message: `Producer ${this.producerId} sent sequence ${batch.baseSequence}, expected ${after}`,
    };
  }

  /**
   * A producer that is not known, perhaps because its records are gone, may go on with any sequence (KIP-360); but
   * where each transaction has an epoch of its own, its first sequence is 0.
   */
  #checkFirstSequence(
    batch: ProducerBatch,
    { isVerified, transactionVersion = 0 }: ProducerChecks,
  ): ProducerFailure | undefined {
    if (!isVerified || transactionVersion < EPOCH_FOR_EACH_TRANSACTION || batch.baseSequence === 0) return undefined;
    return {
      code: ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
      message: `Producer ${this.producerId} began a transaction with sequence ${batch.baseSequence}, expected 0`,
    };
  }
}
