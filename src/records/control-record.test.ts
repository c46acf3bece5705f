/** Transaction markers there and back; what is none. Kafka's own bytes are in java-vectors.test.ts. */
import { buildBatch } from './batch-builder';
import * as batchHeader from './batch-header';
import { buildEndTransactionMarker, ControlType, endTransactionMarkerOf, parseControlKey } from './control-record';

describe('control records', () => {
  it.each([true, false])('end a transaction, commit %s', (isCommit) => {
    const batch = buildEndTransactionMarker({
      isCommit,
      coordinatorEpoch: 12,
      producerId: 4711,
      producerEpoch: 3,
      timestampMs: 1000,
    });
    expect([batchHeader.isControl(batch), batchHeader.isTransactional(batch)]).toEqual([true, true]);
    expect([batchHeader.producerId(batch), batchHeader.baseSequence(batch)]).toEqual([4711, -1]);
    expect(endTransactionMarkerOf(batch)).toEqual({ isCommit, coordinatorEpoch: 12 });
  });

  it('are told from other batches', () => {
    const record = { timestamp: 1, key: Buffer.from([0, 0, 0, ControlType.leaderChange]), value: Buffer.alloc(6) };
    expect(endTransactionMarkerOf(buildBatch({ records: [record] }))).toBeUndefined();
    expect(endTransactionMarkerOf(buildBatch({ records: [record], isControl: true }))).toBeUndefined();
    const short = { ...record, key: Buffer.from([0, 0, 0, ControlType.commit]), value: Buffer.alloc(5) };
    expect(endTransactionMarkerOf(buildBatch({ records: [short], isControl: true }))).toBeUndefined();
  });

  it('have keys of version and type', () => {
    expect(parseControlKey(Buffer.from([0, 1, 0, 2, 99]))).toEqual({ version: 1, type: 2 });
    expect(parseControlKey(Buffer.from([255, 255, 0, 0]))).toBeUndefined();
    expect(parseControlKey(Buffer.alloc(3))).toBeUndefined();
    expect(parseControlKey(null)).toBeUndefined();
  });
});
