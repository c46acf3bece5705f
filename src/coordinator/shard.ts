/**
 * The contract between a coordinator's state machine (a shard: the state of one partition of an internal topic) and the
 * runtime that drives it. A shard is a plain object: it does no I/O, knows no clock and makes no random value; what it
 * wants done comes back as data, so a test is "these operations, these effects".
 *
 * Hard state is what the partition's records say, and only `apply` writes it: replaying the records gives it again.
 * Soft state is everything else (who waits, how far a rebalance is) and is lost when the shard is dropped.
 */
import type { TimestampMs } from '../base/clock';

/** Stands for a request that waits for its response of type `R`; parked in soft state until it is answered. */
export interface RequestToken<R> {
  readonly id: number;
  /** Never set: it only ties the token to the type of its response. */
  readonly response?: R;
}

export interface Reply {
  readonly to: RequestToken<unknown>;
  readonly response: unknown;
}

/** Starts (again) or, with `at` null, stops the timer of that key; the expiry comes back as the operation given. */
export type TimerChange<Op> =
  | { readonly key: string; readonly at: TimestampMs; readonly op: Op }
  | { readonly key: string; readonly at: null };

export interface Effects<Op, Rec> {
  /** Appended in one batch, so atomically, unless together they are larger than a batch may be. */
  readonly records: readonly Rec[];
  /** Sent when everything that this operation saw and wrote is committed. */
  readonly replies: readonly Reply[];
  readonly timers: readonly TimerChange<Op>[];
  /** The operation changed no soft state: where its records cannot be written, it has not happened. */
  readonly leavesSoftState: boolean;
}

/** Where a record lies and who wrote it. */
export interface RecordPosition {
  readonly offset: number;
  /** -1 unless the record belongs to a transaction. */
  readonly producerId: number;
}

export interface Shard<Op, Rec> {
  /** Decides. May change soft state only. */
  handle(op: Op, now: TimestampMs): Effects<Op, Rec>;
  /** The only writer of hard state: called for the records of `handle` right after it, and for every record on load. */
  apply(record: Rec, at: RecordPosition): void;
  /** A transaction's records so far now count (`commit`) or are void. */
  applyEndMarker(producerId: number, commit: boolean): void;
  /** Called once, when every record of the partition has been applied. */
  onLoaded(now: TimestampMs): Effects<Op, Rec>;
}

/** Collects the effects of one operation. */
export class EffectList<Op, Rec> implements Effects<Op, Rec> {
  readonly records: Rec[] = [];
  readonly replies: Reply[] = [];
  readonly timers: TimerChange<Op>[] = [];
  leavesSoftState = false;

  record(record: Rec): void {
    this.records.push(record);
  }

  recordAll(records: readonly Rec[]): void {
    for (const record of records) this.records.push(record);
  }

  reply<R>(to: RequestToken<R>, response: R): void {
    this.replies.push({ to, response });
  }

  startTimer(key: string, at: TimestampMs, op: Op): void {
    this.timers.push({ key, at, op });
  }

  stopTimer(key: string): void {
    this.timers.push({ key, at: null });
  }
}
