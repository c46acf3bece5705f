/**
 * The producers that a log knows and their transactions. Appends are checked against a draft (`ProducerDraft`), which
 * becomes the state only when the write succeeded; a failed write drops the draft and nothing has happened.
 * Owns the first unstable offset; does not know files (producer-snapshot.ts).
 * Invariant: `#ongoing` and `#unreplicated` hold transactions in the order of their first and last offsets.
 * (Kafka: ProducerStateManager.)
 */
import type { Result } from '../base/result';
import { err, ok } from '../base/result';
import type { ProducerChecks } from './log-append';
import {
  type BatchMetadata,
  type EndTransactionMarker,
  type ProducerBatch,
  ProducerEntry,
  type ProducerFailure,
} from './producer-entry';

interface CompletedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** The offset of the marker. */
  readonly lastOffset: number;
  readonly isAbort: boolean;
}

/** What the transaction index says of an aborted transaction. */
export interface AbortedTransactionEntry {
  readonly producerId: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** The last stable offset once this transaction had ended. */
  readonly lastStableOffset: number;
}

type TransactionEvent = { readonly startedAt: number; readonly producerId: number } | CompletedTransaction;

const NONE: readonly CompletedTransaction[] = [];

export class ProducerState {
  /** Most logs have no such producers, and very many logs are idle: then there are no maps. */
  #entries: Map<number, ProducerEntry> | undefined;
  /** Producer ids of open transactions by first offset. */
  #ongoing: Map<number, number> | undefined;
  /** Ended transactions whose markers are not yet below the high watermark. */
  #unreplicated: readonly CompletedTransaction[] = NONE;

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  get entries(): Iterable<ProducerEntry> {
    return this.#entries?.values() ?? [];
  }

  get(producerId: number): ProducerEntry | undefined {
    return this.#entries?.get(producerId);
  }

  /** Where the oldest transaction begins that is open or whose end is not yet replicated; infinity for none. */
  get firstUnstableOffset(): number {
    const [oldestOpen] = this.#ongoing?.keys() ?? [];
    let first = oldestOpen ?? Number.POSITIVE_INFINITY;
    for (const { firstOffset } of this.#unreplicated) first = Math.min(first, firstOffset);
    return first;
  }

  draft(): ProducerDraft {
    return new ProducerDraft(this);
  }

  onHighWatermark(highWatermark: number): void {
    if (this.#unreplicated.length === 0) return;
    this.#unreplicated = this.#unreplicated.filter(({ lastOffset }) => lastOffset >= highWatermark);
  }

  /**
   * Forgets producers without an open transaction that were silent for `expirationMs` by the clock of their records.
   */
  removeExpired(nowMs: number, expirationMs: number): void {
    if (!this.#entries) return;
    for (const [producerId, entry] of this.#entries) {
      if (entry.isExpired(nowMs, expirationMs)) this.#entries.delete(producerId);
    }
    if (this.#entries.size === 0) this.#entries = undefined;
  }

  /** Starts again from the entries of a snapshot. */
  load(entries: readonly ProducerEntry[]): void {
    const byId = entries.map((entry): [number, ProducerEntry] => [entry.producerId, entry]);
    this.#entries = byId.length > 0 ? new Map(byId) : undefined;
    const open = entries.filter((entry) => entry.transactionFirstOffset >= 0);
    open.sort((a, b) => a.transactionFirstOffset - b.transactionFirstOffset);
    const ongoing = open.map((entry): [number, number] => [entry.transactionFirstOffset, entry.producerId]);
    this.#ongoing = ongoing.length > 0 ? new Map(ongoing) : undefined;
    this.#unreplicated = NONE;
  }

  /** Puts in place what a draft collected; gives the aborted transactions that ended, for the transaction index. */
  commit(entries: Iterable<ProducerEntry>, events: readonly TransactionEvent[]): AbortedTransactionEntry[] {
    this.#entries ??= new Map();
    for (const entry of entries) this.#entries.set(entry.producerId, entry);
    if (events.length === 0) return [];
    this.#ongoing ??= new Map();
    const aborted: AbortedTransactionEntry[] = [];
    for (const event of events) {
      if ('startedAt' in event) {
        this.#ongoing.set(event.startedAt, event.producerId);
        continue;
      }
      this.#ongoing.delete(event.firstOffset);
      this.#unreplicated = [...this.#unreplicated, event];
      const { producerId, firstOffset, lastOffset, isAbort } = event;
      const [nextOpen] = this.#ongoing.keys();
      if (isAbort) {
        aborted.push({ producerId, firstOffset, lastOffset, lastStableOffset: nextOpen ?? lastOffset + 1 });
      }
    }
    return aborted;
  }
}

export class ProducerDraft {
  readonly #state: ProducerState;
  readonly #entries = new Map<number, ProducerEntry>();
  readonly #events: TransactionEvent[] = [];

  constructor(state: ProducerState) {
    this.#state = state;
  }

  /** Checks and takes over a batch. A value is the batch that it repeats: then nothing was taken over. */
  append(batch: ProducerBatch, checks: ProducerChecks): Result<BatchMetadata | null, ProducerFailure> {
    const current = this.#current(batch.producerId);
    if (current && checks.origin === 'client') {
      const duplicate = current.findDuplicate(batch);
      if (duplicate) return ok(duplicate);
    }
    const failure = (current ?? new ProducerEntry(batch.producerId)).check(batch, checks);
    if (failure) return err(failure);
    if (this.#writable(batch.producerId).add(batch)) {
      this.#events.push({ startedAt: batch.firstOffset, producerId: batch.producerId });
    }
    return ok(null);
  }

  /** Checks and takes over the end of a transaction. */
  end(marker: EndTransactionMarker, checks: ProducerChecks): Result<null, ProducerFailure> {
    const failure = this.#current(marker.producerId)?.checkMarker(marker, checks);
    if (failure) return err(failure);
    const firstOffset = this.#writable(marker.producerId).end(marker);
    const { producerId, offset, isAbort } = marker;
    if (firstOffset >= 0) this.#events.push({ producerId, firstOffset, lastOffset: offset, isAbort });
    return ok(null);
  }

  /** Makes it the state; gives the aborted transactions that ended. */
  commit(): AbortedTransactionEntry[] {
    if (this.#entries.size === 0) return [];
    return this.#state.commit(this.#entries.values(), this.#events);
  }

  #current(producerId: number): ProducerEntry | undefined {
    return this.#entries.get(producerId) ?? this.#state.get(producerId);
  }

  #writable(producerId: number): ProducerEntry {
    const drafted = this.#entries.get(producerId);
    if (drafted) return drafted;
    const entry = this.#state.get(producerId)?.clone() ?? new ProducerEntry(producerId);
    this.#entries.set(producerId, entry);
    return entry;
  }
}
