/** Sequences, epochs, transactions; drafts that become the state or vanish. */
import { ErrorCode } from '../codec/generated/errors';
import type { ProducerChecks } from './log-append';
import type { ProducerBatch } from './producer-entry';
import { decodeSnapshot, encodeSnapshot } from './producer-snapshot';
import { ProducerState } from './producer-state';

const LARGEST = 2 ** 31 - 1;

describe('ProducerState', () => {
  let state: ProducerState;
  let nextOffset: number;

  beforeEach(() => {
    state = new ProducerState();
    nextOffset = 0;
  });

  function batch(sequence: number, count = 1, changes: Partial<ProducerBatch> = {}): ProducerBatch {
    const last = sequence + count - 1;
    return {
      producerId: 1,
      producerEpoch: 0,
      baseSequence: sequence,
      lastSequence: last > LARGEST ? last - LARGEST - 1 : last,
      firstOffset: nextOffset,
      lastOffset: nextOffset + count - 1,
      maxTimestampMs: 100,
      isTransactional: false,
      ...changes,
    };
  }

  /** Appends at the end; 0 when stored, `dup@offset` when it was there, the error code otherwise. */
  function send(sequence: number, count = 1, changes: Partial<ProducerBatch> & Partial<ProducerChecks> = {}): unknown {
    const draft = state.draft();
    const { origin = 'client', isVerified = false, transactionVersion = 0, ...fields } = changes;
    const result = draft.append(batch(sequence, count, fields), { origin, isVerified, transactionVersion });
    if (!result.ok) return result.error.code;
    if (result.value) return `dup@${result.value.lastOffset - result.value.offsetDelta}`;
    draft.commit();
    nextOffset += count;
    return 0;
  }

  const OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER;

  it('recognizes the last five batches, not the sixth', () => {
    for (let i = 0; i < 6; i++) expect(send(i * 2, 2)).toBe(0);
    expect([1, 2, 3, 4, 5].map((i) => send(i * 2, 2))).toEqual(['dup@2', 'dup@4', 'dup@6', 'dup@8', 'dup@10']);
    expect([send(0, 2), send(10, 1), send(9, 2)]).toEqual([OUT_OF_ORDER, OUT_OF_ORDER, OUT_OF_ORDER]);
    expect(send(12)).toBe(0);
  });

  it('takes any first sequence of a producer it does not know, and then only the next', () => {
    expect([send(70), send(72), send(69), send(71)]).toEqual([0, OUT_OF_ORDER, OUT_OF_ORDER, 0]);
  });

  it('goes on with 0 after the largest sequence, also within a batch', () => {
    expect([send(LARGEST - 1, 2), send(1), send(0, 3)]).toEqual([0, OUT_OF_ORDER, 0]);
    expect([send(3, 1), send(LARGEST - 1, 2), send(0, 3)]).toEqual([0, 'dup@0', 'dup@2']);
    state = new ProducerState();
    expect([send(LARGEST, 4), send(3), send(LARGEST, 4)]).toEqual([0, 0, 'dup@6']);
  });

  it('fences old epochs and starts new ones at 0', () => {
    const at = (producerEpoch: number, sequence: number): unknown => send(sequence, 1, { producerEpoch });
    expect([at(1, 0), at(0, 1), at(2, 5), at(1, 1), at(2, 0), at(1, 2)]).toEqual([
      0,
      ErrorCode.INVALID_PRODUCER_EPOCH,
      OUT_OF_ORDER,
      0,
      0,
      ErrorCode.INVALID_PRODUCER_EPOCH,
    ]);
  });

  it('keeps producers apart', () => {
    expect([send(0), send(0, 1, { producerId: 2 }), send(0), send(0, 1, { producerId: 2 })]).toEqual([
      0,
      0,
      'dup@0',
      'dup@1',
    ]);
  });

  it('forgets a draft that is not committed', () => {
    const draft = state.draft();
    expect(draft.append(batch(0), { origin: 'client' }).ok).toBe(true);
    expect(draft.append(batch(1), { origin: 'client' }).ok).toBe(true);
    expect(draft.append(batch(1), { origin: 'client' })).toMatchObject({ value: { lastSequence: 1 } });
    expect([state.size, send(40)]).toEqual([0, 0]);
    const second = state.draft();
    second.append(batch(41), { origin: 'client' });
    expect(send(41)).toBe(0);
  });

  it('does not check sequences of coordinators, nor anything of leaders', () => {
    expect([
      send(0),
      send(-1, 1, { origin: 'coordinator' }),
      send(9, 1, { producerEpoch: -1, origin: 'replication' }),
    ]).toEqual([0, 0, 0]);
    send(0, 1, { producerEpoch: 5 });
    expect(send(-1, 1, { producerEpoch: 4, origin: 'coordinator' })).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
  });

  it('forgets silent producers, but not those with an open transaction', () => {
    send(0, 1, { maxTimestampMs: 100 });
    send(0, 1, { producerId: 2, maxTimestampMs: 100, isTransactional: true, isVerified: true });
    state.removeExpired(199, 100);
    expect(state.size).toBe(2);
    state.removeExpired(200, 100);
    expect(Array.from(state.entries, ({ producerId }) => producerId)).toEqual([2]);
  });

  describe('transactions', () => {
    const open = (producerId: number, sequence = 0): unknown =>
      send(sequence, 1, { producerId, isTransactional: true, origin: 'coordinator' });

    function end(
      producerId: number,
      isAbort: boolean,
      changes: { producerEpoch?: number; coordinatorEpoch?: number; transactionVersion?: number } = {},
    ) {
      const draft = state.draft();
      const offset = nextOffset;
      const { transactionVersion = 0, ...fields } = changes;
      const marker = {
        producerId,
        producerEpoch: 0,
        coordinatorEpoch: 3,
        isAbort,
        offset,
        timestampMs: 200,
        ...fields,
      };
      const result = draft.end(marker, { origin: 'coordinator', transactionVersion });
      if (!result.ok) return result.error.code;
      nextOffset++;
      return draft.commit();
    }

    it('are unstable from their first record until their end is replicated', () => {
      expect(state.firstUnstableOffset).toBe(Number.POSITIVE_INFINITY);
      open(1);
      open(2);
      open(1, 1);
      expect(state.firstUnstableOffset).toBe(0);
      expect(end(1, false)).toEqual([]);
      expect(state.firstUnstableOffset).toBe(0);
      state.onHighWatermark(3);
      expect(state.firstUnstableOffset).toBe(0);
      state.onHighWatermark(4);
      expect(state.firstUnstableOffset).toBe(1);
    });

    it('leave a note when aborted, with the last stable offset of then', () => {
      open(1);
      open(2);
      expect(end(2, true)).toEqual([{ producerId: 2, firstOffset: 1, lastOffset: 2, lastStableOffset: 0 }]);
      expect(end(1, true)).toEqual([{ producerId: 1, firstOffset: 0, lastOffset: 3, lastStableOffset: 4 }]);
      expect(end(1, true)).toEqual([]);
    });

    it('begin and end within one draft', () => {
      const draft = state.draft();
      draft.append(batch(0, 1, { isTransactional: true }), { origin: 'coordinator' });
      draft.end(
        { producerId: 1, producerEpoch: 0, coordinatorEpoch: 0, isAbort: true, offset: 1, timestampMs: 0 },
        { origin: 'coordinator' },
      );
      draft.append(batch(1, 1, { isTransactional: true, firstOffset: 2, lastOffset: 2 }), { origin: 'coordinator' });
      expect(draft.commit()).toEqual([{ producerId: 1, firstOffset: 0, lastOffset: 1, lastStableOffset: 2 }]);
      state.onHighWatermark(3);
      expect(state.firstUnstableOffset).toBe(2);
    });

    it('admit no plain records of their producer', () => {
      open(1);
      expect(send(1, 1, { origin: 'client' })).toBe(ErrorCode.INVALID_TXN_STATE);
      end(1, false);
      expect(send(1, 1, { origin: 'client' })).toBe(0);
    });

    it('are not ended by an old producer epoch or an old coordinator', () => {
      open(1);
      expect(end(1, false, { producerEpoch: -1 })).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
      end(1, false);
      expect(end(1, false, { coordinatorEpoch: 2 })).toBe(ErrorCode.TRANSACTION_COORDINATOR_FENCED);
    });

    it('begin with the word of the coordinator only, and go on without', () => {
      const client = { producerId: 1, isTransactional: true, origin: 'client' } as const;
      expect(send(0, 1, client)).toBe(ErrorCode.INVALID_TXN_STATE);
      expect(send(4, 1, { ...client, isVerified: true })).toBe(0);
      expect([send(5, 1, client), send(5, 1, client), send(7, 1, client)]).toEqual([0, 'dup@1', OUT_OF_ORDER]);
      // Not the transaction that is open here, and then not even one that could be.
      expect(send(0, 1, { ...client, producerEpoch: 1 })).toBe(ErrorCode.INVALID_TXN_STATE);
      end(1, false);
      expect(send(6, 1, client)).toBe(ErrorCode.INVALID_TXN_STATE);
      end(1, false, { producerEpoch: 1 });
      expect(send(6, 1, client)).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
    });

    it('have an epoch each where their version says so: a late marker ends nothing, a repeated one is harmless', () => {
      const client = { producerId: 1, isTransactional: true, isVerified: true, transactionVersion: 2 } as const;
      expect(send(3, 1, client)).toBe(OUT_OF_ORDER);
      expect(send(0, 1, client)).toBe(0);
      const late = { transactionVersion: 2, producerEpoch: 0 };
      expect(end(1, true, late)).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
      expect(state.firstUnstableOffset).toBe(0);
      expect(end(1, true, { ...late, producerEpoch: 1 })).toMatchObject([{ firstOffset: 0, lastOffset: 1 }]);
      expect(end(1, true, { ...late, producerEpoch: 1 })).toEqual([]);
      expect(send(0, 1, { ...client, producerEpoch: 1 })).toBe(0);
      expect(end(1, false, { ...late, producerEpoch: 1 })).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
      // An epoch that cannot rise any more ends what it began.
      expect(end(1, false, { ...late, producerEpoch: 2 })).toEqual([]);
      expect(send(0, 1, { ...client, producerEpoch: 32767 })).toBe(0);
      expect(end(1, false, { ...late, producerEpoch: 32767 })).toEqual([]);
    });

    it('fence the next sequence after an epoch was raised by the end', () => {
      open(1);
      end(1, true, { producerEpoch: 1 });
      expect([send(1), send(1, 1, { producerEpoch: 1 }), send(0, 1, { producerEpoch: 1 })]).toEqual([
        ErrorCode.INVALID_PRODUCER_EPOCH,
        OUT_OF_ORDER,
        0,
      ]);
    });
  });

  it('comes back from a snapshot with the last batch of each producer', () => {
    send(0, 3);
    send(3, 2);
    send(5, 1, { producerId: 2, producerEpoch: 4, isTransactional: true, origin: 'coordinator' });
    const entries = decodeSnapshot(encodeSnapshot(state.entries));
    state = new ProducerState();
    state.load(entries!);
    expect([send(3, 2), send(0, 3), send(5)]).toEqual(['dup@3', OUT_OF_ORDER, 0]);
    expect([state.firstUnstableOffset, state.get(2)?.producerEpoch, state.get(1)?.isPartial]).toEqual([5, 4, true]);
  });
});
