/**
 * What the batches of a log say, gathered while they are walked: where it ends, its epochs, its producers, the aborted
 * transactions. The files beside the segments are compared with it. Pure.
 */
import { applyBatch } from '../log/producer-batch';
import { type AbortedTransactionEntry, ProducerState } from '../log/producer-state';
import * as storedBatch from '../log/stored-batch';
import * as batchHeader from '../records/batch-header';

export class LogFacts {
  /** The offset after the last batch so far. */
  nextOffset: number;
  /** Of the first segment: what came before is gone. */
  readonly firstOffset: number;
  /** The newest leader epoch of a batch so far, -1 for none. */
  leaderEpoch = -1;
  /** The epoch that was told last not to fit leader-epoch-checkpoint: once for each is enough. */
  wrongEpoch = -1;
  readonly producers = new ProducerState();

  constructor(firstOffset: number) {
    this.firstOffset = firstOffset;
    this.nextOffset = firstOffset;
  }

  /** Takes in a batch that is sound; gives the aborted transactions that end with it. */
  take(batch: Buffer): AbortedTransactionEntry[] {
    this.nextOffset = storedBatch.lastOffset(batch, 0) + 1;
    if (!storedBatch.isV2(batch, 0)) return [];
    this.leaderEpoch = Math.max(this.leaderEpoch, batchHeader.partitionLeaderEpoch(batch));
    const draft = this.producers.draft();
    // What is in the log was checked when it was appended.
    applyBatch(draft, { buffer: batch, at: 0 }, { origin: 'replication' });
    const aborted = draft.commit();
    this.producers.onHighWatermark(this.nextOffset);
    return aborted;
  }
}
