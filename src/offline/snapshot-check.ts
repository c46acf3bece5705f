/** Compares a producer snapshot with what the batches before its offset tell of producers. Pure. */
import type { ProducerEntry } from '../log/producer-entry';
import { decodeSnapshot } from '../log/producer-snapshot';
import type { LogFacts } from './segment-facts';

export interface SnapshotPlace {
  /** Of the log before the offset. */
  readonly facts: LogFacts;
  readonly offset: number;
  /** Whether compaction may have taken batches out. */
  readonly mayHaveGaps: boolean;
}

export interface SnapshotDamage {
  readonly what: string;
  readonly isReadable: boolean;
}

/**
 * What is wrong with it, undefined when nothing is. Producers that only it knows are right where their batches are gone
 * (retention), those that it does not know where they had expired. Where compaction took markers away, the log no
 * longer tells which transactions are open.
 */
export function snapshotDamage(
  content: Buffer,
  { facts, offset, mayHaveGaps }: SnapshotPlace,
): SnapshotDamage | undefined {
  const entries = decodeSnapshot(content);
  if (!entries) return { what: 'cannot be read: damaged', isReadable: false };
  for (const stored of entries) {
    const what = producerDamage(stored, { facts, offset, mayHaveGaps });
    if (what !== undefined) return { what, isReadable: true };
  }
  return undefined;
}

function producerDamage(
  { producerId, producerEpoch, transactionFirstOffset, batches }: ProducerEntry,
  { facts, offset, mayHaveGaps }: SnapshotPlace,
): string | undefined {
  const last = batches.at(-1);
  const lastOffset = last?.lastOffset ?? -1;
  if (lastOffset >= offset) return `producer ${producerId} has a batch at offset ${lastOffset}, behind the snapshot`;
  const known = facts.producers.get(producerId);
  const knownOffset = known?.batches.at(-1)?.lastOffset ?? -1;
  // What compaction took, or retention, only the snapshot knows.
  if (lastOffset > knownOffset && (mayHaveGaps || lastOffset < facts.firstOffset)) return undefined;
  if (!known) return last && `producer ${producerId} has a batch at offset ${lastOffset} that the log does not have`;
  if (producerEpoch !== known.producerEpoch)
    return `producer ${producerId} has epoch ${producerEpoch}, and ${known.producerEpoch} by the log`;
  if (last && (lastOffset !== knownOffset || last.lastSequence !== known.lastSequence))
    return (
      `producer ${producerId} ends with sequence ${last.lastSequence} at offset ${lastOffset}, and by the log with ` +
      `${known.lastSequence} at ${knownOffset}`
    );
  const began = known.transactionFirstOffset;
  if (mayHaveGaps || transactionFirstOffset === began || transactionFirstOffset < facts.firstOffset) return undefined;
  return `producer ${producerId} has a transaction open from ${transactionFirstOffset}, and ${began} by the log`;
}
