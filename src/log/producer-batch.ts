/** From the bytes of a batch to what producer state needs of it: the bridge between records and producer-state.ts. */
import { ok, type Result } from '../base/result';
import * as batchHeader from '../records/batch-header';
import { endTransactionMarkerOf } from '../records/control-record';
import type { ProducerChecks } from './log-append';
import type { BatchMetadata, ProducerBatch, ProducerFailure } from './producer-entry';
import type { ProducerDraft } from './producer-state';

export function producerBatchOf(buffer: Buffer, at: number): ProducerBatch {
  return {
    producerId: batchHeader.producerId(buffer, at),
    producerEpoch: batchHeader.producerEpoch(buffer, at),
    baseSequence: batchHeader.baseSequence(buffer, at),
    lastSequence: batchHeader.lastSequence(buffer, at),
    firstOffset: batchHeader.baseOffset(buffer, at),
    lastOffset: batchHeader.lastOffset(buffer, at),
    maxTimestampMs: batchHeader.maxTimestamp(buffer, at),
    isTransactional: batchHeader.isTransactional(buffer, at),
  };
}

/**
 * Checks a v2 batch, whose offsets are set, against the draft and takes it over. A value is the batch that it repeats.
 * A control batch that is no transaction marker, or was emptied by compaction, changes nothing.
 */
export function applyBatch(
  draft: ProducerDraft,
  batch: { readonly buffer: Buffer; readonly at: number },
  checks: ProducerChecks,
): Result<BatchMetadata | null, ProducerFailure> {
  const { buffer, at } = batch;
  if (batchHeader.producerId(buffer, at) < 0) return ok(null);
  if (!batchHeader.isControl(buffer, at)) return draft.append(producerBatchOf(buffer, at), checks);
  const marker = endTransactionMarkerOf(buffer, at);
  if (!marker) return ok(null);
  return draft.end(
    {
      producerId: batchHeader.producerId(buffer, at),
      producerEpoch: batchHeader.producerEpoch(buffer, at),
      coordinatorEpoch: marker.coordinatorEpoch,
      isAbort: !marker.isCommit,
      offset: batchHeader.baseOffset(buffer, at),
      timestampMs: batchHeader.maxTimestamp(buffer, at),
    },
    checks,
  );
}
