/** Whose records go, and how long a marker is needed. Whole histories are in compaction-model.test.ts. */

import { buildBatch } from '../records/batch-builder';
import { emptiedBatch } from '../records/batch-filter';
import * as batchHeader from '../records/batch-header';
import { buildEndTransactionMarker } from '../records/control-record';
import { keyedBatch } from '../testing/compaction-fixture';
import { CleanedTransactions } from './cleaned-transactions';
import type { AbortedTransactionEntry } from './producer-state';

function records(producerId: number, baseOffset: number): Buffer {
  return keyedBatch([['k', 'v']], { producerId, producerEpoch: 0, baseSequence: 0, baseOffset, isTransactional: true });
}

function marker(producerId: number, offset: number, isCommit: boolean): Buffer {
  const batch = buildEndTransactionMarker({
    producerId,
    producerEpoch: 0,
    coordinatorEpoch: 0,
    isCommit,
    timestampMs: 1,
  });
  batchHeader.patchBaseOffset(batch, 0, offset);
  return batch;
}

function entry(producerId: number, firstOffset: number, lastOffset: number): AbortedTransactionEntry {
  return { producerId, firstOffset, lastOffset, lastStableOffset: lastOffset + 1 };
}

describe('CleanedTransactions', () => {
  let kept: AbortedTransactionEntry[];
  let transactions: CleanedTransactions;

  beforeEach(() => {
    kept = [];
    transactions = new CleanedTransactions();
  });

  const isDone = (batch: Buffer): boolean => transactions.onControl(batch, 0, (entry) => kept.push(entry));
  const isAborted = (batch: Buffer): boolean => transactions.onRecords(batch, 0);

  it('knows aborted records, and keeps their marker and entry as long as one was there', () => {
    const first = entry(1, 0, 5);
    transactions.expect([entry(1, 20, 25), first]);
    transactions.expect([first]);
    expect([isAborted(records(1, 0)), isAborted(records(2, 1)), isAborted(keyedBatch([['k', 'v']]))]).toEqual([
      true,
      false,
      false,
    ]);
    expect([isDone(marker(1, 5, false)), kept]).toEqual([false, [first]]);
    // The same producer's next transaction is another one.
    expect([isAborted(records(1, 6)), isDone(marker(1, 7, true))]).toEqual([false, false]);
    expect([isDone(marker(1, 25, false)), kept.length]).toEqual([true, 1]);
  });

  it('keeps a commit as long as one of its records was there', () => {
    expect(isDone(marker(3, 0, true))).toBe(true);
    isAborted(records(3, 1));
    expect([isDone(marker(3, 2, true)), isDone(marker(3, 3, true))]).toEqual([false, true]);
  });

  it('is done with emptied markers, and never with what it does not know', () => {
    expect(isDone(emptiedBatch(marker(1, 0, true), 0))).toBe(true);
    const leaderChange = { timestamp: 1, key: Buffer.from([0, 0, 0, 2]), value: Buffer.alloc(6) };
    expect(isDone(buildBatch({ records: [leaderChange], isControl: true }))).toBe(false);
  });
});
