/**
 * A snapshot keeps only the last batch of a producer, but a client may send any of its last five again, also after a
 * clean restart. When such a producer seems to be out of order, its older batches are read back from the end of the
 * log. (Kafka does not do this and answers OUT_OF_ORDER_SEQUENCE_NUMBER.)
 */
import * as batchHeader from '../records/batch-header';
import type { LogState } from './log-state';
import { producerBatchOf } from './producer-batch';
import type { ProducerBatch } from './producer-entry';
import * as storedBatch from './stored-batch';

/** How far back is looked: five requests of the usual largest size. */
const REACH_BYTES = 5 * 1024 * 1024;

/** Completes what is remembered of a producer; false when there is nothing to add. */
export function backfillProducer(state: LogState, producerId: number): boolean {
  const entry = state.producers.get(producerId);
  if (!entry?.isPartial) return false;
  entry.isPartial = false;
  const lastOffset = entry.batches.at(-1)?.lastOffset ?? -1;
  const found: ProducerBatch[] = [];
  let reach = REACH_BYTES;
  for (let index = state.segments.length - 1; index >= 0 && reach > 0; index--) {
    const segment = state.segments[index]!;
    const from = segment.offsetIndex.floorByPosition(Math.max(0, segment.sizeInBytes - reach)).position;
    const here: ProducerBatch[] = [];
    segment.walk(from, (buffer, at) => {
      if (storedBatch.isV2(buffer, at) && batchHeader.producerId(buffer, at) === producerId) {
        here.push(producerBatchOf(buffer, at));
      }
      return true;
    });
    found.unshift(...here);
    reach -= segment.sizeInBytes;
  }
  const known = found.filter(
    (batch) => batch.producerEpoch === entry.producerEpoch && batch.lastOffset <= lastOffset && batch.baseSequence >= 0,
  );
  if (known.length <= entry.batches.length) return false;
  entry.restoreBatches(known);
  return true;
}
